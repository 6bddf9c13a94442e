package interaction

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"
)

// Digest returns the first 64 bits of a SHA-256 of everything in the request. Two
// requests of one digest are the same request, byte for byte.
func (r *Request) Digest() uint64 {
	d := digesters.Get().(*digester)
	defer digesters.Put(d)
	d.hash.Reset()
	method := r.Method
	if r.Function != "" || r.Within != "" {
		method += "\x00" + r.Function + "\x00" + r.Within // no method has such a byte
	}
	if r.UnknownHeaders {
		method += "\x01" // nor such a one
	}
	d.buf = appendText(appendText(d.buf[:0], method), r.URL)
	for _, h := range r.Headers {
		d.buf = binary.AppendUvarint(appendText(d.buf, h.Name), uint64(len(h.Values)))
		for _, v := range h.Values {
			d.buf = appendText(d.buf, v)
		}
	}
	d.buf = append(d.buf, 0xff) // no length: the rest is the body
	d.hash.Write(d.buf)
	d.hash.Write(r.Body)
	d.buf = d.hash.Sum(d.buf[:0])
	return binary.BigEndian.Uint64(d.buf)
}

// appendText appends s behind its length, so that no two lists of texts are one.
func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// digester is what a digest needs; it is used again.
type digester struct {
	hash hash.Hash
	buf  []byte
}

var digesters = sync.Pool{New: func() any { return &digester{hash: sha256.New()} }}
