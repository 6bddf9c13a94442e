package secrets_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// TestRedact: what the user wants hidden is in no file, does not decide a match,
// and the program sees it all the same.
func TestRedact(t *testing.T) {
	t.Parallel()
	const answer = `{"email":"ada@home.example","age":36,"text":"hello Ada Lovelace"}`
	file := filepath.Join(t.TempDir(), "c.yaml")
	opts := []promptecho.Option{promptecho.RedactFields("email", "age"), promptecho.Redact(`Ada \w+`), promptecho.Upstream(provider.Says(answer))}
	r := must.Open(t, file, opts...)
	if _, body := must.Ask(t, r, "http://h", "I am Ada Lovelace"); body != answer {
		t.Errorf("while recording the program sees %s", body)
	}
	must.Close(t, r)
	if text := must.Read(t, file); strings.Contains(text, "Lovelace") || strings.Contains(text, "ada@") || strings.Contains(text, "age: 36") {
		t.Errorf("%s", text)
	}
	r = must.Open(t, file, append(opts, promptecho.InMode(promptecho.ModeNone))...)
	if status, body := must.Ask(t, r, "http://h", "I am Ada Byron"); status != 200 || body != `{"email":"[REDACTED]","age":0,"text":"hello [REDACTED]"}` {
		t.Errorf("replay: %d %s", status, body)
	}
	must.Close(t, r)
}

// TestShapedSecretIsNotWritten: a key in a prompt and in an answer, that nobody
// told us of.
func TestShapedSecretIsNotWritten(t *testing.T) {
	t.Parallel()
	key := "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{"text":"you said `+key+`"}`)))
	must.Ask(t, r, "http://h", "use "+key)
	must.Close(t, r)
	if text := must.Read(t, file); strings.Contains(text, key) || strings.Count(text, "[REDACTED]") != 2 {
		t.Errorf("%s", text)
	}
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if status, body := must.Ask(t, r, "http://h", "use "+strings.Replace(key, "aB3", "zZ9", 1)); status != 200 {
		t.Errorf("with another key: %d %s", status, body)
	}
	must.Close(t, r)
}

// TestEditedSecretIsNoted: a key that somebody pasted into a cassette.
func TestEditedSecretIsNoted(t *testing.T) {
	t.Parallel()
	key := "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{"text":"TOKEN"}`)))
	must.Ask(t, r, "http://h", "a")
	must.Close(t, r)
	if err := os.WriteFile(file, []byte(strings.Replace(must.Read(t, file), "TOKEN", key, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	var notes []string
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Log(func(note string) { notes = append(notes, note) }))
	must.Ask(t, r, "http://h", "a")
	must.Close(t, r)
	want := file + ":4: response.body: GitHub token: looks like a secret; promptecho verify lists all such values"
	if !slices.Contains(notes, want) || strings.Contains(strings.Join(notes, ""), key) {
		t.Errorf("notes %q, want %q", notes, want)
	}
}

// TestEscapedTwiceIsNotWritten: a credential in JSON inside of JSON, as the arguments
// of a tool call are, is not written, whatever characters it has.
func TestEscapedTwiceIsNotWritten(t *testing.T) {
	// Not parallel: it sets the environment.
	for _, value := range []string{`Zk93"hQ7xPw2LmN8v`, `Zk93\hQ7xPw2LmN8v`, "Zk93hQ7x\nPw2LmN8vQQ"} {
		t.Setenv("DB_SECRET", value)
		arguments, err := json.Marshal(map[string]string{"dsn": value})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := json.Marshal(map[string]string{"arguments": string(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := must.Open(t, file, promptecho.Upstream(provider.Says(string(answer))))
		r.Secret("DB_SECRET")
		must.Ask(t, r, "http://h", "connect")
		if err := r.Close(); err != nil {
			t.Errorf("%q: Close: %v", value, err)
		}
		for _, name := range []string{file, file + must.JournalSuffix} {
			if text, err := os.ReadFile(name); err == nil && bytes.Contains(text, []byte("hQ7x")) {
				t.Errorf("%q is in %s:\n%s", value, name, text)
			}
		}
	}
}

// TestFreshCredentials: a credential that is new with every call does not make the
// journal be written anew, unless what it has may hold it.
func TestFreshCredentials(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	echoed := "Zk3vQ9pXw7RtLm2NcY8b000003"
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{"text":"`+echoed+`"}`)), promptecho.InMode(promptecho.ModeAll))
	call := func(token string) os.FileInfo {
		must.Post(t, r, "http://h/v1/chat/completions", `{"model":"m","messages":[]}`, "Authorization", "Bearer "+token)
		info, err := os.Stat(file + must.JournalSuffix)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first := call("Aq7mW2xKp9Lr4Tn8Yb1Kc5Zc")
	if second := call("Hf6Jg2RsD3x9Qm2Vw7Lr4Tn8"); !os.SameFile(first, second) {
		t.Error("the journal was written anew for a credential that it does not hold")
	}
	if third := call(echoed); os.SameFile(first, third) || strings.Contains(must.Read(t, file+must.JournalSuffix), echoed) {
		t.Error("the journal holds a credential that has become known")
	}
	must.Close(t, r)
	if text := must.Read(t, file); strings.Contains(text, echoed) || strings.Count(text, `text: "[REDACTED]"`) != 1 || !strings.Contains(text, "\n  times: 3\n") {
		t.Errorf("%s", text)
	}
}

// TestNothingIsShown: neither a credential of a URL nor a command for a terminal or a CI
// system gets into errors and notes, whoever wrote it.
func TestNothingIsShown(t *testing.T) {
	t.Parallel()
	const key = "pQ7zR2mK9xW4tY6uB1nC8vD3fG5hJ0aL" // made up
	var shown strings.Builder
	failing := provider.Func(func(req *http.Request) (*http.Response, error) {
		return nil, &url.Error{Op: "Post", URL: req.URL.String(), Err: io.EOF} // as one that uses a client does
	})
	ask := func(r *promptecho.Recorder) {
		req, err := http.NewRequest("POST", "https://u:"+key+"@h/x?key="+key, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := r.RoundTrip(req)
		if err == nil && resp.Header.Get(promptecho.MissHeader) != "" {
			body, _ := io.ReadAll(resp.Body)
			shown.Write(body)
		}
	}
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeLive} {
		r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(mode), promptecho.Upstream(failing), promptecho.Log(func(note string) { shown.WriteString(note) }))
		ask(r)
		if err := r.Close(); err != nil {
			shown.WriteString(err.Error())
		}
		ask(r)
	}
	if text := shown.String(); strings.Contains(text, key) || !strings.Contains(text, "came after the recorder was closed") {
		t.Errorf("%s", text)
	}

	file := filepath.Join(t.TempDir(), "c.yaml")
	const evil = `x\n::error file=a.go::pwned\e[2J`
	cassette := "version: 1\ninteractions:\n  - request:\n      method: \"" + evil + "\"\n      url: http://h/v1/chat/completions\n      body: {model: \"" + evil + "\", messages: []}\n    response:\n      status: 200\n      end: error\n      error: \"" + evil + "\"\n"
	if err := os.WriteFile(file, []byte(cassette), 0o644); err != nil {
		t.Fatal(err)
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	_, body := must.Post(t, r, "http://h/v1/chat/completions", `{"model":"m\n::error::m","messages":[]}`)
	err := r.Close()
	if text := err.Error() + body; strings.Contains(text, "\n::error") || strings.Contains(text, "\x1b") || !strings.Contains(text, `\::error`) {
		t.Errorf("%s", text)
	}
}
