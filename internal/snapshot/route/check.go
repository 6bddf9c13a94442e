package route

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Check returns where a route leaves the expected one, or "".
type Check func(r *Route) string

// InOrder expects these tools to be called one after the other; others may be called between
// them. Of calls that were made at once, each may have been the first.
func InOrder(names ...string) Check {
	return func(r *Route) string {
		all, last := r.uses(), -1
		taken := make([]bool, len(all))
		for i, name := range names {
			next := slices.IndexFunc(all, func(u use) bool { return u.name == name && !taken[u.index] && (last < 0 || all[last].before(u)) })
			if next < 0 {
				return fmt.Sprintf("%s is not called%s%s", name, after(names[:i]), since(all, taken, last))
			}
			taken[next], last = true, next
		}
		return ""
	}
}

// before reports whether a use can have been made before another one.
func (u use) before(other use) bool {
	return u.level < other.level || u.level == other.level && (u.step != other.step || u.index < other.index)
}

// after says what of the expected route was found.
func after(found []string) string {
	if len(found) == 0 {
		return ""
	}
	return " after " + strings.Join(found, ", ")
}

// since says what was called after the last call that was expected.
func since(all []use, taken []bool, last int) string {
	var names []string
	for _, u := range all {
		if !taken[u.index] && (last < 0 || all[last].before(u)) {
			names = append(names, u.name)
		}
	}
	if names == nil {
		return "; nor is any other tool"
	}
	return "; called: " + strings.Join(names, ", ")
}

// InAnyOrder expects each of these tools to be called, as often as it is named.
func InAnyOrder(names ...string) Check {
	return func(r *Route) string {
		left := slices.Clone(names)
		for _, u := range r.uses() {
			if i := slices.Index(left, u.name); i >= 0 {
				left = slices.Delete(left, i, i+1)
			}
		}
		if len(left) == 0 {
			return ""
		}
		return "not called: " + strings.Join(left, ", ")
	}
}

// Never expects none of these tools to be called.
func Never(names ...string) Check {
	return func(r *Route) string {
		for _, u := range r.uses() {
			if slices.Contains(names, u.name) {
				return fmt.Sprintf("%s must never be called, but is, in step %d: %s", u.name, u.step+1, strings.ReplaceAll(r.steps[u.step].text(), "\n", "\n  "))
			}
		}
		return ""
	}
}

// AtMost expects so many calls of these tools, or of all tools if none is named, and no more.
func AtMost(n int, names ...string) Check {
	return func(r *Route) string {
		count := 0
		for _, u := range r.uses() {
			if len(names) > 0 && !slices.Contains(names, u.name) {
				continue
			}
			count++
			if count == n+1 {
				of := cmp.Or(strings.Join(names, ", "), "tools")
				return fmt.Sprintf("at most %d calls of %s are "+
					"allowed, but call number %d (%s) is made in step %d",
					n, of, count, u.name, u.step+1)
			}
		}
		return ""
	}
}
