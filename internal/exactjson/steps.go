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

// Scalar returns the text of a null, bool, number or string, or "" for an array or object. v
// may be nil.
func (v *Value) Scalar() string {
	if v == nil || v.Kind == Object || v.Kind == Array {
		return ""
	}
	return v.Text
}

// Steps select values below a value. As a path they are separated by slashes:
// "choices/*/index=0/delta/content". These are the steps:
//
//	name         the member of an object
//	a|b          both members
//	*            all elements of a list
//	{*}          all members of an object
//	name=value   the value itself, if it has a member with this value
//	name=a|b     the same for two values
//	name=*       the same for all values
//	name!=value  the value itself, if it is an object to which name=value does not apply
//
// All forms of name=value are possible with "!=".
type Steps []Step

// A Step is a name, "*" or "{*}", or a condition.
type Step struct {
	Name   string
	Values []string // of a condition, the values after the equals sign; nil for other steps
	Not    bool     // the condition has "!="
}

// StepsOf returns the steps of a path. It caches them, since paths are constants in tables.
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

// Each calls f for each value at a path of [Steps] below v. The path "" is v itself.
func (v *Value) Each(path string, f func(*Value)) { StepsOf(path).Each(v, f) }

// Each calls f for each value that the steps select, starting at v.
func (p Steps) Each(v *Value, f func(*Value)) {
	if v == nil {
		return
	}
	if len(p) == 0 {
		f(v)
		return
	}

	step, rest := &p[0], p[1:]
	isCondition := step.Values != nil
	switch {
	case isCondition:
		if step.holds(v) {
			rest.Each(v, f)
		}
	case step.Name == "*" && v.Kind == Array, step.Name == "{*}" && v.Kind == Object:
		for i := range v.Elems {
			rest.Each(&v.Elems[i], f)
		}
	default:
		for name := range strings.SplitSeq(step.Name, "|") {
			rest.Each(v.Member(name), f)
		}
	}
}

// holds reports whether the condition of a step is true for v.
func (s *Step) holds(v *Value) bool {
	hasValue := false
	for name := range strings.SplitSeq(s.Name, "|") {
		member := v.Member(name)
		isAny := member != nil && s.Values[0] == "*"
		hasValue = hasValue || isAny || slices.Contains(s.Values, member.Scalar())
	}
	return v.Kind == Object && hasValue != s.Not
}
