package urls

import (
	"net/url"
	"strings"
)

// Segments returns the segments of a path, each decoded: a model's name can
// hold an escaped slash.
func Segments(u *url.URL) []string {
	parts := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	for i, p := range parts {
		parts[i], _ = url.PathUnescape(p) // what EscapedPath returns is escaped well
	}
	return parts
}

// PlainPath returns the path of a URL with every segment escaped in one way (RFC
// 3986, section 6.2.2): "%7E" is "~", and "%2F" is no slash.
func PlainPath(u *url.URL) string {
	segments := strings.Split(u.EscapedPath(), "/")
	for i, s := range segments {
		plain, _ := url.PathUnescape(s)
		segments[i] = url.PathEscape(plain)
	}
	return strings.Join(segments, "/")
}

// A Named is what a placeholder of a pattern stands for.
type Named struct{ Name, Value string }

// MatchSuffix compares the end of a path with a pattern, and tells
// where in the path the pattern starts.
func MatchSuffix(pattern string, path []string) (names []Named, start int, ok bool) {
	if pattern == "" {
		return nil, 0, true
	}
	last := len(path) - strings.Count(pattern, "/")
	first := last
	if strings.HasSuffix(pattern, "...}") {
		first = 0 // the rest starts wherever the segments before it stand first
	}
	for start := max(first, 0); start <= last; start++ {
		if names, _, ok := MatchParts(pattern[1:], "/", path[start:]); ok {
			return names, start, true
		}
	}
	return nil, 0, false
}

// MatchParts compares the parts of a pattern with the first segments of a path,
// or labels of a host. It returns what is named, and what of the path is left.
func MatchParts(pattern, separator string, path []string) (names []Named, rest []string, ok bool) {
	for part := range strings.SplitSeq(pattern, separator) {
		if len(path) == 0 {
			return nil, nil, false
		}
		segment := path[0]
		path = path[1:]
		before, placeholder, open := strings.Cut(part, "{")
		if !open {
			if part != segment {
				return nil, nil, false
			}
			continue
		}
		placeholder, after, _ := strings.Cut(placeholder, "}")
		name, takesRest := strings.CutSuffix(placeholder, "...")
		if takesRest {
			segment, path = strings.Join(append([]string{segment}, path...), "/"), nil
		}
		name, word, fixed := strings.Cut(name, "=")
		value, ok1 := strings.CutPrefix(segment, before)
		value, ok2 := strings.CutSuffix(value, after)
		if !ok1 || !ok2 || value == "" || fixed && value != word {
			return nil, nil, false
		}
		names = append(names, Named{name, value})
	}
	return names, path, true
}
