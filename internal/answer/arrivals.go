package answer

import (
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// An arrival is a chunk of a live body: what one Read returned.
type arrival struct {
	end    int           // offset in the body just past it
	at     time.Duration // since the request was sent
	filled bool          // it filled the client's buffer: more may have been there
	shared bool          // the last byte of an event was in it
}

// arrivals tells when the frames of a live body came.
type arrivals struct {
	chunks []arrival     // those that may hold bytes behind the frames so far
	framed int           // where the frames so far end in the body
	last   time.Duration // when the last piece that has a delay came; at first, the headers
}

// delayOf says when the next frame came. It came with the chunk that completed it: where
// TCP splits a frame means nothing. But where a chunk ended behind a line of the frame,
// the server meant it, and each of the pieces has its own delay: some SDKs' parsers work
// with one of the two ways only (cohere-go's, if the blank line comes with the next
// event).
func (a *arrivals) delayOf(frame []byte) (d interaction.Delay) {
	start, timed, end := a.framed, a.framed, a.framed+len(frame)
	a.framed = end
	for {
		chunk := &a.chunks[0]
		isLast := chunk.end >= end
		if isLast || chunk.end > timed && !chunk.filled && frame[chunk.end-start-1] == '\n' {
			ms := a.since(chunk.at)
			if timed == start {
				d.MS, d.Together = ms, chunk.shared
			} else {
				d.Rest = d.Rest.Add(interaction.Piece{Bytes: end - timed, MS: ms})
			}
			timed = chunk.end
		}
		if isLast {
			chunk.shared = true
			return d
		}
		a.chunks = a.chunks[1:]
	}
}

// all returns the lengths and delays of all chunks, for a body that has no frames.
func (a *arrivals) all() (lengths []int, delays []interaction.Delay) {
	start := 0
	for _, chunk := range a.chunks {
		if chunk.end == start {
			continue // nothing came out of its coding
		}
		lengths = append(lengths, chunk.end-start)
		delays = append(delays, interaction.Delay{MS: a.since(chunk.at)})
		start = chunk.end
	}
	return lengths, delays
}

// since returns the milliseconds from the last piece that has a delay to the one that
// came at this time.
func (a *arrivals) since(at time.Duration) int64 {
	ms := (at - a.last).Milliseconds()
	a.last = at
	return max(0, ms)
}
