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

// Is reports whether the recorded failure was target, if that is an error which callers
// look for.
func (e *transportError) Is(target error) bool {
	for _, known := range [...]error{
		io.EOF, io.ErrUnexpectedEOF, os.ErrDeadlineExceeded,
		syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE,
	} {
		if target == known {
			return e.text == known.Error() || strings.HasSuffix(e.text, ": "+known.Error())
		}
	}
	return false
}

// A canceledError says that a request can never end as the recorded one did.
type canceledError struct {
	file string
	line int
}

func (e *canceledError) Error() string {
	return fmt.Sprintf("promptecho: %s:%d: when this was recorded, its caller canceled it before there was an answer; this request has no context that can be canceled", e.file, e.line)
}

// RetryableError reports false: asking again cannot help. The AWS SDK looks for this
// method.
func (e *canceledError) RetryableError() bool { return false }

// A closedError says that a client reads past the point where the recorded client closed
// the body.
type closedError struct {
	file string
	line int
}

func (e *closedError) Error() string {
	return fmt.Sprintf("promptecho: %s:%d: the recording ends here: its client closed the body before the end; record again to have the rest", e.file, e.line)
}

// RetryableError reports false: asking again cannot help.
func (e *closedError) RetryableError() bool { return false }

// brokenError returns the error of a body that broke off with the recorded error.
func brokenError(recorded string) error {
	if recorded == "" || recorded == io.ErrUnexpectedEOF.Error() {
		return io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w (recorded: %s)", io.ErrUnexpectedEOF, recorded)
}
