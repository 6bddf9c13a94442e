// Package canon decides what makes two requests the same. It turns a cleaned
// request into a Form: sorted "path value" lines of everything that decides
// the answer. Two requests are the same if and only if their forms have the
// same text; the same text is hashed for the look-up, shown in a miss, ranked
// and diffed.
//
// What is known of a provider is data: one file per provider, one table of
// all families (table.go). A request that no family recognises matches on its
// method, path, query and whole body.
package canon

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Revision is the number of the rules by which keys are made, here and in
// package redact, which cleans the requests. Raise it whenever a request's key
// changes, so that stored keys that other rules made are not trusted.
const Revision = 2

// A Line is one field of a form.
type Line struct {
	Path  string // "body/messages/0/role", "header/openai-beta", "query/limit"
	Value string // canonical JSON
}

// A Form is a request as matching sees it.
type Form struct {
	Endpoint string // "anthropic.messages"; method and path if no family knows it
	Model    string // the model asked for, for people; empty if none is named
	Wire     string // how the answer comes: "whole", "stream", or another name for a stream of another format
	Known    bool   // a family of the table recognised the request
	Origin   string // the host and port asked
	Local    bool   // the origin matches, and is one of those that count as one

	Drift  []Line  // what does not match but is reported when it changed
	Traits []Trait // what chooses among several recordings of the form

	Selected []string // the patterns of the options that selected something

	family *Family
	key    string
	sent   map[string]string // by path, where a field was sent; nil unless traced

	// Most forms are asked for their key only. The lines are made again from
	// the request for those whose lines are asked for.
	options *Options
	req     interaction.Request
	once    sync.Once
	lines   []Line
	text    string // what the lines are slices of; empty if they are not
}

// NewForm returns a form of the given lines, which are in canonical order.
func NewForm(endpoint, model, wire string, lines []Line) *Form {
	return &Form{Endpoint: endpoint, Model: model, Wire: wire, lines: lines}
}

// Lines returns what matches, in canonical order.
func (f *Form) Lines() []Line {
	f.once.Do(func() {
		if f.options == nil {
			return
		}
		whole := f.options.form(&f.req, wholeForm)
		f.lines, f.text = whole.lines, whole.text
		f.options, f.req = nil, interaction.Request{}
	})
	return f.lines
}

// Text returns the canonical text of the form: what the fingerprint is of.
func (f *Form) Text() string {
	lines := f.Lines()
	if f.text != "" {
		return f.text
	}
	b := f.appendHead(nil)
	for _, l := range lines {
		b = append(append(b, '\n'), l.Path...)
		b = append(append(b, ' '), l.Value...)
	}
	return string(b)
}

// appendHead appends what the text has before its lines.
func (f *Form) appendHead(dst []byte) []byte {
	dst = append(append(dst, "endpoint "...), f.Endpoint...)
	return append(append(dst, "\nwire "...), f.Wire...)
}

// Key returns the fingerprint: the first 16 hex digits of the text's SHA-256.
func (f *Form) Key() string {
	if f.key == "" {
		f.key = fingerprint([]byte(f.Text()))
	}
	return f.key
}

// Kind returns what a cassette says of the request for its reader: "llm" and the
// endpoint, or "http".
func (f *Form) Kind() (kind, boundary string) {
	if f.Known {
		return "llm", f.Endpoint
	}
	return "http", ""
}

func fingerprint(text []byte) string {
	sum := sha256.Sum256(text)
	return string(hex.AppendEncode(make([]byte, 0, 16), sum[:8]))
}

// A Mask rewrites volatile text in field values before they are compared.
type Mask struct {
	Regexp      *regexp.Regexp
	Placeholder string
}

// Options are a user's changes to what matches. The zero value changes nothing.
// Of a field that several of them select, the first in the order below decides.
type Options struct {
	Ignore  []string // fields left out
	Match   []string // fields that match although they would not
	MatchOn []string // if set, only these fields of the body match, and with Strict sampling
	Strict  bool     // sampling parameters match

	Masks     []Mask
	Aliases   []string // hosts that are origins of their own although they look local
	SortTools bool     // the order of tools does not match
}

// Plain reports whether the options are the default ones.
func (o *Options) Plain() bool {
	return len(o.Ignore)+len(o.Match)+len(o.MatchOn)+len(o.Masks)+len(o.Aliases) == 0 && !o.Strict && !o.SortTools
}

// selecting reports whether options select fields by their paths.
func (o *Options) selecting() bool { return len(o.Ignore)+len(o.Match)+len(o.MatchOn) > 0 }

// Form returns the form of a cleaned request under the options. Neither must
// change as long as the form is in use: it reads them when its lines are asked
// for.
func (o *Options) Form(req *interaction.Request) *Form {
	f := o.form(req, keyOnly)
	if f.text == "" && f.lines == nil {
		f.options, f.req = o, *req
	}
	return f
}

// Trace is [Options.Form], and the form knows where its fields stand in the
// request; see [Form.Sent].
func (o *Options) Trace(req *interaction.Request) *Form { return o.form(req, tracedForm) }

// An extent is how much of a form is made.
type extent int

const (
	keyOnly    extent = iota // everything but the lines
	wholeForm                // with its lines
	tracedForm               // with its lines, and where they were sent
)

func (o *Options) form(req *interaction.Request, extent extent) *Form {
	w := walkers.Get().(*walker)
	trace := extent == tracedForm
	c := o.classify(req, &w.parser, trace || o.selecting())
	f := &Form{Endpoint: c.endpoint, Model: strings.Clone(c.model), Wire: c.wire, Known: c.family != nil, Origin: c.origin, family: c.family}
	if trace {
		f.sent = map[string]string{}
	}
	w.options, w.form, w.family, w.sources = o, f, c.family, c.sources
	w.request(req, &c, extent)
	if len(req.Body) <= 1<<17 { // more is rare, and too much to keep
		w.release()
	}
	return f
}

// Sent returns the path of a field as the request spells it: a system prompt is
// "body/system/0/text" in the form of a chat that has "body/messages/0/content".
// It returns path itself if the two are the same, if the field stands outside
// the body, and if the form is not of [Options.Trace].
func (f *Form) Sent(path string) string {
	if sent := f.sent[path]; sent != "" {
		return sent
	}
	return path
}

// walker writes a request's fields to a form, each to the side it belongs to.
type walker struct {
	options *Options
	form    *Form
	family  *Family
	sources []string // where the values of a body were sent, by their marks; may be nil

	parser   exactjson.Parser
	path     []byte
	order    []int      // the member orders of the objects around
	listed   []listItem // the family's patterns that the field at path may match
	shuffled bool       // a member is spelled so that the lines are out of order
	lines    page
	drift    page
}

// A page is a list of lines that is being written: their text, each after a
// line break, and where the value of each starts and ends in it.
type page struct {
	text []byte
	cuts []int
}

func (p *page) open(path []byte) {
	p.text = append(append(append(p.text, '\n'), path...), ' ')
	p.cuts = append(p.cuts, len(p.text))
}

func (p *page) close() { p.cuts = append(p.cuts, len(p.text)) }

// quoted adds a line whose value is a string.
func (p *page) quoted(path []byte, value string) {
	p.open(path)
	p.text = appendQuoted(p.text, value)
	p.close()
}

func (p *page) reset() { p.text, p.cuts = p.text[:0], p.cuts[:0] }

// cut returns the text of the page, which had head before its lines, and the
// lines as slices of it: many short strings are one.
func (p *page) cut(head int) (text string, lines []Line) {
	if len(p.cuts) > 0 {
		lines = make([]Line, len(p.cuts)/2)
	}
	text = string(p.text)
	start := head
	for i := range lines {
		value, end := p.cuts[2*i], p.cuts[2*i+1]
		lines[i] = Line{text[start+1 : value-1], text[value:end]}
		start = end
	}
	return text, lines
}

// walkers keeps what walkers write to: a form is cut out of it when it is whole.
var walkers = sync.Pool{New: func() any { return &walker{parser: exactjson.Parser{Escaped: true}} }}

func (w *walker) release() {
	w.parser.Reset()
	w.options, w.form, w.family, w.sources = nil, nil, nil, nil
	w.path, w.order, w.listed, w.shuffled = w.path[:0], w.order[:0], w.listed[:0], false
	w.lines.reset()
	w.drift.reset()
	walkers.Put(w)
}

func (w *walker) request(req *interaction.Request, call *call, extent extent) {
	f := w.form
	w.lines.text = f.appendHead(w.lines.text)
	head := len(w.lines.text)

	// The body is before everything else in the order of paths; which patterns
	// selected something is told in the order of the request.
	f.Traits = make([]Trait, 0, 8)
	f.Traits = append(f.Traits, Trait{"spelling", call.spelling, spelling})
	var lines, drift []Line
	for _, l := range call.lines {
		w.path = append(w.path[:0], l.Path...)
		switch page, _ := w.side("", l.level); page {
		case &w.lines:
			lines = append(lines, l.Line)
			if call.local && l.Path == "host" { // which of the local hosts it is chooses
				f.Local = true
				f.trait(host, l.Path, w.mask(l.trait))
			}
		case &w.drift:
			drift = append(drift, l.Line)
			f.trait(l.level, l.Path, w.mask(l.trait))
		}
	}
	w.path = append(w.path[:0], "body"...)
	switch call.encoding {
	case jsonBody, multipartBody, formBody:
		w.value(&call.body, "")
	case opaqueBody:
		if p, _ := w.side("", identity); p != nil {
			p.quoted(w.path, opaque(req.Body))
		}
	}
	w.rest(&w.lines, lines)
	w.rest(&w.drift, drift)

	if len(w.drift.cuts) > 0 {
		_, f.Drift = w.drift.cut(0)
	}
	if extent != keyOnly || w.shuffled {
		f.text, f.lines = w.lines.cut(head)
	}
	if w.shuffled {
		sortLines(f.lines)
		sortLines(f.Drift)
		f.text = ""
		return
	}
	f.key = fingerprint(w.lines.text)
}

// rest writes the lines that are not of the body; their values are plain text.
func (w *walker) rest(p *page, lines []Line) {
	sortLines(lines)
	for _, l := range lines {
		w.path = append(w.path[:0], l.Path...)
		p.quoted(w.path, w.mask(l.Value))
	}
}

// sortLines orders lines by path. Array elements keep their order because the
// walk is in order and equal-length digit runs compare by value.
func sortLines(lines []Line) {
	slices.SortStableFunc(lines, func(a, b Line) int { return comparePaths(a.Path, b.Path) })
}

// source returns where v was sent, given where its parent was: what a rule
// made was sent where its parent was, unless that is the whole body.
func (w *walker) source(v *exactjson.Value, parent string) string {
	source := parent
	if v.Mark > 0 && int(v.Mark) < len(w.sources) {
		source = w.sources[v.Mark]
	} else if parent == "body" {
		source = ""
	}
	if w.form.sent != nil && source != "" {
		w.form.sent[string(w.path)] = source
	}
	return source
}

// value walks v in place: members sorted by name, elements in order. A
// container that is empty is a leaf.
func (w *walker) value(v *exactjson.Value, parent string) {
	source := parent
	if w.sources != nil {
		source = w.source(v, parent)
	}
	mark := len(w.path)
	switch {
	case len(v.Elems) == 0:
		w.leaf(v, source)
	case v.Kind == exactjson.Object:
		top, outer := mark == len("body"), len(w.order)
		w.order = appendOrder(w.order, v.Names)
		for i := range v.Elems {
			order := w.order[outer:]
			w.path = appendMember(append(w.path[:mark], '/'), v, order, i)
			name := v.Names[order[i]]
			w.shuffled = w.shuffled || len(w.path) != mark+1+len(name)
			if top && w.family != nil {
				w.listed = w.family.listed(w.listed[:0], name)
			}
			w.value(&v.Elems[order[i]], source)
		}
		w.order = w.order[:outer]
	case v.Kind == exactjson.Array:
		for i := range v.Elems {
			w.path = appendIndex(append(w.path[:mark], '/'), i)
			w.value(&v.Elems[i], source)
		}
	}
	w.path = w.path[:mark]
}

func (w *walker) mask(s string) string { return w.options.mask(s) }

func (o *Options) mask(s string) string {
	for _, m := range o.Masks {
		s = m.Regexp.ReplaceAllString(s, m.Placeholder)
	}
	return s
}

// leaf adds a field; source is where it was sent if that may not be its path.
func (w *walker) leaf(v *exactjson.Value, source string) {
	p, level := w.side(source, identity)
	if p == nil {
		return
	}
	p.open(w.path)
	start := len(p.text)
	switch v.Kind {
	case exactjson.Object:
		p.text = append(p.text, "{}"...)
	case exactjson.Array:
		p.text = append(p.text, "[]"...)
	case exactjson.String:
		text := v.Text
		if len(w.options.Masks) > 0 {
			text = exactjson.EscapeText(w.mask(exactjson.UnescapeText(text)))
		}
		p.text = append(append(append(p.text, '"'), text...), '"')
	case digest: // of a file; never masked
		p.text = append(append(append(p.text, '"'), v.Text...), '"')
	case exactjson.Number:
		p.text = append(p.text, number(v.Text)...)
	case exactjson.Bool:
		p.text = append(p.text, v.Text...)
	default:
		p.text = append(p.text, "null"...)
	}
	p.close()
	if p == &w.drift {
		w.form.trait(level, string(w.path), string(p.text[start:]))
	}
}

// side returns where the field at the path belongs, nil if it is ignored, and its
// level; that of a field outside of the body is given.
func (w *walker) side(source string, level level) (*page, level) {
	o := w.options
	if level == identity && len(w.listed) == 0 && !o.selecting() {
		return &w.lines, identity
	}
	path := string(w.path)
	inBody := level == identity && strings.HasPrefix(path, "body")
	if inBody {
		level = w.levelOf(path)
	}
	switch {
	case w.selected(o.Ignore, path, source):
		return nil, level
	case w.selected(o.Match, path, source), level == sampling && o.Strict:
		return &w.lines, identity
	case inBody && len(o.MatchOn) > 0:
		if w.selected(o.MatchOn, path, source) {
			return &w.lines, identity
		}
		return &w.drift, max(level, unmatched)
	case level != identity:
		return &w.drift, level
	}
	return &w.lines, identity
}

// levelOf returns the level of a field of the body by the lists of its family.
func (w *walker) levelOf(path string) level {
	for _, p := range w.listed {
		if Match(p.pattern, path) {
			return p.level
		}
	}
	return identity
}

// selected reports whether a user's patterns select a field: by where it was
// sent, or by its path in the form if the pattern names no list element. An
// index of the form is never meant: a system prompt that has its own place
// there moves the messages behind it.
func (w *walker) selected(patterns []string, path, source string) bool {
	selected := false
	for _, p := range patterns {
		if Match(p, cmp.Or(source, path)) || source != "" && !hasIndex(p) && Match(p, path) {
			w.form.note(p)
			selected = true
		}
	}
	return selected
}

func hasIndex(pattern string) bool {
	for segment := range strings.SplitSeq(pattern, "/") {
		if isIndex(segment) {
			return true
		}
	}
	return false
}

// note keeps a pattern that selected something.
func (f *Form) note(pattern string) {
	if !slices.Contains(f.Selected, pattern) {
		f.Selected = append(f.Selected, pattern)
	}
}

// opaque names a body that is not JSON by its content.
func opaque(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}
