package accept

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/recorder/missed"
)

// TestReadRuns: what recorders leave is read in the order of their cassettes, with the requests
// as they were; a file that is still being written is not.
func TestReadRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	asked := &interaction.Interaction{
		Kind: "llm", Boundary: "openai.chat",
		Request:  interaction.Request{Method: "POST", URL: "https://h/v1/chat/completions", Body: []byte(`{"model": "m"}`)},
		Response: interaction.Response{Status: 200},
	}
	text, assets, err := codec.Encode(asked)
	if err != nil {
		t.Fatal(err)
	}
	for _, cassette := range []string{"/b/TestB.yaml", "/a/TestA.yaml"} {
		r := missed.Run{Cassette: cassette, Calls: []missed.Call{{Played: 3}, {Played: -1, Text: string(text), Assets: assets}}}
		data, err := r.Encode()
		if err == nil {
			err = missed.Write(dir, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "x.tmp"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	runs, err := ReadRuns(dir)
	if err != nil || len(runs) != 2 || runs[0].Cassette != "/a/TestA.yaml" || runs[1].Cassette != "/b/TestB.yaml" {
		t.Fatalf("%+v, %v", runs, err)
	}
	for _, r := range runs {
		if r.Calls[0].Played != 3 || r.Calls[0].Text != "" || r.Calls[1].Played != -1 {
			t.Errorf("%+v", r.Calls)
		}
		if it, err := RequestOf(&r.Calls[1]); err != nil || it.Boundary != "openai.chat" || string(it.Request.Body) != `{"model": "m"}` {
			t.Errorf("%+v, %v", it, err)
		}
	}
}

// TestReadRunsOfAnotherVersion: a file that cannot be read says what may be the reason.
func TestReadRunsOfAnotherVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := missed.Write(dir, []byte("not JSON")); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRuns(dir); err == nil || !strings.Contains(err.Error(), "another version of promptecho?") {
		t.Errorf("%v", err)
	}
	call := missed.Call{Text: "no interaction"}
	if _, err := RequestOf(&call); err == nil {
		t.Error("a text that is no interaction was read")
	}
}
