package provider

import (
	"io"
	"net/http"
	"strings"
)

// Zeros is a file without an end.
type Zeros struct{}

func (Zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Broken is a body that cannot be read.
type Broken struct{ Err error }

func (b Broken) Read([]byte) (int, error) { return 0, b.Err }

// A Stream is a body of many events.
type Stream struct {
	event       []byte
	size, sent  int
	nextWatched int
	watch       func(sent int)
}

// NewStream returns a stream of events of 1 KB, size bytes in all. At each tenth of them it
// calls watch with the number of bytes that were sent.
func NewStream(size int, watch func(sent int)) *Stream {
	event := "data: {\"delta\":\"" + strings.Repeat("x", 1000) + "\"}\n\n"
	return &Stream{event: []byte(event), size: size, watch: watch}
}

func (s *Stream) Read(p []byte) (int, error) {
	if s.sent >= s.size {
		return 0, io.EOF
	}
	n := copy(p, s.event[s.sent%len(s.event):])
	s.sent += n
	if s.sent >= s.nextWatched {
		s.nextWatched += s.size / 10
		s.watch(s.sent)
	}
	return n, nil
}

// Sent returns how many bytes were read.
func (s *Stream) Sent() int { return s.sent }

// Close does nothing.
func (s *Stream) Close() error { return nil }

// Response returns the stream as an answer of this status.
func (s *Stream) Response(status int) *http.Response {
	header := http.Header{"Content-Type": {"text/event-stream"}}
	return &http.Response{StatusCode: status, Header: header, Body: s, ContentLength: -1}
}
