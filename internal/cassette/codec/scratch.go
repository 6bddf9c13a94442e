package codec

import (
	"sync"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
)

// A scratch is memory that a parser needs only while it reads. Later parsers use the memory again.
type scratch struct {
	nodes    yaml.Nodes
	known    []string                    // the known keys of the current mapping and of those around it
	buf      []byte                      // the JSON text that is being made
	values   group.Slab[exactjson.Value] // the values of that JSON
	lastFlow flowModel                   // the collection that flowJSON read last
}

// scratchPool has the scratches that no parser uses.
var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// The most memory that a scratch keeps for the next parser: enough for a response of a megabyte. A
// large cassette that is read as a whole needs more, which is rare.
const (
	maxScratchNodes = 8 << 10
	maxScratchBuf   = 1 << 20
)

// release makes the scratch available to the next parser. Its nodes must not be used afterwards.
func (s *scratch) release() {
	isLarge := s.nodes.Len() > maxScratchNodes || cap(s.buf) > maxScratchBuf ||
		s.values.Len() > maxScratchNodes || cap(s.lastFlow.scalars) > maxScratchNodes
	if isLarge {
		return
	}
	s.nodes.Reset()
	clear(s.known[:cap(s.known)])
	s.known = s.known[:0]
	s.lastFlow = flowModel{scalars: s.lastFlow.scalars[:0]}
	scratchPool.Put(s)
}
