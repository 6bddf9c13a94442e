package codec

import (
	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// json returns the JSON value of n, printed in a layout. The next call overwrites the result. It
// is an error if the indentation would make much JSON of a small file.
func (p *parser) json(n *yaml.Node, field string, l exactjson.Layout) []byte {
	defer p.values.Reset()
	v := p.value(n, field)
	if p.err != nil {
		return nil
	}
	printer := exactjson.NewPrinter(l)
	printer.Indentation = p.indentation
	printer.MaxIndentation = maxIndentation(len(p.src) + p.assetBytes)
	p.buf = printer.Print(p.buf[:0], &v)
	p.indentation = printer.Indentation
	if p.indentation > printer.MaxIndentation {
		p.badf(n, field, "with this layout, the indentation of the JSON would take more than ten "+
			"times as many bytes as this file has; lower the indent of the layout, or write the JSON as text")
	}
	return p.buf
}

// hasJSON reports whether n is a collection that flowJSON has read. Then n.Text is its JSON, and n has
// no elements.
func hasJSON(n *yaml.Node) bool { return n.Kind != yaml.Scalar && n.Text != "" }

// flowJSON returns the JSON of the collection in flow style at the start of text, and the offset of
// its end. It returns 0 if the parser of YAML must read the collection.
func (p *parser) flowJSON(text string) (json string, end int) {
	p.buf, end = p.lastFlow.read(p.buf[:0], text)
	isLikeLast := end > 0
	if !isLikeLast {
		r := flowReader{text: text, scalars: p.lastFlow.scalars[:0]}
		p.buf, end = r.value(p.buf[:0], 0, 1)
		p.lastFlow = flowModel{scalars: r.scalars}
		if end == 0 {
			p.lastFlow.scalars = p.lastFlow.scalars[:0]
			return "", 0
		}
	}

	if p.flows.Cap() == 0 {
		p.flows.Grow(len(text)) // most of the text that follows is such collections
	}
	start := p.flows.Len()
	p.flows.Write(p.buf)
	json = p.flows.String()[start:]
	if !isLikeLast {
		p.lastFlow.text = text[:end]
		p.lastFlow.json = json
	}
	return json, end
}

// value returns the JSON value of n.
func (p *parser) value(n *yaml.Node, field string) (v exactjson.Value) {
	switch {
	case p.err != nil:
		return v
	case n.Kind == yaml.Scalar:
		return p.scalar(n, field)
	case n.Tag != "":
		p.badf(n, field, "the tag %s is for text", n.Tag)
		return v
	case hasJSON(n):
		v, _ = exactjson.Parse([]byte(n.Text))
		return v
	}
	v = exactjson.Value{Kind: exactjson.Array, Elems: p.values.Take(len(n.Elems))}
	if n.Kind == yaml.Mapping {
		v.Kind = exactjson.Object
	}
	for i, e := range n.Elems {
		name := ""
		if e.Key != nil {
			name = p.key(e.Key, field)
			if e.Key.Tag == "!!binary" {
				p.badf(e.Key, field, "a JSON name cannot be binary")
			}
		}
		v.Elems[i] = p.value(e, field)
		v.Elems[i].Name = name
	}
	return v
}

// scalar returns the JSON value of a scalar: a list of numbers if it has the tag !numbers.
func (p *parser) scalar(n *yaml.Node, field string) exactjson.Value {
	v := exactjson.Value{Kind: exactjson.String, Text: n.Text}
	switch n.Tag {
	case numbersTag:
		return p.vector(n, field)
	case "!asset":
		v.Text = p.assetText(n, field)
	case "!!binary":
		p.badf(n, field, "a JSON text cannot be binary")
	default:
		v.Kind = p.resolve(n, field)
	}
	return v
}

// maxIndentation returns the most bytes of indentation that the JSON of a text of n bytes may have.
// [Encode] writes less.
func maxIndentation(n int) int { return (maxGrowth+2)*n + 1<<20 }
