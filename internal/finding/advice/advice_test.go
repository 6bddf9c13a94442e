package advice

import "testing"

func TestTakeValueNamesEachSource(t *testing.T) {
	t.Parallel()
	const want = "take the value from rec.Now() and rec.Rand(NAME), to get the recorded one in replay"
	if got := TakeValue(Now, Rand); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
