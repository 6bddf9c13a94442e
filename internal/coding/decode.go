// Package coding takes codings off: the content codings of HTTP bodies, and the escapes
// of queries.
package coding

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"
)

// Reader takes the content coding off a body while it comes (RFC 9110, section 8.4). What is
// not in the coding is read as it is. ok is false if there is no coding that we have.
func Reader(coding string, body io.Reader) (plain io.Reader, ok bool) {
	coding = strings.ToLower(strings.TrimSpace(coding))
	d := &decoder{src: bufio.NewReader(body), bare: coding == "deflate"}
	return d, d.bare || coding == "gzip" || coding == "x-gzip"
}

// A decoder looks at the head of a body when it is first read, and not before that is there.
type decoder struct {
	src   *bufio.Reader
	bare  bool // it may be bare deflate data, as some servers send it
	plain io.Reader
}

func (d *decoder) Read(p []byte) (n int, err error) {
	if d.plain == nil {
		if d.plain, err = open(d.src); err != nil {
			return 0, err
		}
	}
	if start, _ := d.src.Peek(d.src.Buffered()); d.plain == nil {
		d.plain = d.src
		_, err := flate.NewReader(bytes.NewReader(start)).Read(make([]byte, 1))
		if d.bare && !errors.As(err, new(flate.CorruptInputError)) {
			d.plain = flate.NewReader(d.src)
		}
	}
	return d.plain.Read(p)
}

// open reads what begins as gzip (RFC 1952) or zlib (RFC 1950) does; it is nil if neither does.
func open(b *bufio.Reader) (io.Reader, error) {
	head, _ := b.Peek(2)
	switch {
	case len(head) < 2:
	case head[0] == 0x1f && head[1] == 0x8b:
		return gzip.NewReader(b)
	case head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0: // RFC 1950, section 2.2
		return zlib.NewReader(b)
	}
	return nil, nil
}
