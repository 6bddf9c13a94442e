package missed

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/codec"
	"github.com/promptecho/promptecho/internal/interaction"
)

// TestRead: what recorders leave is read in the order of their cassettes, with the requests
// as they were; a file that is still being written is not.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	asked := &interaction.Interaction{
		Kind: "llm", Boundary: "openai.chat",
		Request:  interaction.Request{Method: "POST", URL: "https://h/v1/chat/completions", Body: []byte(`{"model": "m"}`)},
		Response: interaction.Response{Status: 200},
	}
	text, assets, err := codec.Encode(nil, asked)
	if err != nil {
		t.Fatal(err)
	}
	for _, cassette := range []string{"/b/TestB.yaml", "/a/TestA.yaml"} {
		r := Run{Cassette: cassette, Calls: []Call{{Played: 3}, {Played: -1, Text: string(text), Assets: assets}}}
		data, err := r.Encode()
		if err == nil {
			err = Write(dir, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "x.tmp"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	runs, err := Read(dir)
	if err != nil || len(runs) != 2 || runs[0].Cassette != "/a/TestA.yaml" || runs[1].Cassette != "/b/TestB.yaml" {
		t.Fatalf("%+v, %v", runs, err)
	}
	for _, r := range runs {
		if r.Calls[0].Played != 3 || r.Calls[0].Text != "" || r.Calls[1].Played != -1 {
			t.Errorf("%+v", r.Calls)
		}
		if it, err := r.Calls[1].Request(); err != nil || it.Boundary != "openai.chat" || string(it.Request.Body) != `{"model": "m"}` {
			t.Errorf("%+v, %v", it, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v, %v", file, info.Mode(), err)
		}
	}
}

// TestReadOfAnotherVersion: a file that cannot be read says what may be the reason.
func TestReadOfAnotherVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Write(dir, []byte("not JSON")); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "another version of promptecho?") {
		t.Errorf("%v", err)
	}
	if err := Write(filepath.Join(dir, "absent"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	call := Call{Text: "no interaction"}
	if _, err := call.Request(); err == nil {
		t.Error("a text that is no interaction was read")
	}
}
