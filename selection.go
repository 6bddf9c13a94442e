package promptecho

import (
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
)

// everything is the selector of all requests and calls.
const everything = "*"

// A selection is what the options Live and Frozen select.
type selection struct{ live, frozen []string }

// empty reports whether no option selects anything.
func (s *selection) empty() bool { return len(s.live)+len(s.frozen) == 0 }

// isFrozen reports whether calls of a name are never made.
func (s *selection) isFrozen(name string) bool { return selects(s.frozen, name) }

// freezes reports whether any call may be frozen.
func (s *selection) freezes() bool { return len(s.frozen) > 0 }

// isLive reports whether calls of a name are made for real.
func (s *selection) isLive(name string) bool { return selects(s.live, name) && !s.isFrozen(name) }

// selector returns whether selectors, or all, select a name; nil if nothing is selected.
func selector(selectors []string, all bool) func(name string) bool {
	switch {
	case all:
		return func(string) bool { return true }
	case len(selectors) == 0:
		return nil
	}
	return func(name string) bool { return selects(selectors, name) }
}

func selects(selectors []string, name string) bool {
	return slices.ContainsFunc(selectors, func(s string) bool { return canon.Selects(s, name) })
}
