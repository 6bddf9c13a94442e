// Package coding decodes the content codings of HTTP bodies, and the escapes of queries.
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

// Reader returns a reader that decodes a body with a content coding while the body comes
// (RFC 9110, section 8.4). A body that is not in the coding is returned as it is. ok is
// false if Reader does not know the coding.
func Reader(coding string, body io.Reader) (plain io.Reader, ok bool) {
	coding = strings.ToLower(strings.TrimSpace(coding))
	isDeflate := coding == "deflate"
	d := &decoder{src: bufio.NewReader(body), mayBeRaw: isDeflate}
	return d, isDeflate || coding == "gzip" || coding == "x-gzip"
}

// A decoder detects the format of a body at the first Read: before that, the body may
// not have come.
type decoder struct {
	src      *bufio.Reader
	mayBeRaw bool // some servers send deflate data without the header of zlib
	plain    io.Reader
}

func (d *decoder) Read(p []byte) (int, error) {
	if d.plain == nil {
		plain, err := newDecompressor(d.src)
		if err != nil {
			return 0, err
		}
		d.plain = plain
	}
	if d.plain == nil {
		d.plain = d.src
		if d.mayBeRaw && d.isRawDeflate() {
			d.plain = flate.NewReader(d.src)
		}
	}
	return d.plain.Read(p)
}

// isRawDeflate reports whether the bytes that have come begin as deflate data.
func (d *decoder) isRawDeflate() bool {
	start, _ := d.src.Peek(d.src.Buffered())
	_, err := flate.NewReader(bytes.NewReader(start)).Read(make([]byte, 1))
	return !errors.As(err, new(flate.CorruptInputError))
}

// newDecompressor returns a reader of a body that begins as gzip (RFC 1952) or zlib (RFC
// 1950) does, and nil for another body.
func newDecompressor(b *bufio.Reader) (io.Reader, error) {
	head, _ := b.Peek(2)
	if len(head) < 2 {
		return nil, nil
	}
	isGzip := head[0] == 0x1f && head[1] == 0x8b
	isDeflate := head[0]&0x0f == 8
	isZlib := isDeflate && (int(head[0])<<8|int(head[1]))%31 == 0 // RFC 1950, section 2.2
	switch {
	case isGzip:
		return gzip.NewReader(b)
	case isZlib:
		return zlib.NewReader(b)
	}
	return nil, nil
}

// maxPlain is how large a decompressed body may be: 64 MB, against small bodies that are
// made to fill the memory.
const maxPlain = 64 << 20

// maxLayers is how often a body may be compressed.
const maxLayers = 3

// minCompressed is less than the length of any compressed body.
const minCompressed = 7

// Decompress decompresses a body that is compressed with gzip or zlib, once or several
// times, whatever its headers say. ok is false if the body is not compressed, or not
// complete.
func Decompress(b []byte) (plain []byte, ok bool) {
	plain = b
	for layers := range maxLayers + 1 {
		next, isCompressed := decompressOnce(plain)
		if !isCompressed {
			return plain, layers > 0
		}
		plain = next
	}
	return nil, false
}

func decompressOnce(b []byte) ([]byte, bool) {
	r, err := newDecompressor(bufio.NewReader(bytes.NewReader(b)))
	if r == nil || err != nil || len(b) < minCompressed {
		return nil, false
	}
	plain, err := io.ReadAll(io.LimitReader(r, maxPlain+1))
	isAccepted := 0 < len(plain) && len(plain) <= maxPlain
	return plain, err == nil && isAccepted
}

// UnescapeQuery decodes a name or a value of a query or a form. The result is the same
// for two texts only if they have the same meaning:
//
//   - A text with a wrong escape stays as it is, after a NUL, which no URL contains: the
//     result of "%zz" differs from that of "%25zz".
//   - A result that begins with a NUL of its own gets another one.
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
