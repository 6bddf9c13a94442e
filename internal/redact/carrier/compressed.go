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

// compressed returns the edit of compressed bytes. ok is false if they are not
// compressed, or do not unpack as a whole.
func (c *walk) compressed(s string, p place) (edits []Edit, ok bool) {
	if !isCompressed(s) || p.depth >= MaxDepth {
		return nil, false
	}
	isGzip := s[0] == 0x1f
	text, ok := c.unpack(s, isGzip)
	if !ok {
		return nil, false
	}
	in := p
	in.depth++
	if !isText(text) && !isCompressed(text) {
		in.kind = Bytes
	}
	found := c.value(text, in)
	if len(found) == 0 {
		return nil, true
	}
	packed := pack(Splice(text, found), isGzip)
	return []Edit{{End: len(s), Text: packed, Causes: causes(found)}}, true
}

// unpack returns what compressed bytes say.
func (c *walk) unpack(s string, isGzip bool) (text string, ok bool) {
	var r io.Reader
	var err error
	if isGzip {
		r, err = gzip.NewReader(strings.NewReader(s))
	} else {
		r, err = zlib.NewReader(strings.NewReader(s))
	}
	if err != nil {
		return "", false
	}
	var b strings.Builder
	n, err := io.Copy(&b, io.LimitReader(r, int64(c.unpacked)+1))
	if err != nil {
		return "", false
	}
	c.unpacked -= int(n)
	if c.unpacked < 0 {
		c.err = ErrTooMuch
		return "", false
	}
	c.left += int(n) * defaultWork
	return b.String(), true
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
