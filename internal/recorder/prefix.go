package recorder

import (
	"errors"
	"fmt"
)

// A prefixedError is an error as a program gets it: the name of the package is
// in front of the reason.
type prefixedError struct{ reason error }

func (e *prefixedError) Error() string { return "promptecho: " + e.reason.Error() }

func (e *prefixedError) Unwrap() error { return e.reason }

// prefixed returns an error with the name of the package in front. Its reason
// is formatted as [fmt.Errorf] does.
func prefixed(format string, args ...any) error {
	return &prefixedError{fmt.Errorf(format, args...)}
}

// Reason returns an error of this package without the name of the package in
// front: the command puts its own name there.
func Reason(err error) error {
	var p *prefixedError
	if errors.As(err, &p) {
		return p.reason
	}
	return err
}
