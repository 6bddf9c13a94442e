package mutate

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutation"
	"github.com/promptecho/promptecho/internal/mutant"
)

// A trial is the changes of one answer of a test.
type trial struct {
	binary *binary
	test   *Test
	answer *Answer

	limit   time.Duration // for each round
	atOnce  int           // how many rounds one process runs
	hasHung bool          // a hang was seen twice
}

// The time that a round has: a replay takes milliseconds, a busy machine seconds, and SDKs that wait
// before they send a request again some seconds.
const (
	leastLimit    = 5 * time.Second
	controlLimit  = time.Minute
	timesControl  = 20
	timesIfItHung = 3 // for the second try of a round that did not end
)

// try runs the test with each of the mutations of the answer. The first is the control.
func (t *trial) try(ctx context.Context, mutations []*mutation.Mutation) error {
	t.limit = controlLimit
	control, rest := mutations[0], mutations[1:]
	r, took, err := t.one(ctx, control, failAtMiss)
	if err != nil || ctx.Err() != nil {
		return err
	}
	outcome := NotPlayed
	if r != nil {
		outcome, _ = r.judge()
	}
	if outcome != Unnoticed {
		t.answer.NotJudged = whyControlFailed(outcome, r)
		return nil
	}
	t.limit = max(leastLimit, timesControl*took)
	for ctx.Err() == nil {
		rest = t.withoutWaits(rest)
		if len(rest) == 0 {
			break
		}
		n := min(len(rest), t.atOnce)
		done, err := t.several(ctx, rest[:n])
		if err != nil {
			return err
		}
		rest = rest[done:]
	}
	return nil
}

// withoutWaits returns the mutations to try: not those that fail a request if the program is known to
// wait then.
func (t *trial) withoutWaits(mutations []*mutation.Mutation) (rest []*mutation.Mutation) {
	_, waits := t.binary.waits.Load(t.answer.line())
	for _, m := range mutations {
		if m.IsRepeated() && waits {
			t.add(m, Waits, nil)
			continue
		}
		rest = append(rest, m)
	}
	return rest
}

// line returns the line of the program that made the request: the first of "bot.go:7 < bot_test.go:9".
func (a *Answer) line() string {
	line, _, _ := strings.Cut(a.Call, " < ")
	return line
}

// whyControlFailed says why an answer is not judged.
func whyControlFailed(outcome Outcome, r *round) string {
	if outcome == NotPlayed {
		return "the test does not ask for this answer when it runs alone"
	}
	text := "the test fails when it runs alone with the same answer, written again"
	if r != nil && r.reason() != "" {
		text += ": " + r.reason()
	}
	return text
}

// several runs a round for each mutation in one process, and runs those again, in processes of their
// own, for which that is not enough. It returns how many mutations are done: a process may end before its
// last round. If the context is done, the error may be nil.
func (t *trial) several(ctx context.Context, mutations []*mutation.Mutation) (done int, err error) {
	rounds, _, err := t.process(ctx, mutations, failAtMiss)
	if err != nil || ctx.Err() != nil {
		return 0, err
	}
	if len(rounds) == 0 {
		t.add(mutations[0], NotPlayed, nil) // the test did not begin
		return 1, nil
	}
	outcomes := make([]Outcome, len(rounds))
	var missed []int // the rounds in which a request had no recording
	for i, r := range rounds {
		isMissed := false
		outcomes[i], isMissed = r.judge()
		if isMissed {
			missed = append(missed, i)
		}
	}
	err = t.goOn(ctx, mutations, rounds, outcomes, missed)
	if err != nil || ctx.Err() != nil {
		return 0, err
	}

	isOnly := len(mutations) == 1
	for i, m := range mutations[:len(rounds)] {
		if !t.isDoubtful(outcomes[i], isOnly) {
			t.add(m, outcomes[i], rounds[i])
			continue
		}
		err := t.again(ctx, m, slices.Contains(missed, i))
		if err != nil || ctx.Err() != nil {
			return i, err
		}
	}
	return len(rounds), nil
}

// isDoubtful reports whether an outcome may have another cause than the mutation: a round before it in
// the same process, which has left the answer in a variable, or a busy machine.
func (t *trial) isDoubtful(outcome Outcome, isOnly bool) bool {
	switch outcome {
	case NotPlayed:
		return !isOnly
	case Hangs:
		return !t.hasHung
	}
	return false
}

// What becomes of a request that has no recording, once the change was played; see
// [mutant.Change.Onward].
const (
	failAtMiss = false
	goOnAtMiss = true
)

// goOn runs those rounds again in which a request had no recording, and replaces them and their
// outcomes.
func (t *trial) goOn(
	ctx context.Context, mutations []*mutation.Mutation, rounds []*round, outcomes []Outcome, missed []int,
) error {
	for len(missed) > 0 {
		var list []*mutation.Mutation
		for _, i := range missed {
			list = append(list, mutations[i])
		}
		again, _, err := t.process(ctx, list, goOnAtMiss)
		if err != nil || ctx.Err() != nil || len(again) == 0 {
			return err
		}
		for k, r := range again {
			rounds[missed[k]] = r
			outcomes[missed[k]] = r.judgeOnward()
		}
		missed = missed[len(again):]
	}
	return nil
}

// again runs a mutation in a process of its own, and takes more time for it. In a process with others,
// it was not played, as the program keeps answers in a variable, or it did not end, as the machine was
// busy.
func (t *trial) again(ctx context.Context, m *mutation.Mutation, onward bool) error {
	normal := t.limit
	t.limit *= timesIfItHung
	r, _, err := t.one(ctx, m, onward)
	t.limit = normal
	if err != nil || ctx.Err() != nil {
		return err
	}
	outcome := NotPlayed
	switch {
	case r != nil && onward:
		outcome = r.judgeOnward()
	case r != nil:
		isMissed := false
		outcome, isMissed = r.judge()
		if isMissed {
			return t.again(ctx, m, goOnAtMiss)
		}
	}
	t.hasHung = t.hasHung || outcome == Hangs
	t.add(m, outcome, r)
	return nil
}

// add adds what came of a mutation.
func (t *trial) add(m *mutation.Mutation, outcome Outcome, r *round) {
	change := Change{Kind: m.Kind, What: m.What, Notice: m.Notice, Outcome: outcome}
	if r != nil && (outcome == Noticed || outcome.IsBug()) {
		change.By = r.reason()
	}
	if line := t.answer.line(); outcome == Waits && line != "" {
		t.binary.waits.Store(line, true)
	}
	t.answer.Changes = append(t.answer.Changes, change)
}

// one runs the test once with one mutation. The round is nil if the test did not begin.
func (t *trial) one(
	ctx context.Context, m *mutation.Mutation, onward bool,
) (*round, time.Duration, error) {
	rounds, took, err := t.process(ctx, []*mutation.Mutation{m}, onward)
	if err != nil || len(rounds) == 0 {
		return nil, took, err
	}
	return rounds[0], took, nil
}

// process runs the test once for each mutation, in one process.
func (t *trial) process(
	ctx context.Context, mutations []*mutation.Mutation, onward bool,
) ([]*round, time.Duration, error) {
	var plan mutant.Plan
	for _, m := range mutations {
		data, err := mutant.EncodeResponse(m.Response())
		if err != nil {
			return nil, 0, err
		}
		file, err := t.binary.responseFile(data)
		if err != nil {
			return nil, 0, err
		}
		defer os.Remove(file)
		plan.Changes = append(plan.Changes, mutant.Change{
			Cassette: t.answer.Cassette,
			Number:   t.answer.Number - 1,
			Response: file,
			Control:  m.Kind == mutation.Control,
			Repeated: m.IsRepeated(),
			Onward:   onward,
		})
	}
	limit := t.limit * time.Duration(len(mutations))
	p, err := t.binary.runAlone(ctx, plan, limit, onlyTest(t.test.Name, len(mutations))...)
	if err != nil {
		return nil, 0, err
	}
	return p.rounds(t.test.Name), p.took, nil
}
