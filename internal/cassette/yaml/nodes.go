package yaml

import "github.com/promptecho/promptecho/internal/group"

// Nodes has the memory of the nodes of one text. Those of the next text can use it again: with as
// many of them, reading allocates nothing. The zero value is ready to be used.
type Nodes struct {
	nodes    group.Slab[Node]
	elements group.Slab[*Node] // the lists of elements of the nodes
	pending  []*Node           // elements of the collections that are being read, those of the outermost first
}

// Reset takes back all nodes: none of them may be used after that, nor their elements.
func (s *Nodes) Reset() {
	s.nodes.Reset()
	s.elements.Reset()
	clear(s.pending[:cap(s.pending)])
	s.pending = s.pending[:0]
}

// Len returns how many nodes there is memory for.
func (s *Nodes) Len() int { return s.nodes.Len() }
