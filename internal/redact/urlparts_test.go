package redact

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

// TestCut: a URL is cut as the expression of RFC 3986, appendix B, does, with the user apart.
func TestCut(t *testing.T) {
	t.Parallel()
	expr := regexp.MustCompile(`^(?:((?:[^/?#]*:)?//)(?:([^/?#]*)@)?([^/?#]*))?([^?#]*)(\?([^#]*))?(?:#((?s:.*)))?`)
	pieces := []string{"/", "//", ":", "@", "?", "#", "a", "b.c", "é", "\xff", "\n", "http:"}
	rng := rand.New(rand.NewPCG(5, 5))
	for range 20_000 {
		raw := ""
		for range rng.IntN(12) {
			raw += pieces[rng.IntN(len(pieces))]
		}
		m := expr.FindStringSubmatch(raw)
		want := urlParts{scheme: m[1], user: m[2], host: m[3], path: m[4], query: m[6], fragment: m[7], hasQuery: m[5] != ""}
		if got := splitURL(raw); got != want {
			t.Fatalf("cut(%q) = %+v, want %+v", raw, got, want)
		}
	}
}
