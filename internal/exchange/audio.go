package exchange

import (
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/session"
)

// AudioParts are the parts of the audio that a client sends in messages. A part ends where the
// server sends a message: what the client had sent by then is what the server answers. The bytes
// are not kept, so a session of hours needs little memory.
type AudioParts struct {
	open map[interaction.Message]*audioPart // by the message without its audio
}

// An audioPart is a part that has not ended.
type audioPart struct {
	event int // the index of the event that has the part
	size  int64
	sum   *session.Digest
}

// Add adds a piece of audio that a message has brought, and reports whether it begins a part,
// which gets the event with the index next.
func (a *AudioParts) Add(without interaction.Message, piece []byte, next int) (begins bool) {
	part := a.open[without]
	if part == nil {
		begins = true
		part = &audioPart{event: next, sum: session.NewDigest()}
		if a.open == nil {
			a.open = map[interaction.Message]*audioPart{}
		}
		a.open[without] = part
	}
	part.size += int64(len(piece))
	part.sum.Add(piece)
	return begins
}

// End ends the open parts, and writes what they stand for into their events.
func (a *AudioParts) End(events []interaction.Event) {
	for without, part := range a.open {
		m := without
		sum := part.sum.Sum()
		m.Audio = &interaction.Audio{Size: part.size, Sum: sum.Bytes, Pieces: sum.Pieces}
		events[part.event] = m.Event()
	}
	clear(a.open)
}
