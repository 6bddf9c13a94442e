package urls

import (
	"net/url"
	"strings"
	"testing"
)

// TestKeepSpelling: spellings of one value have placeholders that differ, and that decode to the
// same text.
func TestKeepSpelling(t *testing.T) {
	t.Parallel()
	const hash = "[REDACTED-c8687a08]"
	seen := map[string]string{}
	for _, value := range []string{"a+b%40c-%C3%A9", "a%20b%40c-%C3%A9", "a%20b@c-%C3%A9", "a+b@c-%C3%A9", "a+b%40c-%c3%a9", "a+b%40c%2D%C3%A9", "a%20b%40c%2D%C3%A9"} {
		got := KeepSpelling("https://h/w?x=1&q="+value+"#f", "https://h/w?x=1&q="+hash+"#f")
		if other, ok := seen[got]; ok {
			t.Errorf("%s and %s are both %s", value, other, got)
		}
		seen[got] = value
		u, err := url.Parse(got)
		if err != nil {
			t.Fatal(err)
		}
		if q := u.Query(); q.Get("q") != hash || q.Get("x") != "1" || u.Fragment != "f" {
			t.Errorf("%s: %s is %v", value, got, q)
		}
		isUsual := value == url.QueryEscape("a b@c-é")
		if isUsual != strings.Contains(got, hash) {
			t.Errorf("%s: %s", value, got)
		}
	}
}

// What is no hash of a value stays as it is written.
func TestKeepSpellingLeavesTheRest(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"https://h/w?q=a%20b", "https://h/w?q=a%20b"},
		{"https://h/w?key=a%20b", "https://h/w?key=[REDACTED]"},
		{"https://h/w?q=[REDACTED-c8687a08]", "https://h/w?q=[REDACTED-c8687a08]"},
		{"https://h/w?q=%5BREDACTED-c8687a08%5D", "https://h/w?q=[REDACTED-c8687a08]"},
		{"https://h/w?q=%zz%20", "https://h/w?q=[REDACTED-c8687a08]"},
		{"https://h/w?a&b", "https://h/w?q=[REDACTED-c8687a08]"},
		{"https://h/[REDACTED-c8687a08]", "https://h/[REDACTED-c8687a08]"},
	} {
		if got := KeepSpelling(c[0], c[1]); got != c[1] {
			t.Errorf("%s: %s is now %s", c[0], c[1], got)
		}
	}
}

func FuzzKeepSpelling(f *testing.F) {
	f.Add("https://h/?q=a%20b&c", "https://h/?q=[REDACTED-0a]&c")
	f.Fuzz(func(t *testing.T, sent, written string) {
		got := KeepSpelling(sent, written)
		head, query, _ := strings.Cut(written, "?")
		gotHead, gotQuery, _ := strings.Cut(got, "?")
		want, err1 := url.QueryUnescape(query)
		is, err2 := url.QueryUnescape(gotQuery)
		if gotHead != head || is != want || (err1 == nil) != (err2 == nil) {
			t.Errorf("%q is now %q", written, got)
		}
	})
}
