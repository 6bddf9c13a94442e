package cassette

import (
	"bytes"

	"github.com/promptecho/promptecho/internal/codec"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/yaml"
)

// anchor returns the value that has an anchor. Those that aliases in it stand for are above it.
func (s *Index) anchor(name string) (n yaml.Node, ok bool) {
	a := &s.anchors
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.values == nil {
		a.values = map[string]yaml.Node{}
		for i := range s.items {
			if i > 0 && s.items[i].at == s.items[i-1].at {
				continue
			}
			if text, err := s.textOf(i); err == nil && bytes.Contains(text, []byte(" &")) {
				codec.Anchors(string(text), a.values)
			}
		}
	}
	n, ok = a.values[name]
	return n, ok
}

// Interaction reads an interaction. What it returns is the caller's, and another
// one every time, unless the interaction was not sealed.
func (s *Index) Interaction(i int) (it *interaction.Interaction, err error) {
	if it := s.items[i].it; it != nil {
		return it, nil
	}
	text, err := s.textOf(i)
	if err != nil {
		return nil, err
	}
	if it, err = codec.ParseItem(s.path, text, s.asset, s.anchor); err != nil {
		return nil, s.inFile(err)
	}
	it.Line = s.items[i].line
	if key := s.items[i].seal.key; key != 0 {
		it.MatchKey = hexKey(key)
	}
	return it, nil
}

// Answer reads what answered the request of an interaction.
func (s *Index) Answer(i int) (it *interaction.Interaction, err error) {
	if it := s.items[i].it; it != nil {
		return it, nil
	}
	text, err := s.textOf(i)
	if err != nil {
		return nil, err
	}
	it, err = codec.ParseAnswer(s.path, text, s.asset, s.anchor)
	return it, s.inFile(err)
}

func (s *Index) asset(name string) ([]byte, error) {
	return readFrom(Assets(target(s.path)))(name)
}

// inFile returns the error about an interaction with its place in the file.
func (s *Index) inFile(err error) error {
	if err == nil {
		return nil
	}
	if _, err := Load(s.path); err != nil {
		return err
	}
	return s.changed()
}
