package route

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Check compares a route with an expectation. It returns a description of the first
// deviation, or "".
type Check func(r *Route) string

// InOrder expects calls of these tools in this order. Calls of other tools may be between them.
// Concurrent calls may be in any order.
func InOrder(tools ...string) Check {
	return func(r *Route) string {
		uses := r.toolUses()
		taken := make([]bool, len(uses)) // the uses that earlier names have taken
		last := -1                       // the index of the use that the previous name has taken
		mayFollow := func(use toolUse) bool {
			return !taken[use.index] && (last < 0 || uses[last].mayPrecede(use))
		}
		for i, tool := range tools {
			next := slices.IndexFunc(uses, func(use toolUse) bool {
				return use.tool == tool && mayFollow(use)
			})
			if next < 0 {
				others := slices.DeleteFunc(slices.Clone(uses), func(use toolUse) bool {
					return !mayFollow(use)
				})
				return fmt.Sprintf("%s is not called%s%s",
					tool, afterTools(tools[:i]), calledInstead(others))
			}
			taken[next] = true
			last = next
		}
		return ""
	}
}

// mayPrecede reports whether one use may have been before another: its level is lower, or they
// are concurrent, or it comes first in the same step.
func (u toolUse) mayPrecede(other toolUse) bool {
	if u.level != other.level {
		return u.level < other.level
	}
	return u.step != other.step || u.index < other.index
}

// afterTools returns the part of a message that names the expected tools that were called:
// " after search, read", or "" for none.
func afterTools(tools []string) string {
	if len(tools) == 0 {
		return ""
	}
	return " after " + strings.Join(tools, ", ")
}

// calledInstead returns the part of a message that names the tools that were called at the
// place of an expected one: "; called: search, read".
func calledInstead(uses []toolUse) string {
	if len(uses) == 0 {
		return "; nor is any other tool"
	}
	var tools []string
	for _, use := range uses {
		tools = append(tools, use.tool)
	}
	return "; called: " + strings.Join(tools, ", ")
}

// InAnyOrder expects each of these tools to be called, as often as it is listed.
func InAnyOrder(tools ...string) Check {
	return func(r *Route) string {
		missing := slices.Clone(tools)
		for _, use := range r.toolUses() {
			i := slices.Index(missing, use.tool)
			if i >= 0 {
				missing = slices.Delete(missing, i, i+1)
			}
		}
		if len(missing) == 0 {
			return ""
		}
		return "not called: " + strings.Join(missing, ", ")
	}
}

// Never expects that none of these tools is called.
func Never(tools ...string) Check {
	return func(r *Route) string {
		for _, use := range r.toolUses() {
			if slices.Contains(tools, use.tool) {
				step := strings.ReplaceAll(r.steps[use.step].text(), "\n", "\n  ")
				return fmt.Sprintf("%s must never be called, but is, in step %d: %s",
					use.tool, use.step+1, step)
			}
		}
		return ""
	}
}

// AtMost expects at most n calls of these tools in total, or of all tools if none is named.
func AtMost(n int, tools ...string) Check {
	return func(r *Route) string {
		count := 0
		for _, use := range r.toolUses() {
			if len(tools) > 0 && !slices.Contains(tools, use.tool) {
				continue
			}
			count++
			if count <= n {
				continue
			}
			limited := cmp.Or(strings.Join(tools, ", "), "tools")
			return fmt.Sprintf("at most %d calls of %s are "+
				"allowed, but call number %d (%s) is made in step %d",
				n, limited, count, use.tool, use.step+1)
		}
		return ""
	}
}
