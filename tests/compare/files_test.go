package compare_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Mode compare writes nothing, whatever the verdict: files, times and a leftover journal stay.
func TestModeCompareWritesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		verdict string
		live    func(*chatServer) http.RoundTripper
	}{
		{
			verdict: "identical",
			live:    func(*chatServer) http.RoundTripper { return http.DefaultTransport },
		},
		{
			verdict: "benign",
			live: func(s *chatServer) http.RoundTripper {
				s.text = "Hello"
				return http.DefaultTransport
			},
		},
		{
			verdict: "drift",
			live:    func(*chatServer) http.RoundTripper { return provider.Says(`{"model":"m-2"}`) },
		},
	} {
		t.Run(tt.verdict, func(t *testing.T) {
			t.Parallel()
			s := newChatServer(t)
			file := s.record(t, "one", "two")
			must.Write(t, file+must.JournalSuffix, "left by a run that was killed")
			before := filesIn(t, filepath.Dir(file))
			r := must.Open(t, file,
				promptecho.InMode(promptecho.ModeCompare),
				promptecho.Upstream(tt.live(s)))
			must.Ask(t, r, s.URL, "one")
			must.Ask(t, r, s.URL, "two")
			if messages := finish(r); !strings.Contains(messages, "2 "+tt.verdict) {
				t.Errorf("messages:\n%s", messages)
			}
			if after := filesIn(t, filepath.Dir(file)); !slices.Equal(before, after) {
				t.Errorf("before\n%s\nafter\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
			}
		})
	}
}

// filesIn returns the names, times and contents of the files in a folder.
func filesIn(t *testing.T, dir string) (files []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		text := must.Read(t, filepath.Join(dir, e.Name()))
		files = append(files, fmt.Sprintln(e.Name(), info.ModTime(), text))
	}
	return files
}

// A function that is Live runs in mode compare, and nothing of it is saved.
func TestLiveFunctionRunsAndIsNotSaved(t *testing.T) {
	t.Parallel()
	s := newChatServer(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(r *promptecho.Recorder) (runs int) {
		count := promptecho.Wrap(r, "tool/count", func(context.Context, int) (int, error) {
			runs++
			return runs, nil
		})
		if _, err := count(t.Context(), 1); err != nil {
			t.Error(err)
		}
		must.Ask(t, r, s.URL, "one")
		return runs
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	run(r)
	must.Close(t, r)
	before := filesIn(t, filepath.Dir(file))

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeCompare), promptecho.Live("tool"))
	if runs := run(r); runs != 1 {
		t.Errorf("the live function ran %d times", runs)
	}
	if messages := finish(r); !strings.Contains(messages, "mode compare, 1 recorded answer: 1 identical") {
		t.Errorf("messages:\n%s", messages)
	}
	if after := filesIn(t, filepath.Dir(file)); !slices.Equal(before, after) {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}
