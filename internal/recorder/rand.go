package recorder

import (
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"sync"

	"github.com/promptecho/promptecho/internal/interaction"
)

// drawSeed returns a seed for a cassette.
func drawSeed() string {
	var seed [interaction.SeedDigits / 2]byte
	cryptorand.Read(seed[:]) // it has no errors
	return hex.EncodeToString(seed[:])
}

// NewRandSource returns the source of a name; seed is that of the cassette.
func NewRandSource(seed, name string) *RandSource {
	// All seeds have one length, so no two pairs make the same text.
	return &RandSource{numbers: rand.NewChaCha8(sha256.Sum256([]byte(seed + name)))}
}

// A RandSource is a source that may be used concurrently.
type RandSource struct {
	mu      sync.Mutex // guards what follows; no other lock is taken under it
	numbers *rand.ChaCha8
	rest    []byte // of the last number that read took
}

// Uint64 returns the next number.
func (s *RandSource) Uint64() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.numbers.Uint64()
}

// Read fills p with the bytes of numbers, the lowest one first. It does not call
// [rand.ChaCha8.Read], which does not document how it relates to Uint64.
func (s *RandSource) Read(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(p) > 0 {
		if len(s.rest) == 0 {
			s.rest = binary.LittleEndian.AppendUint64(nil, s.numbers.Uint64())
		}
		n := copy(p, s.rest)
		p = p[n:]
		s.rest = s.rest[n:]
	}
}
