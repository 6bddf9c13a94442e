package oldreader

import (
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// readAsset returns the content of the asset that n names.
func (p *parser) readAsset(n *Node, field, name string) []byte {
	if p.err != nil {
		return nil
	}
	if !assetName().MatchString(name) {
		p.badf(n, field, "invalid asset name %q; want 16 hex digits and an extension", Clip(name))
		return nil
	}
	if p.asset == nil {
		p.badf(n, field, "asset %q cannot be read: this cassette has no folder of assets", name)
		return nil
	}
	if p.mentions == nil {
		p.mentions, p.uses, p.assets = map[string]int{}, map[string]int{}, map[string][]byte{}
	}
	b, known := p.assets[name]
	if !known {
		var err error
		b, err = p.asset(name)
		if err != nil {
			p.badf(n, field, "asset %q cannot be read (%v); restore it, or record again", name, err)
			p.err.Incomplete = true
			return nil
		}
		if h := hashAsset(b); h != name[:len(h)] {
			p.badf(n, field, "asset %q was changed: its content now has the hash %s; restore it, or "+
				"put that hash in the name of the file, and use the new name here", name, h)
			p.err.Incomplete = true
			return nil
		}
		p.assets[name] = b
		p.distinct += len(b)
		p.mentions[name] = max(1, strings.Count(p.src, name))
		p.named += len(b) * p.mentions[name]
	} else if p.uses[name]++; p.uses[name] >= p.mentions[name] { // by aliases
		p.mentions[name]++
		p.named += len(b)
	}
	if p.named > (maxGrowth+2)*(len(p.src)+p.distinct)+maxNamed {
		p.badf(n, field, "asset %q is used %d times; with its %d bytes "+
			"that is more than is allowed. Use it less often, or record again",
			name, p.mentions[name], len(b))
	}
	return b
}

// maxNamed is how many bytes of assets a file may name, beyond ten times what it and
// they have: a conversation names its pictures again in every turn. It is for what is
// read as a whole; of a recorded file that is an interaction.
const maxNamed = 256 << 20

// assetText returns the text of an !asset: what stands before "@", and the
// content of the asset after it in base64.
func (p *parser) assetText(n *Node, field string) string {
	i := strings.LastIndexByte(n.Text, '@')
	if i < 0 {
		p.badf(n, field, "invalid asset %q; want \"@\" and the asset's name", Clip(n.Text))
		return ""
	}
	return n.Text[:i] + encodeBase64(p.readAsset(n, field, n.Text[i+1:]))
}

// vector returns the vector n.
func (p *parser) vector(n *Node, field string) exactjson.Value {
	count, name, ok := strings.Cut(n.Text, "@")
	if !ok {
		p.badf(n, field, "invalid vector %q; want the count of its numbers, \"@\" and the name of its asset",
			Clip(n.Text))
	}
	v, err := exactjson.Parse(p.readAsset(n, field, name))
	if err != nil || v.Kind != exactjson.Array || strconv.Itoa(len(v.Elems)) != count {
		p.badf(n, field, "asset %q is not a list of %s numbers; restore it, or record again", name, Clip(count))
	}
	return v
}

// contentOfAsset returns the content of the asset that the node n with the tag !asset names, as
// "@NAME".
func (p *parser) contentOfAsset(n *Node, field string) string {
	name, ok := strings.CutPrefix(n.Text, "@")
	if !ok {
		p.badf(n, field, "invalid asset %q; want \"@\" and the asset's name", Clip(n.Text))
		return ""
	}
	return string(p.readAsset(n, field, name))
}
