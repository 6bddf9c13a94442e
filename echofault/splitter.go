package echofault

import (
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/stream"
)

// A splitter tells where the events of a body end, while the body comes. They are those
// that a cassette lists under "events". Unlike a [stream.Cutter] it gives the bytes of an
// event at once, before the event is whole. A body that is no stream is one event.
type splitter struct {
	contentType string
	coded       bool // the body has a content coding, so nobody sees events in it

	// part gets the bytes of the body in order, with the number of their event, from 1.
	// last says that the event ends here. It must not keep the bytes.
	part func(b []byte, event int, last bool)

	framing *stream.Framing // nil if the body is no stream
	known   bool            // whether it is one is settled
	events  atomic.Int64    // that are whole
	buf     []byte          // of the event that is not whole, or of a body that is not known
	given   int             // how many of these bytes were given
}

// knownAfter is the number of bytes from which a body is what it looks like, as in
// [stream.Cutter].
const knownAfter = 4 << 10

// add takes the next piece of the body. atEnd says that nothing follows.
func (s *splitter) add(piece []byte, atEnd bool) {
	s.buf = append(s.buf, piece...)
	if !s.known {
		if !s.coded {
			s.framing = stream.Detect(s.contentType, s.buf)
		}
		s.known = s.framing != nil || s.coded || atEnd || len(s.buf) >= knownAfter
	}
	switch {
	case !s.known:
	case s.framing == nil:
		s.part(s.buf, 1, atEnd)
		s.buf = s.buf[:0]
	default:
		s.cut(atEnd)
	}
}

// cut gives what is there of a stream.
func (s *splitter) cut(atEnd bool) {
	for len(s.buf) > 0 {
		n := s.framing.FrameLen(s.buf, atEnd)
		if n == 0 && !atEnd {
			s.part(s.buf[s.given:], int(s.events.Load())+1, false)
			s.given = len(s.buf)
			return
		}
		if n == 0 {
			n = len(s.buf)
		}
		if s.events.Load() == 0 { // only a whole line tells the line ends of a stream
			s.framing = stream.Detect(s.contentType, s.buf)
		}
		s.part(s.buf[s.given:n], int(s.events.Add(1)), true)
		s.buf, s.given = s.buf[n:], 0
	}
}
