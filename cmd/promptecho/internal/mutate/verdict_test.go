package mutate

import (
	"testing"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutation"
)

// The verdict of an answer follows from what became of its changes, of which only content makes it blind.
func TestVerdictOfAnAnswer(t *testing.T) {
	t.Parallel()
	text := func(o Outcome) Change { return Change{Kind: mutation.OtherText, Outcome: o} }
	cutOff := func(o Outcome) Change { return Change{Kind: mutation.CutOff, Outcome: o} }
	accepted := func(c Change) Change {
		c.Accepted = "a reason"
		return c
	}
	for _, tt := range []struct {
		name    string
		changes []Change
		want    Verdict
	}{
		{"nothing was tried", nil, NothingYet},
		{"all are noticed", []Change{text(Noticed), cutOff(Noticed)}, Good},
		{"a bug is noticed", []Change{text(Panics), cutOff(Hangs)}, Good},
		{"no content is noticed", []Change{text(Unnoticed), cutOff(Noticed)}, Blind},
		{"some content is noticed", []Change{text(Unnoticed), text(Noticed)}, Weak},
		{"content is noticed, an ending is not", []Change{text(Noticed), cutOff(Unnoticed)}, Weak},
		{"there is no content", []Change{cutOff(Unnoticed)}, Weak},
		{"only the recording notices", []Change{text(Held), cutOff(Noticed)}, HeldBy},
		{"content that was not played does not count", []Change{text(NotPlayed), text(Unnoticed)}, Blind},
		{"what is accepted is no finding", []Change{accepted(text(Unnoticed)), cutOff(Noticed)}, Good},
		{"what is not accepted is one", []Change{accepted(text(Unnoticed)), cutOff(Unnoticed)}, Weak},
	} {
		a := &Answer{Changes: tt.changes}
		a.judgeAnswer()
		if a.Verdict != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, a.Verdict, tt.want)
		}
	}
}

// A test has the worst verdict of its answers, and counts those to which it is blind.
func TestVerdictOfATest(t *testing.T) {
	t.Parallel()
	answer := func(o Outcome) *Answer {
		return &Answer{Changes: []Change{{Kind: mutation.OtherText, Outcome: o}}}
	}
	notJudged := &Answer{NotJudged: "it is skipped"}
	test := &Test{Answers: []*Answer{answer(Noticed), answer(Unnoticed), answer(Held), notJudged}}
	test.judgeTest()
	if test.Verdict != Blind || test.Blind != 1 || test.Judged() != 3 {
		t.Errorf("%s, blind to %d of %d", test.Verdict, test.Blind, test.Judged())
	}
	good := &Test{Answers: []*Answer{answer(Noticed), notJudged}}
	good.judgeTest()
	if good.Verdict != Good {
		t.Errorf("%s", good.Verdict)
	}
}

// A hang is told before a panic, and a bug that is accepted is not told.
func TestBugOfATest(t *testing.T) {
	t.Parallel()
	test := &Test{Answers: []*Answer{
		{Changes: []Change{{Outcome: Panics}, {Outcome: Exits}}},
		{Changes: []Change{{Outcome: Hangs, Accepted: "a reason"}, {Outcome: Hangs}}},
	}}
	a, c := test.Bug()
	if a != test.Answers[1] || c != &test.Answers[1].Changes[1] {
		t.Errorf("%v, %v", a, c)
	}
	fine := &Test{Answers: []*Answer{{Changes: []Change{{Outcome: Panics, Accepted: "a reason"}}}}}
	_, c = fine.Bug()
	if c != nil {
		t.Errorf("%v", c)
	}
}
