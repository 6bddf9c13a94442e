package session

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestConversationTakesTheFirstRecordingThatFits(t *testing.T) {
	t.Parallel()
	g := groupOf("a <1", "b <2", "a <1", "a c <3")
	first, second, third := open(t, g), open(t, g), open(t, g)
	play(t, third, "a")
	play(t, second, "b")
	play(t, first, "a")
	for want, p := range []*Player{first, second, third} {
		if got := p.Recording(); got != want {
			t.Errorf("conversation %d is on recording %d", want, got)
		}
	}
	play(t, first, "c")
	if got := first.Recording(); got != 3 {
		t.Errorf("after c: recording %d", got)
	}
}

func TestConversationsMakeRoomForOthers(t *testing.T) {
	t.Parallel()
	g := groupOf("a <0 b <1", "a <0 c <2", "a <0 d <3")
	first, second, third := open(t, g), open(t, g), open(t, g)
	for _, p := range []*Player{first, second, third} {
		play(t, p, "a <0 ?")
	}
	// Each of them needs the place of another one.
	play(t, third, "b <1 !")
	play(t, first, "c <2 !")
	play(t, second, "d <3 !")
}

func TestConversationThatMovedHasOtherMessagesTaken(t *testing.T) {
	t.Parallel()
	g := groupOf("a b <1", "x a <2 a", "c")
	p := open(t, g)
	place, err := p.Send("a")
	if err != nil || place != (Place{0, 0}) {
		t.Errorf("a is %v: %v", place, err)
	}
	place, err = p.Send("a")
	if err != nil || place != (Place{1, 3}) {
		t.Errorf("the second a is %v: %v", place, err)
	}
	wantIndexes(t, "taken", p.Taken(), 1, 3)
	wantIndexes(t, "missing", p.Missing(), 0)
}

func TestReceivedMessagesDecideWhereAConversationMoves(t *testing.T) {
	t.Parallel()
	g := groupOf("a <1", "a <2 b", "a <1 b")
	p := open(t, g)
	play(t, p, "a <1 b !")
	if got := p.Recording(); got != 2 {
		t.Errorf("recording %d", got)
	}

	q := open(t, g)
	play(t, q, "a <1")
	_, err := q.Send("b")
	miss := missOf(t, err)
	fits := []bool{false, true} // of recordings 0 and 2
	if len(miss.Candidates) != len(fits) {
		t.Fatalf("miss %+v", miss)
	}
	for i, candidate := range miss.Candidates {
		if candidate.Fits != fits[i] {
			t.Errorf("candidate %+v", candidate)
		}
	}
	if !strings.Contains(miss.Error(), "another conversation") {
		t.Error(miss)
	}
}

func TestRecordingIsUsedOnce(t *testing.T) {
	t.Parallel()
	g := groupOf("a", "b")
	open(t, g).Close()
	open(t, g)
	if _, ok := g.Open(); ok {
		t.Error("a third conversation has a recording")
	}
	if _, ok := NewGroup(nil).Open(); ok {
		t.Error("a conversation has a recording of none")
	}
}

// A conversation that the program has closed before the end makes room for others.
func TestClosedConversationMakesRoom(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{"", "a", "a ?"} {
		g := groupOf("a b <1", "a <2")
		first, second := open(t, g), open(t, g)
		play(t, first, sent)
		first.Close()
		play(t, second, "a b <1 !")
		if got := first.Recording(); got != 1 {
			t.Errorf("closed after %q: recording %d", sent, got)
		}
		wantIndexes(t, "unsent", second.Unsent())
	}
}

// A conversation that is closed after its last message remains on its recording,
// although it fits a longer one: a report would say that messages of that one were
// not sent.
func TestCompleteConversationStays(t *testing.T) {
	t.Parallel()
	g := groupOf("a <1", "a <1 b", "d", "e")
	complete, second, third := open(t, g), open(t, g), open(t, g)
	play(t, complete, "a <1")
	complete.Close()
	play(t, third, "a")
	want := []int{0, 2, 1}
	for i, p := range []*Player{complete, second, third} {
		if got := p.Recording(); got != want[i] {
			t.Errorf("conversation %d is on recording %d, want %d", i, got, want[i])
		}
	}
	wantIndexes(t, "unsent", complete.Unsent())
}

// A conversation does not leave the recording whose end the program has seen.
func TestEndIsFinal(t *testing.T) {
	t.Parallel()
	g := groupOf("a <1", "a <1 b")
	p := open(t, g)
	play(t, p, "a <1 !")
	if _, err := p.Send("b"); err == nil {
		t.Error("the conversation goes on after its end")
	}
}

// Conversations that begin alike and part later, each with a goroutine that sends
// and one that receives.
func TestConcurrentConversationsReceiveTheirRecording(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 8, 20} {
		for seed := range uint64(50) {
			t.Run(fmt.Sprintf("%d/%d", n, seed), func(t *testing.T) {
				t.Parallel()
				replayConcurrently(t, n, seed)
			})
		}
	}
}

// rounds of messages after which all conversations of the test have parted: 1<<5 is
// more than 20.
const rounds = 6

// roundOf returns the messages of a round of a conversation: those that it sends and
// those that it receives. Conversations whose numbers are equal modulo a power of
// two are alike in the first rounds.
func roundOf(conversation, round int) (sent []string, audio string, received []string) {
	branch := fmt.Sprintf("%d.%d", round, conversation%(1<<round))
	sent = []string{"ask" + branch, "and" + branch}
	audio = "~s:audio" + branch + ","
	received = []string{"answer" + branch, "done" + branch}
	return sent, audio, received
}

func replayConcurrently(t *testing.T, n int, seed uint64) {
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	scripts := make([]string, n)
	for i := range scripts {
		var words []string
		for round := range rounds {
			sent, audio, received := roundOf(i, round)
			words = append(words, sent...)
			words = append(words, audio, "<"+received[0], "<"+received[1])
		}
		scripts[i] = strings.Join(words, " ")
	}
	g := groupOf(scripts...)

	var wg sync.WaitGroup
	for _, i := range random.Perm(n) {
		p := open(t, g)
		own := rand.New(rand.NewPCG(seed, uint64(i)))
		wg.Go(func() { sendAll(t, p, i, own) })
		wg.Go(func() { receiveAll(t, p, i) })
	}
	wg.Wait()
}

// sendAll sends the messages of a conversation. The order within a round, the
// pieces of the audio and the turns of the goroutines are random.
func sendAll(t *testing.T, p *Player, conversation int, random *rand.Rand) {
	for round := range rounds {
		sent, audio, _ := roundOf(conversation, round)
		stream := []byte(strings.TrimPrefix(audio, "~s:"))
		cut := random.IntN(len(stream))
		steps := []func() error{
			func() error { _, err := p.Send(sent[0]); return err },
			func() error { _, err := p.Send(sent[1]); return err },
			func() error {
				if err := p.SendBytes("s", stream[:cut]); err != nil {
					return err
				}
				runtime.Gosched()
				return p.SendBytes("s", stream[cut:])
			},
		}
		for _, i := range random.Perm(len(steps)) {
			if err := steps[i](); err != nil {
				t.Errorf("conversation %d, round %d: %v", conversation, round, err)
				p.Close()
				return
			}
			for range random.IntN(4) {
				runtime.Gosched()
			}
		}
	}
}

func receiveAll(t *testing.T, p *Player, conversation int) {
	var want, got []string
	for round := range rounds {
		_, _, received := roundOf(conversation, round)
		want = append(want, received...)
	}
	for {
		if err := p.Wait(t.Context()); err != nil {
			t.Error(err)
			return
		}
		form := next(p)
		if form == "!" || form == "." {
			break
		}
		got = append(got, form)
	}
	if !slices.Equal(got, want) {
		t.Errorf("conversation %d received %v, want %v", conversation, got, want)
	}
}

// longRecording returns a recording of questions, all different, and answers.
func longRecording(messages int) Recording {
	var b Builder
	for i := range messages / 2 {
		b.Send(fmt.Sprintf(`{"type":"response.create","number":%d}`, i))
		b.Receive(fmt.Sprintf(`{"type":"response.done","number":%d}`, i))
	}
	return b.Recording()
}

func playLong(t testing.TB, p *Player, recording Recording) {
	for _, m := range recording.Messages {
		if m.Sent {
			if _, err := p.Send(m.Form); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if _, _, state := p.Next(); state != Released {
			t.Fatal(state)
		}
	}
}

// One conversation of 100,000 messages.
func BenchmarkLongConversation(b *testing.B) {
	const messages = 100_000
	recording := longRecording(messages)
	b.ReportAllocs()
	for b.Loop() {
		p := open(b, NewGroup([]Recording{recording}))
		playLong(b, p, recording)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/messages, "ns/message")
}

// 64 conversations on 64 recordings of 100 messages that share the first half, in
// turns. Each of them needs the place of another one in the second half.
func BenchmarkSharedBeginning(b *testing.B) {
	const conversations, messages = 64, 100
	recordings := make([]Recording, conversations)
	for i := range recordings {
		var builder Builder
		for n := range messages / 2 {
			branch := i
			if n < messages/4 {
				branch = 0
			}
			builder.Send(fmt.Sprintf(`{"type":"response.create","number":%d,"of":%d}`, n, branch))
			builder.Receive(fmt.Sprintf(`{"type":"response.done","number":%d,"of":%d}`, n, branch))
		}
		recordings[i] = builder.Recording()
	}
	b.ReportAllocs()
	for b.Loop() {
		g := NewGroup(recordings)
		players := make([]*Player, conversations)
		for i := range players {
			players[i] = open(b, g)
		}
		for n := range messages {
			for i, p := range players {
				m := recordings[conversations-1-i].Messages[n]
				playLong(b, p, Recording{Messages: []Message{m}})
			}
		}
	}
	total := float64(conversations * messages)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/total, "ns/message")
}

// With Repeats, a conversation that fits only recordings of others is played from one of them,
// wherever it was placed before.
func TestConversationIsRepeated(t *testing.T) {
	t.Parallel()
	g := groupOf("a <1 b <2", "c <3")
	g.Repeats = true
	for range 3 {
		play(t, open(t, g), "c <3 !")
	}
	play(t, open(t, g), "a <1 b <2 !")
	play(t, open(t, g), "a <1 b <2 !")
	_, err := open(t, g).Send("d")
	missOf(t, err)
}
