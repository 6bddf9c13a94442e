package canon

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// member returns the value at a path of member names, or nil.
func member(v *exactjson.Value, path ...string) *exactjson.Value {
	for _, name := range path {
		i := indexOf(v, name)
		if i < 0 {
			return nil
		}
		v = &v.Elems[i]
	}
	return v
}

// indexOf returns where an object has a member, -1 if it has none or is no object.
func indexOf(v *exactjson.Value, name string) int {
	if isKind(v, exactjson.Object) {
		for i := range v.Elems {
			if v.Elems[i].Name == name {
				return i
			}
		}
	}
	return -1
}

// elems returns the elements of an array, nil of anything else.
func elems(v *exactjson.Value) []exactjson.Value {
	if v == nil || v.Kind != exactjson.Array {
		return nil
	}
	return v.Elems
}

// text returns the string at a path of member names, "" if there is none.
func text(v *exactjson.Value, path ...string) string {
	if v = member(v, path...); v == nil || v.Kind == exactjson.Object || v.Kind == exactjson.Array {
		return ""
	}
	return v.Text
}

func isKind(v *exactjson.Value, kind exactjson.Kind) bool { return v != nil && v.Kind == kind }

// isString reports whether v is one of some strings.
func isString(v *exactjson.Value, texts ...string) bool {
	return isKind(v, exactjson.String) && slices.Contains(texts, v.Text)
}

// only reports whether v is an object with no members but the named ones.
func only(v *exactjson.Value, names ...string) bool {
	return isKind(v, exactjson.Object) && !slices.ContainsFunc(v.Elems, func(m exactjson.Value) bool { return !slices.Contains(names, m.Name) })
}

// drop removes members of an object.
func drop(v *exactjson.Value, names ...string) {
	for _, name := range names {
		if i := indexOf(v, name); i >= 0 {
			v.Elems = slices.Delete(v.Elems, i, i+1)
		}
	}
}

// set sets or adds a member of an object.
func set(v *exactjson.Value, name string, to exactjson.Value) {
	if m := member(v, name); m != nil {
		replace(m, to)
		return
	}
	v.Elems = append(v.Elems, field(name, to))
}

// field returns a value as that of a member.
func field(name string, v exactjson.Value) exactjson.Value {
	v.Name = name
	return v
}

// replace puts another value in v's place; it is still the one that was sent
// there.
func replace(v *exactjson.Value, with exactjson.Value) {
	with.ID, with.Name = v.ID, v.Name
	*v = with
}

// rename renames a member unless the new name is taken.
func rename(v *exactjson.Value, from, to string) {
	if m := member(v, from); m != nil && member(v, to) == nil {
		m.Name = to
	}
}

// appendTo adds a value to a member that is a list, in an object that may be empty yet.
func appendTo(v *exactjson.Value, name string, value exactjson.Value) {
	v.Kind = exactjson.Object
	if list := member(v, name); list != nil {
		list.Elems = append(list.Elems, value)
		return
	}
	set(v, name, exactjson.Value{Kind: exactjson.Array, Elems: []exactjson.Value{value}})
}

func stringValue(s string) exactjson.Value {
	return exactjson.Value{Kind: exactjson.String, Text: exactjson.EscapeText(s)}
}

// Steps lead from a value to others below it. As a path they are member names; "*" is
// every element of a list, "{*}" every member of an object. With "name=value" or
// "name!=value" only that goes on whose member has that value, or another:
// "choices/*/index=0/delta/content". "name=a|b" takes either value, "name=*" any.
type steps []step

type step struct {
	name   string
	values []string // only what has one of them goes on, or none of them
	not    bool
}

// stepsOf remembers the steps of paths, which are all in tables.
var stepsOf = memo.Strings[steps]{Func: func(path string) (list steps) {
	for part := range strings.SplitSeq(path, "/") {
		var s step
		values, conditional := "", false
		if s.name, values, conditional = strings.Cut(part, "="); conditional {
			s.name, s.not = strings.CutSuffix(s.name, "!")
			s.values = strings.Split(values, "|")
		}
		if part != "" {
			list = append(list, s)
		}
	}
	return list
}}

// at calls f for what stands at a path.
func at(v *exactjson.Value, path string, f func(*exactjson.Value)) { stepsOf.Get(path).each(v, f) }

// each calls f for what the steps lead to from v.
func (p steps) each(v *exactjson.Value, f func(*exactjson.Value)) {
	switch {
	case v == nil:
	case len(p) == 0:
		f(v)
	case p[0].values != nil:
		if p[0].holds(v) {
			p[1:].each(v, f)
		}
	case p[0].name == "*" && v.Kind == exactjson.Array, p[0].name == "{*}" && v.Kind == exactjson.Object:
		for i := range v.Elems {
			p[1:].each(&v.Elems[i], f)
		}
	default:
		p[1:].each(member(v, p[0].name), f)
	}
}

// holds reports whether the condition of a step is true for v.
func (s *step) holds(v *exactjson.Value) bool {
	m := member(v, s.name)
	if s.values[0] == "*" {
		return m != nil
	}
	return slices.Contains(s.values, text(m)) != s.not
}

// equal reports whether two values are the same, written in the same way.
func equal(a, b *exactjson.Value) bool {
	return a.Kind == b.Kind && a.Text == b.Text && slices.EqualFunc(a.Elems, b.Elems, func(a, b exactjson.Value) bool {
		return a.Name == b.Name && equal(&a, &b)
	})
}
