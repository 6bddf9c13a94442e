package stream

import "bytes"

// A Cutter cuts a body into frames while the body arrives in pieces. It buffers only
// the incomplete frame at the end. The frames are those that [Detect] and
// [Framing.FrameLen] find in the complete body, if the first 4 KB and the first line
// are enough to detect the framing.
type Cutter struct {
	ContentType string             // of the body
	Frame       func(frame []byte) // called with each frame, which it must not keep

	framing  *Framing // nil if the body is not a stream, or not detected yet
	detected bool     // the framing has been detected
	buf      []byte   // the bytes after the last frame; the whole body if it is not a stream
	retryLen int      // the least length of buf at which to look for a frame again
}

// detectAfter is the number of bytes that are enough to detect the framing of a body.
const detectAfter = 4 << 10

// Add takes the next piece of the body.
func (c *Cutter) Add(piece []byte) {
	c.buf = append(c.buf, piece...)
	switch {
	case len(c.buf) < c.retryLen:
	case c.detected || canDetect(c.buf):
		c.cut(false)
	default:
		c.retryLen = 2 * len(c.buf)
	}
}

// End cuts the rest of the body. It returns the framing, or nil and the body if
// the body is not a stream.
func (c *Cutter) End() (framing *Framing, body []byte) {
	c.cut(true)
	if c.framing == nil {
		return nil, c.buf
	}
	return c.framing, nil
}

// canDetect reports whether the start of a body is enough to detect its framing: it has
// detectAfter bytes and a complete line, or it begins with a message of an AWS event
// stream.
func canDetect(b []byte) bool {
	if _, ok := messageLen(b); ok {
		return true
	}
	eol := bytes.IndexAny(b, "\r\n")
	return len(b) >= detectAfter && eol >= 0 && eol < len(b)-1
}

// Framing returns the framing, or nil if it is not detected yet.
func (c *Cutter) Framing() *Framing { return c.framing }

// cut passes the complete frames to Frame. It looks at an incomplete frame again only
// when the buffer has twice the length, so that the time for a frame of many pieces is
// linear. So a frame may be cut some time after it is complete. This does not delay the client.
func (c *Cutter) cut(atEOF bool) {
	if !c.detected {
		c.detected = true
		c.framing = Detect(c.ContentType, c.buf)
	}
	if c.framing == nil {
		return
	}
	rest := c.buf
	for len(rest) > 0 {
		n := c.framing.FrameLen(rest, atEOF)
		isIncomplete := n == 0
		if isIncomplete && !atEOF {
			break
		}
		if isIncomplete {
			n = len(rest)
		}
		c.Frame(rest[:n])
		rest = rest[n:]
	}
	c.buf = append(c.buf[:0], rest...)
	c.retryLen = 2 * len(c.buf)
}
