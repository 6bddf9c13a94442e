package oldreader

import (
	"bytes"

	"github.com/promptecho/promptecho/internal/interaction"
)

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
	p.read(func(root *Node) {
		p.mapping(root, "interaction", "", func() { answerFields(p, it) })
	})
	if p.err != nil {
		return ParseItem(name, text, asset, beyond) // the answer of a function, or none at all
	}
	return it, nil
}
