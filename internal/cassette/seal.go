package cassette

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"slices"
	"strconv"
	"sync"
)

// A seal says that an interaction is as it was written, so that what stands in it
// can be relied on without being read. It is a line behind match_key:
//
//	seal: DIGEST/CHECKSUM/LENGTH
//
// DIGEST is the request's [Request.Digest]. CHECKSUM is the CRC-32C of the text
// of the interaction without these 8 digits, begun with the number of the rules
// that made match_key. LENGTH is that of the text behind the line, in bytes. So a
// seal is broken by every edit, and by new rules; an interaction whose seal is
// broken is read in full, and means what it says.
const (
	digestLen   = 16
	checksumLen = 8

	maxBeforeSeal = 64 // bytes of kind and boundary
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum returns the checksum of an interaction whose own stands at offset at.
func checksum(item []byte, at int, rules uint32) uint32 {
	return crc32.Update(crc32.Update(rules, castagnoli, item[:at]), castagnoli, item[at+checksumLen:])
}

// seal writes the seal of an interaction and returns where its checksum goes, 0
// if there is none to be filled in.
func (w *writer) seal(it *Interaction) int {
	if w.rules == 0 {
		w.text(itemIndent, "seal", it.Seal)
		return 0
	}
	// It has to be found near the beginning.
	if _, ok := parseHex(it.MatchKey); !ok || it.Kind == "" || len(it.Kind)+len(it.Boundary) > maxBeforeSeal {
		return 0
	}
	digest := it.Request.Digest()
	w.key(itemIndent, "seal")
	w.raw(" ")
	w.buf = hex.AppendEncode(w.buf, binary.BigEndian.AppendUint64(nil, digest))
	w.raw("/")
	sum := len(w.buf)
	w.raw("00000000/\n")
	return sum
}

// fill fills in the checksum at offset at of the interaction that begins at start,
// and the length behind it.
func (w *writer) fill(start, at int) {
	line := at + checksumLen + len("/\n")
	w.buf = slices.Insert(w.buf, line-1, strconv.AppendInt(nil, int64(len(w.buf)-line), 10)...)
	sum := checksum(w.buf[start:], at-start, w.rules)
	hex.Encode(w.buf[at:], binary.BigEndian.AppendUint32(nil, sum))
}

// parseHex reads 16 lower-case hex digits.
func parseHex[T string | []byte](s T) (n uint64, ok bool) {
	if len(s) != digestLen {
		return 0, false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case '0' <= c && c <= '9':
			n = n<<4 | uint64(c-'0')
		case 'a' <= c && c <= 'f':
			n = n<<4 | uint64(c-'a'+10)
		default:
			return 0, false
		}
	}
	return n, true
}

// Digest returns the first 64 bits of a SHA-256 of everything in the request. Two
// requests of one digest are the same request, byte for byte.
func (r *Request) Digest() uint64 {
	d := digesters.Get().(*digester)
	defer digesters.Put(d)
	d.hash.Reset()
	d.buf = appendText(appendText(d.buf[:0], r.Method), r.URL)
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
