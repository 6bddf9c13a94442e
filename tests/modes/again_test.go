package modes_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// conversations answers chat completions with ids that are new each time, a call of a tool
// first, and then a text.
type conversations struct {
	run  string // is in each id
	text string
	n    int
}

func (p *conversations) RoundTrip(req *http.Request) (*http.Response, error) {
	p.n++
	message := fmt.Sprintf(`{"role":"assistant","content":%q}`, p.text)
	if p.n == 1 {
		message = fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"call_%s0001","type":"function","function":{"name":"f","arguments":"{}"}}]}`, p.run)
	}
	body := fmt.Sprintf(`{"id":"chatcmpl-%s%d","object":"chat.completion","created":%d,"model":"m","choices":[{"index":0,"message":%s}]}`, p.run, p.n, 1000+len(p.run)+p.n, message)
	return &http.Response{
		StatusCode: 200, Request: req, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)),
		Header: http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"req_" + p.run + fmt.Sprint(p.n)}},
	}, nil
}

// converse has a conversation of two turns, as a client does: the second request has the
// id that the first answer gave.
func converse(t *testing.T, r *promptecho.Recorder) {
	t.Helper()
	post := func(body string) string {
		resp, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%s: %v: %s", resp.Status, err, answer)
		}
		return string(answer)
	}
	answer := post(`{"model":"m","messages":[{"role":"user","content":"go"}]}`)
	_, id, _ := strings.Cut(answer, `"tool_calls":[{"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	post(fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":%[1]q,"content":"42"}]}`, id))
}

// TestRecordedAgain: a cassette that is recorded again changes where an answer says
// something else, and nowhere else, and replays.
func TestRecordedAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	record := func(p *conversations) []string {
		t.Helper()
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(p))
		converse(t, r)
		if rep := must.Finish(r, report.Outcome{}); len(rep.Errors) > 0 {
			t.Fatal(rep.Errors)
		}
		r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		converse(t, r)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(string(data), "\n")
	}
	first := record(&conversations{run: "aaaa", text: "It is 42."})
	if second := record(&conversations{run: "bbbb", text: "It is 42."}); strings.Join(first, "\n") != strings.Join(second, "\n") {
		t.Errorf("the same answers changed the file from\n%s\nto\n%s", strings.Join(first, "\n"), strings.Join(second, "\n"))
	}
	third := strings.Join(record(&conversations{run: "cccc", text: "It is 43."}), "\n")
	for _, want := range []string{"call_aaaa0001", "chatcmpl-aaaa1", "req_aaaa1", "It is 43.", "chatcmpl-cccc2", "req_cccc2"} {
		if !strings.Contains(third, want) {
			t.Errorf("after another second answer the file does not have %q:\n%s", want, third)
		}
	}
	if strings.Contains(third, "cccc0001") {
		t.Errorf("the second request has another id of the call:\n%s", third)
	}
}
