package codec

import (
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/yaml"
)

// A vector is a list of numbers that is too long to be read, such as an embedding. What
// stands in the file is how many numbers it has and the asset that has them, as JSON:
// "!numbers 1536@6f1ed002ab559585.json".
const (
	numbersTag = "!numbers"
	minVector  = 1 << 10 // bytes of its JSON
)

func isVector(v *exactjson.Value) bool {
	if v.Kind != exactjson.Array || len(v.Elems)*2 < minVector/16 {
		return false
	}
	size := 1
	for i := range v.Elems {
		if v.Elems[i].Kind != exactjson.Number {
			return false
		}
		size += len(v.Elems[i].Text) + 1
	}
	return size > minVector
}

// vector writes a vector in block or in flow context.
func (e *encoder) vector(v *exactjson.Value, block bool) {
	text := exactjson.NewPrinter(exactjson.Layout{})
	content := text.Print(nil, v)
	name := hashAsset(content) + ".json"
	e.keepAsset(name, content)
	ref := strconv.Itoa(len(v.Elems)) + "@" + name
	e.raw(numbersTag + " ")
	if block {
		e.raw(ref)
	} else {
		e.buf = yaml.AppendQuoted(e.buf, ref)
	}
}

// vector returns the vector n.
func (p *parser) vector(n *yaml.Node, field string) exactjson.Value {
	count, name, ok := strings.Cut(n.Text, "@")
	if !ok {
		p.badf(n, field, "invalid vector %q; want the number of its numbers, \"@\" and its asset's name", yaml.Clip(n.Text))
		return exactjson.Value{}
	}
	content := p.readAsset(n, field, name)
	if p.err != nil {
		return exactjson.Value{}
	}
	v, err := exactjson.Parse(content)
	if err != nil || v.Kind != exactjson.Array || strconv.Itoa(len(v.Elems)) != count {
		p.badf(n, field, "asset %q is not a list of %s numbers; restore it, or record again", name, yaml.Clip(count))
		return exactjson.Value{}
	}
	return v
}

// isStructure reports whether n stands for an object or a list of JSON.
func isStructure(n *yaml.Node) bool { return n.Kind != yaml.Scalar || n.Tag == numbersTag }

// isAsset reports whether n stands for what is in an asset.
func isAsset(n *yaml.Node) bool { return n.Tag == "!asset" || n.Tag == numbersTag }
