package promptecho

import (
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"sync"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A Rand is a source of random numbers and bytes that returns in replay what it returned
// when the cassette was recorded; [Recorder.Rand] makes it. All methods may be called
// concurrently, but nothing fixes the order in which goroutines draw from a source that they
// share.
//
// The values of a source do not change with versions of promptecho, because requests in
// cassettes contain them. It is ChaCha8 (https://c2sp.org/chacha8rand), as [math/rand/v2] has
// it, and its seed is the SHA-256 of the cassette's seed, as text, and the source's name.
// It is not for keys, passwords or nonces: the seed is in the cassette, where everybody
// can read it.
type Rand struct {
	*rand.Rand
	source *lockedSource
}

// Read fills p with random bytes. It returns len(p) and no error. So whatever draws from
// an [io.Reader] can draw from a Rand, such as uuid.NewRandomFromReader of
// github.com/google/uuid. How many bytes are read at once makes no difference to them.
func (r *Rand) Read(p []byte) (n int, err error) {
	r.source.read(p)
	return len(p), nil
}

// newRand returns the source of a name; seed is that of the cassette.
func newRand(seed, name string) *Rand {
	// All seeds have one length, so no two pairs make the same text.
	source := &lockedSource{numbers: rand.NewChaCha8(sha256.Sum256([]byte(seed + name)))}
	return &Rand{rand.New(source), source}
}

// drawSeed returns a seed for a cassette.
func drawSeed() string {
	var seed [interaction.SeedDigits / 2]byte
	cryptorand.Read(seed[:]) // it has no errors
	return hex.EncodeToString(seed[:])
}

// A lockedSource is a source that may be used concurrently.
type lockedSource struct {
	mu      sync.Mutex // guards what follows; no other lock is taken under it
	numbers *rand.ChaCha8
	rest    []byte // of the last number that read took
}

// Uint64 returns the next number.
func (s *lockedSource) Uint64() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.numbers.Uint64()
}

// read fills p with the bytes of numbers, the lowest one first. [rand.ChaCha8.Read] does
// not say what it does beside Uint64.
func (s *lockedSource) read(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(p) > 0 {
		if len(s.rest) == 0 {
			s.rest = binary.LittleEndian.AppendUint64(nil, s.numbers.Uint64())
		}
		n := copy(p, s.rest)
		p, s.rest = p[n:], s.rest[n:]
	}
}
