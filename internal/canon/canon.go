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
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
)

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

	family *Family
	key    string
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
func (r *Rules) Form(req *cassette.Request) *Form {
	c := r.classify(req)
	f := &Form{Endpoint: c.endpoint, Model: c.model, Wire: c.wire, Known: c.family != nil, family: c.family}
	w := walker{rules: r, form: f, family: c.family}
	w.request(req, &c)
	return f
}

// walker writes a request's fields to a form, each to the side it belongs to.
type walker struct {
	rules  *Rules
	form   *Form
	family *Family
	path   []byte
}

func (w *walker) request(req *cassette.Request, call *call) {
	for _, l := range call.lines {
		w.path = append(w.path[:0], l.Path...)
		w.leaf(l.Value)
	}
	w.path = append(w.path[:0], "body"...)
	switch call.encoding {
	case jsonBody, multipartBody, formBody:
		w.value(&call.body)
	case opaqueBody:
		w.leaf(opaque(req.Body))
	}
	sortLines(w.form.Lines)
	sortLines(w.form.Drift)
}

// sortLines orders lines by path. Array elements keep their order because the
// walk is in order and equal-length digit runs compare by value.
func sortLines(lines []Line) {
	slices.SortStableFunc(lines, func(a, b Line) int { return comparePaths(a.Path, b.Path) })
}

// value walks v in place: members sorted by name, elements in order.
func (w *walker) value(v *cassette.Value) {
	switch v.Kind {
	case cassette.Object:
		if len(v.Elems) == 0 {
			w.leaf("{}")
			return
		}
		mark := len(w.path)
		for _, i := range memberOrder(v) {
			w.path = appendName(append(w.path[:mark], '/'), v.Names[i])
			w.value(&v.Elems[i])
		}
		w.path = w.path[:mark]
	case cassette.Array:
		if len(v.Elems) == 0 {
			w.leaf("[]")
			return
		}
		mark := len(w.path)
		for i := range v.Elems {
			w.path = appendIndex(append(w.path[:mark], '/'), i)
			w.value(&v.Elems[i])
		}
		w.path = w.path[:mark]
	case cassette.String:
		w.leaf(quote(w.mask(v.Text)))
	case cassette.Number:
		w.leaf(number(v.Text))
	case cassette.Bool:
		w.leaf(v.Text)
	default:
		w.leaf("null")
	}
}

func (w *walker) mask(s string) string {
	for _, m := range w.rules.Masks {
		s = m.Regexp.ReplaceAllString(s, m.Placeholder)
	}
	return s
}

func (w *walker) leaf(value string) {
	path := string(w.path)
	switch {
	case matchAny(w.rules.Ignore, path):
		return
	case len(w.rules.MatchOn) > 0:
		if !matchAny(w.rules.MatchOn, path) {
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

// opaque names a body that is not JSON by its content.
func opaque(b []byte) string {
	sum := sha256.Sum256(b)
	return quote("sha256:" + hex.EncodeToString(sum[:]))
}
