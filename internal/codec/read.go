package codec

import (
	"bytes"
	"fmt"
	"io/fs"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/yaml"
)

// Check makes sure that what Encode wrote of an interaction reads as it again.
func Check(text []byte, assets map[string][]byte, it *interaction.Interaction) error {
	back, err := Read(text, assets)
	if err != nil {
		return fmt.Errorf("promptecho cannot read what it would write; please report this: %w", err)
	}
	if d := it.Difference(back); d != "" {
		return fmt.Errorf("%s would be different when it is read back from the cassette; please report this", d)
	}
	return nil
}

// Read reads what Encode returned.
func Read(text []byte, assets map[string][]byte) (*interaction.Interaction, error) {
	return ParseItem("cassette", text, func(name string) ([]byte, error) {
		if b, ok := assets[name]; ok {
			return b, nil
		}
		return nil, fs.ErrNotExist
	}, nil)
}

// ParseAnswer is [ParseItem] for a text that Encode wrote, of which it reads only what
// answered the request.
func ParseAnswer(name string, text []byte, asset ReadAsset, beyond Beyond) (*interaction.Interaction, error) {
	start := bytes.Index(text, []byte(AnswerStart))
	if start < 0 {
		return ParseItem(name, text, asset, beyond)
	}
	p := newParser(name, string(text[start+1:]), asset)
	p.beyond = beyond
	it := new(interaction.Interaction)
	p.read(func(root *yaml.Node) {
		p.mapping(root, "interaction", "", func() { answerFields(p, it) })
	})
	if p.err != nil {
		return ParseItem(name, text, asset, beyond) // the answer of a function, or none at all
	}
	return it, nil
}
