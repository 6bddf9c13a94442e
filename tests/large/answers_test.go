package large_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A large answer is recorded and replayed whole, with the usage at its end.
func TestLargeAnswerIsRecordedWithItsUsage(t *testing.T) {
	t.Parallel()
	answer := rowsOfAnswer(full.Cases(1000, 100_000))
	file := filepath.Join(t.TempDir(), "c.yaml")
	live := promptecho.Upstream(provider.Says(answer))
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), live)
	askForRows(t, rec)
	must.Close(t, rec)

	it := must.Load(t, file).Interactions[0]
	if string(it.Response.Body) != answer {
		t.Errorf("recorded %d bytes of %d", len(it.Response.Body), len(answer))
	}
	if it.Usage == nil || it.Usage.InputTokens != 7 {
		t.Errorf("recorded with usage %+v", it.Usage)
	}

	rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if n := askForRows(t, rec); n != len(answer) {
		t.Errorf("replayed %d bytes of %d", n, len(answer))
	}
	must.Close(t, rec)
}

// rowsOfAnswer returns an answer of this many rows, and its usage.
func rowsOfAnswer(rows int) string {
	const format = `{"id":%d,"title":"The row %d","text":"a text of some words that say nothing at all"}`
	all := make([]string, rows)
	for i := range all {
		all[i] = fmt.Sprintf(format, i, i)
	}
	return `{"rows":[` + strings.Join(all, ",") + `],"model":"m","usage":{"prompt_tokens":7,"total_tokens":7}}`
}

// askForRows asks for an answer and returns its length.
func askForRows(tb testing.TB, rec *promptecho.Recorder) int {
	tb.Helper()
	body := strings.NewReader(`{"model":"m","input":"x"}`)
	resp, err := rec.Client().Post("http://h/v1/embeddings", "application/json", body)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return int(n)
}

// The cassette of a conversation, whose requests repeat all earlier turns, does not repeat them.
func TestConversationIsWrittenWithoutRepetition(t *testing.T) {
	t.Parallel()
	c := newConversation(full.Cases(100<<10, 8<<20))
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := must.Open(t, file, promptecho.InMode(mode), c.upstream())
		c.hold(t, rec)
		must.Close(t, rec)
	}
	text, asked := must.Read(t, file), strings.Join(c.requests, "")
	if len(text) > len(asked)/2 {
		t.Errorf("the cassette has %d bytes for requests of %d bytes", len(text), len(asked))
	}
}

// A conversation has turns, of which each request repeats all before.
type conversation struct {
	requests []string
}

// newConversation returns a conversation whose requests have this size in all.
func newConversation(size int) *conversation {
	c := new(conversation)
	filling := strings.Repeat("It was said before, and it is said again. ", 5)
	history := ""
	for i := 0; size > 0; i++ {
		history += fmt.Sprintf(`{"role":"user","content":"question %d: %s"}`, i, filling)
		c.requests = append(c.requests, `{"model":"m","messages":[`+history+`]}`)
		history += fmt.Sprintf(`,{"role":"assistant","content":"answer %d"},`, i)
		size -= len(c.requests[i])
	}
	return c
}

// upstream answers each request with its number.
func (c *conversation) upstream() promptecho.Option {
	n := 0
	return promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
		n++
		return provider.Says(fmt.Sprintf(`{"answer":%d}`, n-1)).RoundTrip(req)
	}))
}

// hold sends all requests, and checks their answers.
func (c *conversation) hold(tb testing.TB, rec *promptecho.Recorder) {
	tb.Helper()
	for i, request := range c.requests {
		body := strings.NewReader(request)
		resp, err := rec.Client().Post("http://h/v1/chat/completions", "application/json", body)
		if err != nil {
			tb.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(answer) != fmt.Sprintf(`{"answer":%d}`, i) {
			tb.Fatalf("answer %d is %s (%v)", i, answer, err)
		}
	}
}
