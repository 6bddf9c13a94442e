package matching_test

import (
	"net/http"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Options that change what matches apply to recordings that were made without them.
//
// A recording that equals the request byte for byte comes first. The match keys in the cassette,
// made without the option, say nothing.
func TestOptionsApplyToRecordingsMadeWithoutThem(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]promptecho.Option{
		"Mask":      promptecho.Mask(`\d+`, "N"),
		"Ignore":    promptecho.Ignore("messages/0/content"),
		"MatchOnly": promptecho.MatchOnly("*", "model"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := must.Save(t, must.Chats("1", "first", "2", "second"))
			wantAnswer := func(rec *promptecho.Recorder, prompt, want string) {
				t.Helper()
				status, body := must.Ask(t, rec, "http://h", prompt)
				if status != http.StatusOK || body != want {
					t.Errorf("%q is answered by %d %s, want %s", prompt, status, body, want)
				}
			}

			rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), option)
			wantAnswer(rec, "3", "first")
			wantAnswer(rec, "3", "second")
			must.Close(t, rec)

			rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), option, promptecho.AllowUnused())
			wantAnswer(rec, "2", "second")
			must.Close(t, rec)
		})
	}
}
