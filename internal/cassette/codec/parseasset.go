package codec

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// readAsset returns the content of the asset that the node n names. It is an error if the text uses
// its assets so often that they would take much memory together.
func (p *parser) readAsset(n *yaml.Node, field, name string) []byte {
	if p.err != nil {
		return nil
	}
	if !assetName().MatchString(name) {
		p.badf(n, field, "invalid asset name %q; want 16 hex digits and an extension", yaml.Clip(name))
		return nil
	}
	if p.readFile == nil {
		p.badf(n, field, "asset %q cannot be read: this cassette has no folder of assets", name)
		return nil
	}
	asset, wasRead := p.assets[name]
	if !wasRead {
		content := p.readAssetFile(n, field, name)
		if p.err != nil {
			return nil
		}
		asset = p.addAsset(name, content)
	} else {
		asset.reused++
		isUsedByAlias := asset.reused >= asset.count // an alias does not have the name
		if isUsedByAlias {
			asset.count++
			p.usedAssetBytes += len(asset.content)
		}
	}
	if p.usedAssetBytes > (maxGrowth+2)*(len(p.src)+p.assetBytes)+maxUsedAssets {
		p.badf(n, field, "asset %q is used %d times; with its %d bytes "+
			"that is more than is allowed. Use it less often, or record again",
			name, asset.count, len(asset.content))
	}
	return asset.content
}

// readAssetFile returns the content of the file of an asset. It is an error if the content does not
// have the hash in the name.
func (p *parser) readAssetFile(n *yaml.Node, field, name string) []byte {
	content, err := p.readFile(name)
	if err != nil {
		p.badf(n, field, "asset %q cannot be read (%v); restore it, or record again", name, err)
		p.err.Incomplete = true
		return nil
	}
	hash := hashAsset(content)
	if hash == name[:len(hash)] {
		return content
	}
	// git on Windows takes bytes without NUL and CR for text, and writes their line ends as CRLF.
	withLF := bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	if hashAsset(withLF) != name[:len(hash)] {
		p.badf(n, field, "asset %q was changed: its content now has the hash %s; restore it, or "+
			"put that hash in the name of the file, and use the new name here", name, hash)
		p.err.Incomplete = true
		return nil
	}
	return withLF
}

// addAsset adds an asset that was read for the first time. The text may use it several times.
func (p *parser) addAsset(name string, content []byte) *assetUse {
	asset := &assetUse{content: content, count: max(1, strings.Count(p.src, name))}
	if p.assets == nil {
		p.assets = map[string]*assetUse{}
	}
	p.assets[name] = asset
	p.assetBytes += len(content)
	p.usedAssetBytes += len(content) * asset.count
	return asset
}

// maxUsedAssets is how many bytes the assets of a text may have, counted per use, in addition to
// ten times the bytes of the text and its assets. A conversation names its pictures
// again in every turn. Of a file that promptecho wrote, each interaction is a text of its own.
const maxUsedAssets = 256 << 20

// assetText returns the text of the node n with the tag !asset. Of "data:image/png;base64,@NAME"
// that is the text before "@" and the content of the asset NAME in base64.
func (p *parser) assetText(n *yaml.Node, field string) string {
	i := strings.LastIndexByte(n.Text, '@')
	if i < 0 {
		p.badf(n, field, "invalid asset %q; want \"@\" and the asset's name", yaml.Clip(n.Text))
		return ""
	}
	return n.Text[:i] + encodeBase64(p.readAsset(n, field, n.Text[i+1:]))
}

// contentOfAsset returns the content of the asset that the node n with the tag !asset names, as
// "@NAME".
func (p *parser) contentOfAsset(n *yaml.Node, field string) string {
	name, ok := strings.CutPrefix(n.Text, "@")
	if !ok {
		p.badf(n, field, "invalid asset %q; want \"@\" and the asset's name", yaml.Clip(n.Text))
		return ""
	}
	return string(p.readAsset(n, field, name))
}

// vector returns the list of numbers in the asset of n, which has the tag !numbers.
func (p *parser) vector(n *yaml.Node, field string) exactjson.Value {
	count, name, ok := strings.Cut(n.Text, "@")
	if !ok {
		p.badf(n, field, "invalid vector %q; want the count of its numbers, \"@\" and the name of its asset",
			yaml.Clip(n.Text))
	}
	v, err := exactjson.Parse(p.readAsset(n, field, name))
	isList := err == nil && v.Kind == exactjson.Array
	if !isList || strconv.Itoa(len(v.Elems)) != count {
		p.badf(n, field, "asset %q is not a list of %s numbers; restore it, or record again", name, yaml.Clip(count))
	}
	return v
}
