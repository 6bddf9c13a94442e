package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A worker is one goroutine of a program: it opens a session, whose ID the other side makes up, and
// then asks questions in it. It waits for each answer.
type worker struct {
	number    int
	step      int    // how many messages it has sent
	isWaiting bool   // for the answer to the last one
	session   string // "" before it is open
	got       []string
}

// questions is how many questions each worker asks. The first one tells the workers apart.
const questions = 3

// next returns the next message of a worker: its form, and the session that it is for.
func (w *worker) next() (form, session string) {
	switch w.step {
	case 0:
		return "new", ""
	case 1:
		return fmt.Sprintf("question %d", w.number), w.session
	}
	return "more", w.session
}

func (w *worker) isDone() bool { return w.step > questions }

// A world has the workers, and the IDs of the calls that they wait for.
type world struct {
	random  *rand.Rand
	workers []*worker
	calls   int
	waiting map[string]*worker // by the name of the call
}

func newWorld(random *rand.Rand, workers int) *world {
	w := &world{random: random, waiting: map[string]*worker{}}
	for n := range workers {
		w.workers = append(w.workers, &worker{number: n})
	}
	return w
}

// send makes one of the workers that do not wait send its next message. It returns false if all of
// them wait or have ended.
func (w *world) send(send func(form string, names []string)) bool {
	var ready []*worker
	for _, worker := range w.workers {
		if !worker.isWaiting && !worker.isDone() {
			ready = append(ready, worker)
		}
	}
	if len(ready) == 0 {
		return false
	}
	worker := ready[w.random.IntN(len(ready))]
	form, session := worker.next()
	w.calls++
	names := []string{fmt.Sprintf("call %d", w.calls)}
	if session != "" {
		names = append(names, session)
	}
	worker.step++
	worker.isWaiting = true
	w.waiting[names[0]] = worker
	send(form, names)
	return true
}

// receive gives an answer to the worker that waits for it.
func (w *world) receive(t *testing.T, form string, names []string) {
	t.Helper()
	worker := w.waiting[names[0]]
	if worker == nil || !worker.isWaiting {
		t.Fatalf("nothing waits for the answer %s %q", form, names)
	}
	worker.isWaiting = false
	if worker.session == "" {
		worker.session = names[1]
	}
	if names[1] != worker.session {
		t.Fatalf("worker %d has session %q and got an answer for %q", worker.number, worker.session, names[1])
	}
	worker.got = append(worker.got, form)
}

// recordWorld returns the recording of a world, whose other side answers in any order. An answer
// says all that was asked in the session.
func recordWorld(t *testing.T, w *world) Recording {
	t.Helper()
	type call struct{ name, session, answer string }
	var rec Recording
	var pending []call
	asked := map[string]string{} // by session
	for sessions := 0; ; {
		wantsToSend := w.random.IntN(2) == 0
		isSent := (wantsToSend || len(pending) == 0) && w.send(func(form string, names []string) {
			rec.Messages = append(rec.Messages, Message{Sent: true, Form: form, Names: names})
			if form == "new" {
				sessions++
				pending = append(pending, call{names[0], fmt.Sprintf("session %d", sessions), "opened"})
				return
			}
			asked[names[1]] += form + ", "
			pending = append(pending, call{names[0], names[1], asked[names[1]]})
		})
		switch {
		case isSent:
			continue
		case len(pending) == 0:
			return rec
		}
		i := w.random.IntN(len(pending))
		c := pending[i]
		pending = slices.Delete(pending, i, i+1)
		names := []string{c.name, c.session}
		rec.Messages = append(rec.Messages, Message{Form: c.answer, Names: names})
		w.receive(t, c.answer, names)
	}
}

// FuzzNames checks that each worker gets its own answers, in whatever order the workers of a replay
// send. Equal requests get different sessions, and calls have other numbers in each run.
func FuzzNames(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, seed+1, uint8(2+seed%5))
	}
	f.Fuzz(func(t *testing.T, recorded, replayed uint64, size uint8) {
		workers := 1 + int(size)%8
		first := newWorld(rand.New(rand.NewPCG(recorded, 1)), workers)
		rec := recordWorld(t, first)
		g := NewGroup([]Recording{rec})
		g.Named = true
		p := open(t, g)

		replay := newWorld(rand.New(rand.NewPCG(replayed, 2)), workers)
		for {
			mayReceive := p.State() == Released
			isSent := (!mayReceive || replay.random.IntN(2) == 0) && replay.send(func(form string, names []string) {
				_, err := p.Send(form, names...)
				if err != nil {
					t.Fatal(err)
				}
			})
			if isSent {
				continue
			}
			place, names, state := p.Next()
			if state == Ended {
				break
			}
			if state != Released {
				t.Fatalf("all workers wait, and the state is %d", state)
			}
			replay.receive(t, rec.Messages[place.Message].Form, names)
		}
		for n, w := range replay.workers {
			if want := first.workers[n].got; !slices.Equal(w.got, want) {
				t.Errorf("worker %d got %q, want %q", n, w.got, want)
			}
		}
	})
}

// A name of the other side is sent as it was received: another session is a miss, and so is a
// session that was not received yet.
func TestSessionsAreNotConfused(t *testing.T) {
	t.Parallel()
	rec := Recording{Messages: []Message{
		{Sent: true, Form: "new", Names: []string{"call 1"}},
		{Form: "opened a", Names: []string{"call 1", "session 1"}},
		{Sent: true, Form: "new", Names: []string{"call 2"}},
		{Form: "opened b", Names: []string{"call 2", "session 2"}},
		{Sent: true, Form: "ask", Names: []string{"call 3", "session 2"}},
	}}
	for _, session := range []string{"session 1", "session 2", "session 3"} {
		g := NewGroup([]Recording{rec})
		g.Named = true
		p := open(t, g)
		for _, call := range []string{"7", "8"} {
			_, err := p.Send("new", call)
			if err != nil {
				t.Fatal(err)
			}
			_, names, _ := p.Next()
			if names[0] != call {
				t.Errorf("the answer to %s has the names %q", call, names)
			}
		}
		_, err := p.Send("ask", "9", session)
		isRecorded := err == nil
		if isRecorded != (session == "session 2") {
			t.Errorf("a question in %s: %v", session, err)
		}
	}
}

// Conversations that begin with other names, and that get other names, are placed like others.
func TestNamedConversationsMakeRoom(t *testing.T) {
	t.Parallel()
	recording := func(id, question string) Recording {
		return Recording{
			Names: []string{"folder " + id},
			Messages: []Message{
				{Form: "hello", Names: []string{"session " + id}},
				{Form: "log " + id, Aside: true},
				{Sent: true, Form: question, Names: []string{"session " + id, "folder " + id}},
				{Form: "answer to " + question},
			},
		}
	}
	g := NewGroup([]Recording{recording("1", "a"), recording("2", "b")})
	g.Named = true
	var players []*Player
	var sessions []string
	for n := range 2 {
		p, ok := g.Open(fmt.Sprintf("my folder %d", n))
		if !ok {
			t.Fatal("no recording is left")
		}
		_, names, _ := p.Next()
		players = append(players, p)
		sessions = append(sessions, names[0])
		p.Next() // the log
	}
	for n, question := range []string{"b", "a"} {
		_, err := players[n].Send(question, sessions[n], fmt.Sprintf("my folder %d", n))
		if err != nil {
			t.Fatal(err)
		}
	}
	for n, question := range []string{"b", "a"} {
		if got := next(players[n]); !strings.HasSuffix(got, "answer to "+question) {
			t.Errorf("conversation %d got %q", n, got)
		}
	}
}
