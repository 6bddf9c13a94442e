package saving_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A cassette that is open cannot be opened again, under any spelling of its name.
func TestCassetteIsOpenOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := must.Open(t, filepath.Join(dir, "c.yaml"), promptecho.InMode(promptecho.ModeAll))
	for _, tt := range []struct{ file, want string }{
		{file: "c.yaml", want: "is already open in this process"},
		{file: "../" + filepath.Base(dir) + "/c.yaml", want: "is already open in this process"},
		{file: "C.yaml", want: "differs only in case from"},
	} {
		r, err := promptecho.Open(filepath.Join(dir, tt.file), promptecho.InMode(promptecho.ModeAll))
		if r != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.file, err, tt.want)
		}
	}
	first.Close()

	must.Open(t, filepath.Join(dir, "c.yaml"), promptecho.InMode(promptecho.ModeAll))
	if _, err := promptecho.Open(filepath.Join(dir, "C.yaml")); err == nil {
		t.Error("a name that differs only in case was accepted after Close")
	}
}

// Open without the name of a file says so, and does not take the folder for a cassette.
func TestOpenWithoutAName(t *testing.T) {
	t.Parallel()
	_, err := promptecho.Open("")
	const want = "promptecho: Open: the name of the cassette is empty; " +
		`name a file, such as "testdata/cassettes/login.yaml"`
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// Open refuses an option with an invalid value and names the option. The cassette can be opened
// afterwards.
func TestInvalidOptionIsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, tt := range []struct {
		name   string
		option promptecho.Option
		want   string
	}{
		{
			name:   "an unknown mode",
			option: promptecho.InMode("sometimes"),
			want: `promptecho: InMode: unknown record mode "sometimes": ` +
				"use one of none, compare, once, new_episodes, update, all, live",
		},
		{
			name:   "a mask that is no regular expression",
			option: promptecho.Mask("(", ""),
			want:   "promptecho: Mask(\"(\"): error parsing regexp: missing closing ): `(`",
		},
		{
			name:   "a negative pace",
			option: promptecho.Pace(-1),
			want:   "promptecho: Pace: -1 is not a valid time factor: use 0 or more",
		},
		{
			name:   "a redaction that is no regular expression",
			option: promptecho.Redact("("),
			want:   "promptecho: Redact(\"(\"): error parsing regexp: missing closing ): `(`",
		},
		{
			name:   "a redaction of everything",
			option: promptecho.Redact("a*"),
			want:   `promptecho: Redact("a*"): it matches the empty text, and so everything`,
		},
		{
			name:   "an unknown policy",
			option: promptecho.OnRecordError(9),
			want:   "promptecho: OnRecordError: unknown policy 9: use Warn, Fail or Keep",
		},
	} {
		r, err := promptecho.Open(file, tt.option)
		if r != nil || err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	must.Open(t, file)
}

// A cassette with a mistake is refused with its line, column and field in every mode, and stays as it is.
func TestBrokenCassetteIsRefusedAndKept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	const broken = "version: 1\ninteractions:\n  - request: {methd: GET, url: https://h.example/}\n"
	const place, field = ":3:15: ", `unknown key "methd"`
	must.Write(t, file, broken)
	for _, mode := range []promptecho.Mode{
		promptecho.ModeNone,
		promptecho.ModeOnce,
		promptecho.ModeNewEpisodes,
		promptecho.ModeAll,
	} {
		r, err := promptecho.Open(file, promptecho.InMode(mode))
		if r != nil || err == nil {
			t.Fatalf("%s: %v, want an error", mode, err)
		}
		if text := err.Error(); !strings.HasPrefix(text, "promptecho: "+file+place) || !strings.Contains(text, field) {
			t.Errorf("%s: %v, want an error that begins with the file and %q, and has %q", mode, err, place, field)
		}
	}
	if must.Read(t, file) != broken {
		t.Error("the file was changed")
	}
}

// A cassette of go-vcr is refused with the command that converts it, and stays as it is.
func TestCassetteOfAnotherToolIsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "TestX.yaml")
	const goVCR = `---
version: 2
interactions:
    - id: 0
      request:
        url: https://h/
      response:
        code: 200
`
	must.Write(t, file, goVCR)
	want := "promptecho: " + file + ":1:1: this is a cassette of go-vcr; " +
		"to convert it: go run github.com/promptecho/promptecho/cmd/promptecho@latest import -w " + file
	for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeOnce, promptecho.ModeAll} {
		if _, err := promptecho.Open(file, promptecho.InMode(mode)); err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", mode, err, want)
		}
	}
	if must.Read(t, file) != goVCR {
		t.Error("the file was changed")
	}
}

// A field name of another tool in a promptecho cassette is reported as an unknown key.
func TestMistypedKeyIsReported(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Write(t, file, `version: 1
interactions:
  - kind: http
    request:
      method: GET
      uri: https://x.example/
`)
	if _, err := promptecho.Open(file); err == nil || !strings.Contains(err.Error(), `unknown key "uri"`) {
		t.Errorf("%v", err)
	}
}
