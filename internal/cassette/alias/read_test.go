package alias

import (
	"regexp"
	"strings"
	"testing"
)

func TestKeyEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line string
		end  int
	}{
		{"", 0}, {":", 0}, {"key", 0}, {"key:", 4}, {"key: value", 4}, {"key:value", 0}, {"key value: x", 0},
		{"a:b: c", 0}, {"key:\tx", 0}, {"[a]: b", 0}, {"k[: b", 0}, {"!tag k: v", 0}, {"$ref: x", 5}, {"a'b\": x", 5},
		{`"a b": c`, 6}, {`"a\": b": c`, 9}, {`"a\\": c`, 6}, {`"a`, 0}, {`"a\`, 0}, {`"a\"`, 0}, {`"": x`, 3}, {`"a"b: c`, 0},
		{"'a b': c", 6}, {"'a''b': c", 0}, {"'a", 0}, {"'", 0}, {"':", 0}, {"'a: b", 0}, {"'': c", 3}, {"é: x", 3}, {"\"\xff\": x", 4},
	} {
		if got := keyEnd(tt.line); got != tt.end {
			t.Errorf("keyEnd(%q) = %d, want %d", tt.line, got, tt.end)
		}
	}
}

// keyAndColon says the same as keyEnd.
var keyAndColon = regexp.MustCompile(`^((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"' {\[!|:][^ {\[!|:]*):)(?: |$)`)

func FuzzKeyEnd(f *testing.F) {
	for _, line := range []string{"key: value", `"a\"b": c`, "'a': b", "a b: c", `"\`, "'"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "\n") {
			t.Skip("this is more than a line")
		}
		want := 0
		if m := keyAndColon.FindStringSubmatchIndex(line); m != nil {
			want = m[3]
		}
		if got := keyEnd(line); got != want {
			t.Errorf("keyEnd(%q) = %d, want %d", line, got, want)
		}
	})
}
