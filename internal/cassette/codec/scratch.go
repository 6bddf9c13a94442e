package codec

import (
	"sync"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
)

// A scratch is memory that a parser needs only while it reads. The next parser uses it again.
type scratch struct {
	nodes    yaml.Nodes
	known    []string                    // the keys that were asked for, of all mappings that are being read
	buf      []byte                      // for the JSON that is being made
	values   group.Slab[exactjson.Value] // of the JSON that is being made
	lastFlow flowModel                   // the collection that flowJSON read last
}

// scratches has those that no parser uses.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// What a scratch may keep: enough for an answer of a megabyte, and nothing of what only a large
// cassette needs that is read as a whole.
const (
	maxScratchNodes = 8 << 10
	maxScratchBuf   = 1 << 20
)

// release gives the scratch to the next parser. The nodes in it are gone then.
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
	scratches.Put(s)
}
