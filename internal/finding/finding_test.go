package finding

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

// TestErrorText: the text of an error is the place and what is wrong there, and
// what is wrong can be found in it.
func TestErrorText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  *Error
		want string
	}{
		{Errorf(NotSaved, "c.yaml:4", "not written: %w", io.EOF), "c.yaml:4: not written: EOF"},
		{Errorf(NotSaved, "", "not written: %w", io.EOF), "not written: EOF"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		if !errors.Is(tt.err, io.EOF) {
			t.Errorf("%v does not wrap EOF", tt.err)
		}
	}
}

func TestCodeOfAnError(t *testing.T) {
	t.Parallel()
	wrapped := fmt.Errorf("the end: %w", Errorf(AccessLost, "c.yaml", "no"))
	for err, want := range map[error]Code{wrapped: AccessLost, io.EOF: RunFailed} {
		if got := CodeOf(err); got != want {
			t.Errorf("%v has the code %q, want %q", err, got, want)
		}
	}
}
