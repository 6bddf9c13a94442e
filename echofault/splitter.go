package echofault

import (
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/stream"
)

// A splitter splits a body into events while the body comes: those that a cassette lists
// under "events". Unlike a [stream.Cutter] it passes the bytes of an event on at once, before
// the event is complete. A body that is not a stream is one event.
type splitter struct {
	contentType string
	coded       bool // the body has a content coding, so its events cannot be read

	// part gets the bytes of the body in order, with the number of their event, from 1.
	// last says that the event ends here. It must not keep the bytes.
	part func(b []byte, event int, last bool)

	framing *stream.Framing // nil if the body is not a stream
	known   bool            // framing is final
	events  atomic.Int64    // the number of complete events
	buf     []byte          // of the incomplete event, or of the body while framing is not known
	passed  int             // how many bytes of buf part has got
}

// knownAfter is the number of bytes after which a body that does not look like a stream is
// none, as in [stream.Cutter].
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

// cut passes on the bytes of a stream that are in buf.
func (s *splitter) cut(atEnd bool) {
	for len(s.buf) > 0 {
		n := s.framing.FrameLen(s.buf, atEnd)
		if n == 0 && !atEnd {
			s.part(s.buf[s.passed:], int(s.events.Load())+1, false)
			s.passed = len(s.buf)
			return
		}
		if n == 0 {
			n = len(s.buf)
		}
		if s.events.Load() == 0 { // only a complete line shows which line ends a stream has
			s.framing = stream.Detect(s.contentType, s.buf)
		}
		s.part(s.buf[s.passed:n], int(s.events.Add(1)), true)
		s.buf = s.buf[n:]
		s.passed = 0
	}
}
