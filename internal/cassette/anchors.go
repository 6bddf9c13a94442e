package cassette

import (
	"bytes"
	"sync"

	"github.com/promptecho/promptecho/internal/alias"
	"github.com/promptecho/promptecho/internal/codec"
	"github.com/promptecho/promptecho/internal/yaml"
)

// anchors are the values in a cassette that aliases stand for. They are looked for when the
// first interaction with an alias is read, and each is read when one stands for it.
type anchors struct {
	mu    sync.Mutex
	texts map[string]string // of lists that have nothing but one of them; nil before
	nodes map[string]yaml.Node
}

// anchor returns the value that has an anchor. The lock of the index is held.
func (s *Index) anchor(name string) (n yaml.Node, ok bool) {
	a := &s.anchors
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.texts == nil {
		a.texts, a.nodes = map[string]string{}, map[string]yaml.Node{}
		for i := range s.items {
			if s.items[i].seal == nil || i > 0 && s.items[i].at == s.items[i-1].at {
				continue
			}
			err := s.openText(i, func(text []byte) error {
				if bytes.IndexByte(text, '&') >= 0 {
					alias.Anchors(string(text), func(name, list string) { a.texts[name] = list })
				}
				return nil
			})
			if err != nil {
				return n, false
			}
		}
	}
	return a.node(name)
}

// node returns the value that has an anchor which was found.
func (a *anchors) node(name string) (n yaml.Node, ok bool) {
	if n, ok = a.nodes[name]; ok {
		return n, true
	}
	if n, ok = codec.ParseValue(a.texts[name], a.node); ok {
		a.nodes[name] = n
	}
	return n, ok
}
