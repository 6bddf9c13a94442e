package saving_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/needs"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Whatever gets in the way of a save, what was recorded is kept: in the cassette or next to it.
//
// Each run is in mode all and asks for "a". What was in the cassette before is "old".
func TestNothingIsLostIfSomethingIsInTheWay(t *testing.T) {
	t.Parallel()
	const changed = "not written: something else wrote it in the meantime"
	tests := []struct {
		name   string
		before func(t *testing.T, file string) // before the recorder is opened
		opened func(t *testing.T, file string) // before the first request
		during func(t *testing.T, file string) // after the answer

		openError  string
		closeError string // FILE is the cassette

		// The prompts that are found afterwards.
		cassette string
		failed   string // in the file next to the cassette
	}{
		{
			name: "the cassette is edited during the run",
			before: func(t *testing.T, file string) {
				run(t, file, promptecho.ModeAll, "old", report.Outcome{})
			},
			during: func(t *testing.T, file string) {
				must.Write(t, file, must.Read(t, file)+"# edited\n")
			},
			closeError: changed,
			cassette:   "old",
			failed:     "a",
		},
		{
			name: "the cassette is deleted during the run",
			before: func(t *testing.T, file string) {
				run(t, file, promptecho.ModeAll, "old", report.Outcome{})
			},
			during: func(t *testing.T, file string) {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			},
			closeError: changed,
			failed:     "a",
		},
		{
			name: "another process records the cassette meanwhile",
			during: func(t *testing.T, file string) {
				must.Write(t, file, "version: 1\ninteractions: []\n")
			},
			closeError: "something else wrote it in the meantime (another test process?). " +
				"What this run recorded is in FILE.failed",
			failed: "a",
		},
		{
			name:      "a folder has the name of the cassette",
			before:    makeFolder,
			openError: "is a directory",
		},
		{
			name:       "a folder of that name is made during the run",
			during:     makeFolder,
			closeError: "something else wrote it in the meantime",
			failed:     "a",
		},
		{
			name: "a folder has the name of the journal",
			before: func(t *testing.T, file string) {
				makeFolder(t, file+must.JournalSuffix)
			},
			openError: "which an earlier recording has left, cannot be read",
		},
		{
			name: "a folder of that name is made before the first request",
			opened: func(t *testing.T, file string) {
				makeFolder(t, file+must.JournalSuffix)
			},
			closeError: "FILE.failed",
			failed:     "a",
		},
		{
			name: "the cassette is a symbolic link within its folder",
			before: func(t *testing.T, file string) {
				needs.Symlink(t, "elsewhere.yaml", file)
			},
			cassette: "a",
		},
		{
			name: "the folder of the cassette is deleted during the run",
			during: func(t *testing.T, file string) {
				if err := os.RemoveAll(filepath.Dir(file)); err != nil {
					t.Fatal(err)
				}
			},
			cassette: "a",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := newCassette(t)
			if tt.before != nil {
				tt.before(t, file)
			}
			answers := promptecho.Upstream(provider.Says(`{}`))
			rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeAll), answers)
			wantError(t, "Open", err, tt.openError)
			if err != nil {
				return
			}
			if tt.opened != nil {
				tt.opened(t, file)
			}
			must.Ask(t, rec, server, "a")
			if tt.during != nil {
				tt.during(t, file)
			}
			wantError(t, "Close", rec.Close(), strings.ReplaceAll(tt.closeError, "FILE", file))
			if got := promptsIfFile(t, file); got != tt.cassette {
				t.Errorf("the cassette has %q, want %q", got, tt.cassette)
			}
			if got := promptsIfFile(t, file+must.FailedSuffix); got != tt.failed {
				t.Errorf("the file next to it has %q, want %q", got, tt.failed)
			}
		})
	}
}

// Nothing is sent if a file is in the place of the cassette's folder.
func TestNothingIsSentIfAFileIsInThePlaceOfTheFolder(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "cassettes")
	must.Write(t, folder, "x")
	unasked := provider.Func(func(*http.Request) (*http.Response, error) {
		t.Error("a request was sent")
		return nil, http.ErrServerClosed
	})
	rec, err := promptecho.Open(filepath.Join(folder, "c.yaml"), promptecho.InMode(promptecho.ModeAll),
		promptecho.Upstream(unasked))
	if err == nil { // on Windows, where a path below a file is like one that does not exist
		_, err = rec.Client().Get("https://api.example/x")
		rec.Close()
	}
	wantError(t, "Open or the request", err, folder)
}

// makeFolder makes a folder that is not empty, so that nothing can remove or replace it.
func makeFolder(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(path, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// wantError checks an error, of which a part is given; "" for no error.
func wantError(t *testing.T, of string, err error, part string) {
	t.Helper()
	isExpected := (err != nil) == (part != "")
	if !isExpected || err != nil && !strings.Contains(err.Error(), part) {
		t.Errorf("%s: %v, want %q", of, err, part)
	}
}

// promptsIfFile is must.Prompts, and "" for a folder.
func promptsIfFile(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return must.Prompts(t, path)
}

// Nothing is sent, and paid for, if the answer could not be saved.
func TestNothingIsSentIfTheAnswerCouldNotBeSaved(t *testing.T) {
	t.Parallel()
	needs.POSIX(t, "folders that nobody can write")
	if runtime.GOOS != "linux" {
		t.Skip("/proc is a folder of Linux")
	}
	asked := 0
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		asked++
		return provider.Says(`"ok"`).RoundTrip(req)
	})
	const file = "/proc/testdata/cassettes/c.yaml"
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeOnce), promptecho.Upstream(upstream))

	_, err := rec.Client().Get("https://api.example/x")

	const want = file + ": nothing is sent, because what it answers could not be saved: /proc: no " +
		"such file or directory"
	wantError(t, "the request", err, want)
	wantError(t, "Close", rec.Close(), want)
	if asked > 0 {
		t.Errorf("%d requests were sent", asked)
	}
}

// What could not be added to the journal while the disk was full is added when there is room.
//
// A file in the place of the folder, put there while "b" is answered, stands for a full disk.
func TestJournalIsCompleteAfterAFullDisk(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		before    string // the prompts that are answered before the disk is full
		journaled int    // interactions in the journal at the end
	}{
		{name: "full at the first request", before: "", journaled: 3},
		{name: "full at the second request", before: "a", journaled: 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "cassettes")
			if err := os.Mkdir(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(folder, "c.yaml")
			answers := provider.Func(func(req *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(req.Body)
				if err != nil {
					return nil, err
				}
				if string(body) == must.ChatBody("b") {
					moveAway(t, folder)
				}
				return provider.Says(`{}`).RoundTrip(req)
			})
			rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(answers))
			for prompt := range strings.FieldsSeq(tt.before) {
				must.Ask(t, rec, server, prompt)
			}

			must.Ask(t, rec, server, "b")
			moveBack(t, folder)
			must.Ask(t, rec, server, "c")
			must.Ask(t, rec, server, "d")

			left, _, err := cassette.LoadJournal(file+must.JournalSuffix, file)
			if err != nil || len(left.Interactions) != tt.journaled {
				t.Errorf("%v, want %d interactions; %v", left, tt.journaled, err)
			}
		})
	}
}

// moveAway puts a file in the place of a folder. moveBack undoes it.
func moveAway(t *testing.T, folder string) {
	t.Helper()
	if err := os.Rename(folder, folder+".away"); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(folder, nil, 0o644); err != nil {
		t.Error(err)
	}
}

func moveBack(t *testing.T, folder string) {
	t.Helper()
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(folder+".away", folder); err != nil {
		t.Fatal(err)
	}
}
