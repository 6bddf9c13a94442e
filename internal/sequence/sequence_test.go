package sequence

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/sequence/idle"
)

// sequenceOf returns the sequence of recordings with these moments; "" is one that
// ran alone.
func sequenceOf(t testing.TB, texts ...string) *Sequence {
	t.Helper()
	calls := make([]Call, len(texts))
	for i, text := range texts {
		if text == "" {
			continue
		}
		m, err := interaction.ParseMoments(text)
		if err != nil {
			t.Fatal(err)
		}
		calls[i].Moments = m
	}
	return New(calls)
}

// coming runs a wait in a goroutine. isOver reports whether it is over.
func coming(t *testing.T, wait func() error) (isOver func() bool) {
	var over atomic.Bool
	go func() {
		if err := wait(); err != nil {
			t.Error(err)
		}
		over.Store(true)
	}()
	return func() bool {
		synctest.Wait()
		return over.Load()
	}
}

// answers waits for the headers of a turn.
func answers(t *testing.T, turn *Turn) (isOver func() bool) {
	return coming(t, func() error { return turn.Answered(context.Background()) })
}

// A response waits for one that came before its own request was sent, if the
// scheduler sends the requests in another order.
func TestAnswerBeforeAnotherWasAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := sequenceOf(t, "asked 1, answered 4", "asked 2, answered 2", "asked 3, answered 3")
		third := answers(t, s.Ask(2, nil, false))
		first := answers(t, s.Ask(0, nil, false))
		if third() || first() {
			t.Error("the second came before the first was asked")
		}
		second := s.Ask(1, nil, false)
		isSecond := answers(t, second)
		time.Sleep(time.Millisecond)
		if !isSecond() {
			t.Error("the first one waits")
		}
		second.Leave()
		time.Sleep(time.Millisecond)
		if !third() {
			t.Error("the second one waits, though the first has come")
		}
		time.Sleep(time.Second)
	})
}

// A call that ran alone in a cassette with concurrent calls may have done so by
// chance. It is kept in sequence, too.
func TestAloneByChance(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := sequenceOf(t, "", "asked 1, answered 3", "asked 2, answered 4", "", "")
		last := answers(t, s.Ask(4, nil, false))
		for number := range 4 {
			if last() {
				t.Errorf("the last one came before %d was asked", number)
			}
			turn := s.Ask(number, nil, false)
			answers(t, turn)
			time.Sleep(time.Millisecond)
			turn.Leave()
		}
		time.Sleep(time.Millisecond)
		if !last() {
			t.Error("the last one waits, though all others have come")
		}
	})
	if sequenceOf(t, "", "") != nil {
		t.Error("recordings that all ran alone are kept in sequence")
	}
}

// A piece that comes with the end of a stream is not its end.
func TestPiecesBeforeTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := sequenceOf(t, "asked 1, answered 3, ended 5", "asked 2, answered 6")
		stream, other := s.Ask(0, nil, false), s.Ask(1, nil, false)
		isOver := answers(t, other)
		ctx := context.Background()
		if err := stream.Answered(ctx); err != nil {
			t.Fatal(err)
		}
		for piece := range 3 {
			if err := stream.Piece(ctx, nil, piece, false); err != nil {
				t.Fatal(err)
			}
			if isOver() {
				t.Errorf("the other answer came with piece %d of a stream that has not ended", piece)
			}
		}
		if err := stream.Ended(ctx, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
		if !isOver() {
			t.Error("the other answer waits, though the stream has ended")
		}
	})
}

// Between events of one moment no other event came, so the second one does not
// wait. A wait takes a nanosecond of the bubble's clock.
func TestAtOneMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turn, ctx := sequenceOf(t, "asked 1, answered 3, pieces 3 4, ended 4", "asked 2, answered 5").Ask(0, nil, false), context.Background()
		for i, step := range []struct {
			come  func() error
			waits bool
		}{
			{func() error { return turn.Answered(ctx) }, true},
			{func() error { return turn.Piece(ctx, nil, 0, false) }, false},
			{func() error { return turn.Piece(ctx, nil, 1, false) }, true},
			{func() error { return turn.Ended(ctx, nil) }, false},
		} {
			start := time.Now()
			if err := step.come(); err != nil || time.Since(start) > 0 != step.waits {
				t.Errorf("event %d waited for %v; %v", i, time.Since(start), err)
			}
		}
	})
}

// Calls that the program leaves out take one timeout, however many there are.
func TestCallsLeftOutTakeOneTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// No other test has as many calls at once: the width of a pool is known in the whole process.
		const calls = 41
		var moments []string
		for i := range calls {
			moments = append(moments, fmt.Sprintf("asked %d, answered %d", 1+i, 1+calls+i))
		}
		s := sequenceOf(t, moments...)
		start := time.Now()
		turn := s.Ask(0, nil, false)
		if err := turn.Answered(context.Background()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took < idle.Longest || took > idle.Longest+time.Millisecond {
			t.Errorf("it took %v, want %v", took, idle.Longest)
		}
		waits := s.TimedOutWaits()
		if len(waits) != calls-1 || waits[0] != (TimedOutWait{Waits: 0, For: 1}) {
			t.Errorf("%v", waits)
		}
	})
}

// A pool of workers that takes its work in another order than it was recorded in waits once.
func TestPoolInAnotherOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var texts []string
		for i := range 200 {
			texts = append(texts, fmt.Sprintf("asked %d, answered %d", 2*i+1, 2*i+4))
		}
		s := sequenceOf(t, texts...)
		start := time.Now()
		jobs := make(chan int)
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				for i := range jobs {
					turn := s.Ask(i, nil, false)
					if err := turn.Answered(t.Context()); err != nil {
						t.Error(err)
					}
					turn.Leave()
				}
			})
		}
		for i := range texts {
			jobs <- i ^ 3 // each four in reverse
		}
		close(jobs)
		all.Wait()
		if took := time.Since(start); took > idle.Longest+time.Millisecond {
			t.Errorf("it took %v, want %v", took, idle.Longest)
		}
	})
}

// Two turns wait for a call that is left out. Whichever of their waits times out
// first, the second turn still waits for a request that the program sends when
// the first response has come.
func TestTimeoutKeepsLaterRequests(t *testing.T) {
	t.Parallel()
	for range 16 {
		synctest.Test(t, func(t *testing.T) {
			s := sequenceOf(t, "asked 1, answered 2", "asked 1, answered 3", "asked 2, answered 5", "asked 4, answered 6") // the first one is of an earlier run
			turns := []*Turn{s.Ask(1, nil, false), s.Ask(2, nil, false)}
			first, second := answers(t, turns[0]), answers(t, turns[1])
			time.Sleep(idle.Longest + time.Millisecond)
			if !first() || second() {
				t.Errorf("what waits for nothing has come: %t; what waits for the next question: %t", first(), second())
			}
			turns[0].Leave()
			third := answers(t, s.Ask(3, nil, false))
			time.Sleep(time.Millisecond)
			turns[1].Leave()
			time.Sleep(time.Millisecond)
			if !second() || !third() {
				t.Error("a turn waits for a request that was sent")
			}
			waits := s.TimedOutWaits()
			if len(waits) != 1 || waits[0].For != 0 {
				t.Errorf("%v", waits)
			}
		})
	}
}

// An event wakes only the waits that may be over, or the first one. If it woke
// all, N responses at once would cost N*N looks, and the program would never be
// idle.
func TestEventWakesOneWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const count = 50
		var texts []string
		for i := range count {
			texts = append(texts, fmt.Sprintf("asked %d, answered %d", i+1, count+i+1))
		}
		s := sequenceOf(t, texts...)
		var overs []func() bool
		for i := range count - 2 { // all but the last two are asked
			overs = append(overs, answers(t, s.Ask(i, nil, false)))
		}
		synctest.Wait()
		series := s.recorded[0].series
		before := slices.Clone(series.waits)
		last := []*Turn{s.Ask(count-2, nil, false)}
		synctest.Wait()
		before = slices.DeleteFunc(before, func(w *wait) bool { return !w.isOver })
		if len(series.waits) != count-2 || len(before) != 1 {
			t.Errorf("%d wait, and %d of them were woken", len(series.waits), len(before))
		}
		for _, turn := range append(last, s.Ask(count-1, nil, false)) {
			overs = append(overs, answers(t, turn))
		}
		time.Sleep(idle.Longest / 2)
		if first, second := overs[0](), overs[1](); !first || second { // the end of the first one has not come
			t.Errorf("the first one has come: %t, the second one: %t", first, second)
		}
		time.Sleep(count * idle.Longest)
	})
}

// A turn without any time left still waits while another turn waits for the
// program to be idle. If it looked again and again, the program would not be
// idle, and the clock of the bubble would stop.
func TestNoTimeoutDuringIdleWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := sequenceOf(t, "asked 1, answered 3", "asked 2, answered 4", "")
		s.pool = pool{recorded: 2, width: 1} // no worker is free
		s.timeoutsHeld = 1
		last := answers(t, s.Ask(2, nil, false))
		start := time.Now()
		time.Sleep(time.Nanosecond) // ends only when the last one waits
		if last() || time.Since(start) != time.Nanosecond {
			t.Error("the last one did not wait")
		}
		s.mu.Lock()
		s.timeoutsHeld = 0
		s.mu.Unlock()
		time.Sleep(2 * idle.Longest)
		if !last() {
			t.Error("the last one waits for what is not asked")
		}
	})
}

// A turn that is canceled when it has been woken wakes the next one, whose time
// begins.
func TestCanceledTurnWakesTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := sequenceOf(t, "asked 1, answered 4, pieces 7, ended 20", "asked 2, answered 5, pieces 8, ended 21", "asked 3, answered 6, ended 30")
		turns := []*Turn{s.Ask(0, nil, false), s.Ask(1, nil, false), s.Ask(2, nil, false)}
		for _, turn := range turns[:2] {
			if err := turn.Answered(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		first := make(chan error, 1)
		go func() { first <- turns[0].Piece(ctx, nil, 0, false) }()
		synctest.Wait()
		second := coming(t, func() error { return turns[1].Piece(t.Context(), nil, 0, false) })
		if second() {
			t.Error("the second one does not wait")
		}
		if err := turns[2].Answered(t.Context()); err != nil { // wakes the first one
			t.Fatal(err)
		}
		cancel()
		if err := <-first; err == nil {
			t.Fatal("it was not canceled in time")
		}
		time.Sleep(time.Second)
		if !second() {
			t.Error("the second one waits for one that is canceled")
		}
	})
}

// A request that a piece of a stream answers is not abandoned with a call that is
// left out. The stream waits for the call that is left out until pendingLimit,
// because the turns that abandoned it may be those of another program.
func TestStreamWaitsForPendingRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := sequenceOf(t, "asked 1, answered 2, pieces 5, ended 10", "asked 3, answered 8", "asked 4, answered 9", "asked 6, answered 7") // the third one is not asked
		stream := s.Ask(0, nil, false)
		if err := stream.Answered(t.Context()); err != nil {
			t.Fatal(err)
		}
		stream.AnswersOthers()
		piece := coming(t, func() error { return stream.Piece(t.Context(), nil, 0, false) })
		other := answers(t, s.Ask(1, nil, false))
		start := time.Now()
		for !piece() && !other() {
			time.Sleep(time.Millisecond)
		}
		if waited := time.Since(start); other() || waited < 5*idle.Longest || waited > 8*idle.Longest {
			t.Fatalf("after %v, what waits for what the piece causes has come: %t", waited, other())
		}
		time.Sleep(time.Millisecond)
		next := answers(t, s.Ask(3, nil, false))
		if time.Sleep(time.Microsecond); !next() {
			t.Error("what it causes waits")
		}
		time.Sleep(time.Second)
	})
}

// A stream waits for the requests that it answers, although a wait for them has
// timed out for another program. The two programs ran in the other order when
// they were recorded.
func TestStreamOfAnotherProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := sequenceOf(t, "asked 1, answered 2, pieces 5, ended 8", "asked 3, answered 4", "asked 6, answered 7",
			"asked 1, answered 2, pieces 5, ended 6", "asked 3, answered 4")
		for _, first := range []int{3, 0} { // the streams
			stream := s.Ask(first, nil, false)
			if err := stream.Answered(t.Context()); err != nil {
				t.Fatal(err)
			}
			stream.AnswersOthers()
			piece := coming(t, func() error { return stream.Piece(t.Context(), nil, 0, false) })
			if time.Sleep(4 * idle.Longest); piece() {
				t.Errorf("the stream %d has answered a request that was not sent", first)
			}
			post := s.Ask(first+1, nil, false)
			if err := post.Answered(t.Context()); err != nil {
				t.Fatal(err)
			}
			post.Leave()
			if time.Sleep(time.Millisecond); !piece() {
				t.Errorf("the stream %d does not answer", first)
			}
			stream.Leave()
		}
	})
}

// All turns get on next to streams that answer other calls, whichever call is
// left out.
func TestStreamsEndWhicheverCallIsLeftOut(t *testing.T) {
	t.Parallel()
	texts := []string{"asked 1, answered 2, pieces 9 11, ended 16", "asked 3, answered 4, pieces 5 6 18, ended 19", "asked 7, answered 15",
		"asked 8, answered 14", "asked 10, answered 17", "asked 12, answered 13"}
	for left := 2; left < len(texts); left++ {
		for range 20 {
			synctest.Test(t, func(t *testing.T) {
				s := sequenceOf(t, texts...)
				var all sync.WaitGroup
				for number := range texts {
					if number == left {
						continue
					}
					all.Go(func() {
						turn := s.Ask(number, nil, false)
						defer turn.Leave()
						if err := turn.Answered(t.Context()); err != nil || number > 1 {
							return
						}
						turn.AnswersOthers()
						for piece := range 2 + number {
							if turn.Piece(t.Context(), nil, piece, false) != nil {
								return
							}
						}
					})
				}
				all.Wait() // a deadlock in a bubble ends the test
			})
		}
	}
}

// The wait of a request ends when the request is canceled.
func TestCanceledWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := sequenceOf(t, "asked 1, answered 3", "asked 2, answered 4")
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(10*time.Millisecond, cancel)
		start := time.Now()
		if err := s.Ask(0, nil, false).Answered(ctx); err != context.Canceled || time.Since(start) > 11*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestOverlapping(t *testing.T) {
	t.Parallel()
	s := sequenceOf(t, "asked 1, answered 3", "asked 2, answered 5, ended 7", "asked 4, answered 6")
	for number, want := range []struct{ under, waiting, before int }{{1, 1, 2}, {2, 2, 3}, {1, 1, 3}} {
		if got := len(s.Overlapping(number)); got != want.under {
			t.Errorf("%d overlapped %d, want %d", number, got, want.under)
		}
		if got := len(s.WaitingWith(number)); got != want.waiting {
			t.Errorf("%d waited with %d, want %d", number, got, want.waiting)
		}
		if got := len(s.ConcurrentBefore(number)); got != want.before {
			t.Errorf("%d ran before the end of %d, want %d", got, number, want.before)
		}
	}
}

// The report of a miss may read the sequence while other calls are asked.
func TestReportReadsWhileOthersAsk(t *testing.T) {
	t.Parallel()
	s := sequenceOf(t, "asked 1, answered 4", "asked 2, answered 5", "asked 3, answered 6")
	var asking sync.WaitGroup
	for i := range 3 {
		asking.Go(func() { s.Ask(i, nil, false).Leave() })
	}
	if got := s.ConcurrentBefore(2); !slices.Equal(got, []int{0, 1, 2}) {
		t.Error(got)
	}
	if got := s.Overlapping(1); !slices.Equal(got, []int{0, 2}) {
		t.Error(got)
	}
	asking.Wait()
}
