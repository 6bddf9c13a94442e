package upload

import "hash"

const (
	Limit   = 256 << 10 // an upload beyond this, in bytes, is not kept
	MaxText = 8 << 20   // nor is a body beyond this that is text, but neither JSON nor a form
)

// A sink takes the content of an upload.
type sink struct {
	hash  hash.Hash
	n     int64
	start []byte // of the content
}

func (s *sink) write(p []byte) {
	if len(s.start) < maxStart {
		s.start = append(s.start, p[:min(len(p), maxStart)]...)
	}
	s.n += int64(len(p))
	s.hash.Write(p)
}
