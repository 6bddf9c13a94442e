package mutate

import (
	"testing"

	"github.com/promptecho/promptecho/internal/mutant"
)

// The output of a test, as package testing writes it with -test.v=test2json.
const (
	begins = marker + "=== RUN   TestX\n"
	passes = marker + "--- PASS: TestX (0.00s)\n"
	fails  = marker + "--- FAIL: TestX (0.00s)\n"
	skips  = marker + "--- SKIP: TestX (0.00s)\n"
	allOK  = marker + "PASS\n"
	notOK  = marker + "FAIL\n"
)

// What a run with a changed answer shows of a test follows from its output, its exit status and its notes.
func TestOutcomeOfARun(t *testing.T) {
	t.Parallel()
	changed := mutant.Note{Event: mutant.Changed, Round: 1}
	missed := mutant.Note{Event: mutant.Missed, Round: 1}
	ended := func(failed bool, problems int) mutant.Note {
		return mutant.Note{Event: mutant.Ended, Round: 1, Test: "TestX", Failed: failed, Problems: problems}
	}
	for _, tt := range []struct {
		name     string
		process  process
		want     Outcome
		isMissed bool
	}{
		{name: "passes",
			process: process{output: begins + passes + allOK, isOK: true, notes: []mutant.Note{changed}},
			want:    Unnoticed},
		{name: "is skipped",
			process: process{output: begins + skips + allOK, isOK: true, notes: []mutant.Note{changed}},
			want:    Unnoticed},
		{name: "does not ask",
			process: process{output: begins + passes + allOK, isOK: true},
			want:    NotPlayed},
		{name: "fails",
			process: process{output: begins + fails + notOK, notes: []mutant.Note{changed, ended(true, 0)}},
			want:    Noticed},
		{name: "fails by its recorder",
			process: process{output: begins + fails + notOK, notes: []mutant.Note{changed, ended(false, 1)}},
			want:    Held},
		{name: "fails, and its recorder reports a problem, too",
			process: process{output: begins + fails + notOK, notes: []mutant.Note{changed, ended(true, 1)}},
			want:    Noticed},
		{name: "sends another request",
			process: process{output: begins + fails + notOK, notes: []mutant.Note{changed, missed}},
			want:    Held, isMissed: true},
		{name: "panics",
			process: process{output: begins + "panic: index out of range\n", notes: []mutant.Note{changed}},
			want:    Panics},
		{name: "prints the word panic",
			process: process{
				output: begins + "panic: a word\n" + passes + allOK, isOK: true,
				notes: []mutant.Note{changed},
			},
			want: Unnoticed},
		{name: "exits",
			process: process{output: begins, notes: []mutant.Note{changed}},
			want:    Exits},
		{name: "exits with status 0",
			process: process{
				output: begins + "panic: unexpected call to os.Exit(0) during test\n",
				notes:  []mutant.Note{changed},
			},
			want: Exits},
		{name: "is killed",
			process: process{output: begins, timedOut: true, notes: []mutant.Note{changed}},
			want:    Hangs},
		{name: "ends itself when its time is up",
			process: process{
				output: begins + "\npanic: test timed out after 5s\n",
				notes:  []mutant.Note{changed},
			},
			want: Hangs},
		{name: "TestMain fails",
			process: process{output: begins + passes + allOK, notes: []mutant.Note{changed}},
			want:    Noticed},
	} {
		rounds := tt.process.rounds("TestX")
		if len(rounds) != 1 {
			t.Errorf("%s: %d rounds", tt.name, len(rounds))
			continue
		}
		got, isMissed := rounds[0].judge()
		if got != tt.want || isMissed != tt.isMissed {
			t.Errorf("%s: %s, %v, want %s, %v", tt.name, got, isMissed, tt.want, tt.isMissed)
		}
	}
}

// A test whose next request has no recording gets the next one: what it does then is judged.
func TestOutcomeAfterAMiss(t *testing.T) {
	t.Parallel()
	onward := mutant.Note{Event: mutant.Onward}
	missed := mutant.Note{Event: mutant.Missed}
	failed := mutant.Note{Event: mutant.Ended, Test: "TestX", Failed: true}
	for _, tt := range []struct {
		name  string
		round round
		want  Outcome
	}{
		{"passes", round{passed: true, notes: []mutant.Note{onward}}, Held},
		{"fails", round{failed: true, notes: []mutant.Note{onward, failed}}, Noticed},
		{"has no more recordings", round{failed: true, notes: []mutant.Note{onward, missed, failed}}, Held},
		{"panics", round{abnormal: Panics, notes: []mutant.Note{onward}}, Panics},
	} {
		if got := tt.round.judgeOnward(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A process that runs a test several times and ends in the second one has judged only two.
func TestRoundsOfAProcessThatEndsEarly(t *testing.T) {
	t.Parallel()
	p := process{
		output: begins + passes + begins + "panic: no\n",
		notes: []mutant.Note{
			{Event: mutant.Changed, Round: 1},
			{Event: mutant.Changed, Round: 2},
		},
	}
	rounds := p.rounds("TestX")
	if len(rounds) != 2 {
		t.Fatalf("%d rounds", len(rounds))
	}
	first, _ := rounds[0].judge()
	second, _ := rounds[1].judge()
	if first != Unnoticed || second != Panics {
		t.Errorf("%s, %s", first, second)
	}
}

// The line that noticed a change is the test's own, and not what a recorder reports.
func TestReasonOfAFailure(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"    x_test.go:7: promptecho: a miss\n    x_test.go:9: got 3\n": "x_test.go:9: got 3",
		marker + "panic: no answer\n":                                   "panic: no answer",
		"    x_test.go:7: promptecho: a miss\n":                         "",
	} {
		r := round{output: output}
		if got := r.reason(); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}
