// Package fieldpath is about the paths of fields in a request: how they are written, and which
// of them a pattern selects.
//
// Paths are like RFC 6901 JSON pointers without the leading slash, and with
// one addition: a member name that could be mistaken for an array index, for
// a wildcard or for a quoted name is written as a JSON string. So two
// different bodies never have a path in common by accident.
package fieldpath

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// Segment returns a member name as it stands in a path.
func Segment(name string) string {
	quoted := name == "" || name[0] == '"' || name == "*" || name == "**" || IsIndex(name) ||
		strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f })
	name = escapes.Replace(name)
	if quoted {
		return `"` + exactjson.EscapeText(name) + `"`
	}
	return name
}

var escapes = strings.NewReplacer("~", "~0", "/", "~1")

// MemberName returns the name that stands in a path as a segment.
func MemberName(segment string) string {
	if name, ok := exactjson.Unquote(segment); ok {
		segment = name
	}
	return strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~")
}

// IsIndex reports whether a segment leads to an element of an array.
func IsIndex(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// Name returns the last segment of a path that is no index.
func Name(path string) string {
	for {
		i := strings.LastIndexByte(path, '/')
		if !IsIndex(path[i+1:]) || i < 0 {
			return path[i+1:]
		}
		path = path[:i]
	}
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
	return slices.Contains(roots, root)
}

// roots are the parts of a request that have fields.
var roots = []string{"body", "encoding", "header", "host", "path", "query"}

// Outside reports whether a pattern is of a field outside of the body.
func Outside(pattern string) bool {
	pattern = strings.TrimPrefix(pattern, "/")
	return hasRoot(pattern) && pattern != "body" && !strings.HasPrefix(pattern, "body/")
}

// Match reports whether pattern selects path: the field itself or one that
// contains it. "*" stands for one segment, "**" for any number. A pattern that
// names no part of the request is of the body; a leading slash is allowed. The names of
// headers are so in any letter case.
func Match(pattern, path string) bool {
	pattern = strings.TrimPrefix(pattern, "/")
	switch {
	case strings.HasPrefix(pattern, "header/"):
		pattern = strings.ToLower(pattern)
	case !hasRoot(pattern):
		var ok bool
		if path, ok = strings.CutPrefix(path, "body/"); !ok {
			return false
		}
	}
	return MatchSegments(pattern, path)
}

// MatchSegments is Match for paths that begin with no part of a request.
func MatchSegments(pattern, path string) bool {
	ok, _ := match(pattern, path)
	return ok
}

// match is MatchSegments, and says whether a "**" decided. Before that no other has to be tried
// again: it stood for as few segments as it could, and that left the most for what follows.
func match(pattern, path string) (ok, wild bool) {
	p, rest, more := strings.Cut(pattern, "/")
	if p == "**" {
		for deeper := true; more && deeper; _, path, deeper = strings.Cut(path, "/") {
			if ok, wild := match(rest, path); ok || wild {
				return ok, true
			}
		}
		return !more, true
	}
	s, below, deeper := strings.Cut(path, "/")
	if p != s && p != "*" || more && !deeper {
		return false, false
	}
	if !more {
		return true, false
	}
	return match(rest, below)
}
