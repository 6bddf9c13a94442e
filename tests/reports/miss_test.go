package reports_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// The program that gets a miss reads it in one line of less than 200 bytes, with the cassette's line. The message is
// where the client of the API looks for one, and nowhere else in the body.
func TestProgramReadsOfAMissInOneShortLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a prompt <that> is \"long\" & goes on\n", 50)
	prompts := []struct{ name, recorded, asked string }{
		{name: "a word", recorded: "the cat sat", asked: "the dog sat"},
		{name: "the end of a long text", recorded: long + "a", asked: long + "b"},
		{name: "characters of several bytes", recorded: "ä\U0001f600", asked: strings.Repeat("\U0001f600", 90)},
		{name: "characters that JSON escapes", recorded: "x", asked: `"\"`},
	}
	cassettes := []struct{ name, file string }{
		{name: "a short path", file: "c.yaml"},
		{name: "a long path", file: strings.Repeat("long", 40) + ".yaml"},
	}
	clients := []struct{ name, header, field string }{
		{name: "OpenAI", header: "X-None", field: "error.message"},
		{name: "AWS", header: "X-Amz-Date", field: "message"},
		{name: "Google", header: "X-Goog-Api-Key", field: "error.message"},
	}
	for _, prompt := range prompts {
		for _, cassette := range cassettes {
			for _, client := range clients {
				t.Run(prompt.name+"/"+cassette.name+"/"+client.name, func(t *testing.T) {
					t.Parallel()
					file := filepath.Join(t.TempDir(), cassette.file)
					must.Record(t, file, prompt.recorded)
					body := missBody(t, file, prompt.asked, client.header)
					text := fieldOf(t, body, client.field)
					encoded, err := json.Marshal(text)
					if err != nil {
						t.Fatal(err)
					}
					if len(encoded) > len(`""`)+199 || strings.Contains(text, "\n") {
						t.Errorf("this is no short line, it has %d bytes: %s", len(encoded), text)
					}
					if !strings.HasPrefix(text, "promptecho: not recorded: ") || !strings.Contains(text, "yaml:4: ") {
						t.Errorf("the line does not say where the nearest recording is: %s", text)
					}
					if strings.Count(body, "not recorded") != 1 {
						t.Errorf("the body does not have the line once: %s", body)
					}
				})
			}
		}
	}
}

// missBody returns the body of the answer to a request that a cassette does not have.
func missBody(t *testing.T, file, prompt, header string) string {
	t.Helper()
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
	_, answer := must.Post(t, r, "http://127.0.0.1:9/v1/chat/completions", must.ChatBody(prompt), header, "x")
	return answer
}

// fieldOf returns a text in a JSON object, whose path has dots; "" if it is absent.
func fieldOf(t *testing.T, object, path string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(object), &value); err != nil {
		t.Fatal(err)
	}
	for name := range strings.SplitSeq(path, ".") {
		members, _ := value.(map[string]any)
		value = members[name]
	}
	text, _ := value.(string)
	return text
}

// A prompt that was recorded for another provider never answers, and the miss names that recording. It does so although
// another recording is of the right provider.
func TestMissNamesTheRecordingOfAnotherProvider(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	must.Post(t, r, u.URL+"/v1/messages",
		`{"model":"m","max_tokens":9,"system":"s","messages":[{"role":"user","content":"the cat sat"}]}`)
	must.Ask(t, r, u.URL, "something else")
	must.Close(t, r)

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	status, body := must.Post(t, r, u.URL+"/v1/chat/completions",
		`{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"the cat sat"}]}`)
	want := "recorded for another endpoint, llm/anthropic.messages"
	if status != http.StatusTeapot || !strings.Contains(body, want) {
		t.Errorf("%d %s", status, body)
	}
	if m := r.Misses()[0]; m.Line != 4 {
		t.Errorf("the miss is at line %d: %v", m.Line, m)
	}
	r.Close()
}

// A miss says if the prompt was recorded as a plain answer, or for another model.
func TestMissNamesTheRecordedModelAndFraming(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "a")
	recorded := must.ChatBody("a")
	tests := []struct{ name, asked, want string }{
		{
			name:  "as a stream",
			asked: strings.Replace(recorded, "{", `{"stream":true,`, 1),
			want:  "recorded only as a plain answer",
		},
		{
			name:  "of another model",
			asked: strings.Replace(recorded, `"m"`, `"n"`, 1),
			want:  "recorded for another model, m",
		},
		{
			name:  "of another model, as a stream",
			asked: strings.Replace(recorded, `"m"`, `"n","stream":true`, 1),
			want:  "the nearest recording differs in model, stream",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
			status, body := must.Post(t, r, base+"/v1/chat/completions", tt.asked)
			if status != http.StatusTeapot || !strings.Contains(body, ": "+tt.want) {
				t.Errorf("%d %s, want %q", status, body, tt.want)
			}
			r.Close()
		})
	}
}

// A miss of a call that only resembles one of a known API names the field that differs. A file with a purpose that
// OpenAI does not have is no upload to OpenAI.
func TestMissOfAnUnknownCallNamesTheField(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	must.Post(t, r, u.URL+"/v1/files", `{"purpose":"batch","file":"{}"}`)
	must.Close(t, r)

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	must.Post(t, r, u.URL+"/v1/files", `{"purpose":"pastime","file":"{}"}`)
	want := "the nearest recording differs in purpose\n  asked:  http/"
	if text := r.Misses()[0].Error(); !strings.Contains(text, want) || !strings.Contains(text, `incoming: "pastime"`) {
		t.Errorf("%s\nwant %s", text, want)
	}
	r.Close()
}

// The same request that misses in many goroutines is reported once, with a count.
func TestSameMissFromManyGoroutinesIsReportedOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "a", "b", "c")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if status, _ := must.Ask(t, r, base, "never asked before"); status != http.StatusTeapot {
				t.Errorf("status %d", status)
			}
		})
	}
	wg.Wait()
	misses := r.Misses()
	if len(misses) != 1 || misses[0].Count != 32 || misses[0].Diff == "" {
		t.Errorf("%d misses: %+v", len(misses), misses)
	}
	if err := r.Close(); err == nil || strings.Count(err.Error(), "caller:") != 1 {
		t.Errorf("%v", err)
	}
}

// Each of hundreds of misses is compared with the recording of its own request.
func TestEachOfManyMissesIsComparedWithItsOwnRecording(t *testing.T) {
	t.Parallel()
	questions := full.Cases(120, 600)
	file := filepath.Join(t.TempDir(), "c.yaml")
	ask := func(r *promptecho.Recorder, word string) {
		for i := range questions {
			prompt := fmt.Sprintf("%s the question %d, please, in one sentence", word, i)
			must.Post(t, r, must.ChatURL, must.ChatBody(prompt))
		}
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says("{}")))
	ask(r, "Answer")
	must.Close(t, r)

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	ask(r, "Answered")
	r.Close()
	taken := map[int]bool{}
	for i, m := range r.Misses() {
		hasItsNumber := strings.Contains(m.Change, fmt.Sprintf("question %d,", i))
		isNumberChanged := strings.Contains(m.Change, "[-"+fmt.Sprint(i))
		if !hasItsNumber || isNumberChanged || taken[m.Line] {
			t.Fatalf("miss %d, line %d: %s", i, m.Line, m.Change)
		}
		taken[m.Line] = true
	}
	if len(taken) != questions {
		t.Errorf("%d misses", len(taken))
	}
}

// The error of Close names each miss once, and errors.As finds a MissError in it.
func TestCloseReturnsTheMisses(t *testing.T) {
	t.Parallel()
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeNone))
	must.Request{URL: "https://svc.example.com/a", Body: ""}.Ask(t, r)
	must.Request{URL: must.ChatURL, Body: must.ChatBody("hi")}.Ask(t, r)
	err := r.Close()
	var miss *promptecho.MissError
	if !errors.As(err, &miss) || miss.Call != "http/svc.example.com" || miss.Request == "" {
		t.Fatalf("%#v in %v", miss, err)
	}
	for _, part := range []string{"the file does not exist", "http/svc.example.com POST /a", "llm/openai.chat"} {
		if n := strings.Count(err.Error(), part); n != 1 {
			t.Errorf("the error has %q %d times:\n%v", part, n, err)
		}
	}
}
