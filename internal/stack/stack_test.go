package stack

import (
	"runtime"
	"testing"
)

// What the stack tells in cleanups, where testing.T does not know yet.
func TestStack(t *testing.T) {
	t.Parallel()
	if s := Current(); s != (Running{InTest: true}) {
		t.Errorf("in a test: %+v", s)
	}
	func() {
		defer func() { recover() }()
		defer func() {
			if s := Current(); !s.Panicking || s.Exiting {
				t.Errorf("a panic: %+v", s)
			}
		}()
		panic("made up")
	}()
	done := make(chan Running)
	go func() {
		defer func() { done <- Current() }()
		runtime.Goexit()
	}()
	if s := <-done; s != (Running{Exiting: true}) {
		t.Errorf("runtime.Goexit in another goroutine: %+v", s)
	}
}
