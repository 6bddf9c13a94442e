package coding

import (
	"bufio"
	"bytes"
	"io"
)

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
