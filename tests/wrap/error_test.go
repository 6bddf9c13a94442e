package wrap_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// An error has its text in every run, and errors.Is finds errors of the library and of Sentinels in it.
func TestErrorKeepsItsTextAndWhatErrorsIsFinds(t *testing.T) {
	t.Parallel()
	notFound := errors.New("no such city")
	for _, tt := range []struct {
		name string
		err  error
		text string // if it is not err.Error(): a cassette needs a text, and a log must bear it
	}{
		{name: "of the program", err: errors.New("broken")},
		{name: "io.EOF", err: io.EOF},
		{name: "of package io, wrapped", err: fmt.Errorf("read: %w", io.ErrUnexpectedEOF)},
		{name: "of a file", err: &fs.PathError{Op: "open", Path: "/x", Err: fs.ErrNotExist}},
		{name: "deadline exceeded", err: context.DeadlineExceeded},
		{name: "canceled, wrapped", err: fmt.Errorf("inner: %w", context.Canceled)},
		{name: "one of Sentinels, wrapped", err: fmt.Errorf("weather: %w", notFound)},
		{name: "two joined", err: errors.Join(notFound, os.ErrDeadlineExceeded)},
		{name: "no text", err: errors.New(""), text: "*errors.errorString"},
		{
			name: "bytes that are not UTF-8, and commands of a terminal and of GitHub",
			err:  errors.New("\x1b[31mred\x1b[0m\r\n::error::\x00\xff"),
			text: `\x1b[31mred\x1b[0m` + "\n" + `\::error::\x00\xff`,
		},
		{
			name: "UTF-8 with commands of a terminal",
			err:  errors.New("red \x1b[31m alert"),
			text: `red \x1b[31m alert`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := tt.text
			if want == "" {
				want = tt.err.Error()
			}
			inEveryRun(t, tt.err, func(run string, result int, err error) {
				if err == nil || err.Error() != want {
					t.Fatalf("%s: error %v, want %s", run, err, want)
				}
				if result != 7 {
					t.Errorf("%s: the result beside the error is %d, want 7", run, result)
				}
				for _, target := range []error{
					io.EOF, io.ErrUnexpectedEOF, fs.ErrNotExist, fs.ErrPermission,
					context.DeadlineExceeded, context.Canceled, notFound, os.ErrDeadlineExceeded,
				} {
					if errors.Is(err, target) != errors.Is(tt.err, target) {
						t.Errorf("%s: errors.Is(%v) is %v", run, target, errors.Is(err, target))
					}
				}
			}, promptecho.Sentinels(notFound))
		})
	}
}

// inEveryRun calls a function that returns 7 and an error, in a recording run and in a replay.
func inEveryRun(
	t *testing.T, failure error, check func(run string, result int, err error), opts ...promptecho.WrapOption,
) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, run := range []string{"recording run", "replay"} {
		rec := must.Open(t, file, promptecho.OnRecordError(promptecho.Keep))
		fails := promptecho.Wrap(rec, "tool/fail", func(context.Context, string) (int, error) {
			if run == "replay" {
				t.Error("the replay calls the function")
			}
			return 7, failure
		}, opts...)
		result, err := fails(t.Context(), "x")
		check(run, result, err)
		must.Pass(t, rec)
	}
}

// A function that returns io.EOF itself returns the same value in every run.
func TestEOFIsTheSameValueInEveryRun(t *testing.T) {
	t.Parallel()
	inEveryRun(t, io.EOF, func(run string, _ int, err error) {
		if err != io.EOF {
			t.Errorf("%s: %v (%[2]T) is not io.EOF", run, err)
		}
	})
}

// The type of an error of a function is found by errors.As only if Sentinels has the error, in every run.
func TestErrorsAsFindsOnlyTheTypesOfSentinels(t *testing.T) {
	t.Parallel()
	refused := declined{code: 51}
	returned := fmt.Errorf("charge: %w", refused)
	inEveryRun(t, returned, func(run string, _ int, err error) {
		var found declined
		if errors.As(err, &found) {
			t.Errorf("%s: errors.As finds %+v without Sentinels", run, found)
		}
	})
	inEveryRun(t, returned, func(run string, _ int, err error) {
		var found declined
		if !errors.As(err, &found) || found != refused {
			t.Errorf("%s: errors.As finds %+v in %v, want %+v", run, found, err, refused)
		}
	}, promptecho.Sentinels(refused))
}

// A declined is an error with a type and a field that an agent may inspect.
type declined struct{ code int }

func (d declined) Error() string { return fmt.Sprintf("declined with code %d", d.code) }

// An exceeded deadline of a function is a timeout in every run.
func TestExceededDeadlineIsATimeoutInEveryRun(t *testing.T) {
	t.Parallel()
	inEveryRun(t, context.DeadlineExceeded, func(run string, _ int, err error) {
		var timeout interface{ Timeout() bool }
		if !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("%s: %v (%[2]T) is no timeout", run, err)
		}
	})
}

// A replay without Sentinels fails if the recorded error is one of Sentinels.
func TestReplayNeedsTheSentinelsOfTheRecording(t *testing.T) {
	t.Parallel()
	notFound := errors.New("no such city")
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := must.Open(t, file, promptecho.OnRecordError(promptecho.Keep))
	search := promptecho.Wrap(rec, "tool/fail", func(context.Context, string) (int, error) {
		return 0, fmt.Errorf("weather: %w", notFound)
	}, promptecho.Sentinels(notFound))
	search(t.Context(), "Rome")
	must.Pass(t, rec)

	rec = must.Open(t, file)
	search = promptecho.Wrap(rec, "tool/fail", func(context.Context, string) (int, error) { return 0, nil })
	_, err := search(t.Context(), "Rome")
	want := `is "no such city", and promptecho.Sentinels was passed no error with that text`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
	if err := rec.Close(); err == nil {
		t.Error("the run passes")
	}
}

// An error of a function is recorded, and a note says so, unless OnRecordError(Keep) is set.
func TestRecordedErrorOfAFunctionIsNoted(t *testing.T) {
	t.Parallel()
	run := func(opts ...promptecho.Option) (notes string) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		opts = append(opts, promptecho.Log(func(note string) { notes += note + "\n" }))
		rec := must.Open(t, file, opts...)
		fails := promptecho.Wrap(rec, "tool/fail", func(context.Context, string) (int, error) {
			return 0, errors.New("broken")
		})
		fails(t.Context(), "x")
		must.Pass(t, rec)
		if n := len(must.Load(t, file).Interactions); n != 1 {
			t.Errorf("%d interactions, want the call that failed", n)
		}
		return notes
	}
	const note = "a failure is recorded: tool/fail: the function returned the error: broken."
	if notes := run(); !strings.Contains(notes, note) {
		t.Errorf("notes %q, want %s", notes, note)
	}
	if notes := run(promptecho.OnRecordError(promptecho.Keep)); strings.Contains(notes, "failure") {
		t.Errorf("with Keep: notes %q", notes)
	}
}
