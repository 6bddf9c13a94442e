package codec

import (
	"bytes"
	"cmp"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// body reads the body of a request or a response.
func (p *parser) body(body *[]byte) { p.content("body", body) }

// content reads the keys that [encoder.content] writes: key itself with JSON or text, key_base64
// with base64, or key_file with the name of an asset.
func (p *parser) content(key string, body *[]byte) {
	layout, layoutField := p.get("layout")
	n, field := p.get(key)
	base64, base64Field := p.get(key + "_base64")
	file, fileField := p.get(key + "_file")
	keyCount := 0
	for _, value := range [...]*yaml.Node{n, base64, file} {
		if value != nil {
			keyCount++
		}
	}
	if keyCount > 1 {
		p.badf(cmp.Or(file, base64), p.current.field,
			"more than one of %[1]s, %[1]s_base64 and %[1]s_file; keep one", key)
	}
	if layout != nil && (n == nil || !isStructure(n)) {
		p.badf(layout, layoutField, "a layout is for a body that is a mapping or a list; remove it")
	}
	var b []byte
	switch {
	case p.err != nil:
		return
	case n != nil:
		var l exactjson.Layout
		if layout != nil {
			l = p.layout(layout, layoutField)
		}
		b = p.bodyOf(n, field, l)
	case base64 != nil:
		if base64.Tag != "" {
			p.unexpected(base64, base64Field, "base64")
		}
		p.stringOf(base64, base64Field)
		b = p.base64(base64, base64Field)
	case file != nil:
		b = p.readAsset(file, fileField, p.stringOf(file, fileField))
	}
	if len(b) > 0 {
		*body = b
	}
}

// jsonBody reads a body that is a JSON value of any kind.
func (p *parser) jsonBody(body *[]byte, isRequired bool) {
	n, field := p.get("body")
	if n == nil {
		p.require("body", !isRequired)
		return
	}
	*body = bytes.Clone(p.json(n, field, exactjson.Layout{}))
}

// bodyOf returns the bytes of the body n: JSON printed in layout l if n is structure, else the text
// of n.
func (p *parser) bodyOf(n *yaml.Node, field string, l exactjson.Layout) []byte {
	if isStructure(n) {
		return bytes.Clone(p.json(n, field, l))
	}
	hasTextTag := n.Tag != "" && !isAsset(n) // !!str or !!binary
	isText := hasTextTag || n.Tag == "" && p.resolve(n, field) == exactjson.String
	if !isText {
		p.unexpected(n, field, "a mapping or a list (JSON), or text (in quotes if it looks like something else)")
	}
	return []byte(p.decoded(n, field))
}
