package editing_test

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Recordings of equal requests play in the order of the file, also if an edit made them equal.
//
// The seals, by which a file is known without being read whole, say nothing of the edit.
func TestEqualRequestsPlayInTheOrderOfTheFileAfterAnEdit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		before []string // two prompts and their answers
		edit   func(t *testing.T, file string)
	}{
		{
			name:   "an edit in the usual form",
			before: []string{"one", "first", "two", "second"},
			edit: func(t *testing.T, file string) {
				must.Edit(t, file, "content: one", "content: two")
			},
		},
		{
			name:   "an edit in another form",
			before: []string{"one", "first", "two", "second"},
			edit: func(t *testing.T, file string) {
				must.Edit(t, file, "content: one", "content: 'two' # not one any more")
			},
		},
		{
			name:   "a match key of another version",
			before: []string{"two", "first", "two", "second"},
			edit:   writeKeyOfOtherRules,
		},
		{
			name:   "a seal is missing",
			before: []string{"two", "first", "two", "second"},
			edit: func(t *testing.T, file string) {
				_, seals, _ := strings.Cut(must.Read(t, file), "\nseals:")
				lines := strings.SplitAfter(seals, "\n")
				must.Edit(t, file, lines[1], "")
			},
		},
		{
			name:   "line ends of Windows",
			before: []string{"two", "first", "two", "second"},
			edit: func(t *testing.T, file string) {
				must.Write(t, file, strings.ReplaceAll(must.Read(t, file), "\n", "\r\n"))
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := must.Save(t, must.Chats(tt.before...))
			tt.edit(t, file)
			rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			wantAnswer(t, rec, "two", "first")
			wantAnswer(t, rec, "two", "second")
			must.Close(t, rec)
		})
	}
}

// wantAnswer asks a prompt, which must have this answer.
func wantAnswer(t *testing.T, rec *promptecho.Recorder, prompt, want string) {
	t.Helper()
	status, body := must.Ask(t, rec, "http://h", prompt)
	if status != http.StatusOK || body != want {
		t.Errorf("%q is answered by %d %q, want %q", prompt, status, body, want)
	}
}

// writeKeyOfOtherRules saves a cassette again, with a match key in its first interaction that
// other rules of matching have made.
func writeKeyOfOtherRules(t *testing.T, file string) {
	t.Helper()
	f := must.Load(t, file)
	f.Revision = canon.Revision + 1
	f.Interactions[0].MatchKey = "0123456789abcdef"
	must.Write(t, file, must.Read(t, must.Save(t, f)))
}

// A recording answers no other request, even if its match key in the file is that of one.
func TestWrongMatchKeyAnswersNoOtherRequest(t *testing.T) {
	t.Parallel()
	f := must.Chats("one", "first")
	f.Interactions[0].MatchKey = must.Chats("two", "").Interactions[0].MatchKey
	rec := must.Open(t, must.Save(t, f), promptecho.InMode(promptecho.ModeNone))

	err := askForError(t, rec, must.ChatBody("two"))
	wantError(t, "the request", err, `c.yaml:4: under "seals:", at the end of the file, `+
		"the line of this recording belongs to another request")
	wantError(t, "Close", rec.Close(), "promptecho verify -w")
}

// askForError sends a chat completion, which must fail, and returns its error.
func askForError(t *testing.T, rec *promptecho.Recorder, body string) error {
	t.Helper()
	resp, err := rec.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(body))
	if err == nil {
		t.Errorf("the request was answered with status %d", resp.StatusCode)
		resp.Body.Close()
	}
	return err
}

// wantError checks that there is an error with this part.
func wantError(t *testing.T, of string, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("%s: %v, want %q", of, err, part)
	}
}

// A run notes once for a file that it was edited, with the line of the first edit.
func TestEditIsNotedOnce(t *testing.T) {
	t.Parallel()
	const noted = "edited since it was recorded"
	for _, tt := range []struct {
		name  string
		edits map[string]string // texts of the file, and by what they are replaced
		in    string            // a text of the interaction whose line is noted; "" for no note
	}{
		{
			name: "no edit",
		},
		{
			name:  "an answer",
			edits: map[string]string{"first line": "edited line"},
			in:    "edited line",
		},
		{
			name:  "two answers, one with a comment",
			edits: map[string]string{"first line": "edited line", "status: 200": "status: 200 # fine"},
			in:    "# fine",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file, chats := saveMixed(t)
			for old, with := range tt.edits {
				must.Edit(t, file, old, with)
			}
			for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeNewEpisodes} {
				rec := must.Open(t, file, promptecho.InMode(mode))
				for _, chat := range chats {
					must.Ask(t, rec, "http://h", chat.prompt)
				}
				notes := strings.Join(must.Finish(rec, report.Outcome{}).Notes, "\n")

				if tt.in == "" {
					if strings.Contains(notes, noted) {
						t.Errorf("mode %s notes %q", mode, notes)
					}
					continue
				}
				want := fmt.Sprintf("c.yaml:%d: %s", lineOfInteraction(t, file, tt.in), noted)
				if strings.Count(notes, noted) != 1 || !strings.Contains(notes, want) {
					t.Errorf("mode %s notes %q, want %q once", mode, notes, want)
				}
			}
		})
	}
}

// lineOfInteraction returns the line in which the interaction begins that has a text.
func lineOfInteraction(t *testing.T, file, text string) int {
	t.Helper()
	before, _, isThere := strings.Cut(must.Read(t, file), text)
	if !isThere {
		t.Fatalf("%s has no %q", file, text)
	}
	begin := strings.LastIndex(before, "\n- ") + 1
	return 1 + strings.Count(before[:begin], "\n")
}

// A value of the environment that is a secret is replaced in recordings before they are compared.
//
// That holds for recordings with a seal, too, and they keep their order.
func TestSecretOfTheEnvironmentMatchesItsPlaceholder(t *testing.T) {
	// Not parallel: it sets the environment.
	const value = "Zk93hQ7xPw2LmN8v"
	file := must.Save(t, must.Chats("mail "+value, "first", "mail [REDACTED]", "second"))
	t.Setenv("DEPLOY_TOKEN", value)
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	body := strings.Replace(must.ChatBody("mail "+value), "{", `{"temperature":0.5,`, 1)
	for _, want := range []string{"first", "second"} {
		status, got := must.Post(t, rec, "http://h/v1/chat/completions", body)
		if status != http.StatusOK || got != want {
			t.Errorf("%d %s, want %s", status, got, want)
		}
	}
	must.Close(t, rec)
}

// A cassette that changes while a recorder has it open answers no request with another recording.
func TestChangeWhileOpenIsNoticed(t *testing.T) {
	t.Parallel()
	filling := strings.Repeat("All work and no play makes a dull cassette. ", 50)
	var chats []string
	for i := range 1100 { // more than is kept in memory
		chats = append(chats, fmt.Sprint(i, filling), fmt.Sprint("answer ", i))
	}
	file := must.Save(t, must.Chats(chats...))
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
	removeFirstInteraction(t, file)

	for _, i := range []int{0, 5, 298} {
		err := askForError(t, rec, must.ChatBody(fmt.Sprint(i, filling)))
		wantError(t, fmt.Sprint("request ", i), err, "the file has changed since it was opened")
	}
	wantError(t, "Close", rec.Close(), "c.yaml: the file has changed")
}

func removeFirstInteraction(t *testing.T, file string) {
	t.Helper()
	text := []byte(must.Read(t, file))
	first := bytes.Index(text, []byte("\n- ")) + 1
	length := bytes.Index(text[first:], []byte("\n- ")) + 1
	must.Write(t, file, string(text[:first])+string(text[first+length:]))
}

// What is in a cassette for people to read may be wrong or missing: it decides nothing in replay.
func TestWhatIsForPeopleMayBeWrong(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]struct{ pattern, with string }{
		"no usage":                {pattern: `(?m)^  usage: .*\n`, with: ""},
		"a wrong usage":           {pattern: `input_tokens: \d+`, with: "input_tokens: 1000000"},
		"no latency":              {pattern: `(?m)^  latency_ms: .*\n`, with: ""},
		"a wrong latency":         {pattern: `latency_ms: .*`, with: "latency_ms: 1000000"},
		"a wrong endpoint":        {pattern: `boundary: openai.chat`, with: "boundary: mine"},
		"a comment":               {pattern: `status: 200`, with: "status: 200 # as it was"},
		"no comment at the top":   {pattern: `^# promptecho.*\n`, with: ""},
		"a file made by a person": {pattern: `(?s)^# promptecho[^\n]*\n(.*)\nseals:.*`, with: "$1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			const answer = `{"choices":[{"message":{"content":"hi"}}],` +
				`"usage":{"prompt_tokens":7,"completion_tokens":1}}`
			live := promptecho.Upstream(provider.Says(answer))
			rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), live)
			wantAnswer(t, rec, "one", answer)
			must.Close(t, rec)

			before := must.Read(t, file)
			after := regexp.MustCompile(replace.pattern).ReplaceAllString(before, replace.with)
			if after == before {
				t.Fatalf("there is no %s in\n%s", replace.pattern, before)
			}
			must.Write(t, file, after)

			rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			wantAnswer(t, rec, "one", answer)
			must.Close(t, rec)
		})
	}
}
