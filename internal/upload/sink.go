package upload

import (
	"hash"
	"sync"
)

const (
	Limit   = 256 << 10 // an upload beyond this, in bytes, is not kept
	MaxText = 8 << 20   // nor is a body beyond this that is text, but neither JSON nor a form
)

// A sink takes the content of an upload. It hashes a block while the next one comes.
type sink struct {
	hash    hash.Hash
	n       int64
	start   []byte // of the content
	block   []byte // is not hashed yet
	hashed  []byte // the block before
	working sync.WaitGroup
}

func (s *sink) write(p []byte) {
	if len(s.start) < maxStart {
		s.start = append(s.start, p[:min(len(p), maxStart)]...)
	}
	s.n += int64(len(p))
	if s.block = append(s.block, p...); len(s.block) >= Limit {
		s.working.Wait()
		s.block, s.hashed = s.hashed[:0], s.block
		s.working.Go(func() { s.hash.Write(s.hashed) })
	}
}

func (s *sink) sum() []byte {
	s.working.Wait()
	s.hash.Write(s.block)
	return s.hash.Sum(nil)
}
