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

	// pass gets the bytes of the body in order, with the number of their event,
	// from 1. isEnd says that the event ends with these bytes. pass must not keep
	// them.
	pass func(b []byte, event int, isEnd bool)

	framing *stream.Framing // nil if the body is not a stream
	known   bool            // framing is final
	events  atomic.Int64    // the number of complete events
	buf     []byte          // of the incomplete event, or of the body while framing is not known
	passed  int             // how many bytes at the start of buf were passed on
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
		s.pass(s.buf, 1, atEnd)
		s.buf = s.buf[:0]
	default:
		s.passEvents(atEnd)
	}
}

// passEvents passes on the bytes in buf that were not passed on yet: those of
// complete events, and those at the start of the next event. For the buffer
//
//	data: {"a":1}\n\ndata: {"b
//
// it passes on event 1 with its end, and 10 bytes of event 2 without an end. The
// incomplete event stays in buf, so that its length can be found later. atEnd
// says that the body is over: then the last event ends where the body does.
func (s *splitter) passEvents(atEnd bool) {
	for len(s.buf) > 0 {
		eventLen := s.framing.FrameLen(s.buf, atEnd)
		isIncomplete := eventLen == 0
		if isIncomplete && !atEnd {
			event := int(s.events.Load()) + 1
			s.pass(s.buf[s.passed:], event, false)
			s.passed = len(s.buf)
			return
		}
		if isIncomplete {
			eventLen = len(s.buf)
		}

		isFirst := s.events.Load() == 0
		if isFirst {
			// A stream of server-sent events ends its lines with \n, \r\n or \r. Which
			// one is not certain before buf has a complete event.
			s.framing = stream.Detect(s.contentType, s.buf)
		}
		event := int(s.events.Add(1))
		s.pass(s.buf[s.passed:eventLen], event, true)
		s.buf = s.buf[eventLen:]
		s.passed = 0
	}
}
