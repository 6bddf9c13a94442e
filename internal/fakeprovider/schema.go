package fakeprovider

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// maxDepth ends schemas that contain themselves.
const maxDepth = 6

// most bounds what a schema may demand in number and length.
const most = 10000

// filler makes values that are valid for a JSON schema out of a user's text.
type filler struct {
	root    any
	text    string
	given   []string // arguments as written, in the order of the properties
	phrases []string // what the text offers for strings
	numbers []string // ... and for numbers
	depth   int
	made    int // values so far
}

func newFiller(root any, text string) *filler {
	return &filler{root: root, text: text, phrases: phrases(text), numbers: numbers(text)}
}

// value makes a value for a schema; the name says what it is for.
func (f *filler) value(schema any, name string) any {
	f.depth++
	defer func() { f.depth-- }()
	f.made++
	isTooLarge := f.made > most || f.depth > 4*maxDepth // perhaps without end
	if isTooLarge {
		return nil
	}
	s := f.resolve(schema)
	if v := s.get("const"); v != nil {
		return v
	}
	if list := s.list("enum"); len(list) > 0 {
		return f.pick(list)
	}
	switch kind(s) {
	case "object":
		return f.object(s)
	case "array":
		return f.array(s, name)
	case "string":
		return f.str(s, name)
	case "integer":
		return f.number(s, true)
	case "number":
		return f.number(s, false)
	case "boolean":
		return f.boolean()
	}
	return nil
}

// resolve follows references and alternatives to a schema that says what it is.
func (f *filler) resolve(schema any) object {
	s, _ := schema.(object)
	for range 16 {
		switch {
		case s.text("$ref") != "":
			s = f.lookup(s.text("$ref"))
		case len(s.list("anyOf")) > 0:
			s = f.alternative(s.list("anyOf"))
		case len(s.list("oneOf")) > 0:
			s = f.alternative(s.list("oneOf"))
		case len(s.list("allOf")) > 0:
			s = f.merged(s)
		default:
			return s
		}
	}
	return nil
}

// alternative is the first that is not null; when deep, null or the last, which
// tend to end a recursion.
func (f *filler) alternative(list []any) object {
	options := objects(list)
	if len(options) == 0 {
		return nil
	}
	if f.depth > maxDepth {
		for _, o := range options {
			if o.text("type") == "null" {
				return o
			}
		}
		return options[len(options)-1]
	}
	for _, o := range options {
		if o.text("type") != "null" {
			return o
		}
	}
	return options[0]
}

// merged joins the members of allOf into their parent.
func (f *filler) merged(s object) object {
	var out, props object
	var required []any
	parts := append([]object{s}, objects(s.list("allOf"))...)
	for i, part := range parts {
		if i > 0 {
			part = f.resolve(part)
		}
		props = append(props, part.sub("properties")...)
		required = append(required, part.list("required")...)
		for _, m := range part {
			if m.name != "allOf" && m.name != "properties" && m.name != "required" {
				out = append(out, m)
			}
		}
	}
	if props != nil {
		out = append(out, field{"properties", props}, field{"required", required})
	}
	return out
}

// lookup returns the definition of a reference inside of the schema.
func (f *filler) lookup(ref string) object {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at, _ := f.root.(object)
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' }) {
		at = at.sub(strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
	}
	return at
}

// kind is the type of a schema, as far as it tells.
func kind(s object) string {
	if t := s.text("type"); t != "" {
		return t
	}
	for _, t := range s.list("type") {
		if t, ok := t.(string); ok && t != "null" {
			return t
		}
	}
	switch {
	case s.get("properties") != nil:
		return "object"
	case s.get("items") != nil || s.get("prefixItems") != nil:
		return "array"
	case s == nil:
		return "null"
	}
	return "string"
}

func (f *filler) object(s object) object {
	out := object{}
	required := map[string]bool{}
	for _, name := range s.list("required") {
		if name, ok := name.(string); ok {
			required[name] = true
		}
	}
	for _, p := range s.sub("properties") {
		optional := len(required) == 0 && f.depth <= maxDepth
		if required[p.name] || optional || len(f.given) > 0 && f.depth == 1 {
			out = append(out, field{p.name, f.value(p.value, p.name)})
		}
	}
	return out
}

func (f *filler) array(s object, name string) []any {
	list := []any{}
	for _, item := range s.list("prefixItems") {
		list = append(list, f.value(item, name))
	}
	n := min(s.number("minItems"), most)
	items := s.get("items")
	if _, ok := items.(object); ok && s.get("minItems") == nil && s.get("maxItems") == nil && f.depth <= maxDepth {
		n = 1
	}
	for len(list) < n {
		list = append(list, f.value(items, name))
	}
	return list
}

// pick chooses from an enum: the value of the next written argument, or else one that the
// text names, or else the first one.
func (f *filler) pick(list []any) any {
	for _, text := range []string{f.take(), f.text} {
		for _, v := range list {
			if v, ok := v.(string); ok && containsWord(text, v) {
				return v
			}
		}
	}
	return list[0]
}

// containsWord reports whether a text has a word, in any case.
func containsWord(text, word string) bool {
	text, word = strings.ToLower(text), strings.ToLower(word)
	i := strings.Index(text, word)
	return word != "" && i >= 0 && !inWord(text[:i], text[i+len(word):])
}

// take removes the next written argument, "" if there is none.
func (f *filler) take() string {
	if len(f.given) == 0 {
		return ""
	}
	v := strings.Trim(strings.TrimSpace(f.given[0]), "\"'`")
	f.given = f.given[1:]
	return v
}

var samples = map[string]string{
	"date":      "2026-01-02",
	"time":      "03:04:05Z",
	"date-time": "2026-01-02T03:04:05Z",
	"duration":  "P1D",
	"email":     "stand-in@example.com",
	"hostname":  "stand-in.example.com",
	"ipv4":      "192.0.2.1",
	"ipv6":      "2001:db8::1",
	"uri":       "https://example.com/stand-in",
	"uuid":      "00000000-0000-4000-8000-000000000001",
}

func (f *filler) str(s object, name string) string {
	v := f.take()
	if sample := samples[s.text("format")]; sample != "" && v == "" {
		return sample
	}
	if v == "" && len(f.phrases) > 0 {
		v, f.phrases = f.phrases[0], f.phrases[1:]
	}
	if v == "" {
		v = "stand-in " + name
	}
	runes := []rune(v)
	for len(runes) < min(s.number("minLength"), most) {
		runes = append(runes, '.')
	}
	if s.get("maxLength") != nil && len(runes) > s.number("maxLength") {
		runes = runes[:s.number("maxLength")]
	}
	return string(runes)
}

func (f *filler) number(s object, integer bool) any {
	text := f.take()
	if text == "" && len(f.numbers) > 0 {
		text, f.numbers = f.numbers[0], f.numbers[1:]
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		v = 1
	}
	v = bounded(s, v)
	if integer {
		return json.Number(strconv.FormatFloat(math.Round(v), 'f', -1, 64))
	}
	return json.Number(strconv.FormatFloat(v, 'f', -1, 64))
}

// bounded moves a number into the bounds of its schema.
func bounded(s object, v float64) float64 {
	bound := func(name string) (float64, bool) {
		n, ok := s.get(name).(json.Number)
		b, _ := n.Float64()
		return b, ok
	}
	if m, ok := bound("maximum"); ok {
		v = min(v, m)
	}
	if m, ok := bound("exclusiveMaximum"); ok && v >= m {
		v = m - 1
	}
	if m, ok := bound("minimum"); ok {
		v = max(v, m)
	}
	if m, ok := bound("exclusiveMinimum"); ok && v <= m {
		v = m + 1
		if limit, ok := bound("maximum"); ok && v > limit {
			v = (m + limit) / 2
		}
	}
	if m, ok := bound("multipleOf"); ok && m > 0 {
		v = math.Ceil(v/m) * m
	}
	return v
}

func (f *filler) boolean() bool { return !strings.EqualFold(f.take(), "false") }

// phrases is the quoted phrases of a text and then its names: words with a
// capital that do not begin a sentence, neighbours joined.
func phrases(text string) []string {
	var quoted, names []string
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 && strings.TrimSpace(part) != "" {
			quoted = append(quoted, part)
		}
	}
	begins, joined := true, false
	for _, w := range strings.Fields(text) {
		bare := strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		first := []rune(bare + " ")[0]
		switch {
		case begins || !unicode.IsUpper(first) || bare == "I":
			joined = false
		case joined:
			names[len(names)-1] += " " + bare
		default:
			names, joined = append(names, bare), true
		}
		begins = strings.ContainsAny(w[len(w)-1:], ".!?:")
		if strings.ContainsAny(w[len(w)-1:], ".,;:!?)") {
			joined = false
		}
	}
	return append(quoted, names...)
}

// numbers returns the numbers in a text.
func numbers(text string) []string {
	isSeparator := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(".-_", r)
	}
	var out []string
	for _, w := range strings.FieldsFunc(text, isSeparator) {
		w = strings.Trim(w, ".")
		if v, err := strconv.ParseFloat(w, 64); err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) {
			out = append(out, fmt.Sprint(json.Number(w)))
		}
	}
	return out
}
