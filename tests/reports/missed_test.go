package reports_test

import (
	"encoding/json"
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
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// TestMissIsShort: whatever differs, the program is told in one short line, and once in the body.
func TestMissIsShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a prompt <that> is \"long\" & goes on\n", 50)
	for _, tt := range []struct{ recorded, asked string }{
		{"the cat sat", "the dog sat"}, {long + "a", long + "b"}, {"ä\U0001f600", strings.Repeat("\U0001f600", 90)}, {"x", `"\"`},
	} {
		for _, name := range []string{"c.yaml", strings.Repeat("long", 40) + ".yaml"} {
			for header, field := range map[string]string{"X-None": "error.message", "X-Amz-Date": "message", "X-Goog-Api-Key": "error.message"} {
				file := filepath.Join(t.TempDir(), name)
				must.Record(t, file, tt.recorded)
				r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
				req, _ := http.NewRequest("POST", "http://127.0.0.1:9/v1/chat/completions", strings.NewReader(must.ChatBody(tt.asked)))
				req.Header.Set(header, "x")
				resp, err := r.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(resp.Body)
				var said any
				if err := json.Unmarshal(body, &said); err != nil {
					t.Fatal(err)
				}
				for key := range strings.SplitSeq(field, ".") {
					said, _ = said.(map[string]any)[key]
				}
				text, _ := said.(string)
				encoded, _ := json.Marshal(text)
				if !strings.HasPrefix(text, "promptecho: not recorded: ") || len(encoded) > 201 || strings.Contains(text, "\n") ||
					strings.Count(string(body), "not recorded") != 1 || !strings.Contains(text, "yaml:4: ") {
					t.Errorf("%d bytes: %s", len(encoded), body)
				}
			}
		}
	}
}

// TestTwoWayIsRefused: a body that is sent for as long as its answer comes is refused at once, with
// the reason and the line. One that nothing says it of is named when the run is over.
func TestTwoWayIsRefused(t *testing.T) {
	t.Parallel()
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.Upstream(provider.Says(`{}`)))
	body, w := io.Pipe()
	req, _ := http.NewRequest("POST", "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/invoke-with-bidirectional-stream", body)
	req.Header.Set("X-Amz-Content-Sha256", "STREAMING-AWS4-HMAC-SHA256-EVENTS")
	resp, err := r.Client().Do(req)
	if err != nil || resp.StatusCode != http.StatusTeapot {
		t.Fatal(resp, err)
	}
	if _, err := w.Write([]byte("x")); err == nil {
		t.Error("the body is still open")
	}
	if text := strings.Join(must.Finish(r, report.Outcome{}).Errors, "\n"); !strings.Contains(text, "sends its body while its answer arrives") || !strings.Contains(text, "missed_test.go:") {
		t.Error(text)
	}

	r = must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.Upstream(provider.Says(`{}`)))
	body, w = io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		req, _ := http.NewRequest("POST", "http://h/chat", body)
		if resp, err := r.Client().Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	w.Write([]byte("x")) // returns when it was read, so that the request is under way
	text := strings.Join(must.Finish(r, report.Outcome{Failed: true}).Errors, "\n")
	if !strings.Contains(text, "POST http://h/chat (missed_test.go:") || !strings.Contains(text, "is still sending its body") || strings.Contains(text, "no request reached") {
		t.Error(text)
	}
	w.Close()
	<-done
}

// TestRemarks: what is said of an edit is so, and said of no other.
func TestRemarks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ url, recorded, asked, askedAt, want string }{
		{"https://a.test/x", `{"p":[{"k":"a"},{"k":"b"}]}`, `{"p":[{"k":"b"},{"k":"a"}]}`, "", `promptecho.Unordered("p")`},
		{"https://a.test/x", `{"p":["a","b","c"]}`, `{"p":["c","a","b"]}`, "", `differs only in the order of p`},
		{"https://a.test/x", `{"region":"eu"}`, `{"region":""}`, "", "is an environment variable unset here? Set it, or read it with rec.Env(NAME)"},
		{"https://a.test/x", `{"q":"in eu-west-1 now"}`, `{"q":"in  now"}`, "", "is an environment variable unset here?"},
		{"https://a.test/x", `{"q":"one short sentence"}`, `{"q":"one sentence"}`, "", "!unset"},
		{"https://a.test/x", `{"q":"one sentence"}`, `{"q":"one short sentence"}`, "", "!unset"},
		{"https://a.test/x", "\x0a\x01\x80", "\x0a\x02\x80", "", `the body is protobuf (application/x-protobuf), compared as bytes`},
		{"https://a.test/x", `{"q":1}`, `{"q":1}`, "https://b.test/x", `promptecho.Alias("https://a.test", "service"), promptecho.Alias("https://b.test", "service")`},
		{"https://a.test/x", `{"at":"2026-01-01"}`, `{"at":"2026-02-02"}`, "", "take the value from rec.Now()"},
		{"https://api.openai.com/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"x"}]}`, `{"model":"","messages":[{"role":"user","content":"x"}]}`, "", "recorded for another model, m"},
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		post := func(r *promptecho.Recorder, url, body string) {
			resp, err := r.Client().Post(url, "application/x-protobuf", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
		r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
		post(r, tt.url, tt.recorded)
		must.Close(t, r)
		r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		url := tt.url
		if tt.askedAt != "" {
			url = tt.askedAt
		}
		post(r, url, tt.asked)
		text := fmt.Sprint(r.Close())
		if no, ok := strings.CutPrefix(tt.want, "!"); ok == strings.Contains(text, strings.TrimPrefix(tt.want, "!")) {
			t.Errorf("want %s (%s), got %s", tt.want, no, text)
		}
	}
}

// TestAllReplacesByClose: in mode all, as many recordings as there were take their places although
// nobody tells how the run ended; fewer leave the others.
func TestAllReplacesByClose(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ asked, want string }{{"d e f", "d e f"}, {"a e f", "a e f"}, {"d e", "d e a b c"}} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		must.Record(t, file, "a", "b", "c")
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{}`)))
		for p := range strings.FieldsSeq(tt.asked) {
			must.Ask(t, r, "http://127.0.0.1:9", p)
		}
		must.Close(t, r)
		if got := must.Prompts(t, file); got != tt.want {
			t.Errorf("asked %s: %s, want %s", tt.asked, got, tt.want)
		}
	}
}

// TestFailedOnly: what only failed leaves no journal, and a run in mode update that passes removes
// what an earlier one left beside the cassette.
func TestFailedOnly(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(provider.Statuses(`{}`, 429)))
	must.Ask(t, r, "http://h", "x")
	rep := must.Finish(r, report.Outcome{Failed: true})
	if entries, _ := os.ReadDir(filepath.Dir(file)); len(entries) > 0 || rep.Done.Failed != 1 || rep.Done.Recorded != 0 {
		t.Errorf("left %v; %+v", entries, rep.Done)
	}
	must.Record(t, file, "x")
	if err := os.WriteFile(file+must.FailedSuffix, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeUpdate), promptecho.Upstream(provider.Says(`{}`)))
	must.Ask(t, r, "http://127.0.0.1:9", "x")
	must.Finish(r, report.Outcome{})
	if _, err := os.Stat(file + must.FailedSuffix); err == nil {
		t.Error("the file of a failed run is left")
	}
}
