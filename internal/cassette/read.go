package cassette

import (
	"bytes"

	"github.com/promptecho/promptecho/internal/codec"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/yaml"
)

// anchor returns the value that has an anchor. Those that aliases in it stand for are above it.
func (s *Index) anchor(name string) (n yaml.Node, ok bool) {
	s.anchoring.Do(func() {
		s.anchored = map[string]yaml.Node{}
		for i := range s.items {
			if i > 0 && s.items[i].at == s.items[i-1].at {
				continue
			}
			if text, err := s.textOf(i); err == nil && bytes.Contains(text, []byte(" &")) {
				codec.Anchors(string(text), s.anchored)
			}
		}
	})
	n, ok = s.anchored[name]
	return n, ok
}

// Interaction reads an interaction. What it returns is the caller's, and another
// one every time, unless the interaction was not sealed.
func (s *Index) Interaction(i int) (*interaction.Interaction, error) {
	return s.read(i, codec.ParseItem)
}

// Answer reads what answered the request of an interaction.
func (s *Index) Answer(i int) (*interaction.Interaction, error) { return s.read(i, codec.ParseAnswer) }

// A parser reads the text of an interaction, or what it needs of it.
type parser func(name string, text []byte, asset codec.ReadAsset, beyond codec.Beyond) (*interaction.Interaction, error)

func (s *Index) read(i int, parse parser) (*interaction.Interaction, error) {
	entry := &s.items[i]
	if entry.it != nil {
		return entry.it, nil
	}
	text, err := s.textOf(i)
	if err != nil {
		return nil, err
	}
	it, err := parse(s.path, text, s.asset, s.anchor)
	if err != nil {
		if _, err := Load(s.path); err != nil { // with its place in the file
			return nil, err
		}
		return nil, s.changed()
	}
	it.Line = entry.line
	if key := entry.seal.key; key != 0 {
		it.MatchKey = hexKey(key)
	}
	return it, nil
}

func (s *Index) asset(name string) ([]byte, error) {
	return readFrom(Assets(target(s.path)))(name)
}
