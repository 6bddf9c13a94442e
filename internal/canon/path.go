package canon

import (
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// Paths are like RFC 6901 JSON pointers without the leading slash, and with
// one addition: a member name that could be mistaken for an array index, for
// a wildcard or for a quoted name is written as a JSON string. So two
// different bodies never have a path in common by accident.

// segment returns a member name as it stands in a path.
func segment(name string) string {
	quoted := name == "" || name[0] == '"' || name == "*" || name == "**" || IsIndex(name)
	escaped := false
	for i := range len(name) {
		c := name[i]
		quoted = quoted || c <= ' ' || c == 0x7f
		escaped = escaped || c == '~' || c == '/'
	}
	if escaped {
		name = strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	}
	if quoted {
		return string(appendQuoted(nil, name))
	}
	return name
}

// MemberName returns the name that stands in a path as a segment.
func MemberName(segment string) string {
	if name, ok := Unquote(segment); ok {
		segment = name
	}
	return strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~")
}

// IsIndex reports whether a segment leads to an element of an array.
func IsIndex(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// A child is an element of an array or a member of an object, and the segment that
// leads to it.
type child struct {
	segment string
	value   *exactjson.Value
}

// appendChildren appends the children of v in the order of a form: elements as they
// stand, members sorted by their segments. The second of two members of one name is
// told from the first by "~+2", which no name can hold.
func appendChildren(dst []child, v *exactjson.Value) []child {
	first := len(dst)
	if v.Kind != exactjson.Object {
		for i := range v.Elems {
			dst = append(dst, child{strconv.Itoa(i), &v.Elems[i]})
		}
		return dst
	}
	for i := range v.Elems {
		dst = append(dst, child{segment(v.Elems[i].Name), &v.Elems[i]})
	}
	members := dst[first:]
	sortChildren(members)
	if numberRepeated(members) {
		sortChildren(members)
	}
	return dst
}

// Lines returns the fields of a JSON value, in the order and the spellings of a form. An
// empty object or list has none.
func Lines(v *exactjson.Value) (lines []Line) {
	var plain Options
	var walk func(v *exactjson.Value, path string)
	walk = func(v *exactjson.Value, path string) {
		for _, c := range appendChildren(nil, v) {
			walk(c.value, strings.TrimPrefix(path+"/"+c.segment, "/"))
		}
		if isContainer := v.Kind == exactjson.Array || v.Kind == exactjson.Object; len(v.Elems) == 0 && (path != "" || !isContainer) {
			leaf := exactjson.Value{Kind: v.Kind, Text: exactjson.EscapeText(v.Text)}
			lines = append(lines, Line{path, string(plain.appendValue(nil, &leaf))})
		}
	}
	walk(v, "")
	return lines
}

func sortChildren(list []child) {
	slices.SortStableFunc(list, func(a, b child) int { return strings.Compare(a.segment, b.segment) })
}

// numberRepeated gives sorted members of one name different segments, and reports
// whether there were any.
func numberRepeated(members []child) (found bool) {
	for i := 0; i+1 < len(members); i++ {
		name := members[i].segment
		for n := 2; i+1 < len(members) && members[i+1].segment == name; n++ {
			i++
			members[i].segment = name + "~+" + strconv.Itoa(n)
			found = true
		}
	}
	return found
}

// pathsByID gives v and everything below it an ID (Value.ID), and returns the path of
// each by its ID; 0 is the ID of nothing.
func pathsByID(v *exactjson.Value) []string {
	paths := []string{""}
	var walk func(v *exactjson.Value, path string)
	walk = func(v *exactjson.Value, path string) {
		v.ID = int32(len(paths))
		paths = append(paths, path)
		for _, c := range appendChildren(nil, v) {
			walk(c.value, path+"/"+c.segment)
		}
	}
	walk(v, "body")
	return paths
}

// Short returns a path as people write it: without the leading "body/" where
// nothing else could be meant.
func Short(path string) string {
	rest, ok := strings.CutPrefix(path, "body/")
	if !ok || hasRoot(rest) {
		return path
	}
	return rest
}

// Selector returns the pattern that selects a field whatever its value: without the
// index of a header's or a parameter's value.
func Selector(path string) string {
	switch root, _, _ := strings.Cut(path, "/"); root {
	case "path":
		return root
	case "header", "query":
		if i := strings.LastIndexByte(path, '/'); i > len(root) && IsIndex(path[i+1:]) {
			return path[:i]
		}
	}
	return Short(path)
}

// hasRoot reports whether a pattern names the part of the request it is in.
func hasRoot(pattern string) bool {
	root, _, _ := strings.Cut(pattern, "/")
	switch root {
	case "body", "encoding", "header", "host", "path", "query":
		return true
	}
	return false
}

// Outside reports whether a pattern is of a field outside of the body.
func Outside(pattern string) bool {
	pattern = strings.TrimPrefix(pattern, "/")
	return hasRoot(pattern) && pattern != "body" && !strings.HasPrefix(pattern, "body/")
}

// Match reports whether pattern selects path: the field itself or one that
// contains it. "*" stands for one segment, "**" for any number. A pattern that
// names no part of the request is of the body; a leading slash is allowed.
func Match(pattern, path string) bool {
	pattern = strings.TrimPrefix(pattern, "/")
	if !hasRoot(pattern) {
		var ok bool
		if path, ok = strings.CutPrefix(path, "body/"); !ok {
			return false
		}
	}
	return matchSegments(pattern, path)
}

// matchSegments compares segment by segment. What follows the last "**" is tried at one
// segment after the other. An earlier "**" never has to be tried again: it stood for as
// few segments as it could, and that left the most for what follows.
func matchSegments(pattern, path string) bool {
	var retry struct{ pattern, path string } // both as they were behind the last "**"
	wild := false
	for {
		p, nextPattern, moreP := strings.Cut(pattern, "/")
		if p == "**" {
			if !moreP {
				return true
			}
			pattern, wild = nextPattern, true
			retry.pattern, retry.path = pattern, path
			continue
		}
		s, nextPath, moreS := strings.Cut(path, "/")
		switch {
		case p == s || p == "*":
			if !moreP || !moreS {
				return !moreP
			}
			pattern, path = nextPattern, nextPath
		case wild:
			if _, path, moreS = strings.Cut(retry.path, "/"); !moreS {
				return false
			}
			pattern, retry.path = retry.pattern, path
		default:
			return false
		}
	}
}

// nameOf returns the last segment of a path that is no index.
func nameOf(path string) string {
	for {
		i := strings.LastIndexByte(path, '/')
		if !IsIndex(path[i+1:]) || i < 0 {
			return path[i+1:]
		}
		path = path[:i]
	}
}
