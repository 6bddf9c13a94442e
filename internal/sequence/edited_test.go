package sequence

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// longestForEdits is how long a replay of an edited program may wait in all.
const longestForEdits = 250 * time.Millisecond

// A program sends calls in rounds: those of a round at once, and the next round
// when all responses of the round have come.
type program struct {
	rounds [][]int // the numbers of the recorded calls; -1 is one that is not recorded
}

// newProgram returns a program and the moments of its recorded calls. The
// responses of a round come in any order.
func newProgram(random *rand.Rand) (p program, moments []string) {
	now := 0
	for range 1 + random.IntN(5) {
		first, size := len(moments), 2+random.IntN(6)
		answered := random.Perm(size)
		var round []int
		for i := range size {
			round = append(round, first+i)
			moments = append(moments, fmt.Sprintf("asked %d, answered %d",
				now+i+1, now+size+answered[i]+1))
		}
		now += 2 * size
		p.rounds = append(p.rounds, round)
	}
	return p, moments
}

// run runs the program in a replay, with at most so many calls at once.
func (p program) run(t *testing.T, s *Sequence, workers int) {
	for _, round := range p.rounds {
		free := make(chan struct{}, workers)
		var all sync.WaitGroup
		for _, number := range round {
			free <- struct{}{}
			all.Go(func() {
				defer func() { <-free }()
				if number < 0 {
					ctx, cancel := context.WithCancel(context.Background())
					defer cancel()
					s.WaitForCancel(ctx)
					return
				}
				play(t, s, number)
			})
		}
		all.Wait()
	}
}

// pick returns a round with calls, and the index of one of them.
func (p program) pick(random *rand.Rand) (round *[]int, i int) {
	for {
		round := &p.rounds[random.IntN(len(p.rounds))]
		if len(*round) > 0 {
			return round, random.IntN(len(*round))
		}
	}
}

// A developer who edits a program and replays it waits for a quarter of a second
// at most, however many calls the program makes.
func TestEditedProgramWaitsOnce(t *testing.T) {
	t.Parallel()
	asBefore := func(program, *rand.Rand) {}
	const all = 100 // calls at once
	for _, edit := range []struct {
		name    string
		apply   func(program, *rand.Rand)
		workers func(*rand.Rand) int
	}{
		{"not edited", asBefore, nil},
		{"a call is left out", func(p program, random *rand.Rand) {
			round, i := p.pick(random)
			*round = slices.Delete(*round, i, i+1)
		}, nil},
		{"two calls are left out", func(p program, random *rand.Rand) {
			for range 2 {
				round, i := p.pick(random)
				*round = slices.Delete(*round, i, i+1)
			}
		}, nil},
		{"a call is added", func(p program, random *rand.Rand) {
			round, i := p.pick(random)
			*round = slices.Insert(*round, i, -1)
		}, nil},
		{"the calls of each round are in another order", func(p program, random *rand.Rand) {
			for _, round := range p.rounds {
				random.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
			}
		}, nil},
		{"a narrower pool", asBefore, func(random *rand.Rand) int { return 1 + random.IntN(6) }},
	} {
		for seed := range uint64(full.Cases(20, 2000)) {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 0))
				p, moments := newProgram(random)
				edit.apply(p, random)
				workers := all
				if edit.workers != nil {
					workers = edit.workers(random)
				}
				start := time.Now()
				p.run(t, sequenceOf(t, moments...), workers)
				if took := time.Since(start); took > longestForEdits {
					t.Errorf("%s, seed %d: the replay waited %v, want at most %v",
						edit.name, seed, took, longestForEdits)
				}
			})
		}
	}
}
