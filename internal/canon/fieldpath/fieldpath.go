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

// Segment returns a member name as a path has it.
func Segment(name string) string {
	escaped := escapes.Replace(name)
	if needsQuotes(name) {
		return `"` + exactjson.EscapeText(escaped) + `"`
	}
	return escaped
}

// needsQuotes reports whether a member name could be mistaken for an array index, a
// wildcard or a quoted name, or has characters that a path cannot show.
func needsQuotes(name string) bool {
	switch name {
	case "", "*", "**":
		return true
	}
	if name[0] == '"' || IsIndex(name) {
		return true
	}
	return strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

var escapes = strings.NewReplacer("~", "~0", "/", "~1")

// MemberName returns the member name that a segment of a path means.
func MemberName(segment string) string {
	if name, ok := exactjson.Unquote(segment); ok {
		segment = name
	}
	return strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~")
}

// IsIndex reports whether a segment leads to an element of an array.
func IsIndex(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// Name returns the last segment of a path that is not an index.
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
	rest := strings.TrimPrefix(path, "body/")
	if hasRoot(rest) {
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
// contains it. "*" matches one segment, "**" any number. A pattern that does not
// begin with a part of the request (header, query, ...) is taken below body/; a
// leading slash is allowed. Names of headers match in any letter case.
func Match(pattern, path string) bool {
	pattern = strings.TrimPrefix(pattern, "/")
	switch {
	case strings.HasPrefix(pattern, "header/"):
		pattern = strings.ToLower(pattern)
	case !hasRoot(pattern):
		below, isOfBody := strings.CutPrefix(path, "body/")
		return isOfBody && MatchSegments(pattern, below)
	}
	return MatchSegments(pattern, path)
}

// MatchSegments is Match for paths that do not begin with a part of a request.
func MatchSegments(pattern, path string) bool {
	ok, _ := match(pattern, path)
	return ok
}

// match is MatchSegments. wild reports whether pattern has a "**" that match
// reached. If so, an earlier "**" need not try more segments: it has taken as few
// as it can, which leaves the most for what follows.
func match(pattern, path string) (ok, wild bool) {
	first, restOfPattern, hasRest := strings.Cut(pattern, "/")
	if first == "**" {
		if !hasRest {
			return true, true
		}
		return matchAnyDepth(restOfPattern, path), true
	}

	segment, below, isDeeper := strings.Cut(path, "/")
	if first != segment && first != "*" {
		return false, false
	}
	if !hasRest {
		return true, false
	}
	if !isDeeper {
		return false, false
	}
	return match(restOfPattern, below)
}

// matchAnyDepth reports whether pattern matches path, or path without some of its
// first segments.
func matchAnyDepth(pattern, path string) bool {
	for {
		ok, wild := match(pattern, path)
		if ok || wild {
			return ok
		}
		_, below, isDeeper := strings.Cut(path, "/")
		if !isDeeper {
			return false
		}
		path = below
	}
}
