package secrets_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A secret that only a later request reveals is neither written nor shown, and its request replays. A note of the
// recording run says what to do, and one of the replay why the recording is played.
func TestSecretLearnedLaterIsNeitherWrittenNorShown(t *testing.T) {
	t.Parallel()
	const token = "Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1Fs5Gp0A"
	places := []struct {
		name  string
		first sentRequest // has TOKEN, which is a secret, and WORD
	}{
		{
			name: "JSON",
			first: sentRequest{
				path: "/x", media: "application/json",
				body: `{"device":"TOKEN","text":"WORD"}`,
			},
		},
		{
			name: "a prompt",
			first: sentRequest{
				path: "/v1/chat/completions", media: "application/json",
				body: `{"model":"m","messages":[{"role":"user","content":"WORD: my key is TOKEN, use it"}]}`,
			},
		},
		{
			name:  "a path",
			first: sentRequest{path: "/u/TOKEN/WORD"},
		},
		{
			name: "a form",
			first: sentRequest{
				path: "/x", media: "application/x-www-form-urlencoded",
				body: "device=TOKEN&text=WORD",
			},
		},
		{
			name: "a plain text",
			first: sentRequest{
				path: "/x", media: "text/plain",
				body: "device TOKEN\nWORD",
			},
		},
		{
			name: "XML",
			first: sentRequest{
				path: "/x", media: "text/xml",
				body: "<device>TOKEN</device><p>WORD</p>",
			},
		},
	}
	for _, place := range places {
		t.Run(place.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			// run returns what the user reads: the answer, the notes and the error of Close.
			run := func(mode promptecho.Mode, token, word string, isRevealed bool) string {
				var shown strings.Builder
				r := must.Open(t, file,
					promptecho.InMode(mode),
					promptecho.Upstream(provider.Says(`{"ok":true}`)),
					promptecho.Log(func(note string) { fmt.Fprintln(&shown, note) }))
				replace := strings.NewReplacer("TOKEN", token, "WORD", word).Replace
				request := place.first
				request.method, request.path, request.body = "POST", replace(request.path), replace(request.body)
				_, answer := request.send(t, r)
				shown.WriteString(answer)
				if isRevealed {
					must.Post(t, r, "http://h/later", `{}`, "Authorization", "Bearer "+token)
				}
				if err := r.Close(); err != nil {
					shown.WriteString(err.Error())
				}
				return shown.String()
			}

			shown := run(promptecho.ModeAll, token, "hello", true)
			if !strings.Contains(shown, "rec.Secret(NAME)") {
				t.Errorf("the recording run does not say what to do: %s", shown)
			}
			if text := must.Read(t, file); strings.Contains(shown+text, token) {
				t.Errorf("the recording run shows or writes the secret: %s\n%s", shown, text)
			}

			shown = run(promptecho.ModeNone, token, "hello", true)
			note := file + ":4: replayed, although the request has a different text where the recording has [REDACTED]"
			if strings.Contains(shown, "not recorded") || !strings.Contains(shown, note) {
				t.Errorf("replay: %s", shown)
			}

			for _, secret := range []string{token, "Another-Secret-Of-Mine-9000"} {
				shown := run(promptecho.ModeNone, secret, "goodbye", false)
				if !strings.Contains(shown, "not recorded") || strings.Contains(shown, secret[8:]) {
					t.Errorf("the miss of another word: %s", shown)
				}
			}
		})
	}
}
