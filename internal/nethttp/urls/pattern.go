package urls

import (
	"net/url"
	"strings"
)

// Segments returns the segments of a path, each unescaped. The name of a model can
// contain an escaped slash.
func Segments(u *url.URL) []string {
	parts := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	for i, p := range parts {
		parts[i], _ = url.PathUnescape(p) // EscapedPath returns valid escapes
	}
	return parts
}

// PlainPath returns the path of a URL with every segment escaped in one way (RFC
// 3986, section 6.2.2): "%7E" becomes "~", and "%2F" stays, since it is not a slash.
func PlainPath(u *url.URL) string {
	segments := strings.Split(u.EscapedPath(), "/")
	for i, s := range segments {
		plain, _ := url.PathUnescape(s)
		segments[i] = url.PathEscape(plain)
	}
	return strings.Join(segments, "/")
}

// A Named is a placeholder of a pattern and the text that it matches.
type Named struct{ Name, Value string }

// MatchSuffix matches a pattern with the end of a path. It returns the names that the
// pattern finds, and the segment of the path at which it starts.
func MatchSuffix(pattern string, path []string) (names []Named, start int, ok bool) {
	if pattern == "" {
		return nil, 0, true
	}
	last := len(path) - strings.Count(pattern, "/")
	first := last
	takesRest := strings.HasSuffix(pattern, "...}")
	if takesRest {
		first = 0
	}
	for start := max(first, 0); start <= last; start++ {
		names, _, ok := MatchParts(pattern[1:], "/", path[start:])
		if ok {
			return names, start, true
		}
	}
	return nil, 0, false
}

// MatchParts matches the parts of a pattern with the first segments of a path, or labels
// of a host. It returns the names that the pattern finds, and the rest of the path.
//
//	part        matches
//	word        the word
//	{name}      any text that is not empty
//	a{name}b    a text that begins with a and ends with b; the text between has the name
//	{name=word} the word
//	{name...}   all segments that are left
func MatchParts(pattern, separator string, path []string) (names []Named, rest []string, ok bool) {
	for part := range strings.SplitSeq(pattern, separator) {
		if len(path) == 0 {
			return nil, nil, false
		}
		segment := path[0]
		path = path[1:]
		if strings.Contains(part, "...}") {
			segment = strings.Join(append([]string{segment}, path...), "/")
			path = nil
		}
		name, matches := matchPart(part, segment)
		if !matches {
			return nil, nil, false
		}
		if name.Name != "" {
			names = append(names, name)
		}
	}
	return names, path, true
}

// matchPart matches a part of a pattern with a text. The name is empty if the part has
// no placeholder.
func matchPart(part, text string) (name Named, matches bool) {
	before, placeholder, hasPlaceholder := strings.Cut(part, "{")
	if !hasPlaceholder {
		return Named{}, part == text
	}
	placeholder, after, _ := strings.Cut(placeholder, "}")
	placeholder = strings.TrimSuffix(placeholder, "...")
	key, word, isFixed := strings.Cut(placeholder, "=")

	text, hasBefore := strings.CutPrefix(text, before)
	text, hasAfter := strings.CutSuffix(text, after)
	isAllowed := text != "" && (!isFixed || text == word)
	return Named{key, text}, hasBefore && hasAfter && isAllowed
}
