package promptecho

import (
	"math/rand/v2"

	"github.com/promptecho/promptecho/internal/recorder"
)

// A Rand is a source of random numbers and bytes. In replay it returns what it
// returned when the cassette was recorded; [Recorder.Rand] makes it. All
// methods may be called concurrently, but nothing fixes the order in which
// goroutines draw from a source that they share.
//
// The values of a source do not change with versions of promptecho, because
// requests in cassettes contain them. It is ChaCha8
// (https://c2sp.org/chacha8rand), as [math/rand/v2] has it. Its seed is the
// SHA-256 of the cassette's seed, as text, and the source's name. Do not use it
// for keys, passwords or nonces: the seed is in the cassette, which is not
// secret.
type Rand struct {
	*rand.Rand
	source *recorder.RandSource
}

// Read fills p with random bytes. It returns len(p) and no error. So whatever
// draws from an [io.Reader] can draw from a Rand, such as
// uuid.NewRandomFromReader of github.com/google/uuid. The bytes are the same,
// however many are read at once.
func (r *Rand) Read(p []byte) (n int, err error) {
	r.source.Read(p)
	return len(p), nil
}
