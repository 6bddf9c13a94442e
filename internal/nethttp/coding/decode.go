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
	"net/url"
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

// mostPlain is how much is made of a compressed body to look into it.
const mostPlain = 64 << 20

// Decompress returns what a body says that is compressed with gzip (RFC 1952) or
// zlib (RFC 1950), whatever its headers say, several times too; ok is false if it is
// not, or if it is not whole.
func Decompress(b []byte) (plain []byte, ok bool) {
	plain = b
	for range 4 {
		next, ok := decompressOnce(plain)
		if !ok {
			return plain, len(plain) > 0 && &plain[0] != &b[0]
		}
		plain = next
	}
	return nil, false // nobody does that, but for mischief
}

func decompressOnce(b []byte) ([]byte, bool) {
	r, err := open(bufio.NewReader(bytes.NewReader(b)))
	if r == nil || err != nil || len(b) < 7 {
		return nil, false
	}
	plain, err := io.ReadAll(io.LimitReader(r, mostPlain+1))
	return plain, err == nil && 0 < len(plain) && len(plain) <= mostPlain
}

// UnescapeQuery returns a name or a value of a query or a form as it reads. What is
// escaped wrongly is taken as it stands, after a NUL, which no URL holds: "%zz" is not
// what "%25zz" reads. A value that reads as starting with a NUL gets another.
func UnescapeQuery(s string) string {
	plain, err := url.QueryUnescape(s)
	if err != nil {
		return "\x00" + s
	}
	if strings.HasPrefix(plain, "\x00") {
		return "\x00" + plain
	}
	return plain
}
