package session

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
)

func TestReceivedMessageComesAfterAllThatWasSentBefore(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, recording, replay string }{
		{"nothing", "", "!"},
		{"greeting", "<hello a", "<hello ? a !"},
		{"question and answer", "a <1 b <2", "? a <1 ? b <2 !"},
		{"two senders in the recorded order", "a b <1", "a ? b <1 !"},
		{"two senders in the other order", "a b <1", "b ? a <1 !"},
		{"message that was sent after an answer, sent early", "a <1 b <2", "b ? a <1 <2 !"},
		{"equal messages", "a <1 a <2", "a <1 ? a <2 !"},
		{"equal messages at once", "a <1 a <2", "a a <1 <2 !"},
		{"answers that wait for nothing", "a <1 <2 <3", "a <1 <2 <3 !"},
		{"end after the last sent message", "a <1 b", "a <1 ? b !"},
		{"end without a received message", "a", "? a !"},
		{"bytes in the recorded pieces", "~s:ab ~s:cd <1", "~s:ab ? ~s:cd <1 !"},
		{"bytes in one piece", "~s:ab ~s:cd <1", "? ~s:abcd <1 !"},
		{"bytes in small pieces", "~s:ab ~s:cd <1", "~s:a ~s:b ~s:c ? ~s:d <1 !"},
		{"piece that goes on after an answer", "~s:ab <1 ~s:cd <2", "~s:abc <1 ? ~s:d <2 !"},
		{"bytes with messages between them", "~s:ab a ~s:cd <1", "a ~s:a ? ~s:bcd <1 !"},
		{"two streams", "~s:ab ~t:cd <1", "~t:c ~s:ab ? ~t:d <1 !"},
		{"bytes and a message of one form", "s ~s:ab <1", "~s:ab ? s <1 !"},
		{"empty pieces", "~s: a ~s:b <1", "~s: a ? ~s:b ~s: <1 !"},
		{"empty piece of a stream that is not recorded", "a <1", "~s: a <1 !"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			play(t, open(t, groupOf(tt.recording)), tt.replay)
		})
	}
}

func TestMessageThatIsNotRecordedIsAMiss(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, recording, replay, miss string
		untaken                       []int
	}{
		{"unknown", "a b", "a", "c", []int{1}},
		{"more of a form than recorded", "a b a <1", "a a", "a", []int{1}},
		{"a received message, sent", "a <1", "a", "1", nil},
		{"a message for bytes", "~a:x b", "", "a", []int{0, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := open(t, groupOf(tt.recording))
			play(t, p, tt.replay)
			_, err := p.Send(tt.miss)
			miss := missOf(t, err)
			if miss.Form != tt.miss || len(miss.Candidates) != 1 || miss.Part {
				t.Fatalf("miss %+v", miss)
			}
			wantIndexes(t, "untaken", miss.Candidates[0].Untaken, tt.untaken...)
			if miss.Candidates[0].Fits {
				t.Error("the recording has the message")
			}
		})
	}
}

// A report can name all messages that are not recorded, not only the first.
func TestMissDoesNotChangeTheConversation(t *testing.T) {
	t.Parallel()
	p := open(t, groupOf("a ~s:abcd <1", "a b <2"))
	play(t, p, "a ~s:ab")
	if _, err := p.Send("c"); err == nil {
		t.Error("c is recorded")
	}
	if _, err := p.Send("b"); err == nil {
		t.Error("b is recorded after bytes")
	}
	if err := p.SendBytes("s", []byte("cx")); err == nil {
		t.Error("other bytes are recorded")
	}
	if err := p.SendBytes("s", []byte("cde")); err == nil {
		t.Error("more bytes are recorded")
	}
	play(t, p, "~s:c ? ~s:d <1 !")
}

func TestReportNamesWhatWasNotSent(t *testing.T) {
	t.Parallel()
	p := open(t, groupOf("a b <1 c ~s:xyz d <2 e"))
	wantIndexes(t, "missing at first", p.Missing(), 0, 1)
	play(t, p, "d b")
	wantIndexes(t, "missing after d and b", p.Missing(), 0)
	wantIndexes(t, "unsent after d and b", p.Unsent(), 0, 3, 4, 7)
	play(t, p, "a <1 ~s:xy")
	wantIndexes(t, "missing after a piece of a part", p.Missing(), 3, 4)
	play(t, p, "c ~s:z")
	wantIndexes(t, "missing while a message can be received", p.Missing())
	play(t, p, "<2")
	wantIndexes(t, "missing before the end", p.Missing(), 7)
	p.Close()
	wantIndexes(t, "unsent when closed", p.Unsent(), 7)
	wantIndexes(t, "taken", p.Taken(), 5, 1, 0, 3)
}

func TestClosedConversationHasNoMessages(t *testing.T) {
	t.Parallel()
	p := open(t, groupOf("a <1"))
	play(t, p, "a")
	p.Close()
	p.Close()
	if got := next(p); got != "." {
		t.Errorf("received %q", got)
	}
	if _, err := p.Send("a"); !errors.Is(err, ErrClosed) {
		t.Errorf("sent a message: %v", err)
	}
	if err := p.SendBytes("a", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("sent bytes: %v", err)
	}
}

// A reader in a synctest bubble is woken by what may release a message, also if the
// group was made outside of the bubble.
func TestReaderInABubbleIsWoken(t *testing.T) {
	t.Parallel()
	outside := map[string]*Group{}
	for _, name := range []string{"sent", "moved", "closed", "canceled"} {
		outside[name] = groupOf("a <1 b <2", "a c <3")
	}
	tests := []struct {
		name  string
		cause func(p *Player, cancel context.CancelFunc)
		want  string
	}{
		{"sent", func(p *Player, _ context.CancelFunc) { p.Send("a") }, "1"},
		{"moved", func(p *Player, _ context.CancelFunc) { p.Send("c"); p.Send("a") }, "3"},
		{"closed", func(p *Player, _ context.CancelFunc) { p.Close() }, "."},
		{"canceled", func(_ *Player, cancel context.CancelFunc) { cancel() }, "?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p *Player
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				p = open(t, outside[tt.name])
				got := make(chan string, 1)
				go func() {
					err := p.Wait(ctx)
					isCanceled := tt.want == "?"
					if isCanceled != errors.Is(err, context.Canceled) {
						t.Errorf("the wait ended with %v", err)
					}
					got <- next(p)
				}()

				synctest.Wait()
				if len(got) != 0 {
					t.Fatal("did not wait")
				}
				tt.cause(p, cancel)
				if got := <-got; got != tt.want {
					t.Errorf("received %q, want %q", got, tt.want)
				}
			})

			// The recorder closes what the bubble has left open.
			p.Close()
		})
	}
}

// A conversation whose place another one needs is woken if its new recording has a
// message for it.
func TestReaderIsWokenWhenItsConversationMoves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := groupOf("a b c <1", "a <2")
		first, second := open(t, g), open(t, g)
		play(t, first, "a ?")
		got := make(chan string, 1)
		go func() {
			if err := first.Wait(t.Context()); err != nil {
				t.Error(err)
			}
			got <- next(first)
		}()

		synctest.Wait()
		play(t, second, "a b")
		if got := <-got; got != "2" {
			t.Errorf("received %q", got)
		}
	})
}

// A long conversation keeps a few bytes for each message, besides the recording.
func TestLongConversationIsSmall(t *testing.T) {
	const messages = 100_000
	recording := longRecording(messages)
	before := liveHeap()
	g := NewGroup([]Recording{recording})
	p := open(t, g)
	playLong(t, p, recording)
	grown := liveHeap() - before
	t.Logf("%d bytes", grown)
	if grown > 150*messages {
		t.Errorf("%d bytes for %d messages", grown, messages)
	}
	runtime.KeepAlive(p)
	runtime.KeepAlive(recording)
}

func liveHeap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// A miss has the next messages that could have been meant, so that its caller need not compare all
// messages of a long recording.
func TestMissHasTheNextMessages(t *testing.T) {
	t.Parallel()
	var rec Recording
	for i := range 3 * mostUntaken {
		rec.Messages = append(rec.Messages, Message{Sent: true, Form: fmt.Sprint(i)})
	}
	p, _ := NewGroup([]Recording{rec}).Open()
	_, err := p.Send("0")
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Send("x")
	var miss *Miss
	if !errors.As(err, &miss) {
		t.Fatal(err)
	}
	untaken := miss.Candidates[0].Untaken
	if len(untaken) != mostUntaken || untaken[0].Message != 1 {
		t.Errorf("%d messages, from %v", len(untaken), untaken[0])
	}
	if len(p.Unsent()) != 3*mostUntaken-1 {
		t.Errorf("%d are not sent", len(p.Unsent()))
	}
}
