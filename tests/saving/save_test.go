package saving_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// TestFailedSaveRemovesNothing lets each step of a save fail. The file of an
// earlier, failed run goes only after its successor is on disk.
func TestFailedSaveRemovesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		obstacle func(t *testing.T, file string)
		want     string // the error; "" if the save succeeds
		saved    string // the prompts in the cassette
	}{
		{"nothing fails", func(*testing.T, string) {}, "", "a sound"},
		{"the assets cannot be written", blockAssets, "not saved", "a b"},
		{"the cassette cannot be replaced", linkElsewhere, "not saved", "a b"},
		{"the journal cannot be removed", func(t *testing.T, file string) {
			blockWithFolder(t, file+".partial")
		}, "saved, but its journal could not be removed", "a sound"},
		{"the failed file cannot be removed", func(t *testing.T, file string) {
			blockWithFolder(t, file+".failed")
		}, "saved, but an older file could not be removed", "a sound"},
	} {
		for _, mode := range []promptecho.Mode{promptecho.ModeUpdate, promptecho.ModeAll} {
			t.Run(tt.name+" "+string(mode), func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "c.yaml")
				open := func(mode promptecho.Mode) *promptecho.Recorder {
					return must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(soundOrText))
				}
				r := open(promptecho.ModeAll)
				must.Ask(t, r, "http://127.0.0.1", "a")
				must.Ask(t, r, "http://127.0.0.1", "b")
				must.Pass(t, r)
				writePaidRecordings(t, file+".failed")

				r = open(mode)
				must.Ask(t, r, "http://127.0.0.1", "a")
				must.Ask(t, r, "http://127.0.0.1", "sound")
				tt.obstacle(t, file)
				rep := must.Finish(r, report.Outcome{})

				errs := strings.Join(rep.Errors, "\n")
				if !strings.Contains(errs, tt.want) || (errs == "") != (tt.want == "") {
					t.Errorf("errors %q, want %q", errs, tt.want)
				}
				if got := must.Prompts(t, file); got != tt.saved {
					t.Errorf("the cassette has %q, want %q", got, tt.saved)
				}
				if isGone := !isPaid(file + ".failed"); isGone != (tt.want == "") {
					t.Errorf("the file of the failed run is gone: %v", isGone)
				}
				notes := strings.Join(rep.Notes, "\n")
				for _, note := range []string{"saved 2 interactions", "dropped 1 recording"} {
					if isNoted := strings.Contains(notes, note); isNoted != (tt.want == "") {
						t.Errorf("noted %q: %v", note, isNoted)
					}
				}
			})
		}
	}
}

// TestSaveThatChangesNothing: a run shows that the cassette on disk is
// complete, so the file of an earlier, failed run is not needed. A run without
// a request shows nothing.
func TestSaveThatChangesNothing(t *testing.T) {
	t.Parallel()
	for _, sendsRequest := range []bool{true, false} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		must.Record(t, file, "a")
		writePaidRecordings(t, file+".failed")

		u := provider.New(t)
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeUpdate))
		if sendsRequest {
			must.Ask(t, r, u.URL, "a")
		}
		must.Finish(r, report.Outcome{})

		if isGone := !isPaid(file + ".failed"); isGone != sendsRequest {
			t.Errorf("it sends a request: %v; the file is gone: %v", sendsRequest, isGone)
		}
	}
}

// soundOrText answers the prompt "sound" with a file, for which a cassette
// needs a folder of assets, and all other prompts with a text.
var soundOrText = provider.Func(func(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	resp, err := provider.Says("{}").RoundTrip(req)
	if strings.Contains(string(body), "sound") {
		sound := strings.Repeat("\x00\xff", 150<<10)
		resp.Header.Set("Content-Type", "audio/mpeg")
		resp.Body = io.NopCloser(strings.NewReader(sound))
		resp.ContentLength = int64(len(sound))
	}
	return resp, err
})

// blockAssets keeps the assets of a cassette from being written: their folder
// is a file.
func blockAssets(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(strings.TrimSuffix(file, ".yaml")+".assets", nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

// linkElsewhere makes a cassette a link to another folder, which is not
// written.
func linkElsewhere(t *testing.T, file string) {
	t.Helper()
	elsewhere := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.Rename(file, elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, file); err != nil {
		t.Fatal(err)
	}
}

// blockWithFolder puts a folder in the place of a file. It cannot be removed,
// since it is not empty.
func blockWithFolder(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(path, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// paid stands for the recordings of an earlier, failed run.
const paid = "# paid recordings\n"

func writePaidRecordings(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(paid), 0o644); err != nil {
		t.Fatal(err)
	}
}

// isPaid reports whether the file of an earlier, failed run is what it was, or
// what blockWithFolder made of it.
func isPaid(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	data, err := os.ReadFile(path)
	return info.IsDir() || err == nil && string(data) == paid
}
