package cassette

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/yaml"
)

// bodyNodes are the keys of a request or a response that make its body.
type bodyNodes struct {
	layout, body, base64, file *yaml.Node
}

func (b *bodyNodes) set(key string, v *yaml.Node) {
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
func (b *bodyNodes) first() (n, extra *yaml.Node) {
	for _, k := range []*yaml.Node{b.body, b.base64, b.file} {
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
	structure := b.body != nil && b.body.Kind != yaml.Scalar
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
		if b.base64.Tag != "" {
			d.want(b.base64, field, "base64")
		}
		d.str(b.base64, field)
		return d.base64(b.base64, field)
	case b.file != nil:
		return d.readAsset(b.file, part+".body_file", d.str(b.file, part+".body_file"))
	}
	return nil
}

func (d *decoder) bodyText(n *yaml.Node, field string) string {
	if n.Tag == "!asset" || n.Tag == "" && d.resolve(n, field) != exactjson.String {
		d.want(n, field, "a mapping or a list (JSON), or text (in quotes if it looks like something else)")
		return ""
	}
	return d.decoded(n, field)
}

// readAsset returns the content of the asset that n names.
func (d *decoder) readAsset(n *yaml.Node, field, name string) []byte {
	if d.err != nil {
		return nil
	}
	if !assetName.MatchString(name) {
		d.badf(n, field, "invalid asset name %q; want 16 hex digits and an extension", yaml.Clip(name))
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
func (d *decoder) countAssets(n *yaml.Node) {
	if n.Tag == "!asset" {
		d.mentions[n.Text[strings.LastIndexByte(n.Text, '@')+1:]]++
	}
	for i := range n.Elems {
		if i < len(n.Keys) && n.Keys[i].Text == "body_file" {
			d.mentions[n.Elems[i].Text]++
		}
		d.countAssets(&n.Elems[i])
	}
}

// lost says of the error that a part of the cassette is gone.
func (d *decoder) lost() { d.err.Cut = !d.pinned() }

// print returns the JSON text of v, which n stands for, unless a small file would
// become a large one by indentation.
func (d *decoder) print(n *yaml.Node, field string, v *exactjson.Value, l exactjson.Layout) []byte {
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
func (d *decoder) value(n *yaml.Node, field string) exactjson.Value {
	if n.Kind != yaml.Scalar && n.Tag != "" {
		d.badf(n, field, "the tag %s is for text", n.Tag)
	}
	switch {
	case d.err != nil:
		return exactjson.Value{}
	case n.Kind == yaml.Mapping:
		v := exactjson.Value{Kind: exactjson.Object, Names: make([]string, len(n.Keys)), Elems: make([]exactjson.Value, len(n.Elems))}
		for i := range n.Elems {
			v.Names[i] = d.key(&n.Keys[i], field)
			if n.Keys[i].Tag == "!!binary" {
				d.badf(&n.Keys[i], field, "a JSON name cannot be binary")
			}
			v.Elems[i] = d.value(&n.Elems[i], field)
		}
		return v
	case n.Kind == yaml.Sequence:
		v := exactjson.Value{Kind: exactjson.Array, Elems: make([]exactjson.Value, len(n.Elems))}
		for i := range n.Elems {
			v.Elems[i] = d.value(&n.Elems[i], field)
		}
		return v
	case n.Tag == "!asset":
		return exactjson.Value{Kind: exactjson.String, Text: d.assetText(n, field)}
	case n.Tag == "!!binary":
		d.badf(n, field, "a JSON text cannot be binary")
	}
	k := d.resolve(n, field)
	if k == exactjson.Null {
		return exactjson.Value{}
	}
	return exactjson.Value{Kind: k, Text: n.Text}
}

// assetText returns the text of an !asset: what stands before "@", and the
// content of the asset after it in base64.
func (d *decoder) assetText(n *yaml.Node, field string) string {
	i := strings.LastIndexByte(n.Text, '@')
	if i < 0 {
		d.badf(n, field, "invalid asset %q; want \"@\" and the asset's name", yaml.Clip(n.Text))
		return ""
	}
	return n.Text[:i] + encodeBase64(d.readAsset(n, field, n.Text[i+1:]))
}

// layout reads what writer.layout writes.
func (d *decoder) layout(n *yaml.Node, field string) exactjson.Layout {
	var l exactjson.Layout
	d.each(n, field, "before, indent, space, padding, escape, after", func(key string, v *yaml.Node) {
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
				l.Escape |= d.escape(&v.Elems[i], field+".escape")
			}
		}
	})
	if l.Indent != "" && (l.ColonSpace || l.CommaSpace || l.Padding > 0) {
		d.badf(n, field, "space and padding are for JSON on one line; remove these, or indent")
	}
	return l
}

// blank returns the text of n, which must be of the given characters.
func (d *decoder) blank(n *yaml.Node, field, of string) string {
	s := d.str(n, field)
	if d.err == nil && strings.Trim(s, of) != "" {
		d.want(n, field, "white space in quotes")
	}
	return s
}

func (d *decoder) indent(n *yaml.Node, field string) string {
	if n.Style == yaml.Plain && n.Text == "tab" {
		return "\t"
	}
	var s string
	if n.Style == yaml.Quoted {
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
func (d *decoder) padding(n *yaml.Node, field string) int {
	i := d.integer(n, field, 0)
	if i > maxPadding {
		d.want(n, field, fmt.Sprintf("a number of spaces, %d at most", maxPadding))
		return 0
	}
	return int(i)
}

func (d *decoder) space(n *yaml.Node, field string) (colon, comma bool) {
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

func (d *decoder) escape(n *yaml.Node, field string) exactjson.Escape {
	s := d.str(n, field)
	for i, name := range exactjson.EscapeNames {
		if s == name {
			return 1 << i
		}
	}
	d.want(n, field, "any of "+strings.Join(exactjson.EscapeNames, ", "))
	return 0
}
