package saving_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// TestFaultsOfTheDisk: whatever is in the way of the cassette, the error says it,
// what was there stays, and what was recorded is kept where it can be.
func TestFaultsOfTheDisk(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		before func(t *testing.T, file string) // before it is opened
		during func(t *testing.T, file string) // after a call was recorded
		open   string                          // the error of Open
		close  string                          // the error of Close
		keeps  string                          // prompts that can be found in the cassette, the journal or beside it
	}{
		{name: "edited during the run", before: func(t *testing.T, file string) { must.Record(t, file, "old") },
			during: func(t *testing.T, file string) {
				if err := os.WriteFile(file, []byte(must.Read(t, file)+"# edited\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}, close: "not written: something else wrote it in the meantime", keeps: "old a"},
		{name: "deleted during the run", before: func(t *testing.T, file string) { must.Record(t, file, "old") },
			during: func(t *testing.T, file string) {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}, close: "not written: something else wrote it in the meantime", keeps: "a"},
		{name: "recorded by another process meanwhile",
			during: func(t *testing.T, file string) {
				if err := os.WriteFile(file, []byte("version: 1\ninteractions: []\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}, close: "something else wrote it in the meantime (another test process?). What this run recorded is in FILE.failed", keeps: "a"},
		{name: "a folder of its name", before: func(t *testing.T, file string) {
			if err := os.MkdirAll(filepath.Join(file, "x"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, open: "is a directory"},
		{name: "a folder of its name, made during the run", during: func(t *testing.T, file string) {
			if err := os.MkdirAll(filepath.Join(file, "x"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, close: "something else wrote it in the meantime", keeps: "a"},
		{name: "a file in place of its folder", before: func(t *testing.T, file string) {
			if err := os.WriteFile(filepath.Dir(file), []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, open: "not a directory"},
		{name: "a folder in place of the journal", before: func(t *testing.T, file string) {
			if err := os.MkdirAll(filepath.Join(file+must.JournalSuffix, "x"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, open: "which an earlier recording has left, cannot be read"},
		{name: "a symbolic link", before: func(t *testing.T, file string) {
			if err := os.Symlink("elsewhere.yaml", file); err != nil {
				t.Fatal(err)
			}
		}, keeps: "a"},
		{name: "the folder is gone at the end", during: func(t *testing.T, file string) {
			if err := os.RemoveAll(filepath.Dir(file)); err != nil {
				t.Fatal(err)
			}
		}, keeps: "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "d")
			file := filepath.Join(dir, "c.yaml")
			if tt.name != "a file in place of its folder" {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if tt.before != nil {
				tt.before(t, file)
			}
			r, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{}`)))
			if tt.open != "" {
				if err == nil || !strings.Contains(err.Error(), tt.open) {
					t.Errorf("Open: %v, want %q", err, tt.open)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			must.Ask(t, r, "http://h", "a")
			if tt.during != nil {
				tt.during(t, file)
			}
			err = r.Close()
			if want := strings.ReplaceAll(tt.close, "FILE", file); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("Close: %v, want %q", err, want)
			}
			kept := ""
			for _, f := range []string{file, file + must.JournalSuffix, file + must.FailedSuffix} {
				if info, err := os.Stat(f); err == nil && info.Mode().IsRegular() {
					kept += " " + must.Prompts(t, f)
				}
			}
			for want := range strings.FieldsSeq(tt.keeps) {
				if !strings.Contains(kept+" ", " "+want+" ") {
					t.Errorf("%q is lost: there is %q", want, kept)
				}
			}
		})
	}
}

// TestDiskFull: on a file system that is full nothing is half written, and what
// was there stays. /dev/full is such a file on Linux; elsewhere a folder that
// cannot be made does.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	const device = "/dev/full"
	if _, err := os.Stat(device); err != nil {
		t.Logf("no %s here: only TestWriteLeavesTheOldFileOnErrors of atomicfile fails to write", device)
		return
	}
	it := &interaction.Interaction{Request: interaction.Request{Method: "GET", URL: "http://h/"}, Response: interaction.Response{Status: 200}}
	item, err := cassette.Encode(it, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := cassette.Append(device, nil, item, false); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("the journal: %v", err)
	}
	if err := rewrite.Save(device, &cassette.File{Interactions: []*interaction.Interaction{it}}); err == nil {
		t.Error("the cassette was saved")
	}
}

// TestJournalThatCannotBeWritten does not stop the recording: the cassette is
// written all the same.
func TestJournalThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
	if err := os.MkdirAll(file+must.JournalSuffix, 0o755); err != nil {
		t.Fatal(err)
	}
	must.Ask(t, r, "http://h", "a")
	err := r.Close()
	if err == nil || !strings.Contains(err.Error(), file+".failed") {
		t.Errorf("Close: %v", err)
	}
	if got := must.Prompts(t, file+must.FailedSuffix); got != "a" {
		t.Errorf("beside the cassette is %q", got)
	}
}

// TestManyGoroutines: 64 goroutines on one recorder, recording and replaying.
func TestManyGoroutines(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	const goroutines, calls = 64, 8
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode))
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				for c := range calls {
					text := fmt.Sprintf("g%d c%d", g, c)
					if status, body := must.Ask(t, r, u.URL, text); status != 200 || !strings.Contains(body, text) {
						t.Errorf("%s: %d %s", text, status, body)
					}
				}
			})
		}
		wg.Wait()
		must.Close(t, r)
	}
	if u.Count() != goroutines*calls {
		t.Errorf("%d requests reached the provider, want %d", u.Count(), goroutines*calls)
	}
}

// TestManySubtests: subtests in parallel, each with a cassette of its own.
func TestManySubtests(t *testing.T) {
	// Not parallel: its subtests would wait for all other tests.
	dir := t.TempDir()
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		t.Run(string(mode), func(t *testing.T) {
			for i := range full.Cases(20, 1000) {
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					t.Parallel()
					text := fmt.Sprintf("question %d", i)
					r := must.Open(t, filepath.Join(dir, fmt.Sprintf("%d.yaml", i)), promptecho.InMode(mode), promptecho.Upstream(provider.Says(fmt.Sprintf(`{"answer":%d}`, i))))
					if _, body := must.Ask(t, r, "http://h", text); body != fmt.Sprintf(`{"answer":%d}`, i) {
						t.Errorf("%s", body)
					}
					must.Close(t, r)
				})
			}
		})
	}
}

// TestManyInteractions: each of the many recordings of one cassette answers its request,
// and a miss among them is reported once.
func TestManyInteractions(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	var f cassette.File
	n := full.Cases(500, 10_000)
	for i := range n {
		f.Interactions = append(f.Interactions, &interaction.Interaction{
			Kind:    "llm",
			Request: interaction.Request{Method: "POST", URL: "http://h/v1/chat/completions", Body: []byte(must.ChatBody(fmt.Sprint(i)))},
			Response: interaction.Response{Status: 200, Headers: interaction.Headers{{Name: "content-type", Values: []string{"application/json"}}},
				Body: []byte(fmt.Sprintf(`{"answer":%d}`, i))},
		})
	}
	if err := rewrite.Save(file, &f); err != nil {
		t.Fatal(err)
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
	for _, i := range []int{n - 1, 0, n / 2} {
		if _, body := must.Ask(t, r, "http://h", fmt.Sprint(i)); body != fmt.Sprintf(`{"answer":%d}`, i) {
			t.Errorf("%d: %s", i, body)
		}
	}
	if status, _ := must.Ask(t, r, "http://h", "never asked"); status != 418 {
		t.Errorf("a miss among them: %d", status)
	}
	if rep := must.Finish(r, report.Outcome{}); len(rep.Errors) != 1 {
		t.Errorf("%d errors", len(rep.Errors))
	}
	if _, err := os.Stat(file + must.JournalSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a replay wrote a journal: %v", err)
	}
}
