package tape

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// do runs a program: "ask a" sends the prompt a, "end a" is the end of its
// response, and "wait a" waits until the headers of its response may come. What
// the cassette lacks is recorded.
func do(t *testing.T, run *Tape, program string) {
	t.Helper()
	recs := map[string]*Recording{}
	for step := range strings.SplitSeq(program, ", ") {
		verb, name, _ := strings.Cut(step, " ")
		switch verb {
		case "ask":
			m := send(t, run, prompt(name))
			recs[name] = m.Recording
			if m.Recording == nil {
				var err error
				recs[name], err = run.Reserve(m)
				if err != nil {
					t.Fatal(err)
				}
			}
		case "wait":
			if err := run.Turn(recs[name], false).Answered(context.Background()); err != nil {
				t.Fatal(err)
			}
		case "end":
			if recs[name].Fresh() {
				complete(run, recs[name], says(name))
			} else {
				end(run, recs[name])
			}
		}
	}
}

// asked returns an exchange of the prompt with a name, which overlapped others
// from one moment to another.
func asked(name string, first, last int) *interaction.Interaction {
	return overlapping(alone(name), first, last)
}

// alone returns an exchange of the prompt with a name.
func alone(name string) *interaction.Interaction { return exchange(prompt(name), says(name)) }

// After a run that recorded some calls and played others, the cassette has them
// in the order of this run.
func TestOrderAfterARun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		recordings exchanges
		program    string
		want       string // the prompts in the order of the cassette
		leftOver   string // those that nothing will ask for any more
		moments    string // of each that overlapped others
	}{{
		name:       "a new call comes before the next recorded one",
		recordings: exchanges{alone("a"), alone("b"), alone("c")},
		program:    "ask a, end a, ask x, end x, ask c, end c",
		want:       "a b x c",
	}, {
		name:       "a new call at the end comes last",
		recordings: exchanges{alone("a"), alone("b")},
		program:    "ask a, end a, ask x, end x",
		want:       "a b x",
	}, {
		name:       "calls in another order than recorded stay where they were",
		recordings: exchanges{alone("a"), alone("b")},
		program:    "ask b, end b, ask a, end a, ask x, end x",
		want:       "a b x",
	}, {
		name:       "one of two concurrent prompts was edited",
		recordings: exchanges{asked("a", 1, 4), asked("b", 2, 3), alone("c")},
		program:    "ask a, ask x, end x, end a, ask c, end c",
		want:       "a x c b",
		leftOver:   "b",
		moments:    "a: asked 1, answered 3; x: asked 2, answered 2; b: true",
	}, {
		name:       "the others came in another order",
		recordings: exchanges{asked("a", 1, 5), asked("b", 2, 4), asked("c", 3, 6)},
		program:    "ask c, ask a, ask x, end x, end a, end c",
		want:       "c a x b",
		leftOver:   "b",
		moments:    "c: asked 1, answered 5; a: asked 2, answered 4; x: asked 3, answered 3; b: true",
	}, {
		name:       "a new call overlaps one that ran alone",
		recordings: exchanges{alone("a"), alone("b")},
		program:    "ask a, ask x, end x, end a, ask b, end b",
		want:       "a x b",
		moments:    "a: asked 1, answered 3; x: asked 2, answered 2",
	}, {
		name:       "a group that was played as a whole keeps its order and moments",
		recordings: exchanges{asked("a", 1, 4), asked("b", 2, 3), asked("c", 1, 4), asked("d", 2, 3)},
		program:    "ask b, ask a, end a, end b, ask c, ask x, end x, end c",
		want:       "a b c x d",
		leftOver:   "d",
		moments: "a: asked 1, answered 4; b: asked 2, answered 3; " +
			"c: asked 1, answered 3; x: asked 2, answered 2; d: true",
	}, {
		name:       "another group that was not asked for keeps its moments",
		recordings: exchanges{asked("a", 1, 4), asked("b", 2, 3), asked("c", 1, 4), asked("d", 2, 3)},
		program:    "ask a, ask x, end x, end a",
		want:       "a x b c d",
		leftOver:   "b c d",
		moments: "a: asked 1, answered 3; x: asked 2, answered 2; b: true; " +
			"c: asked 1, answered 4; d: asked 2, answered 3",
	}, {
		name:       "recordings that overlapped stay together, also if they do not overlap now",
		recordings: exchanges{asked("a", 1, 5), asked("b", 2, 3), asked("c", 4, 6)},
		program:    "ask a, end a, ask c, ask x, end x, end c",
		want:       "a c x b",
		leftOver:   "b",
		moments:    "a: asked 1, answered 1; c: asked 2, answered 4; x: asked 3, answered 3; b: true",
	}, {
		name:       "a recording that was not asked for does not take the place of another",
		recordings: exchanges{asked("a", 1, 4), asked("b", 2, 3), alone("c")},
		program:    "ask a, end a, ask c, ask x, end x, end c",
		want:       "a c x b",
		leftOver:   "b",
		moments:    "a: asked 1, answered 4; c: asked 1, answered 3; x: asked 2, answered 2; b: asked 2, answered 3",
	}, {
		name:       "the program asks for something else",
		recordings: exchanges{asked("a", 1, 4), asked("b", 2, 3), alone("c")},
		program:    "ask x, end x, ask c, end c",
		want:       "a b x c",
		leftOver:   "a b",
		moments:    "a: asked 1, answered 4; b: asked 2, answered 3",
	}, {
		name:       "the program asks for less",
		recordings: exchanges{asked("a", 1, 4), asked("b", 2, 3), alone("c")},
		program:    "ask c, end c",
		want:       "a b c",
		moments:    "a: asked 1, answered 4; b: asked 2, answered 3",
	}, {
		name:       "the program asks for one of the group, and for something else",
		recordings: exchanges{asked("a", 1, 4), asked("b", 2, 3), alone("c")},
		program:    "ask a, end a, ask x, end x, ask c, end c",
		want:       "a b x c",
		moments:    "a: asked 1, answered 4; b: asked 2, answered 3",
	}, {
		name:       "a call did not come in time, so the calls do not overlap any more",
		recordings: exchanges{asked("a", 1, 3), asked("b", 2, 4)},
		program:    "ask a, wait a, end a, ask b, end b",
		want:       "a b",
		moments:    "a: asked 1, answered 1; b: asked 2, answered 2",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := update(t, tt.recordings...)
			do(t, run, tt.program)
			run.Close()
			sorted, leftOver := run.InRunOrder(run.Recordings())

			if got := strings.Join(texts(sorted), " "); got != tt.want {
				t.Errorf("the order is %q, want %q", got, tt.want)
			}
			left := texts(leftOver)
			slices.Sort(left)
			if got := strings.Join(left, " "); got != tt.leftOver {
				t.Errorf("left over are %q, want %q", got, tt.leftOver)
			}
			if got := momentsOf(sorted); got != tt.moments {
				t.Errorf("the moments are\n%s\nwant\n%s", got, tt.moments)
			}
		})
	}
}

// momentsOf returns the moments of the recordings that have some.
func momentsOf(recs []*Recording) string {
	var all []string
	for _, rec := range recs {
		if moments := rec.Interaction().Concurrent; moments != nil {
			all = append(all, textOf(rec)+": "+moments.String())
		}
	}
	return strings.Join(all, "; ")
}
