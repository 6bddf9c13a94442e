package mutate

import (
	"testing"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutation"
	"github.com/promptecho/promptecho/internal/mutant"
)

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

// A program that waits longer and longer before it sends a failed request again does not hang.
func TestRetriesWithWaitsAreNoHang(t *testing.T) {
	t.Parallel()
	changed := mutant.Note{Event: mutant.Changed}
	waited := mutant.Note{Event: mutant.Waited}
	for _, c := range []struct {
		notes []mutant.Note
		want  Outcome
	}{
		{[]mutant.Note{changed}, Hangs},
		{[]mutant.Note{changed, waited}, Waits},
	} {
		r := &round{notes: c.notes, abnormal: Hangs}
		got, _ := r.judge()
		if got != c.want || r.judgeOnward() != c.want {
			t.Errorf("%v: %s, onward %s, want %s", c.notes, got, r.judgeOnward(), c.want)
		}
	}
}

// A failure that makes the program wait is not tried again for other requests of the same line.
func TestWaitsOfALineAreFoundOnce(t *testing.T) {
	t.Parallel()
	b := &binary{}
	status := &mutation.Mutation{Kind: mutation.Failed}
	text := &mutation.Mutation{Kind: mutation.OtherText}
	first := &trial{binary: b, answer: &Answer{Call: "bot.go:7 < bot_test.go:9"}}
	first.add(status, Waits, nil)
	for call, want := range map[string]int{
		"bot.go:7 < bot_test.go:30": 1,
		"bot.go:8 < bot_test.go:9":  2,
		"":                          2,
	} {
		other := &trial{binary: b, answer: &Answer{Call: call}}
		rest := other.withoutWaits([]*mutation.Mutation{text, status})
		if len(rest) != want || rest[0] != text {
			t.Errorf("%q: %d mutations are tried, want %d", call, len(rest), want)
		}
	}
}
