package oldreader

import (
	"bytes"
	"cmp"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// body reads the body of a request or a response.
func (p *parser) body(body *[]byte) { p.content("body", body) }

// content reads what encoder.content writes.
func (p *parser) content(key string, body *[]byte) {
	layout, layoutField := p.get("layout")
	n, field := p.get(key)
	base64, base64Field := p.get(key + "_base64")
	file, fileField := p.get(key + "_file")
	if last := cmp.Or(file, base64); last != nil && (n != nil || last != cmp.Or(base64, file)) {
		p.badf(last, p.in.field, "more than one of %[1]s, %[1]s_base64 and %[1]s_file; keep one", key)
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
			p.want(base64, base64Field, "base64")
		}
		p.str(base64, base64Field)
		b = p.base64(base64, base64Field)
	case file != nil:
		b = p.readAsset(file, fileField, p.str(file, fileField))
	}
	if len(b) > 0 {
		*body = b
	}
}

// jsonBody reads JSON of any kind.
func (p *parser) jsonBody(body *[]byte, needed bool) {
	n, field := p.get("body")
	if n == nil {
		p.need("body", !needed)
		return
	}
	*body = bytes.Clone(p.json(n, field, exactjson.Layout{}))
}

// bodyOf returns JSON in a layout, or a text.
func (p *parser) bodyOf(n *Node, field string, l exactjson.Layout) []byte {
	switch {
	case isStructure(n):
		return bytes.Clone(p.json(n, field, l))
	case isAsset(n), n.Tag == "" && p.resolve(n, field) != exactjson.String:
		p.want(n, field, "a mapping or a list (JSON), or text (in quotes if it looks like something else)")
	}
	return []byte(p.decoded(n, field))
}
