package foreign

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	playback "github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/seeds"
)

// bodyOf returns the bytes of an answer.
func bodyOf(t testing.TB, it *interaction.Interaction) []byte {
	t.Helper()
	body, _, err := playback.Join(&it.Response)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// readBack writes samples as a tool does, reads them, and compares every byte.
func readBack(t testing.TB, w writer, samples []*sample) *Cassette {
	t.Helper()
	text := w.write(t, samples)
	c, err := Read("c", []byte(text), w.asset)
	if err != nil {
		t.Fatalf("%s: %v\n%.2000s", w.tool, err, text)
	}
	if c == nil || c.Tool != w.tool || len(c.Interactions) != len(samples) {
		t.Fatalf("%s: read as %+v\n%.2000s", w.tool, c, text)
	}
	for i, s := range samples {
		it, want := c.Interactions[i], s.url
		if u, err := url.Parse(want); err == nil && w.tool == "httprr" {
			want = u.String() // net/http escapes it
		}
		if w.tool == "mitmproxy" { // it keeps the number of the port, and not whether it was written
			want = strings.Replace(want, ":443/", "/", 1)
		}
		if it.Request.Method != s.method || it.Request.URL != want || it.Response.Status != s.status {
			t.Errorf("%s: %s %s is read as %s, status %d", w.tool, s.method, s.url, it.Request.String(), it.Response.Status)
		}
		if !w.isSame(s.body, it.Request.Body, s.headers) {
			t.Errorf("%s: the request %q is read as %q\n%.2000s", w.tool, s.body, it.Request.Body, text)
		}
		if got := bodyOf(t, it); !w.isSame(s.answer, got, s.respHeaders) {
			t.Errorf("%s: the answer %q is read as %q\n%.2000s", w.tool, s.answer, got, text)
		}
	}
	return c
}

func sampleOf(body, answer string) *sample {
	return &sample{method: "POST", url: "https://h.example/v1/x", body: []byte(body), status: 200, answer: []byte(answer), proto: "HTTP/1.1", respHeaders: http.Header{"Content-Type": {"text/plain"}}}
}

// promptecho import keeps texts byte for byte, also those that YAML readers get wrong. Where a tool
// has written what is another text by the rules of YAML, it is refused, or less blanks at its end.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	texts := append([]string{}, seeds.Strings...)
	texts = append(texts, seeds.JSON...)
	pieces := append([]string{" ", "  ", "\n", "\n\n", "\t", "\r\n", "it's", "''", "\"", "😀", "é", "{\"a\": 1}", "data: x\n\n"}, "word", "- a", "# b", "&c *d !e", strings.Repeat("long ", 30))
	for range 500 {
		text := ""
		for range rnd.IntN(12) {
			text += pieces[rnd.IntN(len(pieces))]
		}
		texts = append(texts, text)
	}
	for _, w := range writers {
		t.Run(w.tool, func(t *testing.T) {
			t.Parallel()
			for i := range texts {
				if w.unreadable != nil && w.unreadable(texts[i]) {
					text := w.write(t, []*sample{sampleOf("x", texts[i])})
					if c, err := Read("c", []byte(text), w.asset); err == nil && strings.TrimRight(string(bodyOf(t, c.Interactions[0])), " ") != strings.TrimRight(texts[i], " ") {
						t.Errorf("%q is read as %q", texts[i], bodyOf(t, c.Interactions[0]))
					}
					continue
				}
				if other := texts[len(texts)-1-i]; w.unreadable != nil && w.unreadable(other) {
					continue
				}
				readBack(t, w, []*sample{sampleOf(texts[i], texts[len(texts)-1-i]), sampleOf(fmt.Sprint(i), texts[i])})
			}
		})
	}
}
