package secrets_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A key that is given to Secret or Env instead of a variable's name is neither shown nor sent. The run fails, and says
// that a name is needed.
func TestKeyInsteadOfAVariableIsNeitherShownNorSent(t *testing.T) {
	t.Parallel()
	values := []struct{ name, value string }{
		{name: "a key", value: "sk-Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1Fs5Gp0A"},
		{name: "nothing", value: ""},
		{name: "two words", value: "Bearer abc"},
		{name: "a digit first", value: "1KEY"},
		{name: "a key of letters and digits", value: "ghp_16C7e42F292c6912E7710c838347Ae178B4a"},
	}
	methods := []struct {
		name string
		call func(*promptecho.Recorder, string) string
	}{
		{name: "Secret", call: (*promptecho.Recorder).Secret},
		{name: "Env", call: (*promptecho.Recorder).Env},
	}
	for _, v := range values {
		for _, method := range methods {
			t.Run(method.name+"/"+v.name, func(t *testing.T) {
				t.Parallel()
				upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
					if v.value != "" && strings.Contains(req.Header.Get("Authorization"), v.value) {
						t.Error("the value is sent")
					}
					return provider.Says("1").RoundTrip(req)
				})
				r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"),
					promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(upstream))
				answer := must.Request{
					URL:     must.ChatURL,
					Body:    must.ChatBody("hi"),
					Headers: []string{"Authorization", "Bearer " + method.call(r, v.value)},
				}.Ask(t, r)
				err := r.Close()
				if err == nil || !strings.Contains(err.Error(), "needs the name of an environment variable") {
					t.Errorf("the run says %v", err)
				}
				if v.value != "" && strings.Contains(answer+fmt.Sprint(err), v.value) {
					t.Errorf("the value is shown: %s, %v", answer, err)
				}
			})
		}
	}
}

// In replay, Secret returns a dummy that has the variable's name, whatever the name looks like.
func TestSecretReturnsADummyInReplay(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "key", "_", "ACME_KEY_2"} {
		r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"),
			promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
		if got := r.Secret(name); got != "promptecho-replay-"+name {
			t.Errorf("%s: %q", name, got)
		}
		if err := r.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A value from Secret is in no file and no report, in replay too, even if it is words.
func TestValueOfSecretIsHiddenInReplay(t *testing.T) {
	// Not parallel: it sets the environment.
	const variable, value = "PROMPTECHO_TEST_WORD", "correct-horse-battery"
	t.Setenv(variable, value)
	file := filepath.Join(t.TempDir(), "c.yaml")
	open := func(mode promptecho.Mode) *promptecho.Recorder {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`{}`)))
		r.Secret(variable)
		return r
	}
	recording := open(promptecho.ModeAll)
	if status, body := must.Ask(t, recording, "http://h", "the word is "+value); status != http.StatusOK {
		t.Errorf("recording: %d %s", status, body)
	}
	must.Close(t, recording)
	if text := must.Read(t, file); strings.Contains(text, value) {
		t.Errorf("the cassette has it:\n%s", text)
	}

	replay := open(promptecho.ModeNone)
	if status, body := must.Ask(t, replay, "http://h", "the word is "+value); status != http.StatusOK {
		t.Errorf("replay: %d %s", status, body)
	}
	if _, body := must.Ask(t, replay, "http://h", "another word, not "+value); strings.Contains(body, value) {
		t.Errorf("the miss shows it: %s", body)
	}
	if err := replay.Close(); err == nil || strings.Contains(err.Error(), value) {
		t.Errorf("the report shows it: %v", err)
	}
}

// A credential in an environment variable is not written, although the program never declares it.
func TestCredentialOfTheEnvironmentIsNotWritten(t *testing.T) {
	// Not parallel: it sets the environment.
	const value = "Zx81-spectrum-Qq37"
	t.Setenv("PROMPTECHO_TEST_PASSWORD", value)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{"echo":"`+value+`"}`)))
	if _, body := must.Ask(t, r, "http://h", "my password is "+value); !strings.Contains(body, value) {
		t.Errorf("while recording the program sees %s", body)
	}
	must.Close(t, r)
	text := must.Read(t, file)
	if strings.Contains(text, value) || strings.Count(text, "[REDACTED]") != 2 {
		t.Errorf("want it replaced in the request and in the answer:\n%s", text)
	}
}
