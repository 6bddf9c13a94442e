package cassette

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A seal says that an interaction is as it was written, so that what stands in it
// can be relied on without being read. It is a line behind match_key:
//
//	seal: DIGEST/CHECKSUM/LENGTH/RULES
//
// DIGEST is the request's [Request.Digest]. CHECKSUM is the CRC-32C of the text
// of the interaction without these 8 digits. LENGTH is that of the text behind the
// line, in bytes. RULES is the number of the rules that made match_key. So a seal is
// broken by every edit, and says nothing by other rules; then the interaction is read
// in full, and means what it says.
const (
	digestLen   = 16
	checksumLen = 8

	maxBeforeSeal = 64  // bytes of kind and boundary
	sealHead      = 512 // bytes that hold the lines up to the seal
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum returns the checksum of an interaction whose own stands at offset at.
func checksum(item []byte, at int) uint32 {
	return crc32.Update(crc32.Checksum(item[:at], castagnoli), castagnoli, item[at+checksumLen:])
}

// A seal is what the seal of an interaction says.
type seal struct {
	key, digest uint64 // the match key, and the request's digest
	rules       uint32
	sum         uint32 // the checksum, which stands at
	sumAt       int
	size        int // of the interaction, in bytes
}

// sealOf reads the seal of an interaction; head is its text, or the beginning of it.
func sealOf(head []byte) (s seal, ok bool) {
	r := reader{s: head}
	r.skip("  - kind: ")
	r.find("\n    match_key: ")
	quote := r.peek() == '"' // it looks like a number
	if quote {
		r.next()
	}
	key := r.take(digestLen)
	if quote {
		r.skip(`"`)
	}
	r.skip("\n    seal: ")
	digest := r.take(digestLen)
	r.skip("/")
	s.sumAt = r.pos
	sum := r.take(checksumLen)
	r.skip("/")
	length, rules, _ := bytes.Cut(r.line(), []byte("/"))
	if r.failed {
		return seal{}, false
	}
	n, err1 := strconv.Atoi(string(length))
	want, err2 := strconv.ParseUint(string(sum), 16, 32)
	by, err3 := strconv.ParseUint(string(rules), 10, 32)
	var ok1, ok2 bool
	s.key, ok1 = parseHex(key)
	s.digest, ok2 = parseHex(digest)
	s.sum, s.rules, s.size = uint32(want), uint32(by), r.pos+n
	return s, ok1 && ok2 && err1 == nil && err2 == nil && err3 == nil && n > 0 && n <= maxInteraction
}

// holds reports whether an interaction is as the seal says.
func (s *seal) holds(item []byte) bool { return checksum(item, s.sumAt) == s.sum }

// seal writes the seal of an interaction and returns where its checksum goes, 0
// if there is none to be filled in.
func (w *writer) seal(it *interaction.Interaction) int {
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
// and the length and the rules behind it.
func (w *writer) fill(start, at int) {
	line := at + checksumLen + len("/\n")
	behind := fmt.Appendf(nil, "%d/%d", len(w.buf)-line, w.rules)
	w.buf = slices.Insert(w.buf, line-1, behind...)
	sum := checksum(w.buf[start:], at-start)
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
