package mutate

import "testing"

// A subtest that passes is judged, although another subtest of its test fails.
func TestSubtestIsJudgedBesideOneThatFails(t *testing.T) {
	t.Parallel()
	p := &process{output: "" + // what go test -v=test2json prints
		marker + "=== RUN   TestBot\n" +
		marker + "=== RUN   TestBot/greets\n" +
		marker + "--- PASS: TestBot/greets (0.00s)\n" +
		marker + "=== RUN   TestBot/books\n" +
		"    bot_test.go:9: no booking\n" +
		marker + "--- FAIL: TestBot/books (0.00s)\n" +
		marker + "--- FAIL: TestBot (0.00s)\n"}
	for test, want := range map[string]baseline{
		"TestBot/greets": basePassed,
		"TestBot/books":  baseFailed,
		"TestBot":        baseFailed,
		"TestBot/pays":   baseUnknown,
	} {
		got := p.baselineOf(test)
		if got != want {
			t.Errorf("%s: %q, want %q", test, got, want)
		}
	}
}
