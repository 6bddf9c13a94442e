package quota

import (
	"testing"
)

// A test that promptecho record does not run asks nobody, and waits for nothing.
func TestWithoutTheCommandEverythingIsPermitted(t *testing.T) {
	t.Setenv(Env, "")
	t.Setenv(TryEnv, "")
	q := FromEnv()
	p, err := q.Acquire(t.Context(), Call{Host: "api.test"})
	if q != nil || p != nil || err != nil || Try() != 0 {
		t.Errorf("got %v, %v, %v, try %d", q, p, err, Try())
	}
	p.Head(Head{Status: 200})
	p.End(End{})
	p.Release()
}

// The command tells a recorder which try of its test this is.
func TestTry(t *testing.T) {
	t.Setenv(TryEnv, "3")
	if n := Try(); n != 3 {
		t.Errorf("got %d", n)
	}
}
