package answer

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// A transportError is a recorded failure of the transport.
type transportError struct {
	text, file string
	line       int
}

func (e *transportError) Error() string {
	return fmt.Sprintf("%s (recorded, promptecho: %s:%d)", e.text, e.file, e.line)
}

// Timeout reports whether the recorded failure was a timeout; see [net.Error].
func (e *transportError) Timeout() bool { return strings.HasSuffix(e.text, "timeout") }

// Temporary completes [net.Error].
func (e *transportError) Temporary() bool { return e.Timeout() }

// Unwrap returns the error that the recorded failure was, if callers look for that one.
func (e *transportError) Unwrap() error {
	for _, known := range [...]error{
		io.EOF, io.ErrUnexpectedEOF, os.ErrDeadlineExceeded,
		syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE,
	} {
		if strings.HasSuffix(": "+e.text, ": "+known.Error()) {
			return known
		}
	}
	return nil
}

// A finalError is an error that stays, however often one asks.
type finalError string

func (e finalError) Error() string { return string(e) }

// RetryableError reports false; the AWS SDK looks for this method.
func (e finalError) RetryableError() bool { return false }

// brokenError returns the error of a body that broke off with the recorded error.
func brokenError(recorded string) error {
	if recorded == "" || recorded == io.ErrUnexpectedEOF.Error() {
		return io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w (recorded: %s)", io.ErrUnexpectedEOF, recorded)
}
