package interaction

import (
	"encoding/binary"
	"hash/crc32"
)

// Digest returns a checksum of the whole request: its CRC-32C and its CRC-32 of IEEE 802.3,
// which processors compute many times as fast as a cryptographic hash. Two different requests
// have the same digest with a probability of 1 in 2^64. An attacker can construct two such
// requests, but a cassette is as trusted as the test next to it.
func (r *Request) Digest() uint64 {
	method := r.Method
	if r.Function != "" || r.Within != "" || r.Name != "" {
		method += "\x00" + r.Function + "\x00" + r.Within // no method has a zero byte
	}
	if r.Name != "" {
		method += "\x02" + r.Name
	}
	if r.UnknownHeaders {
		method += "\x01"
	}
	head := appendText(appendText(make([]byte, 0, 512), method), r.URL)
	for _, h := range r.Headers {
		head = binary.AppendUvarint(appendText(head, h.Name), uint64(len(h.Values)))
		for _, v := range h.Values {
			head = appendText(head, v)
		}
	}
	head = append(head, 0xff) // ends the headers: no length is encoded as this byte
	checksum := func(table *crc32.Table) uint64 {
		return uint64(crc32.Update(crc32.Checksum(head, table), table, r.Body))
	}
	return checksum(castagnoli())<<32 | checksum(crc32.IEEETable)
}

// castagnoli returns the table of the CRC-32C. It is not a package-level variable, because
// making the table would delay the start of every test binary. Package crc32 makes it once.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// appendText appends s after its length, so that different lists of texts never have the same
// encoding.
func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
