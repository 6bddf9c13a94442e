package group

// A Slab makes values in chunks: one by one, each would be an allocation. Those that were made
// can be taken back and made again. The zero value is ready to be used.
type Slab[V any] struct {
	chunks  [][]V
	current int // the chunk that values are taken from
	used    int // how many values of that chunk are taken
}

// chunkLen is the length of a chunk. So many nodes of YAML fill 2 KB.
const chunkLen = 23

// Take returns n values, all of them zero.
func (s *Slab[V]) Take(n int) []V {
	for s.current < len(s.chunks) && s.used+n > len(s.chunks[s.current]) {
		s.current++
		s.used = 0
	}
	if s.current == len(s.chunks) {
		s.chunks = append(s.chunks, make([]V, max(n, chunkLen)))
	}
	start := s.used
	s.used += n
	return s.chunks[s.current][start:s.used:s.used]
}

// Reset takes back all values: none of them may be used after that. It clears them, so that what
// they referred to can be collected.
func (s *Slab[V]) Reset() {
	for i := range min(s.current+1, len(s.chunks)) {
		clear(s.chunks[i])
	}
	s.current = 0
	s.used = 0
}

// Len returns how many values there is memory for.
func (s *Slab[V]) Len() int {
	n := 0
	for _, chunk := range s.chunks {
		n += len(chunk)
	}
	return n
}
