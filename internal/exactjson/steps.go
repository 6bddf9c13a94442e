package exactjson

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// Member returns the member of an object with this name, or nil if there is none; v may be
// nil.
func (v *Value) Member(name string) *Value {
	if v == nil || v.Kind != Object {
		return nil
	}
	for i := range v.Elems {
		if v.Elems[i].Name == name {
			return &v.Elems[i]
		}
	}
	return nil
}

// Scalar returns the text of a value that is no array or object, or "" if it is one; v may
// be nil.
func (v *Value) Scalar() string {
	if v == nil || v.Kind == Object || v.Kind == Array {
		return ""
	}
	return v.Text
}

// Steps lead from a value to others below it. As a path they are member names; "*" is
// every element of a list, "{*}" every member of an object. With "name=value" or
// "name!=value" only that goes on whose member has that value, or another:
// "choices/*/index=0/delta/content". "name=a|b" takes either value, "name=*" any, "name!=*"
// what has no such member, and "a|b" stands for both names.
type Steps []Step

// A Step is a name, "*" or "{*}", or a condition.
type Step struct {
	Name   string
	Values []string // only what has one of them goes on, or none of them; nil if there is no condition
	Not    bool
}

// StepsOf returns the steps of a path. It remembers them: paths are in tables.
func StepsOf(path string) Steps { return steps.Get(path) }

var steps = memo.Strings[Steps]{Func: func(path string) (list Steps) {
	for part := range strings.SplitSeq(path, "/") {
		var s Step
		values, conditional := "", false
		s.Name, values, conditional = strings.Cut(part, "=")
		if conditional {
			s.Name, s.Not = strings.CutSuffix(s.Name, "!")
			s.Values = strings.Split(values, "|")
		}
		if part != "" {
			list = append(list, s)
		}
	}
	return list
}}

// Each calls f for what stands at a path of [Steps] below v, or is v at "".
func (v *Value) Each(path string, f func(*Value)) { StepsOf(path).Each(v, f) }

// Each calls f for what the steps lead to from v.
func (p Steps) Each(v *Value, f func(*Value)) {
	switch {
	case v == nil:
	case len(p) == 0:
		f(v)
	case p[0].Values != nil:
		if p[0].holds(v) {
			p[1:].Each(v, f)
		}
	case p[0].Name == "*" && v.Kind == Array, p[0].Name == "{*}" && v.Kind == Object:
		for i := range v.Elems {
			p[1:].Each(&v.Elems[i], f)
		}
	default:
		for name := range strings.SplitSeq(p[0].Name, "|") {
			p[1:].Each(v.Member(name), f)
		}
	}
}

// holds reports whether the condition of a step is true for v.
func (s *Step) holds(v *Value) bool {
	holds := false
	for name := range strings.SplitSeq(s.Name, "|") {
		m := v.Member(name)
		holds = holds || m != nil && s.Values[0] == "*" || slices.Contains(s.Values, m.Scalar())
	}
	return v.Kind == Object && holds != s.Not
}
