package interaction

import (
	"encoding/binary"
	"hash/crc32"
)

// Digest returns 64 bits that stand for everything in the request: two checksums of it, the
// CRC-32C and the CRC-32 of IEEE 802.3, which processors compute many times as fast as a
// cryptographic hash. Two requests that differ have the same digest by a chance of 1 in 2^64.
// Somebody can make such requests on purpose; but a cassette is trusted like the test beside it.
func (r *Request) Digest() uint64 {
	method := r.Method
	if r.Function != "" || r.Within != "" || r.Name != "" {
		method += "\x00" + r.Function + "\x00" + r.Within // no method has such a byte
	}
	if r.Name != "" {
		method += "\x02" + r.Name
	}
	if r.UnknownHeaders {
		method += "\x01" // nor such a one
	}
	head := appendText(appendText(make([]byte, 0, 512), method), r.URL)
	for _, h := range r.Headers {
		head = binary.AppendUvarint(appendText(head, h.Name), uint64(len(h.Values)))
		for _, v := range h.Values {
			head = appendText(head, v)
		}
	}
	head = append(head, 0xff) // no length: the rest is the body
	sum := func(table *crc32.Table) uint64 {
		return uint64(crc32.Update(crc32.Checksum(head, table), table, r.Body))
	}
	return sum(castagnoli())<<32 | sum(crc32.IEEETable)
}

// castagnoli returns the table of the CRC-32C. Package crc32 makes it once, when it is
// first asked: a test binary need not make it as it starts.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// appendText appends s behind its length, so that no two lists of texts are one.
func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
