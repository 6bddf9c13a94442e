package cassette

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// bodyNodes are the keys of a request or a response that make its body.
type bodyNodes struct {
	layout, body, base64, file *node
}

func (b *bodyNodes) set(key string, v *node) {
	switch key {
	case "layout":
		b.layout = v
	case "body":
		b.body = v
	case "body_base64":
		b.base64 = v
	case "body_file":
		b.file = v
	}
}

// first returns the first of the keys that hold a body, and another one if there
// is one that should not be there.
func (b *bodyNodes) first() (n, extra *node) {
	for _, k := range []*node{b.body, b.base64, b.file} {
		if n == nil {
			n = k
		} else if k != nil {
			extra = k
		}
	}
	return n, extra
}

// body returns the body of the part, "request" or "response"; nil if it is empty.
func (d *decoder) body(b *bodyNodes, part string) []byte {
	if body := d.anyBody(b, part); len(body) > 0 {
		return body
	}
	return nil
}

func (d *decoder) anyBody(b *bodyNodes, part string) []byte {
	if _, extra := b.first(); extra != nil {
		d.badf(extra, part, "more than one of body, body_base64 and body_file; keep one")
	}
	structure := b.body != nil && b.body.kind != scalarNode
	if b.layout != nil && !structure {
		d.badf(b.layout, part+".layout", "a layout is for a body that is a mapping or a list; remove it")
	}
	switch {
	case d.err != nil:
		return nil
	case structure:
		var l exactjson.Layout
		if b.layout != nil {
			l = d.layout(b.layout, part+".layout")
		}
		v := d.value(b.body, part+".body")
		return d.print(b.body, part+".body", &v, l)
	case b.body != nil:
		return []byte(d.bodyText(b.body, part+".body"))
	case b.base64 != nil:
		field := part + ".body_base64"
		if b.base64.tag != "" {
			d.want(b.base64, field, "base64")
		}
		d.str(b.base64, field)
		return d.base64(b.base64, field)
	case b.file != nil:
		return d.readAsset(b.file, part+".body_file", d.str(b.file, part+".body_file"))
	}
	return nil
}

func (d *decoder) bodyText(n *node, field string) string {
	if n.tag == "!asset" || n.tag == "" && d.resolve(n, field) != exactjson.String {
		d.want(n, field, "a mapping or a list (JSON), or text (in quotes if it looks like something else)")
		return ""
	}
	return d.decoded(n, field)
}

// readAsset returns the content of the asset that n names.
func (d *decoder) readAsset(n *node, field, name string) []byte {
	if d.err != nil {
		return nil
	}
	if !assetName.MatchString(name) {
		d.badf(n, field, "invalid asset name %q; want 16 hex digits and an extension", clip(name))
		return nil
	}
	if d.asset == nil {
		d.badf(n, field, "asset %q cannot be read: there are no assets here", name)
		return nil
	}
	b, known := d.assets[name]
	if !known {
		var err error
		if b, err = d.asset(name); err != nil {
			d.badf(n, field, "asset %q cannot be read (%v); restore it, or record again", name, err)
			d.lost()
			return nil
		}
		if h := hashAsset(b); h != name[:len(h)] {
			d.badf(n, field, "asset %q was changed (its content is %s); restore it, or name the file for its content here and there", name, h)
			d.lost()
			return nil
		}
		d.assets[name] = b
		d.distinct += len(b)
		d.named += len(b) * d.mentions[name]
		if d.named > (maxGrowth+2)*(len(d.text)+d.distinct)+maxNamed {
			d.badf(n, field, "asset %q is named %d times, which makes too much of its %d bytes; name it less often, or record again", name, d.mentions[name], len(b))
			return nil
		}
	}
	return b
}

// maxNamed is how many bytes of assets a file may name, beyond ten times what it and
// they have: a conversation names its pictures again in every turn. It is for what is
// read as a whole; of a recorded file that is an interaction.
const maxNamed = 256 << 20

// countAssets counts how often each asset is named in n.
func (d *decoder) countAssets(n *node) {
	if n.tag == "!asset" {
		d.mentions[n.text[strings.LastIndexByte(n.text, '@')+1:]]++
	}
	for i := range n.elems {
		if i < len(n.keys) && n.keys[i].text == "body_file" {
			d.mentions[n.elems[i].text]++
		}
		d.countAssets(&n.elems[i])
	}
}

// lost says of the error that a part of the cassette is gone.
func (d *decoder) lost() { d.err.Cut = !d.pinned() }

// print returns the JSON text of v, which n stands for, unless a small file would
// become a large one by indentation.
func (d *decoder) print(n *node, field string, v *exactjson.Value, l exactjson.Layout) []byte {
	if d.err != nil {
		return nil
	}
	p := exactjson.NewPrinter(l)
	p.Indentation, p.Most = d.indentation, mostIndentation(len(d.text))
	text := p.Print(nil, v)
	if d.indentation = p.Indentation; p.Indentation > p.Most {
		d.badf(n, field, "the indentation of its JSON is ten times as long as this file; write it as text, or indent it less")
	}
	return text
}

// mostIndentation returns how many bytes of indentation there may be in the JSON of a
// text of n bytes. It is more than Format makes.
func mostIndentation(n int) int { return (maxGrowth+2)*n + 1<<20 }

// value returns the JSON value that n stands for.
func (d *decoder) value(n *node, field string) exactjson.Value {
	if n.kind != scalarNode && n.tag != "" {
		d.badf(n, field, "the tag %s is for text", n.tag)
	}
	switch {
	case d.err != nil:
		return exactjson.Value{}
	case n.kind == mappingNode:
		v := exactjson.Value{Kind: exactjson.Object, Names: make([]string, len(n.keys)), Elems: make([]exactjson.Value, len(n.elems))}
		for i := range n.elems {
			v.Names[i] = d.key(&n.keys[i], field)
			if n.keys[i].tag == "!!binary" {
				d.badf(&n.keys[i], field, "a JSON name cannot be binary")
			}
			v.Elems[i] = d.value(&n.elems[i], field)
		}
		return v
	case n.kind == sequenceNode:
		v := exactjson.Value{Kind: exactjson.Array, Elems: make([]exactjson.Value, len(n.elems))}
		for i := range n.elems {
			v.Elems[i] = d.value(&n.elems[i], field)
		}
		return v
	case n.tag == "!asset":
		return exactjson.Value{Kind: exactjson.String, Text: d.assetText(n, field)}
	case n.tag == "!!binary":
		d.badf(n, field, "a JSON text cannot be binary")
	}
	k := d.resolve(n, field)
	if k == exactjson.Null {
		return exactjson.Value{}
	}
	return exactjson.Value{Kind: k, Text: n.text}
}

// assetText returns the text of an !asset: what stands before "@", and the
// content of the asset after it in base64.
func (d *decoder) assetText(n *node, field string) string {
	i := strings.LastIndexByte(n.text, '@')
	if i < 0 {
		d.badf(n, field, "invalid asset %q; want \"@\" and the asset's name", clip(n.text))
		return ""
	}
	return n.text[:i] + encodeBase64(d.readAsset(n, field, n.text[i+1:]))
}

// layout reads what writer.layout writes.
func (d *decoder) layout(n *node, field string) exactjson.Layout {
	var l exactjson.Layout
	d.each(n, field, "before, indent, space, padding, escape, after", func(key string, v *node) {
		switch key {
		case "before":
			l.Before = d.blank(v, field+".before", " \t\r\n")
		case "after":
			l.After = d.blank(v, field+".after", " \t\r\n")
		case "indent":
			l.Indent = d.indent(v, field+".indent")
		case "space":
			l.ColonSpace, l.CommaSpace = d.space(v, field+".space")
		case "padding":
			l.Padding = d.padding(v, field+".padding")
		case "escape":
			for i := range d.list(v, field+".escape", strings.Join(exactjson.EscapeNames, ", ")) {
				l.Escape |= d.escape(&v.elems[i], field+".escape")
			}
		}
	})
	if l.Indent != "" && (l.ColonSpace || l.CommaSpace || l.Padding > 0) {
		d.badf(n, field, "space and padding are for JSON on one line; remove these, or indent")
	}
	return l
}

// blank returns the text of n, which must be of the given characters.
func (d *decoder) blank(n *node, field, of string) string {
	s := d.str(n, field)
	if d.err == nil && strings.Trim(s, of) != "" {
		d.want(n, field, "white space in quotes")
	}
	return s
}

func (d *decoder) indent(n *node, field string) string {
	if n.style == plainStyle && n.text == "tab" {
		return "\t"
	}
	var s string
	if n.style == quotedStyle {
		s = d.blank(n, field, " \t")
	} else {
		s = strings.Repeat(" ", int(min(d.integer(n, field, 0), maxIndent+1)))
	}
	if d.err == nil && (s == "" || len(s) > maxIndent) {
		d.want(n, field, "a number of spaces (1 to 16), tab, or white space in quotes")
	}
	return s
}

// padding returns a number of spaces.
func (d *decoder) padding(n *node, field string) int {
	i := d.integer(n, field, 0)
	if i > maxPadding {
		d.want(n, field, fmt.Sprintf("a number of spaces, %d at most", maxPadding))
		return 0
	}
	return int(i)
}

func (d *decoder) space(n *node, field string) (colon, comma bool) {
	switch d.str(n, field) {
	case "both":
		return true, true
	case "colon":
		return true, false
	case "comma":
		return false, true
	}
	d.want(n, field, "both, colon or comma")
	return false, false
}

func (d *decoder) escape(n *node, field string) exactjson.Escape {
	s := d.str(n, field)
	for i, name := range exactjson.EscapeNames {
		if s == name {
			return 1 << i
		}
	}
	d.want(n, field, "any of "+strings.Join(exactjson.EscapeNames, ", "))
	return 0
}
