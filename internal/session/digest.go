package session

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// A Sum stands for the bytes of a part.
type Sum struct {
	Bytes [sha256.Size]byte // SHA-256 of all bytes in order

	// Pieces is the sum of the SHA-256 of each piece in which the bytes were sent, as four numbers
	// of 64 bits. It does not depend on the order of the pieces.
	Pieces [sha256.Size]byte
}

// Matches reports whether two parts are the same: they have the same bytes in the same order,
// however they are cut, or the same pieces in any order. Goroutines that send pieces at the same
// time send them in another order in each run.
func (s Sum) Matches(other Sum) bool { return s.Bytes == other.Bytes || s.Pieces == other.Pieces }

// A Digest computes the [Sum] of a part from its pieces.
type Digest struct {
	bytes  hash.Hash
	pieces [4]uint64
}

// NewDigest returns the digest of a part without pieces.
func NewDigest() *Digest { return &Digest{bytes: sha256.New()} }

// Add adds a piece. A piece of no bytes is none.
func (d *Digest) Add(piece []byte) {
	if len(piece) == 0 {
		return
	}
	d.bytes.Write(piece)
	sum := sha256.Sum256(piece)
	for i := range d.pieces {
		d.pieces[i] += binary.BigEndian.Uint64(sum[8*i:])
	}
}

// Sum returns the sum of the pieces so far.
func (d *Digest) Sum() (sum Sum) {
	d.bytes.Sum(sum.Bytes[:0])
	for i, n := range d.pieces {
		binary.BigEndian.PutUint64(sum.Pieces[8*i:], n)
	}
	return sum
}

// clone returns a digest to which pieces can be added while the other one stays.
func (d *Digest) clone() *Digest {
	copied, err := d.bytes.(hash.Cloner).Clone()
	if err != nil {
		panic(err) // of crypto/sha256 without an error
	}
	return &Digest{bytes: copied.(hash.Hash), pieces: d.pieces}
}
