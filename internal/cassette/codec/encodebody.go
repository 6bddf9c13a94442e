package codec

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// "Structure" is JSON that is written as YAML collections. JSON that is deeper than maxDepth would
// be unreadable. Keys with more bytes than maxKey would need the explicit keys of YAML ("? key").
const (
	maxDepth = 64
	maxKey   = 256
)

// Unwritable returns the reason why a JSON value cannot be written as structure, with the path of
// the wrong part: "a/0: there are two members ...". It returns "" if the value can be written.
func Unwritable(v *exactjson.Value) string {
	path, reason := findUnwritable(v, 0)
	if path != "" {
		reason = path + ": " + reason
	}
	return reason
}

// maxPath is the most steps of a path in a message.
const maxPath = 8

// findUnwritable returns the path of a part of v that cannot be written as structure, and the
// reason. The reason is "" if all of v can be written.
func findUnwritable(v *exactjson.Value, depth int) (path, reason string) {
	if depth > maxDepth {
		return "", fmt.Sprintf("it is more than %d levels deep", maxDepth)
	}
	if v.Kind == exactjson.Object {
		if reason := badNames(v.Elems); reason != "" {
			return "", reason
		}
	}
	for i := range v.Elems {
		path, reason := findUnwritable(&v.Elems[i], depth+1)
		if reason == "" {
			continue
		}
		if depth >= maxPath {
			return "...", reason
		}
		step := strconv.Itoa(i)
		if v.Kind == exactjson.Object {
			step = yaml.Clip(v.Elems[i].Name)
		}
		return strings.TrimSuffix(step+"/"+path, "/"), reason
	}
	return "", ""
}

// badNames returns what is wrong with the names of members: two are the same, or one is very
// long. It returns "" if nothing is.
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

// structureOf returns the value of a JSON text. It returns false if the text is not an array or an
// object that can be written as structure.
func (e *encoder) structureOf(text string) (v exactjson.Value, ok bool) {
	v, err := e.parser.Parse(text)
	if err != nil {
		return v, false
	}
	isCollection := v.Kind == exactjson.Array || v.Kind == exactjson.Object
	return v, isCollection && Unwritable(&v) == ""
}

// body writes a body as structure, as text, in base64, or as an asset.
func (e *encoder) body(body *[]byte) { e.content("body", *body, "", "") }

// content writes bytes with the key (structure or text), with key_base64, or with key_file (the
// name of an asset). name and media are the name and the media type of an uploaded file; both may
// be empty.
func (e *encoder) content(key string, b []byte, name, media string) {
	if len(b) == 0 {
		return
	}
	if e.structuredContent(key, b) {
		return
	}
	text := string(b)
	isLarge := len(b) > minAssetBody
	isLargeBinary := isLarge && strings.Contains(text, "\x00")
	switch {
	case utf8.ValidString(text) && !isLargeBinary:
		e.buf = slices.Grow(e.buf, len(b)+len(b)/64) // once, also for the fields after a large body
		e.text(key, &text)
	case isLarge:
		e.keyValue(key+"_file", e.asset(b, name, media))
	default:
		e.keyValue(key+"_base64", `"`+encodeBase64(b)+`"`)
	}
}

// structuredContent writes JSON as structure, with its layout. It writes nothing and returns false
// if b cannot be written as structure, or if b is mostly indentation.
func (e *encoder) structuredContent(key string, b []byte) bool {
	v, l, indentation, ok := e.bodyStructure(b)
	if !ok {
		return false
	}
	start := e.savepoint()
	e.layout("layout", l)
	e.key(key)
	e.blockValue(&v, e.indent)

	size := len(e.buf) - start.length
	for name, content := range e.assets {
		if start.assets[name] == nil {
			size += len(content)
		}
	}
	if indentation > maxGrowth*size {
		e.rollback(start)
		return false
	}
	return true
}

// jsonBody writes a body that is compact JSON of any kind, such as the result of a function.
func (e *encoder) jsonBody(body *[]byte, _ bool) {
	if len(*body) == 0 {
		return
	}
	v, err := exactjson.Parse(*body)
	if err != nil {
		e.errorf("body: %w", err)
		return
	}
	if reason := Unwritable(&v); reason != "" {
		e.errorf("body: JSON that cannot be written as YAML: %s", reason)
		return
	}
	e.key("body")
	e.blockValue(&v, e.indent)
}

// bodyStructure returns the JSON value of a body, its layout, and how many bytes of the body are
// indentation. It returns false if the body cannot be written as structure.
func (e *encoder) bodyStructure(b []byte) (
	v exactjson.Value, l exactjson.Layout, indentation int, ok bool,
) {
	if bytes.Count(b, []byte(",")) > maxValues {
		return v, l, 0, false
	}
	text := string(b)
	v, ok = e.structureOf(text)
	if ok {
		l, indentation, ok = exactjson.DetectLayout(text, v)
	}
	return v, l, indentation, ok && isStorable(l)
}

// maxValues is about the most values of a body that is written as structure. A larger body is
// unreadable anyway, and parsed as values it would take many times its bytes of memory.
const maxValues = 1 << 18

// maxGrowth is the most bytes of indentation in a JSON text for each byte in the file. It keeps a
// small file from becoming a large body.
const maxGrowth = 8

// blockValue writes v and the end of the line, after the key or the dash of an entry. indent is the
// indentation of the entry.
func (e *encoder) blockValue(v *exactjson.Value, indent int) {
	start := len(e.buf)
	if isVector(v) {
		e.write(" ")
		e.vector(v, true)
		e.write("\n")
		return
	}
	if e.oneLineValue(v, indent) {
		return
	}

	// After a dash, the first element of a collection is on the line of the dash. After a key, the
	// elements of a list have the indentation of the key.
	elemIndent := indent + 2
	isAfterDash := e.buf[start-1] == '-'
	if v.Kind == exactjson.Array && !isAfterDash {
		elemIndent = indent
	}
	for i := range v.Elems {
		switch {
		case i > 0:
			e.startLine(elemIndent)
		case isAfterDash:
			e.write(" ")
		default:
			e.write("\n")
			e.startLine(elemIndent)
		}
		if v.Kind == exactjson.Array {
			e.write("-")
		} else {
			e.blockKey(v.Elems[i].Name)
		}
		e.blockValue(&v.Elems[i], elemIndent)
	}
}

// oneLineValue writes v and the end of the line if v is one of these:
//
//	a scalar, or an empty collection                   of any length
//	a list of nulls, bools and numbers                 of any length
//	an object whose values are nulls, bools, numbers   if it fits on the line
//	a list of short texts                              if it fits on the line
//
// It writes nothing and returns false for any other value.
func (e *encoder) oneLineValue(v *exactjson.Value, indent int) bool {
	isTextOrCollection := func(elem exactjson.Value) bool {
		return elem.Kind == exactjson.String || elem.Kind == exactjson.Array || elem.Kind == exactjson.Object
	}
	hasOnlyLiterals := !slices.ContainsFunc(v.Elems, isTextOrCollection) // null, bools and numbers
	if !hasOnlyLiterals && !isListOfShortTexts(v) {
		return false
	}
	isScalarOrEmpty := len(v.Elems) == 0
	isListOfLiterals := v.Kind == exactjson.Array && hasOnlyLiterals
	mayBeLong := isScalarOrEmpty || isListOfLiterals

	start := len(e.buf)
	e.write(" ")
	e.value(v, indent+2)
	if !mayBeLong && e.column() > lineWidth {
		e.buf = e.buf[:start]
		return false
	}
	e.write("\n")
	return true
}

// isListOfShortTexts reports whether v is a list of strings of one short line each.
func isListOfShortTexts(v *exactjson.Value) bool {
	if v.Kind != exactjson.Array {
		return false
	}
	for _, e := range v.Elems {
		isShortText := e.Kind == exactjson.String && len(e.Text) <= lineWidth
		if !isShortText || strings.Contains(e.Text, "\n") {
			return false
		}
	}
	return true
}

// column returns the width of the line being written, in characters.
func (e *encoder) column() int {
	return utf8.RuneCount(e.buf[bytes.LastIndexByte(e.buf, '\n')+1:])
}

// blockKey writes a key of JSON in block context, and a colon.
func (e *encoder) blockKey(name string) {
	if yaml.IsKey(name) {
		e.write(name)
	} else {
		e.buf = yaml.AppendDoubleQuoted(e.buf, name)
	}
	e.write(":")
}

// value writes a string in block style, with its lines indented by indent, and any other value in
// flow style.
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

// assetString writes a string that is much base64 as an asset: the tag !asset, the text before the
// base64, "@" and the name of the asset. It writes nothing and returns false for any other string.
func (e *encoder) assetString(s string, block bool) bool {
	prefix, content, ok := cutBase64(s)
	if !ok {
		return false
	}
	e.taggedText("!asset ", prefix+"@"+e.asset(content, "", ""), block)
	return true
}
