package promptecho

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/verdict"
)

// stable makes a report independent of where the test ran.
func stable(s, file string) string {
	s = strings.ReplaceAll(s, file, "FILE")
	return regexp.MustCompile(`_test\.go:\d+`).ReplaceAllString(s, "_test.go:LINE")
}

// The reports as they are read. What they must say is set down here by hand.
func TestReports(t *testing.T) {
	t.Parallel()
	const command = "PROMPTECHO_MODE=all go test example.com/app -run '^TestX$' -count=1"
	tests := []struct {
		name     string
		recorded []string
		asked    []string
		opts     []Option
		outcome  verdict.Outcome
		want     string // of the errors
		notes    string
	}{
		{
			name: "nothing recorded", asked: []string{"hello"},
			want: `1 request was not recorded (mode none (InMode in the code); 0 of 0 recordings used)

FILE: nothing is recorded, and mode none (InMode in the code) does not record
  asked:  openai.chat, model m
  caller: recorder_test.go:LINE

To record it again:
  ` + command,
		},
		{
			name: "one word changed", recorded: []string{"the cat sat"}, asked: []string{"the dog sat"},
			want: `1 request was not recorded (mode none (InMode in the code); 0 of 1 recording used)

FILE:4: the nearest recording differs in messages/0/content/0/text
  asked:  openai.chat, model m
  caller: recorder_test.go:LINE
  messages/0/content/0/text
    recorded: "the cat sat"
    incoming: "the dog sat"

To record it again:
  ` + command,
		},
		{
			name: "asked too often", recorded: []string{"a"}, asked: []string{"a", "a", "a"},
			want: `1 request was not recorded (mode none (InMode in the code); 1 of 1 recording used)

FILE:4: asked more often than recorded: 3 times, recorded once (AllowRepeats replays the last again)
  asked:  openai.chat, model m, 3 times
  caller: recorder_test.go:LINE

To record it again:
  ` + command,
		},
		{
			name: "unused", recorded: []string{"a", "b"}, asked: []string{"a"},
			want: `1 of 2 recordings not used
  FILE:22: openai.chat, model m

Delete them from the file, give AllowUnused(), or record again:
  ` + command,
		},
		{name: "unused is allowed", recorded: []string{"a", "b"}, asked: []string{"a"}, opts: []Option{AllowUnused()}},
		{name: "unused in a failed test", recorded: []string{"a", "b"}, asked: []string{"a"}, outcome: verdict.Outcome{Failed: true}},
		{name: "unused in a skipped test", recorded: []string{"a", "b"}, asked: []string{"a"}, outcome: verdict.Outcome{Skipped: true}},
		{name: "unused in a filtered test", recorded: []string{"a", "b"}, asked: []string{"a"}, outcome: verdict.Outcome{Filtered: true}},
		{
			name: "not wired", recorded: []string{"a"},
			want: "FILE: no request reached the recorder: hand rec.Client() to the SDK, or give AllowUnused()",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			base := "http://127.0.0.1:1"
			if len(tt.recorded) > 0 {
				base = record(t, file, tt.recorded...)
			}
			r := mustOpen(t, file, append(tt.opts, InMode(ModeNone))...)
			for _, text := range tt.asked {
				ask(t, r, base, text)
			}
			tt.outcome.Command = command
			rep := verdict.Finish(r, tt.outcome)
			if got := stable(strings.Join(rep.Errors, "\n----\n"), file); got != tt.want {
				t.Errorf("got:\n%s\n\nwant:\n%s", got, tt.want)
			}
			if again := verdict.Finish(r, tt.outcome); len(again.Errors) != len(rep.Errors) {
				t.Error("finishing again gives another report")
			}
		})
	}
}

// A replayed request whose sampling differs is noted once for each field.
func TestDriftIsNoted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	u := newUpstream(t)
	url := u.URL + "/v1/chat/completions"
	body := func(temperature string) string {
		return `{"model":"m","messages":[],"temperature":` + temperature + `}`
	}
	r := mustOpen(t, file, InMode(ModeAll))
	post(t, r, url, body("0.7"))
	post(t, r, url, body("0.7"))
	mustClose(t, r)

	r = mustOpen(t, file, InMode(ModeNone))
	for range 2 {
		if status, _ := post(t, r, url, body("0.2")); status != 200 {
			t.Errorf("status %d", status)
		}
	}
	rep := verdict.Finish(r, verdict.Outcome{})
	if len(rep.Errors) > 0 || len(rep.Notes) != 1 || !strings.Contains(rep.Notes[0], "temperature") ||
		!strings.Contains(rep.Notes[0], "0.7") || !strings.Contains(rep.Notes[0], "0.2") {
		t.Errorf("report %+v", rep)
	}

	r = mustOpen(t, file, InMode(ModeNone), Strict(), AllowUnused())
	if status, _ := post(t, r, url, body("0.2")); status != http.StatusTeapot {
		t.Errorf("Strict: status %d", status)
	}
}

func TestMatchingOptions(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := record(t, file, "on 2026-01-02")
	tests := []struct {
		name string
		opt  Option
		text string
		want int
	}{
		{"none", AllowUnused(), "on 2026-01-03", http.StatusTeapot},
		{"Mask", Mask(`\d{4}-\d\d-\d\d`, "DATE"), "on 2026-01-03", 200},
		{"Mask, other text", Mask(`\d{4}-\d\d-\d\d`, "DATE"), "off 2026-01-03", http.StatusTeapot},
		{"Ignore", Ignore("messages/*/content"), "anything", 200},
		{"MatchOn", MatchOn("model"), "anything", 200},
		{"MatchOn messages", MatchOn("model", "messages"), "anything", http.StatusTeapot},
	}
	for _, tt := range tests {
		r := mustOpen(t, file, InMode(ModeNone), tt.opt)
		if status, body := ask(t, r, base, tt.text); status != tt.want {
			t.Errorf("%s: status %d, want %d: %s", tt.name, status, tt.want, body)
		}
		r.Close()
	}
}

func TestKeepHeaders(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	up := roundTripFunc(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: http.NoBody, Header: http.Header{"X-Cost": {"3"}, "X-Other": {"4"}}}, nil
	})
	r := mustOpen(t, file, InMode(ModeAll), KeepHeaders("x-cost"), Upstream(up))
	ask(t, r, "http://h", "a")
	mustClose(t, r)
	if c := read(t, file); !strings.Contains(c, "x-cost") || strings.Contains(c, "x-other") {
		t.Errorf("%s", c)
	}
}

// The go command caches no result that depends on a file younger than two
// seconds; a cassette stays that young until the process ends.
func TestCassettesStayYoung(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "c.yaml")
	record(t, file, "a")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	touchYoung()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if age := time.Since(info.ModTime()); age > time.Minute {
		t.Errorf("the cassette is %v old", age)
	}
	// A cassette that is gone is forgotten.
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	touchYoung()
	young.Lock()
	defer young.Unlock()
	for _, p := range young.paths {
		if p == file {
			t.Errorf("%s is still touched", p)
		}
	}
}
