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

	"github.com/promptecho/promptecho/internal/sequence/idle"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// recordedBy returns the moments of calls that a pool of workers made, each with a
// response in a few pieces.
func recordedBy(random *rand.Rand, workers, calls int) (moments []string) {
	type call struct{ number, left int }
	texts := make([]string, calls)
	var open []call
	for now, next := 1, 0; next < calls || len(open) > 0; now++ {
		if len(open) < workers && next < calls {
			texts[next] = fmt.Sprintf("asked %d", now)
			open = append(open, call{next, 2 + random.IntN(3)})
			next++
			continue
		}
		i := random.IntN(len(open))
		c := &open[i]
		c.left--
		switch {
		case !slices.Contains([]byte(texts[c.number]), ','):
			texts[c.number] += fmt.Sprintf(", answered %d", now)
		case c.left <= 0:
			texts[c.number] += fmt.Sprintf(", ended %d", now)
			open = slices.Delete(open, i, i+1)
		case len(texts[c.number]) > 0:
			texts[c.number] += fmt.Sprintf(", pieces %d", now)
			c.left = 0
		}
	}
	return texts
}

// A pool with as many workers as the recorded one, or fewer, that takes its work in
// any order has one timeout at most.
func TestNarrowerPool(t *testing.T) {
	t.Parallel()
	for seed := range uint64(full.Cases(20, 2000)) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			recorded := 30 + random.IntN(4) // no other test has as many: the width is kept for the process
			workers, calls := 1+random.IntN(recorded), recorded+random.IntN(60)
			moments := recordedBy(random, recorded, calls)
			s := sequenceOf(t, moments...)
			work := make([]int, calls)
			for i := range work {
				work[i] = i
			}
			if random.IntN(2) == 0 {
				random.Shuffle(len(work), func(i, j int) { work[i], work[j] = work[j], work[i] })
			}
			jobs := make(chan int)
			var all sync.WaitGroup
			start := time.Now()
			for range workers {
				all.Go(func() {
					for number := range jobs {
						play(t, s, number)
					}
				})
			}
			for _, number := range work {
				jobs <- number
			}
			close(jobs)
			all.Wait()
			if took := time.Since(start); took > idle.Longest+time.Millisecond {
				t.Errorf("seed %d: %d of %d workers took %v for %d calls, want at most %v", seed, workers, recorded, took, calls, idle.Longest)
			}
		})
	}
}

// play asks for a recording and reads all of its response.
func play(t *testing.T, s *Sequence, number int) {
	turn, ctx := s.Ask(number, nil, false), context.Background()
	defer turn.Leave()
	if err := turn.Answered(ctx); err != nil {
		t.Error(err)
	}
	for piece := range len(s.recorded[number].events) - 3 {
		if err := turn.Piece(ctx, nil, piece, false); err != nil {
			t.Error(err)
		}
	}
	if err := turn.Ended(ctx, nil); err != nil {
		t.Error(err)
	}
}

// The width of a pool is the fewest calls that waited at a timeout, until more
// than two for each worker wait.
func TestPoolWidth(t *testing.T) {
	t.Parallel()
	var p pool
	if p.isFull(100) || p.isSure() {
		t.Error("a pool is full before its width is known")
	}
	p.noteTimeout(3)
	p.noteTimeout(2)
	p.noteTimeout(4)
	for waiting, want := range map[int]bool{1: false, 2: true, 3: true} {
		if got := p.isFull(waiting); got != want {
			t.Errorf("%d calls wait, of 2 workers: full %v", waiting, got)
		}
	}
	for n := range skipsUntilSure {
		if p.isSure() {
			t.Errorf("sure after %d skips", n)
		}
		p.noteSkip()
	}
	p.noteTimeout(2)
	if !p.isSure() {
		t.Error("not sure, though the width is the same at each timeout")
	}
	p.noteWaiting(4)
	if p.width != 2 {
		t.Errorf("%d workers after two waits of each", p.width)
	}
	p.noteWaiting(5)
	if p.width != 0 || p.isSure() {
		t.Errorf("%d workers although five calls wait", p.width)
	}
}

// What a sequence knows of a pool is known to the next one with as many calls
// open at once, until one of them finds that there are more workers.
func TestSequencesShareTheWidthOfAPool(t *testing.T) {
	t.Parallel()
	const open = 1_000 // no other test has as many: the width is kept for the process
	skip := func(p *pool, times int) {
		for range times {
			p.noteSkip()
		}
	}
	shared := func() int { return sharedWidths.get(open) }

	p := pool{recorded: open, width: 3}
	skip(&p, skipsUntilSure-1)
	if got := shared(); got != 0 {
		t.Errorf("%d workers are known before the width is sure", got)
	}
	skip(&p, 1)
	if got := shared(); got != 3 {
		t.Errorf("%d workers are known, want 3", got)
	}
	p.noteWaiting(7) // more than two for each worker
	if got := shared(); got != 0 {
		t.Errorf("%d workers are known although 7 calls waited", got)
	}

	small := pool{recorded: leastShared - 1, width: 1}
	skip(&small, skipsUntilSure)
	asRecorded := pool{recorded: open + 1, width: open + 1}
	skip(&asRecorded, skipsUntilSure)
	for _, recorded := range []int{small.recorded, asRecorded.recorded} {
		if got := sharedWidths.get(recorded); got != 0 {
			t.Errorf("%d workers are known of a pool of %d calls", got, recorded)
		}
	}
}
