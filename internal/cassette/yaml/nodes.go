package yaml

// Nodes has the memory of the nodes of one text. Those of the next text can use it again: with as
// many of them, reading allocates nothing. The zero value is ready to be used.
type Nodes struct {
	nodes    slab[Node]
	elements slab[*Node] // the lists of elements of the nodes
	pending  []*Node     // elements of the collections that are being read, those of the outermost first
}

// Reset takes back all nodes: none of them may be used after that, nor their elements.
func (s *Nodes) Reset() {
	s.nodes.reset()
	s.elements.reset()
	clear(s.pending[:cap(s.pending)])
	s.pending = s.pending[:0]
}

// Len returns how many nodes there is memory for.
func (s *Nodes) Len() int {
	n := 0
	for _, chunk := range s.nodes.chunks {
		n += len(chunk)
	}
	return n
}

// A slab makes values in chunks: one by one, each would be an allocation.
type slab[T any] struct {
	chunks  [][]T
	current int // the chunk that values are taken from
	used    int // how many values of that chunk are taken
}

// chunkLen is the length of a chunk. So many nodes fill 2 KB.
const chunkLen = 23

// take returns n values, all of them zero.
func (s *slab[T]) take(n int) []T {
	for s.current < len(s.chunks) && s.used+n > len(s.chunks[s.current]) {
		s.current++
		s.used = 0
	}
	if s.current == len(s.chunks) {
		s.chunks = append(s.chunks, make([]T, max(n, chunkLen)))
	}
	start := s.used
	s.used += n
	return s.chunks[s.current][start:s.used:s.used]
}

// reset takes all values back. It clears them, so that they hold nothing in memory.
func (s *slab[T]) reset() {
	for i := range min(s.current+1, len(s.chunks)) {
		clear(s.chunks[i])
	}
	s.current = 0
	s.used = 0
}
