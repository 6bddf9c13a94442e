package canon

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// Paths are like RFC 6901 JSON pointers without the leading slash, and with
// one addition: a member name that could be mistaken for an array index, for
// a wildcard or for a quoted name is written as a JSON string. So two
// different bodies never have a path in common by accident.

// appendName appends a member name as a path segment.
func appendName(dst []byte, name string) []byte {
	if plainName(name) {
		return append(dst, name...)
	}
	esc := strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	if quotable(name) {
		return appendQuoted(dst, esc)
	}
	return append(dst, esc...)
}

// plainName reports whether name is the common case: letters, digits, '_',
// '-', '.' and '$', not starting with a digit.
func plainName(name string) bool {
	if name == "" || '0' <= name[0] && name[0] <= '9' {
		return false
	}
	for i := range len(name) {
		if !plainBytes[name[i]] {
			return false
		}
	}
	return true
}

var plainBytes = func() (t [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$") {
		t[c] = true
	}
	return t
}()

// quotable reports whether a name would be misread if it stood bare.
func quotable(name string) bool {
	if name == "" || name[0] == '"' || name == "*" || name == "**" {
		return true
	}
	digits := true
	for _, r := range name {
		digits = digits && '0' <= r && r <= '9'
		if r <= ' ' || r == 0x7f {
			return true
		}
	}
	return digits
}

func appendIndex(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(i), 10) }

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
// place in a list of what stands outside of the body.
func Selector(path string) string {
	switch root, _, _ := strings.Cut(path, "/"); root {
	case "path":
		return root
	case "header", "query":
		if i := strings.LastIndexByte(path, '/'); i > len(root) && isIndex(path[i+1:]) {
			return path[:i]
		}
	}
	return Short(path)
}

// hasRoot reports whether a pattern names the part of the request it is in.
func hasRoot(p string) bool {
	root, _, _ := strings.Cut(p, "/")
	return root == "body" || root == "header" || root == "query" || root == "path" || root == "encoding" || root == "host"
}

// Outside reports whether a pattern is of a field outside of the body.
func Outside(pattern string) bool {
	pattern = strings.TrimPrefix(pattern, "/")
	return hasRoot(pattern) && pattern != "body" && !strings.HasPrefix(pattern, "body/")
}

// Match reports whether pattern selects path: the field itself or one that
// contains it. "*" stands for one segment, "**" for any number. A pattern that
// does not start with body/, header/ or query/ is of the body; a leading slash
// is allowed.
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

func matchSegments(pattern, path string) bool {
	for {
		p, prest, pmore := strings.Cut(pattern, "/")
		if p == "**" {
			if !pmore {
				return true
			}
			for {
				if matchSegments(prest, path) {
					return true
				}
				_, rest, more := strings.Cut(path, "/")
				if !more {
					return false
				}
				path = rest
			}
		}
		s, srest, smore := strings.Cut(path, "/")
		if p != "*" && p != s {
			return false
		}
		if !pmore {
			return true
		}
		if !smore {
			return false
		}
		pattern, path = prest, srest
	}
}

// appendOrder appends the indexes of an object's member names sorted by name;
// equal names (a duplicate member) stay in order.
func appendOrder(dst []int, names []string) []int {
	start := len(dst)
	for i := range names {
		dst = append(dst, i)
		if i >= 16 {
			continue
		}
		for order := dst[start:]; i > 0 && names[order[i-1]] > names[order[i]]; i-- {
			order[i-1], order[i] = order[i], order[i-1]
		}
	}
	if len(names) > 16 {
		slices.SortStableFunc(dst[start:], func(a, b int) int { return strings.Compare(names[a], names[b]) })
	}
	return dst
}

// appendMember appends the name of v's i-th member in order as a path segment.
// The second of two members of one name is told from the first by "~+2", which
// no name can hold.
func appendMember(dst []byte, v *exactjson.Value, order []int, i int) []byte {
	name := v.Names[order[i]]
	dst = appendName(dst, name)
	n := 1
	for n <= i && v.Names[order[i-n]] == name {
		n++
	}
	if n > 1 {
		dst = strconv.AppendInt(append(dst, "~+"...), int64(n), 10)
	}
	return dst
}

// sources numbers v and everything below it with marks, and returns the path of
// each by its mark; mark 0 is of nothing.
func sources(v *exactjson.Value) []string {
	paths := []string{""}
	var walk func(v *exactjson.Value, path []byte)
	walk = func(v *exactjson.Value, path []byte) {
		v.Mark = int32(len(paths))
		paths = append(paths, string(path))
		path = append(path, '/')
		var order []int
		if v.Kind == exactjson.Object {
			order = appendOrder(nil, v.Names)
		}
		for i := range v.Elems {
			if order != nil {
				walk(&v.Elems[order[i]], appendMember(path, v, order, i))
			} else {
				walk(&v.Elems[i], appendIndex(path, i))
			}
		}
	}
	walk(v, []byte("body"))
	return paths
}

// comparePaths orders paths segment by segment, array indexes by value.
func comparePaths(a, b string) int {
	for a != b {
		as, arest, amore := strings.Cut(a, "/")
		bs, brest, bmore := strings.Cut(b, "/")
		if as != bs {
			if isIndex(as) && isIndex(bs) {
				return cmp.Or(cmp.Compare(len(as), len(bs)), strings.Compare(as, bs))
			}
			return strings.Compare(as, bs)
		}
		if !amore || !bmore {
			return cmp.Compare(len(a), len(b))
		}
		a, b = arest, brest
	}
	return 0
}

// nameOf returns the last segment of a path that is no index.
func nameOf(path string) string {
	for {
		i := strings.LastIndexByte(path, '/')
		if !isIndex(path[i+1:]) || i < 0 {
			return path[i+1:]
		}
		path = path[:i]
	}
}

func isIndex(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
