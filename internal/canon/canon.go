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

	"github.com/promptecho/promptecho/internal/cassette"
)

// Revision is the number of the rules by which keys are made, here and in
// package redact, which cleans the requests. Raise it whenever a request's key
// changes, so that stored keys that other rules made are not trusted.
const Revision = 1

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

	Lines []Line // what matches, in canonical order
	Drift []Line // what does not match but is reported when it changed

	Selected []string // the patterns of MatchOn and Ignore that selected something

	family *Family
	key    string
	sent   map[string]string // by path, where a field was sent; nil unless traced
}

// Text returns the canonical text of the form: what the fingerprint is of.
func (f *Form) Text() string {
	n := len(f.Endpoint) + len(f.Wire) + 16
	for _, l := range f.Lines {
		n += len(l.Path) + len(l.Value) + 2
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteString("endpoint ")
	b.WriteString(f.Endpoint)
	b.WriteString("\nwire ")
	b.WriteString(f.Wire)
	for _, l := range f.Lines {
		b.WriteByte('\n')
		b.WriteString(l.Path)
		b.WriteByte(' ')
		b.WriteString(l.Value)
	}
	return b.String()
}

// Key returns the fingerprint: the first 16 hex digits of the text's SHA-256.
func (f *Form) Key() string {
	if f.key == "" {
		sum := sha256.Sum256([]byte(f.Text()))
		f.key = hex.EncodeToString(sum[:8])
	}
	return f.key
}

// A Mask rewrites volatile text in field values before they are compared.
type Mask struct {
	Regexp      *regexp.Regexp
	Placeholder string
}

// Rules are a user's changes to what matches. The zero value changes nothing.
type Rules struct {
	MatchOn []string // if set, only these fields match, beside endpoint and wire
	Ignore  []string // fields left out
	Masks   []Mask
	Headers []string // request headers that match too
	Strict  bool     // sampling parameters match too

	SortTools bool // the order of tools does not match
	Host      bool // the host matches
}

// Form returns the form of a cleaned request under the rules.
func (r *Rules) Form(req *cassette.Request) *Form { return r.form(req, false) }

// Trace is [Rules.Form], and the form knows where its fields stand in the
// request; see [Form.Sent].
func (r *Rules) Trace(req *cassette.Request) *Form { return r.form(req, true) }

func (r *Rules) form(req *cassette.Request, trace bool) *Form {
	c := r.classify(req, trace || len(r.MatchOn) > 0 || len(r.Ignore) > 0)
	f := &Form{Endpoint: c.endpoint, Model: c.model, Wire: c.wire, Known: c.family != nil, family: c.family}
	if trace {
		f.sent = map[string]string{}
	}
	w := walker{rules: r, form: f, family: c.family, sources: c.sources}
	w.request(req, &c)
	return f
}

// Sent returns the path of a field as the request spells it: a system prompt is
// "body/system/0/text" in the form of a chat that has "body/messages/0/content".
// It returns path itself if the two are the same, if the field stands outside
// the body, and if the form is not of [Rules.Trace].
func (f *Form) Sent(path string) string {
	if sent := f.sent[path]; sent != "" {
		return sent
	}
	return path
}

// walker writes a request's fields to a form, each to the side it belongs to.
type walker struct {
	rules   *Rules
	form    *Form
	family  *Family
	path    []byte
	sources []string // where the values of a body were sent, by their marks; may be nil
}

func (w *walker) request(req *cassette.Request, call *call) {
	for _, l := range call.lines {
		w.path = append(w.path[:0], l.Path...)
		w.leaf(quote(w.mask(l.Value)), "")
	}
	w.path = append(w.path[:0], "body"...)
	switch call.encoding {
	case jsonBody, multipartBody, formBody:
		w.value(&call.body, "")
	case opaqueBody:
		w.leaf(opaque(req.Body), "")
	}
	sortLines(w.form.Lines)
	sortLines(w.form.Drift)
}

// sortLines orders lines by path. Array elements keep their order because the
// walk is in order and equal-length digit runs compare by value.
func sortLines(lines []Line) {
	slices.SortStableFunc(lines, func(a, b Line) int { return comparePaths(a.Path, b.Path) })
}

// source returns where v was sent, given where its parent was: what a rule
// made was sent where its parent was, unless that is the whole body.
func (w *walker) source(v *cassette.Value, parent string) string {
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
func (w *walker) value(v *cassette.Value, parent string) {
	source := parent
	if w.sources != nil {
		source = w.source(v, parent)
	}
	switch v.Kind {
	case cassette.Object:
		if len(v.Elems) == 0 {
			w.leaf("{}", source)
			return
		}
		mark, order := len(w.path), memberOrder(v)
		for i := range order {
			w.path = appendMember(append(w.path[:mark], '/'), v, order, i)
			w.value(&v.Elems[order[i]], source)
		}
		w.path = w.path[:mark]
	case cassette.Array:
		if len(v.Elems) == 0 {
			w.leaf("[]", source)
			return
		}
		mark := len(w.path)
		for i := range v.Elems {
			w.path = appendIndex(append(w.path[:mark], '/'), i)
			w.value(&v.Elems[i], source)
		}
		w.path = w.path[:mark]
	case cassette.String:
		w.leaf(quote(w.mask(v.Text)), source)
	case cassette.Number:
		w.leaf(number(v.Text), source)
	case cassette.Bool:
		w.leaf(v.Text, source)
	default:
		w.leaf("null", source)
	}
}

func (w *walker) mask(s string) string {
	for _, m := range w.rules.Masks {
		s = m.Regexp.ReplaceAllString(s, m.Placeholder)
	}
	return s
}

// leaf adds a field; source is where it was sent if that may not be its path.
func (w *walker) leaf(value, source string) {
	path := string(w.path)
	switch {
	case w.selected(w.rules.Ignore, path, source):
		return
	case len(w.rules.MatchOn) > 0:
		if !w.selected(w.rules.MatchOn, path, source) {
			w.form.Drift = append(w.form.Drift, Line{path, value})
			return
		}
	case w.family == nil:
	case matchAny(w.family.Bookkeeping, path),
		!w.rules.Strict && matchAny(w.family.Sampling, path):
		w.form.Drift = append(w.form.Drift, Line{path, value})
		return
	}
	w.form.Lines = append(w.form.Lines, Line{path, value})
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
	return quote("sha256:" + hex.EncodeToString(sum[:]))
}
