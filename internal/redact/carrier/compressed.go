package carrier

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
)

// isCompressed reports whether bytes begin as those of gzip or zlib do.
func isCompressed(s string) bool {
	if len(s) < 8 {
		return false
	}
	// RFC 1950, section 2.2: the first two bytes are a multiple of 31.
	isZlib := s[0] == 'x' && (int(s[0])<<8|int(s[1]))%31 == 0
	return isGzip(s) || isZlib
}

// isGzip reports whether bytes begin as a member of a gzip file does (RFC 1952, section 2.3.1).
func isGzip(s string) bool { return strings.HasPrefix(s, "\x1f\x8b\x08") }

// editsOfCompressed returns the edits of compressed bytes. ok is false if s is still to be searched
// as a text: it is not compressed, or it has a fault and nothing was found in it.
//
// The members of a gzip file (RFC 1952, section 2.2) are one text, as for a client: a
// secret may begin in one and end in the next. So they become one member if something is
// found in them. Each of several zlib streams is a text of its own.
//
// Bytes that are incomplete or invalid are searched up to the fault, since a client may
// read them that far.
func (c *walk) editsOfCompressed(s string, p place) (edits []Edit, ok bool) {
	if p.depth >= MaxDepth {
		return nil, false
	}
	isWhole := false
	at := 0
	for isCompressed(s[at:]) {
		u := c.unpack(s[at:])
		found := c.editsOfUnpacked(u, p)
		if len(found) > 0 {
			packed := pack(Splice(u.text, found), isGzip(s[at:]))
			edits = append(edits, Edit{Start: at, End: at + u.end, Text: packed, Causes: causes(found)})
		}
		isWhole = u.isWhole
		at += u.end
	}
	return edits, isWhole || len(edits) > 0
}

// editsOfUnpacked returns the edits of a text that was compressed at a place.
func (c *walk) editsOfUnpacked(u unpacked, p place) []Edit {
	if u.text == "" {
		return nil
	}
	in := p
	in.depth++
	if !isText(u.text) && !isCompressed(u.text) {
		in.kind = Bytes
	}
	return c.editsOfValue(u.text, in)
}

// An unpacked is the result of decompressing bytes.
type unpacked struct {
	text    string
	end     int  // where the compressed bytes end
	isWhole bool // the bytes are valid, and nothing follows them
}

// unpack decompresses bytes, up to the first fault in them.
func (c *walk) unpack(s string) unpacked {
	compressed := strings.NewReader(s)
	var b strings.Builder
	var err error
	if isGzip(s) {
		err = c.unpackGzip(&b, s, compressed)
	} else {
		err = c.unpackZlib(&b, compressed)
	}
	u := unpacked{text: b.String(), end: len(s), isWhole: err == nil && compressed.Len() == 0}
	if err == nil {
		u.end -= compressed.Len()
	}
	return u
}

// unpackGzip decompresses all members of a gzip file. Bytes behind the last member stay in r.
func (c *walk) unpackGzip(w io.Writer, file string, r *strings.Reader) error {
	if c.gzipReader == nil {
		c.gzipReader = new(gzip.Reader)
	}
	for {
		rest := file[len(file)-r.Len():]
		if !isGzip(rest) {
			return nil
		}
		err := c.gzipReader.Reset(r)
		if err != nil {
			return err
		}
		c.gzipReader.Multistream(false) // it would fail at bytes behind the last member
		err = c.copy(w, c.gzipReader)
		if err != nil {
			return err
		}
	}
}

// unpackZlib decompresses a zlib stream.
func (c *walk) unpackZlib(w io.Writer, r *strings.Reader) error {
	z, err := zlib.NewReader(r)
	if err != nil {
		return err
	}
	return c.copy(w, z)
}

// copy copies decompressed bytes, up to the limit of the walk.
func (c *walk) copy(w io.Writer, r io.Reader) error {
	if c.copyBuffer == nil {
		c.copyBuffer = make([]byte, 32<<10) // as io.Copy does
	}
	n, err := io.CopyBuffer(w, io.LimitReader(r, int64(c.unpackLeft)+1), c.copyBuffer)
	c.unpackLeft -= int(n)
	c.bytesLeft += int(n) * defaultWork
	if c.unpackLeft < 0 {
		c.err = ErrTooMuch
		return ErrTooMuch
	}
	return err
}

// pack compresses a text.
func pack(text string, asGzip bool) string {
	var b bytes.Buffer
	var w io.WriteCloser = zlib.NewWriter(&b)
	if asGzip {
		b.Reset()
		w = gzip.NewWriter(&b)
	}
	_, _ = io.WriteString(w, text) // a bytes.Buffer takes everything
	_ = w.Close()
	return b.String()
}
