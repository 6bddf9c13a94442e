package promptecho

import "testing"

// TestWaitsOfNothing: what was not answered yet when the same was asked again was no wait.
func TestWaitsOfNothing(t *testing.T) {
	t.Parallel()
	var w waits
	w.asked("https://h/1")
	w.asked("https://h/1")
	w.note(func(format string, args ...any) { t.Errorf(format, args...) })
}
