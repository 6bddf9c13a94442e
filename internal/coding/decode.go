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

// Decode takes the content coding off a body (RFC 9110, section 8.4), so that
// a cassette can be read and matched by what it says; ends, where the pieces it
// came in end, become those of the plain body. ok is false if there is nothing
// to take off, or if the body is not what the coding says: then it stays as it
// is. What is only cut off gives what can be read of it.
func Decode(coding string, body []byte, ends []int) (plain []byte, plainEnds []int, ok bool) {
	var open func(io.Reader) (io.Reader, error)
	switch strings.ToLower(strings.TrimSpace(coding)) {
	case "gzip", "x-gzip":
		open = func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	case "deflate":
		open = inflate
	default:
		return nil, nil, false
	}
	src := &pieces{body: body, ends: ends, out: &bytes.Buffer{}}
	r, err := open(src)
	if err != nil {
		return nil, nil, false // not even its head is there
	}
	_, err = io.Copy(src.out, io.LimitReader(r, maxPlain+1))
	if src.out.Len() > maxPlain {
		return nil, nil, false // a bomb, or nothing for a cassette
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, nil, false
	}
	src.seen = append(src.seen, src.out.Len())
	for len(src.seen) <= len(ends) {
		src.seen = append(src.seen, src.out.Len())
	}
	return src.out.Bytes(), src.seen[1:], true
}

// maxPlain is the most that is made of a compressed body.
const maxPlain = 1 << 30

// inflate reads what "deflate" stands for, the zlib format, and what some
// servers send for it, bare deflate data.
func inflate(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(2)
	if err != nil {
		return nil, err
	}
	// RFC 1950, section 2.2: method 8, and the two bytes are a multiple of 31.
	if head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(b)
	}
	return flate.NewReader(b), nil
}

// pieces reads a body in the pieces it came in, and notes how much plain text
// there was when each was asked for: that of the pieces before it.
type pieces struct {
	body []byte
	ends []int
	out  *bytes.Buffer
	at   int   // how far it was read
	next int   // the piece to be read
	seen []int // plain length before each piece
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.at == len(p.body) {
		return 0, io.EOF
	}
	for p.next < len(p.ends) && p.ends[p.next] <= p.at {
		p.next++
	}
	end := len(p.body)
	if p.next < len(p.ends) {
		end = p.ends[p.next]
	}
	for len(p.seen) <= p.next {
		p.seen = append(p.seen, p.out.Len())
	}
	n := copy(b, p.body[p.at:end])
	p.at += n
	return n, nil
}
