package function

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
)

// wellKnown are the errors of the standard library that a recorded error still is.
var wellKnown = []error{
	context.Canceled, context.DeadlineExceeded, errors.ErrUnsupported,
	fs.ErrClosed, fs.ErrExist, fs.ErrInvalid, fs.ErrNotExist, fs.ErrPermission,
	io.EOF, io.ErrClosedPipe, io.ErrNoProgress, io.ErrShortBuffer, io.ErrShortWrite, io.ErrUnexpectedEOF,
	os.ErrDeadlineExceeded, os.ErrNoDeadline, os.ErrProcessDone,
}

// knownErrors are errors that a cassette knows by their texts, which are different.
type knownErrors []error

// withSentinels returns the well-known errors with a user's own.
func withSentinels(sentinels []error) (knownErrors, error) {
	known := slices.Clone(knownErrors(wellKnown))
	for _, s := range sentinels {
		if s == nil {
			return nil, errors.New("an error passed to Sentinels is nil")
		}
		if i := slices.IndexFunc(known, func(k error) bool { return k.Error() == s.Error() }); i < 0 {
			known = append(known, s)
		} else if !errors.Is(s, known[i]) {
			return nil, fmt.Errorf("two errors, of Sentinels or of the standard library, have the same text %q, by which a cassette identifies them", s)
		}
	}
	return known, nil
}

// describe returns the text of an error, and of the known errors that it is.
func (known knownErrors) describe(err error) (text string, is []string) {
	for _, k := range known {
		if errors.Is(err, k) {
			is = append(is, k.Error())
		}
	}
	if text = err.Error(); text == "" {
		text = fmt.Sprintf("%T", err) // a cassette needs a text
	}
	return text, is
}

// recorded returns the error that a response has, or nil if it has none.
func (known knownErrors) recorded(resp *interaction.Response) (err, failed error) {
	if resp.Error == "" {
		return nil, nil
	}
	e := &recordedError{text: resp.Error}
	for _, text := range resp.ErrorIs {
		i := slices.IndexFunc(known, func(k error) bool { return k.Error() == text })
		if i < 0 {
			return nil, fmt.Errorf("the recorded error is %q, and Sentinels names no error of that text", text)
		}
		e.is = append(e.is, known[i])
		if text == e.text {
			return known[i], nil // code may compare it with ==
		}
	}
	return e, nil
}

// A recordedError has the text of an error and is what that was.
type recordedError struct {
	text string
	is   []error
}

func (e *recordedError) Error() string { return e.text }

// Unwrap returns the well-known errors, for [errors.Is] and [errors.As].
func (e *recordedError) Unwrap() []error { return e.is }
