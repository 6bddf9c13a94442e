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
	"github.com/promptecho/promptecho/internal/testing/needs"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A save that fails at any step loses neither the cassette nor the file of an earlier, failed run.
//
// That file goes only after its successor is on disk.
func TestFailedSaveRemovesNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		obstacle func(t *testing.T, file string)
		want     string // the error; "" if the save succeeds
		saved    string // the prompts in the cassette
	}{
		{
			name:     "nothing fails",
			obstacle: func(*testing.T, string) {},
			saved:    "a sound",
		},
		{
			name:     "the assets cannot be written",
			obstacle: blockAssets,
			want:     "not saved",
			saved:    "a b",
		},
		{
			name:     "the cassette cannot be replaced",
			obstacle: linkElsewhere,
			want:     "not saved",
			saved:    "a b",
		},
		{
			name: "the journal cannot be removed",
			obstacle: func(t *testing.T, file string) {
				blockWithFolder(t, file+must.JournalSuffix)
			},
			want:  "saved, but its journal could not be removed",
			saved: "a sound",
		},
		{
			name: "the file of the failed run cannot be removed",
			obstacle: func(t *testing.T, file string) {
				blockWithFolder(t, file+must.FailedSuffix)
			},
			want:  "saved, but an older file could not be removed",
			saved: "a sound",
		},
	}
	for _, tt := range tests {
		for _, mode := range []promptecho.Mode{promptecho.ModeUpdate, promptecho.ModeAll} {
			t.Run(tt.name+", mode "+string(mode), func(t *testing.T) {
				t.Parallel()
				file := newCassette(t)
				runWith(t, soundOrText, file, promptecho.ModeAll, "a b", report.Outcome{})
				must.Write(t, file+must.FailedSuffix, paid)

				rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(soundOrText))
				must.Ask(t, rec, server, "a")
				must.Ask(t, rec, server, "sound")
				tt.obstacle(t, file)
				rep := must.Finish(rec, report.Outcome{})

				errs := strings.Join(rep.Errors, "\n")
				if !strings.Contains(errs, tt.want) || (errs == "") != (tt.want == "") {
					t.Errorf("errors %q, want %q", errs, tt.want)
				}
				if got := must.Prompts(t, file); got != tt.saved {
					t.Errorf("the cassette has %q, want %q", got, tt.saved)
				}
				if isGone := !isPaid(file + must.FailedSuffix); isGone != (tt.want == "") {
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
	must.Write(t, strings.TrimSuffix(file, ".yaml")+".assets", "")
}

// linkElsewhere makes a cassette a link to another folder, which is not
// written.
func linkElsewhere(t *testing.T, file string) {
	t.Helper()
	elsewhere := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.Rename(file, elsewhere); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, elsewhere, file)
}

// blockWithFolder puts a folder in the place of a file. It cannot be removed,
// since it is not empty.
func blockWithFolder(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	makeFolder(t, path)
}

// paid is the text that stands for the recordings of an earlier, failed run.
const paid = "# paid recordings\n"

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
