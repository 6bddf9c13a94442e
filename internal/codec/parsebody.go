package codec

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/yaml"
)

// body reads the body of a request or a response.
func (p *parser) body(body *[]byte) {
	layout, layoutField := p.get("layout")
	n, field := p.get("body")
	base64, base64Field := p.get("body_base64")
	file, fileField := p.get("body_file")
	part := p.in.field
	if extra := secondOf(n, base64, file); extra != nil {
		p.badf(extra, part, "more than one of body, body_base64 and body_file; keep one")
	}
	structure := n != nil && isStructure(n)
	if layout != nil && !structure {
		p.badf(layout, layoutField, "a layout is for a body that is a mapping or a list; remove it")
	}
	var b []byte
	switch {
	case p.err != nil:
		return
	case structure:
		var l exactjson.Layout
		if layout != nil {
			l = p.layout(layout, layoutField)
		}
		b = p.json(n, field, l)
	case n != nil:
		b = []byte(p.bodyText(n, field))
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
	*body = p.json(n, field, exactjson.Layout{})
}

// secondOf returns the second of the nodes that are there, nil if there are fewer.
func secondOf(nodes ...*yaml.Node) *yaml.Node {
	there := slices.DeleteFunc(nodes, func(n *yaml.Node) bool { return n == nil })
	if len(there) < 2 {
		return nil
	}
	return there[len(there)-1]
}

func (p *parser) bodyText(n *yaml.Node, field string) string {
	if isAsset(n) || n.Tag == "" && p.resolve(n, field) != exactjson.String {
		p.want(n, field, "a mapping or a list (JSON), or text (in quotes if it looks like something else)")
		return ""
	}
	return p.decoded(n, field)
}

// readAsset returns the content of the asset that n names.
func (p *parser) readAsset(n *yaml.Node, field, name string) []byte {
	if p.err != nil {
		return nil
	}
	if !assetName.MatchString(name) {
		p.badf(n, field, "invalid asset name %q; want 16 hex digits and an extension", yaml.Clip(name))
		return nil
	}
	if p.asset == nil {
		p.badf(n, field, "asset %q cannot be read: there are no assets here", name)
		return nil
	}
	if p.mentions == nil {
		p.mentions, p.assets = map[string]int{}, map[string][]byte{}
	}
	b, known := p.assets[name]
	if p.mentions[name]++; !known {
		var err error
		if b, err = p.asset(name); err != nil {
			p.badf(n, field, "asset %q cannot be read (%v); restore it, or record again", name, err)
			p.err.Cut = true
			return nil
		}
		if h := hashAsset(b); h != name[:len(h)] {
			p.badf(n, field, "asset %q was changed (its content is %s); restore it, or name the file for its content here and there", name, h)
			p.err.Cut = true
			return nil
		}
		p.assets[name] = b
		p.distinct += len(b)
	}
	if p.named += len(b); p.named > (maxGrowth+2)*(len(p.src)+p.distinct)+maxNamed {
		p.badf(n, field, "asset %q is named %d times, which makes too much of its %d bytes; name it less often, or record again", name, p.mentions[name], len(b))
		return nil
	}
	return b
}

// maxNamed is how many bytes of assets a file may name, beyond ten times what it and
// they have: a conversation names its pictures again in every turn. It is for what is
// read as a whole; of a recorded file that is an interaction.
const maxNamed = 256 << 20

// mostIndentation returns how many bytes of indentation there may be in the JSON of a
// text of n bytes. It is more than Encode makes.
func mostIndentation(n int) int { return (maxGrowth+2)*n + 1<<20 }

// assetText returns the text of an !asset: what stands before "@", and the
// content of the asset after it in base64.
func (p *parser) assetText(n *yaml.Node, field string) string {
	i := strings.LastIndexByte(n.Text, '@')
	if i < 0 {
		p.badf(n, field, "invalid asset %q; want \"@\" and the asset's name", yaml.Clip(n.Text))
		return ""
	}
	return n.Text[:i] + encodeBase64(p.readAsset(n, field, n.Text[i+1:]))
}
