package codec

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// What may be written as YAML structure. Deeper is unreadable, and longer keys
// would need YAML's explicit ones.
const (
	maxDepth = 64
	maxKey   = 256
)

// Unwritable says what of JSON cannot be written as structure, and why: "a/0: there are ...".
// It returns "" if all of it can.
func Unwritable(v *exactjson.Value) string {
	path, why := findUnwritable(v, 0)
	if path != "" {
		why = path + ": " + why
	}
	return why
}

// maxPath is how many steps a path has in a message.
const maxPath = 8

// excess returns where in a value something is that cannot be written as structure, and why.
func findUnwritable(v *exactjson.Value, depth int) (path, why string) {
	if depth > maxDepth {
		return "", fmt.Sprintf("it is more than %d levels deep", maxDepth)
	}
	if v.Kind == exactjson.Object {
		if why := badNames(v.Elems); why != "" {
			return "", why
		}
	}
	for i := range v.Elems {
		path, why := findUnwritable(&v.Elems[i], depth+1)
		if why == "" {
			continue
		}
		if depth >= maxPath {
			return "...", why
		}
		step := strconv.Itoa(i)
		if v.Kind == exactjson.Object {
			step = yaml.Clip(v.Elems[i].Name)
		}
		return strings.TrimSuffix(step+"/"+path, "/"), why
	}
	return "", ""
}

// excessOf says what is wrong with the names of members: two are the same, or one is very
// long.
func badNames(members []exactjson.Value) string {
	for _, m := range members {
		if len(m.Name) > maxKey {
			return fmt.Sprintf("the name %q has more than %d bytes", yaml.Clip(m.Name), maxKey)
		}
	}
	if m := exactjson.Twice(members); m != nil {
		return fmt.Sprintf("there are two members %q", m.Name)
	}
	return ""
}

// structureOf returns the value of a JSON text that may be written as YAML structure: an array or
// an object without duplicate members or excesses.
func (e *encoder) structureOf(text string) (v exactjson.Value, ok bool) {
	v, err := e.parser.Parse(text)
	return v, err == nil && (v.Kind == exactjson.Array || v.Kind == exactjson.Object) && Unwritable(&v) == ""
}

// body writes a body as structure, as text, in base64, or as an asset.
func (e *encoder) body(body *[]byte) { e.content("body", *body, "", "") }

// content writes bytes under a key, or keys that begin so. The name and the media type are those
// of a file; both may be empty.
func (e *encoder) content(key string, b []byte, name, media string) {
	if len(b) == 0 {
		return
	}
	if v, l, indentation, ok := e.bodyStructure(b); ok {
		start, assets := len(e.buf), maps.Clone(e.assets)
		e.layout("layout", l)
		e.key(key)
		e.blockValue(&v, e.indent)
		size := len(e.buf) - start
		for name, content := range e.assets {
			if assets[name] == nil {
				size += len(content)
			}
		}
		if indentation <= maxGrowth*size {
			return
		}
		e.buf, e.assets = e.buf[:start], assets
	}
	switch text := string(b); {
	case utf8.ValidString(text) && !(len(b) > minAssetBody && strings.Contains(text, "\x00")):
		e.buf = slices.Grow(e.buf, len(b)+len(b)/64) // what stands behind it must not take all again
		e.text(key, &text)
	case len(b) > minAssetBody:
		e.keyValue(key+"_file", e.asset(b, name, media))
	default:
		e.keyValue(key+"_base64", `"`+encodeBase64(b)+`"`)
	}
}

// jsonBody writes compact JSON of any kind as structure.
func (e *encoder) jsonBody(body *[]byte, _ bool) {
	if len(*body) == 0 {
		return
	}
	v, err := exactjson.Parse(*body)
	if err != nil {
		e.errorf("body: %w", err)
		return
	}
	if why := Unwritable(&v); why != "" {
		e.errorf("body: JSON that cannot be written as YAML: %s", why)
		return
	}
	e.key("body")
	e.blockValue(&v, e.indent)
}

// bodyStructure returns a body as structure, if it can be that, and how much of it is
// indentation.
func (e *encoder) bodyStructure(b []byte) (v exactjson.Value, l exactjson.Layout, indentation int, ok bool) {
	if bytes.Count(b, []byte(",")) > maxValues {
		return v, l, 0, false
	}
	v, ok = e.structureOf(string(b))
	if ok {
		l, indentation, ok = exactjson.DetectLayout(b, v)
	}
	return v, l, indentation, ok && isStorable(l)
}

// maxValues is about how many values a body has that is written as structure. Nobody reads one
// with more, and as values it would take many times its bytes.
const maxValues = 1 << 18

// maxGrowth is how many bytes of indentation JSON may have for each that stands in the
// file, so that a small file is not a large body.
const maxGrowth = 8

// blockValue writes v and the line's end after an indicator that belongs to a
// collection indented by indent.
func (e *encoder) blockValue(v *exactjson.Value, indent int) {
	start := len(e.buf)
	if isVector(v) {
		e.write(" ")
		e.vector(v, true)
		e.write("\n")
		return
	}
	scalars := !slices.ContainsFunc(v.Elems, func(e exactjson.Value) bool { return e.Kind > exactjson.Number })
	if scalars || isListOfShortTexts(v) {
		e.write(" ")
		e.value(v, indent+2)
		if len(v.Elems) == 0 || scalars && v.Kind == exactjson.Array || e.column() <= objectWidth {
			e.write("\n")
			return
		}
		e.buf = e.buf[:start]
	}
	// After a dash, the first element of a collection is on the dash's line. After a key, a
	// list stands where the key does.
	col := indent + 2
	inline := e.buf[start-1] == '-'
	if v.Kind == exactjson.Array && !inline {
		col = indent
	}
	for i := range v.Elems {
		switch {
		case i > 0:
			e.startLine(col)
		case inline:
			e.write(" ")
		default:
			e.write("\n")
			e.startLine(col)
		}
		if v.Kind == exactjson.Array {
			e.write("-")
		} else {
			e.blockKey(v.Elems[i].Name)
		}
		e.blockValue(&v.Elems[i], col)
	}
}

// allWords reports whether v is a list of short texts of one line.
func isListOfShortTexts(v *exactjson.Value) bool {
	return v.Kind == exactjson.Array && !slices.ContainsFunc(v.Elems, func(e exactjson.Value) bool {
		return e.Kind != exactjson.String || len(e.Text) > objectWidth || strings.Contains(e.Text, "\n")
	})
}

// column returns the width of the line being written, in characters.
func (e *encoder) column() int {
	return utf8.RuneCount(e.buf[bytes.LastIndexByte(e.buf, '\n')+1:])
}

func (e *encoder) blockKey(name string) {
	if yaml.IsKey(name) {
		e.write(name)
	} else {
		e.buf = yaml.AppendDoubleQuoted(e.buf, name)
	}
	e.write(":")
}

// value writes v on the rest of the line: a string in block style with its
// lines indented by indent, everything else in flow style.
func (e *encoder) value(v *exactjson.Value, indent int) {
	if v.Kind != exactjson.String {
		e.flowValue(v)
		return
	}
	if !e.assetString(v.Text, true) {
		e.blockString(v.Text, indent)
	}
}

// flowValue writes v in flow style.
func (e *encoder) flowValue(v *exactjson.Value) {
	switch v.Kind {
	case exactjson.Null:
		e.write("null")
	case exactjson.Bool, exactjson.Number:
		e.write(v.Text)
	case exactjson.String:
		if !e.assetString(v.Text, false) {
			e.flowString(v.Text)
		}
	case exactjson.Array:
		if isVector(v) {
			e.vector(v, false)
			return
		}
		e.flow("[]", len(v.Elems), func(i int) { e.flowValue(&v.Elems[i]) })
	case exactjson.Object:
		e.flow("{}", len(v.Elems), func(i int) {
			e.flowString(v.Elems[i].Name)
			e.write(": ")
			e.flowValue(&v.Elems[i])
		})
	}
}

// assetString writes s as an asset, if it is large base64: what stands before
// the base64, "@" and the asset's name, with the tag !asset.
func (e *encoder) assetString(s string, block bool) bool {
	prefix, content, ok := cutBase64(s)
	if !ok {
		return false
	}
	e.taggedText("!asset ", prefix+"@"+e.asset(content, "", ""), block)
	return true
}
