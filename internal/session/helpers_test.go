package session

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// record returns a recording of a script: "<a" is a received message, "~a:xyz" a
// piece of bytes of form a, and other words are sent messages.
func record(script string) Recording {
	var b Builder
	for _, word := range strings.Fields(script) {
		form, isReceived := strings.CutPrefix(word, "<")
		if isReceived {
			b.Receive(form)
			continue
		}
		piece, isPiece := strings.CutPrefix(word, "~")
		if isPiece {
			form, data, _ := strings.Cut(piece, ":")
			b.SendBytes(form, []byte(data))
			continue
		}
		b.Send(word)
	}
	return b.Recording()
}

// groupOf returns a group of recordings of scripts.
func groupOf(scripts ...string) *Group {
	recordings := make([]Recording, len(scripts))
	for i, script := range scripts {
		recordings[i] = record(script)
	}
	return NewGroup(recordings)
}

func open(t testing.TB, g *Group) *Player {
	t.Helper()
	p, ok := g.Open()
	if !ok {
		t.Fatal("no recording is left")
	}
	return p
}

// play plays a script: a sent message must be recorded, and a received one must be
// what Next returns. The last word may be "!", which is the end, or "?", after which
// the conversation waits.
func play(t testing.TB, p *Player, script string) {
	t.Helper()
	for _, word := range strings.Fields(script) {
		form, isReceived := strings.CutPrefix(word, "<")
		piece, isPiece := strings.CutPrefix(word, "~")
		var err error
		switch {
		case isReceived:
			if got := next(p); got != form {
				t.Fatalf("received %q in recording %d, want %q", got, p.Recording(), form)
			}
		case word == "!" || word == "?":
			if got := next(p); got != word {
				t.Fatalf("received %q, want %q", got, word)
			}
		case isPiece:
			form, data, _ := strings.Cut(piece, ":")
			err = p.SendBytes(form, []byte(data))
		default:
			_, err = p.Send(word)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// next returns the form of the next received message, "?" if the conversation
// waits, "!" if it has ended, "." if it is closed.
func next(p *Player) string {
	place, _, state := p.Next()
	if state != Released {
		return map[State]string{Waiting: "?", Ended: "!", Closed: "."}[state]
	}
	form := p.group.recordings[place.Recording].messages[place.Message].form
	for key, id := range p.group.ids {
		if id == form {
			return key.form
		}
	}
	return ""
}

// missOf returns the miss of an error, which must be one.
func missOf(t testing.TB, err error) *Miss {
	t.Helper()
	var miss *Miss
	if !errors.As(err, &miss) {
		t.Fatalf("error %v is no miss", err)
	}
	return miss
}

// indexes returns the indexes of messages, which must be of one recording.
func indexes(t testing.TB, places []Place) []int {
	t.Helper()
	var list []int
	for _, place := range places {
		if place.Recording != places[0].Recording {
			t.Fatalf("messages of several recordings: %v", places)
		}
		list = append(list, place.Message)
	}
	return list
}

func wantIndexes(t testing.TB, what string, got []Place, want ...int) {
	t.Helper()
	if list := indexes(t, got); !slices.Equal(list, want) {
		t.Errorf("%s: messages %v, want %v", what, list, want)
	}
}
