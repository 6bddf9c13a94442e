package reports_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A report names the likely cause of a difference, or the option that helps. It does so only for an edit that the cause
// explains.
func TestReportNamesTheLikelyCause(t *testing.T) {
	t.Parallel()
	const url = "https://a.test/x"
	tests := []struct {
		name            string
		recorded, asked string
		url             string // url, if it is ""
		askedAt         string // where it was recorded, if it is ""
		want, wantNot   string // parts of the report
	}{
		{
			name:     "objects of a list in another order",
			recorded: `{"p":[{"k":"a"},{"k":"b"}]}`,
			asked:    `{"p":[{"k":"b"},{"k":"a"}]}`,
			want:     `promptecho.Unordered("p")`,
		},
		{
			name:     "texts of a list in another order",
			recorded: `{"p":["a","b","c"]}`,
			asked:    `{"p":["c","a","b"]}`,
			want:     `differs only in the order of p`,
		},
		{
			name:     "an empty value",
			recorded: `{"region":"eu"}`,
			asked:    `{"region":""}`,
			want:     "is an environment variable unset here? Set it, or read it with rec.Env(NAME)",
		},
		{
			name:     "a gap between two blanks",
			recorded: `{"q":"in eu-west-1 now"}`,
			asked:    `{"q":"in  now"}`,
			want:     "is an environment variable unset here?",
		},
		{
			name:     "a word less",
			recorded: `{"q":"one short sentence"}`,
			asked:    `{"q":"one sentence"}`,
			wantNot:  "unset",
		},
		{
			name:     "a word more",
			recorded: `{"q":"one sentence"}`,
			asked:    `{"q":"one short sentence"}`,
			wantNot:  "unset",
		},
		{
			name:     "a body that is no text",
			recorded: "\x0a\x01\x80",
			asked:    "\x0a\x02\x80",
			want:     `the body is protobuf (application/x-protobuf), compared as bytes`,
		},
		{
			name:     "another server",
			recorded: `{"q":1}`,
			asked:    `{"q":1}`,
			askedAt:  "https://b.test/x",
			want:     `promptecho.Alias("https://a.test", "service"), promptecho.Alias("https://b.test", "service")`,
		},
		{
			name:     "another day",
			recorded: `{"at":"2026-01-01"}`,
			asked:    `{"at":"2026-02-02"}`,
			want:     "take the value from rec.Now()",
		},
		{
			name:     "an empty model",
			url:      must.ChatURL,
			recorded: `{"model":"m","messages":[{"role":"user","content":"x"}]}`,
			asked:    `{"model":"","messages":[{"role":"user","content":"x"}]}`,
			want:     "recorded for another model, m",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			recordedAt := cmp.Or(tt.url, url)
			post := func(r *promptecho.Recorder, url, body string) {
				must.Post(t, r, url, body, "Content-Type", "application/x-protobuf")
			}
			r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
			post(r, recordedAt, tt.recorded)
			must.Close(t, r)

			r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			post(r, cmp.Or(tt.askedAt, recordedAt), tt.asked)
			text := fmt.Sprint(r.Close())
			if !strings.Contains(text, tt.want) {
				t.Errorf("the report lacks %q:\n%s", tt.want, text)
			}
			if tt.wantNot != "" && strings.Contains(text, tt.wantNot) {
				t.Errorf("the report has %q:\n%s", tt.wantNot, text)
			}
		})
	}
}

// The two options Alias that a report suggests are not suggested again once the test has them.
func TestAliasThatIsSetIsNotSuggestedAgain(t *testing.T) {
	t.Parallel()
	const local, remote = "http://127.0.0.1:6333", "https://qdrant.acme.com"
	const path, body = "/points/search", `{"vector":[1,2]}`
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{"ok":true}`)))
	must.Post(t, r, local+path, body)
	must.Close(t, r)

	report := func(opts ...promptecho.Option) string {
		r := must.Open(t, file, append(opts, promptecho.InMode(promptecho.ModeNone))...)
		must.Post(t, r, remote+path, body)
		return fmt.Sprint(r.Close())
	}
	suggestion := `promptecho.Alias("http://127.0.0.1:6333", "service"), ` +
		`promptecho.Alias("https://qdrant.acme.com", "service")`
	if text := report(); !strings.Contains(text, suggestion) {
		t.Errorf("no alias is suggested:\n%s", text)
	}
	text := report(promptecho.Alias(local, "service"), promptecho.Alias(remote, "service"))
	if strings.Contains(text, `Alias("`) || !strings.Contains(text, "record again") {
		t.Errorf("with both options set:\n%s", text)
	}
}

// A report suggests no option if the request and its recording have more than 256 KB together. To try one would take
// seconds.
func TestNoOptionIsSuggestedForLongRequests(t *testing.T) {
	t.Parallel()
	const suggestion = "if this cannot change the answer, add promptecho.MaskTimes()"
	tests := []struct {
		name string
		size int // of each of the two requests, nearly
		want bool
	}{
		{name: "120 KB each", size: 120 << 10, want: true},
		{name: "130 KB each", size: 130 << 10, want: false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			ask := func(r *promptecho.Recorder, date string) {
				must.Post(t, r, must.ChatURL, `{"model":"m","messages":[`+
					`{"role":"user","content":"Today is `+date+`. Plan my day."},`+
					`{"role":"user","content":"`+strings.Repeat("x", tt.size)+`"}]}`)
			}
			r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
			ask(r, "2026-01-02")
			must.Close(t, r)

			r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			ask(r, "2026-11-21")
			text := fmt.Sprint(r.Close())
			if got := strings.Contains(text, suggestion); got != tt.want {
				t.Errorf("an option is suggested: %v, want %v\n%.2000s", got, tt.want, text)
			}
		})
	}
}
