package fieldpath

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, path string
		want          bool
	}{
		{"model", "body/model", true},
		{"/model", "body/model", true},
		{"model", "header/model", false},
		{"header/openai-beta", "header/openai-beta/0", true},
		{"body/body", "body/body/x", true},
		{"messages/*/content", "body/messages/3/content/0/text", true},
		{"messages/*", "body/messages", false},
		{"messages/**/text", "body/messages/3/content/0/text", true},
		{"**", "body/a/b", true},
		{"**/b", "body/b", true},
		{"**/b", "body/a/bb", false},
		{"a/**/d", "body/a/d", true},
		{"a/**", "body/a/d", true},
		{"", "body/a", false},
		{"a/**", "body/a", false},
		{"a/**/**/b", "body/a/b", true},
		{"**/a/*/c", "body/a/a/b/c", true},
		{"**/a/**/b/c", "body/x/a/b/b/c/d", true},
		{"**/a/**/b/c", "body/x/a/b/d/c", false},
	}
	for _, tt := range tests {
		if got := Match(tt.pattern, tt.path); got != tt.want {
			t.Errorf("Match(%q, %q) = %v, want %v", tt.pattern, tt.path, got, tt.want)
		}
	}
}

// TestManyWildcards: a pattern takes time in proportion to itself and the path, not to all
// the ways in which its wildcards could share the path.
func TestManyWildcards(t *testing.T) {
	t.Parallel()
	path := "body" + strings.Repeat("/a", 1000)
	pattern := strings.Repeat("**/a/", 500)
	if Match(pattern+"b", path) {
		t.Error("a segment was found that is not there")
	}
	if !Match(pattern+"a", path) {
		t.Error("the path was not found")
	}
}

func TestShortIsAPattern(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"body/model", "body/body/x", "body/header", "header/openai-beta/0", "query/limit/0", `body/x/"0"`} {
		if s := Short(path); !Match(s, path) {
			t.Errorf("Short(%q) = %q does not match it", path, s)
		}
	}
}

// TestSegment: a segment gives its name back, and cannot be taken for an index, a wildcard or
// two segments.
func TestSegment(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"model": "model", "0": `"0"`, "*": `"*"`, "**": `"**"`, "": `""`, "a/b": "a~1b", "~1": "~01", "a b": `"a b"`,
		`"0"`: `"\"0\""`, "line\n": `"line\n"`, "größe": "größe",
	} {
		if got := Segment(name); got != want || MemberName(got) != name {
			t.Errorf("Segment(%q) = %s, want %s; it gives back %q", name, got, want, MemberName(got))
		}
	}
}
