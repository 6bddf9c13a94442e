package echofault

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/stream"
)

// Cut breaks an answer off after n events of a stream, or after n bytes of a body that is not a
// stream. Then its reader gets [io.ErrUnexpectedEOF], as from net/http when a
// connection breaks. Cut(0, ...) breaks it off right after the headers. Events are those that
// the cassette lists; comments and pings count. Of a WebSocket, n counts the messages of the
// server, and its connection breaks. Cut strikes the first successful answer that is
// long enough. Pass it twice to cut two.
func Cut(n int, selectors ...string) Fault {
	f := newFault(1, selectors, "Cut", n)
	if n < 0 {
		f.err = fmt.Errorf("%d is not a number of events: use 0 or more", n)
	}
	f.strike = spoil(func(b *body) {
		c := &cut{body: b, n: n}
		b.split.pass = c.pass
		if n == 0 {
			c.breakOff()
		}
	}, messageFault{isCut: true, whole: n})
	return f
}

// Garble damages event n of a stream, so that its JSON is invalid: the second
// half of its data reads "###". Events are counted from 1 as for [Cut]. Lengths
// stay as they are, and the checksums of an AWS event stream are right. So only
// the reader of the JSON gets an error. A body that is not a stream is one
// event: Garble(1) damages it. Of a WebSocket, n counts the messages of the
// server. Garble strikes the first successful answer that
// has such an event.
func Garble(n int, selectors ...string) Fault {
	f := newFault(1, selectors, "Garble", n)
	if n < 1 {
		f.err = fmt.Errorf("%d is not the number of an event: use 1 or more", n)
	}
	f.strike = spoil(func(b *body) {
		g := &garble{body: b, n: n}
		b.split.pass = g.pass
	}, messageFault{garbled: n})
	return f
}

// spoil returns the strike function of a fault that changes the body of a successful answer.
// prepare gets the body before anything is read from it. A WebSocket has no body; fault changes
// its messages.
func spoil(prepare func(*body), fault messageFault) strikeFunc {
	return func(h *hit, _ *http.Request, send sendFunc) (*http.Response, error) {
		resp, err := send()
		switch {
		case err != nil || resp == nil:
			h.spare("%s got no answer", h.name)
			return resp, err
		case isSocket(resp):
			strikeSocket(h, resp, fault)
			return resp, nil
		case resp.StatusCode < 200 || resp.StatusCode > 299:
			h.spare("the answer to %s has status %d", h.name, resp.StatusCode)
			return resp, nil
		case resp.Body == nil || resp.Body == http.NoBody:
			h.spare("the answer to %s has no body", h.name)
			return resp, nil
		}
		if h.recorded {
			resp.Body = readAll(resp.Body)
		}
		coding := resp.Header.Get("Content-Encoding")
		b := &body{ReadCloser: resp.Body, hit: h}
		b.split.contentType = resp.Header.Get("Content-Type")
		b.split.coded = coding != "" && coding != "identity"
		prepare(b)
		resp.Body = b
		return resp, nil
	}
}

// readAll reads a body to its end and returns one like it. So the recorder has all of the
// answer, whatever the fault does with it.
func readAll(body io.ReadCloser) io.ReadCloser {
	data, err := io.ReadAll(body)
	return &inMemory{bytes.NewReader(data), body, cmp.Or(err, io.EOF)}
}

// An inMemory is a body that has been read already.
type inMemory struct {
	data *bytes.Reader
	io.Closer
	end error // of the last Read
}

func (m *inMemory) Read(p []byte) (int, error) {
	if m.data.Len() == 0 {
		return 0, m.end
	}
	return m.data.Read(p)
}

// A body is the body of an answer that a fault changes while the client reads it. Read must
// not be called concurrently; Close may be.
type body struct {
	io.ReadCloser // of the answer
	hit           *hit
	split         splitter
	size          atomic.Int64 // bytes that were read
	out           []byte       // the bytes that the client gets next
	err           error        // after them; nil if the answer goes on
	broken        bool         // the fault has made err
}

// Read returns bytes of the answer, as the fault changes them.
func (b *body) Read(p []byte) (int, error) {
	for len(b.out) == 0 && len(p) > 0 {
		if b.err != nil {
			return 0, b.over()
		}
		n, err := b.ReadCloser.Read(p)
		b.size.Add(int64(n))
		b.out = b.out[:0]
		b.split.add(p[:n], err != nil)
		if !b.broken {
			b.err = err
		}
	}
	n := copy(p, b.out)
	b.out = b.out[n:]
	return n, nil
}

// over returns the error at the end of the body, and notes whether the fault has struck.
func (b *body) over() error {
	switch {
	case b.broken:
		b.hit.done()
		b.ReadCloser.Close()
	case b.split.framing == nil:
		b.hit.spare("the answer to %s is not a stream, but one body of %d bytes", b.hit.name, b.size.Load())
	default:
		b.hit.spare("the answer to %s has %d events", b.hit.name, b.split.events.Load())
	}
	return b.err
}

// Close closes the answer. If the fault has not struck, it spares the request.
func (b *body) Close() error {
	b.hit.spare("the client closed the answer to %s after %d bytes, with %d events of a stream",
		b.hit.name, b.size.Load(), b.split.events.Load())
	return b.ReadCloser.Close()
}

// A cut breaks a body off, for [Cut].
type cut struct {
	*body
	n      int // the events, or the bytes of a body that is not a stream, before the break
	passed int // the bytes of a body that is not a stream that were passed on
}

// pass passes bytes of the body on to the client and breaks the body off after n
// events or bytes. It drops all bytes after the break. The splitter calls it: the
// bytes are of one event, and isEnd says that the event ends with them.
func (c *cut) pass(b []byte, event int, isEnd bool) {
	if c.broken {
		return
	}

	isStream := c.split.framing != nil
	if isStream {
		c.out = append(c.out, b...)
		isEndOfLastEvent := event == c.n && isEnd
		if isEndOfLastEvent {
			c.breakOff()
		}
		return
	}

	bytesBeforeBreak := c.n - c.passed
	b = b[:min(len(b), bytesBeforeBreak)]
	c.out = append(c.out, b...)
	c.passed += len(b)
	if c.passed == c.n {
		c.breakOff()
	}
}

// breakOff breaks the body off: after the bytes in out, Read returns the error of
// a connection that broke.
func (c *cut) breakOff() {
	c.broken = true
	c.err = io.ErrUnexpectedEOF
}

// A garble damages an event of a body, for [Garble].
type garble struct {
	*body
	n    int
	held []byte // of the event to damage
}

// pass passes bytes of the body on to the client, and holds those of the event to
// damage until the event is complete. The splitter calls it: the bytes are of one
// event, and isEnd says that the event ends with them.
func (g *garble) pass(b []byte, event int, isEnd bool) {
	if event != g.n {
		g.out = append(g.out, b...)
		return
	}
	g.held = append(g.held, b...)
	if !isEnd {
		return
	}
	damaged, ok := damage(g.split.framing, g.held)
	g.out = append(g.out, damaged...)
	if ok {
		g.hit.done()
	} else {
		g.hit.spare("event %d of the answer to %s has no data", event, g.hit.name)
	}
}

// damage damages the data of an event. ok is false if the event has no data. framing is nil
// for a body that is not a stream: then all of it is data.
func damage(framing *stream.Framing, event []byte) (damaged []byte, ok bool) {
	if framing == nil {
		overwrite(event)
		return event, len(event) > 0
	}
	fields := framing.Read(event)
	data := 0 // the length of the last field with data
	for i := range fields {
		f := &fields[i]
		isData := f.Name == stream.Raw || interaction.IsPayload(f.Name)
		if isData {
			value := []byte(f.Value)
			overwrite(value)
			f.Value = string(value)
			data = len(value)
		}
	}
	if data == 0 {
		return event, false
	}
	damaged, err := framing.Write(nil, fields)
	if err != nil {
		// An element of a JSON array must be JSON. Its data is at its end.
		overwrite(event[len(event)-data:])
		return event, true
	}
	return damaged, true
}
