package cassette

import (
	"encoding/base64"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/yaml"
)

// What may be written as YAML structure. Deeper is unreadable, and longer keys
// would need YAML's explicit ones.
const (
	maxDepth = 64
	maxKey   = 256
)

// structured reports whether v can be written as YAML structure: an array or an
// object without duplicate members or excesses.
func structured(v *exactjson.Value) bool {
	return (v.Kind == exactjson.Array || v.Kind == exactjson.Object) && tame(v, 0)
}

func tame(v *exactjson.Value, depth int) bool {
	if depth > maxDepth || !unique(v.Names) {
		return false
	}
	for i := range v.Elems {
		if !tame(&v.Elems[i], depth+1) {
			return false
		}
	}
	return true
}

// unique reports whether names are different and none of them is very long.
func unique(names []string) bool {
	var seen map[string]bool
	if len(names) > 16 {
		seen = make(map[string]bool, len(names))
	}
	for i, n := range names {
		if len(n) > maxKey || seen[n] {
			return false
		}
		if seen != nil {
			seen[n] = true
			continue
		}
		for _, m := range names[:i] {
			if m == n {
				return false
			}
		}
	}
	return true
}

// mayBeJSON reports whether it is worth parsing s to find an array or object.
func mayBeJSON[T string | []byte](s T) bool {
	for i := range len(s) {
		if !exactjson.IsSpace(s[i]) {
			return s[i] == '{' || s[i] == '['
		}
	}
	return false
}

// body writes a body as structure, as text, in base64, or as an asset.
func (w *writer) body(b []byte) {
	if len(b) == 0 {
		return
	}
	p := jsonParsers.Get().(*exactjson.Parser)
	defer func() {
		p.Reset()
		jsonParsers.Put(p)
	}()
	if v, l, indentation, ok := bodyStructure(p, b); ok {
		start := len(w.buf)
		w.layout("layout", l)
		w.key(partIndent, "body")
		w.blockValue(&v, partIndent)
		if indentation <= maxGrowth*(len(w.buf)-start) {
			return
		}
		w.buf = w.buf[:start]
	}
	switch {
	case utf8.Valid(b):
		w.text(partIndent, "body", string(b))
	case len(b) > minAssetBody:
		w.text(partIndent, "body_file", w.asset(b))
	default:
		w.key(partIndent, "body_base64")
		w.raw(` "`)
		w.buf = base64.StdEncoding.AppendEncode(w.buf, b)
		w.raw("\"\n")
	}
}

// jsonParsers are used again: recording makes text of two bodies a call.
var jsonParsers = sync.Pool{New: func() any { return new(exactjson.Parser) }}

func bodyStructure(p *exactjson.Parser, b []byte) (v exactjson.Value, l exactjson.Layout, indentation int, ok bool) {
	if !mayBeJSON(b) {
		return v, l, 0, false
	}
	v, err := p.Parse(string(b))
	if err != nil || !structured(&v) {
		return v, l, 0, false
	}
	l, indentation, ok = exactjson.DetectLayout(b, v)
	return v, l, indentation, ok && storable(l)
}

// storable reports whether l is one that readLayout reads.
func storable(l exactjson.Layout) bool { return len(l.Indent) <= maxIndent && l.Padding <= maxPadding }

const (
	maxIndent  = 16
	maxPadding = 128 // Anthropic's is some 20

	// maxGrowth is how many bytes of indentation JSON may have for each that stands in
	// the file, so that a small file is not a large body.
	maxGrowth = 8
)

// layout writes a layout other than the compact one, as a line.
func (w *writer) layout(name string, l exactjson.Layout) {
	if l == (exactjson.Layout{}) {
		return
	}
	w.key(partIndent, name)
	sep := " {"
	member := func(name, value string) {
		w.raw(sep + name + ": " + value)
		sep = ", "
	}
	if l.Before != "" {
		member("before", string(yaml.AppendQuoted(nil, l.Before)))
	}
	if n := len(l.Indent); l.Indent == strings.Repeat(" ", n) && n > 0 {
		member("indent", strconv.Itoa(n))
	} else if l.Indent == "\t" {
		member("indent", "tab")
	} else if n > 0 {
		member("indent", string(yaml.AppendQuoted(nil, l.Indent)))
	}
	switch {
	case l.ColonSpace && l.CommaSpace:
		member("space", "both")
	case l.ColonSpace:
		member("space", "colon")
	case l.CommaSpace:
		member("space", "comma")
	}
	if l.Padding > 0 {
		member("padding", strconv.Itoa(l.Padding))
	}
	if l.Escape != 0 {
		var names []string
		for i, n := range exactjson.EscapeNames {
			if l.Escape&(1<<i) != 0 {
				names = append(names, n)
			}
		}
		member("escape", "["+strings.Join(names, ", ")+"]")
	}
	if l.After != "" {
		member("after", string(yaml.AppendQuoted(nil, l.After)))
	}
	w.raw("}\n")
}

// blockValue writes v and the line's end after an indicator that belongs to a
// collection indented by indent.
func (w *writer) blockValue(v *exactjson.Value, indent int) {
	mark := len(w.buf)
	if len(v.Elems) == 0 || flat(v) {
		w.raw(" ")
		w.value(v, indent+2)
		if v.Kind != exactjson.Object || len(v.Elems) == 0 || w.column() <= objectWidth {
			w.raw("\n")
			return
		}
		w.buf = w.buf[:mark]
	}
	// After a dash, the first element of a collection is on the dash's line.
	col := indent + 2
	inline := w.buf[mark-1] == '-'
	for i := range v.Elems {
		if i > 0 || !inline {
			if i == 0 {
				w.raw("\n")
			}
			w.buf = exactjson.AppendSpaces(w.buf, col)
		} else {
			w.raw(" ")
		}
		if v.Kind == exactjson.Array {
			w.raw("-")
		} else {
			w.blockKey(v.Names[i])
		}
		w.blockValue(&v.Elems[i], col)
	}
}

// flat reports whether all elements of v are numbers, bools and nulls.
func flat(v *exactjson.Value) bool {
	for i := range v.Elems {
		if v.Elems[i].Kind > exactjson.Number {
			return false
		}
	}
	return true
}

// column returns the width of the line being written, in characters.
func (w *writer) column() int {
	i := len(w.buf)
	for i > 0 && w.buf[i-1] != '\n' {
		i--
	}
	return utf8.RuneCount(w.buf[i:])
}

func (w *writer) blockKey(name string) {
	if yaml.IsKey(name) {
		w.raw(name)
	} else {
		w.buf = yaml.AppendQuoted(w.buf, name)
	}
	w.raw(":")
}

// value writes v on the rest of the line: a string in block style with its
// lines indented by indent, everything else in flow style.
func (w *writer) value(v *exactjson.Value, indent int) {
	if v.Kind != exactjson.String {
		w.flowValue(v)
		return
	}
	if !w.assetString(v.Text, true) {
		w.blockString(v.Text, indent)
	}
}

// flowValue writes v in flow style.
func (w *writer) flowValue(v *exactjson.Value) {
	switch v.Kind {
	case exactjson.Null:
		w.raw("null")
	case exactjson.Bool, exactjson.Number:
		w.raw(v.Text)
	case exactjson.String:
		if !w.assetString(v.Text, false) {
			w.flowString(v.Text)
		}
	case exactjson.Array:
		w.raw("[")
		for i := range v.Elems {
			if i > 0 {
				w.raw(", ")
			}
			w.flowValue(&v.Elems[i])
		}
		w.raw("]")
	case exactjson.Object:
		w.raw("{")
		for i := range v.Elems {
			if i > 0 {
				w.raw(", ")
			}
			w.flowString(v.Names[i])
			w.raw(": ")
			w.flowValue(&v.Elems[i])
		}
		w.raw("}")
	}
}

// assetString writes s as an asset, if it is large base64: what stands before
// the base64, "@" and the asset's name, with the tag !asset.
func (w *writer) assetString(s string, block bool) bool {
	prefix, content, ok := cutBase64(s)
	if !ok {
		return false
	}
	w.raw("!asset ")
	ref := prefix + "@" + w.asset(content)
	if block && yaml.IsPlain(ref) {
		w.raw(ref)
	} else {
		w.buf = yaml.AppendQuoted(w.buf, ref)
	}
	return true
}
