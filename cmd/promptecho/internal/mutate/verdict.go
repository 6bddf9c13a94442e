package mutate

import (
	"slices"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutation"
)

// judgeAnswer sets the verdict of an answer by its runs.
func (a *Answer) judgeAnswer() {
	a.Verdict = NothingYet
	if a.NotJudged != "" || len(a.Changes) == 0 {
		return
	}
	isField := func(c Change) bool { return c.Kind == mutation.FieldValue }
	hasFields := slices.ContainsFunc(a.Changes, isField)
	content, unnoticedContent := 0, 0
	unnoticed, held := false, false
	for _, r := range a.Changes {
		// Another text in the place of structured output is none: a test that decodes it fails.
		isDecoded := hasFields && r.Kind == mutation.OtherText
		isContent := r.Kind.IsContent() && !isDecoded
		if isContent && r.Outcome != NotPlayed {
			content++
		}
		if r.Accepted != "" {
			continue
		}
		switch r.Outcome {
		case Unnoticed:
			unnoticed = true
			if isContent {
				unnoticedContent++
			}
		case Held:
			held = true
		}
	}
	switch {
	case content > 0 && unnoticedContent == content:
		a.Verdict = Blind
	case unnoticed:
		a.Verdict = Weak
	case held:
		a.Verdict = HeldBy
	default:
		a.Verdict = Good
	}
}

// judgeTest sets the verdict of a test: the worst one of its answers.
func (t *Test) judgeTest() {
	t.Verdict = NothingYet
	t.Blind = 0
	worst := slices.Index(fromBadToGood, t.Verdict)
	for _, a := range t.Answers {
		a.judgeAnswer()
		if a.Verdict == Blind {
			t.Blind++
		}
		if rank := slices.Index(fromBadToGood, a.Verdict); rank < worst {
			worst = rank
			t.Verdict = a.Verdict
		}
	}
}

// fromBadToGood has the verdicts, the worst one first.
var fromBadToGood = []Verdict{Blind, Weak, HeldBy, Good, NothingYet}

// Judged returns how many answers were judged.
func (t *Test) Judged() (n int) {
	for _, a := range t.Answers {
		if a.Verdict != NothingYet {
			n++
		}
	}
	return n
}

// Bug returns the first bug that a changed answer has shown, and the answer; nil if there is none.
func (t *Test) Bug() (*Answer, *Change) {
	for _, outcome := range []Outcome{Hangs, Panics, Exits} {
		for _, a := range t.Answers {
			for i := range a.Changes {
				if a.Changes[i].Outcome == outcome && a.Changes[i].Accepted == "" {
					return a, &a.Changes[i]
				}
			}
		}
	}
	return nil, nil
}
