package stream

import "bytes"

// A Cutter cuts a body into frames while it comes in pieces, and keeps no more
// of it than the frame that is not whole. What it finds is what [Detect] and the
// framing's FrameLen find in the whole body, if that can be told from its first 4 KB
// and its first line.
type Cutter struct {
	ContentType string             // of the body
	Frame       func(frame []byte) // gets each frame; it must not keep it

	framing *Framing
	decided bool
	buf     []byte // what is not cut yet: the body, if it is no stream
	retry   int    // the length of buf from which it is worth looking at again
}

// detectAfter is the number of bytes from which a body is taken for what it looks like.
const detectAfter = 4 << 10

// Add takes the next piece of the body.
func (c *Cutter) Add(piece []byte) {
	c.buf = append(c.buf, piece...)
	switch {
	case len(c.buf) < c.retry:
	case c.decided || canDetect(c.buf):
		c.cut(false)
	default:
		c.retry = 2 * len(c.buf)
	}
}

// End cuts what is left. It returns the framing of the body, or nil and the
// body if it is no stream.
func (c *Cutter) End() (framing *Framing, body []byte) {
	c.cut(true)
	if c.framing == nil {
		return nil, c.buf
	}
	return c.framing, nil
}

// canDetect reports whether the start of a body is enough to detect its framing:
// some of it and a line with its end, or a message of AWS's, which has no lines.
func canDetect(b []byte) bool {
	if _, ok := messageLen(b); ok {
		return true
	}
	eol := bytes.IndexAny(b, "\r\n")
	return len(b) >= detectAfter && eol >= 0 && eol < len(b)-1
}

// Framing returns the framing that was found; nil before the first frame.
func (c *Cutter) Framing() *Framing { return c.framing }

// cut gives away the frames that are whole. One that is not is looked at again
// when twice as much is there, so that a frame of many pieces takes no more than
// linear time; nobody waits for frames that are cut late.
func (c *Cutter) cut(atEOF bool) {
	if !c.decided {
		c.decided = true
		c.framing = Detect(c.ContentType, c.buf)
	}
	if c.framing == nil {
		return
	}
	rest := c.buf
	for len(rest) > 0 {
		n := c.framing.FrameLen(rest, atEOF)
		if n == 0 && !atEOF {
			break
		}
		if n == 0 {
			n = len(rest)
		}
		c.Frame(rest[:n])
		rest = rest[n:]
	}
	c.buf = append(c.buf[:0], rest...)
	c.retry = 2 * len(c.buf)
}
