package full

import "testing"

func TestCases(t *testing.T) {
	for _, tt := range []struct {
		env  string
		want int
	}{{"", 3}, {"1", 1000}, {"yes", 1000}} {
		t.Setenv("FULL", tt.env)
		if got := Cases(3, 1000); got != tt.want {
			t.Errorf("FULL=%q: Cases(3, 1000) = %d, want %d", tt.env, got, tt.want)
		}
	}
}

func TestOnlySkipsWithoutFull(t *testing.T) {
	for _, tt := range []struct {
		env     string
		skipped bool
	}{{"", true}, {"1", false}} {
		t.Setenv("FULL", tt.env)
		tb := &recordingTB{TB: t}
		Only(tb, "TestSmall")
		if tb.skipped != tt.skipped {
			t.Errorf("FULL=%q: skipped is %v, want %v", tt.env, tb.skipped, tt.skipped)
		}
	}
}

// recordingTB notes that it was skipped, and goes on.
type recordingTB struct {
	testing.TB
	skipped bool
}

func (tb *recordingTB) Skipf(string, ...any) { tb.skipped = true }
