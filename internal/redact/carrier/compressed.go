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
	isGzip := s[0] == 0x1f && s[1] == 0x8b && s[2] == 8
	// RFC 1950, section 2.2: the first two bytes are a multiple of 31.
	isZlib := s[0] == 'x' && (int(s[0])<<8|int(s[1]))%31 == 0
	return isGzip || isZlib
}

// editsOfCompressed returns the edit of compressed bytes. ok is false if they are not
// compressed.
//
// Bytes that are incomplete or invalid are searched up to the fault, since a client may
// read them that far. If nothing is found in these, they may also be a text.
func (c *walk) editsOfCompressed(s string, p place) (edits []Edit, ok bool) {
	if !isCompressed(s) || p.depth >= MaxDepth {
		return nil, false
	}
	u := c.unpack(s)
	if u.text == "" && !u.isWhole {
		return nil, false
	}
	in := p
	in.depth++
	if !isText(u.text) && !isCompressed(u.text) {
		in.kind = Bytes
	}
	found := c.editsOfValue(u.text, in)
	if len(found) == 0 {
		return nil, u.isWhole
	}
	isGzip := s[0] == 0x1f
	packed := pack(Splice(u.text, found), isGzip)
	return []Edit{{End: u.end, Text: packed, Causes: causes(found)}}, true
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
	if s[0] == 0x1f {
		err = c.unpackGzip(&b, compressed)
	} else {
		err = c.unpackZlib(&b, compressed)
	}
	u := unpacked{text: b.String(), end: len(s), isWhole: err == nil && compressed.Len() == 0}
	if err == nil {
		u.end -= compressed.Len()
	}
	return u
}

// unpackGzip decompresses the first member of a gzip file.
func (c *walk) unpackGzip(w io.Writer, r *strings.Reader) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	z.Multistream(false)
	return c.copy(w, z)
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
	n, err := io.Copy(w, io.LimitReader(r, int64(c.unpackLeft)+1))
	c.unpackLeft -= int(n)
	c.bytesLeft += int(n) * defaultWork
	if c.unpackLeft < 0 {
		c.err = ErrTooMuch
		return ErrTooMuch
	}
	return err
}

// pack compresses a text.
func pack(text string, isGzip bool) string {
	var b bytes.Buffer
	var w io.WriteCloser = zlib.NewWriter(&b)
	if isGzip {
		b.Reset()
		w = gzip.NewWriter(&b)
	}
	_, _ = io.WriteString(w, text) // a bytes.Buffer takes everything
	_ = w.Close()
	return b.String()
}
