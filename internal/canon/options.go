package canon

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/nethttp/upload"
)

// A Mask rewrites volatile text in field values before they are compared.
type Mask = chance.Mask

// Options are a user's changes to what matches. The zero value changes nothing.
// Of a field that several of them select, the first in the order below decides.
type Options struct {
	Ignore   []string            // fields left out
	Match    []string            // fields that match although they would not
	Only     map[string][]string // by selectors of requests, which fields of the body match, and no others
	Sampling bool                // sampling parameters match

	Masks     []Mask
	Aliases   []string // hosts that are origins of their own although they look local
	Unordered []string // lists whose order does not match
	AsSent    bool     // for people who read: calls, results and tools in their order, and texts that are JSON as texts

	AnyService bool // for people who read: fields as they are sent to a service that no family knows

	Hit func(value string) bool `json:"-"` // is called with the path or the expression of an option that selected a field or masked something; may be nil
}

// Plain reports whether the options are the default ones.
func (o *Options) Plain() bool {
	return !o.selects() && len(o.Masks)+len(o.Aliases) == 0 && !o.Sampling
}

// selects reports whether the options select fields by their paths.
func (o *Options) selects() bool { return len(o.Ignore)+len(o.Match)+len(o.Only)+len(o.Unordered) > 0 }

// level returns the level of a field under the options, given the one that it has
// without them. A field of the body has a source: where it was sent, "" if that is its
// path.
func (o *Options) level(f *Form, level level, path, source string) level {
	selected := func(patterns []string) bool { return o.selected(patterns, path, source) }
	switch {
	case selected(o.Ignore):
		return ignored
	case selected(o.Match), level == sampling && o.Sampling:
		return identity
	case len(f.only) == 0 || !strings.HasPrefix(path, "body"):
		return level
	case selected(f.only):
		return identity
	default:
		return max(level, unmatched)
	}
}

// selected reports whether one of a user's patterns selects a field, and says of each that it does.
func (o *Options) selected(patterns []string, path, source string) (found bool) {
	for _, p := range patterns {
		if selects(p, path, source) {
			o.hit(p)
			found = true
		}
	}
	return found
}

// selects reports whether a user's pattern selects a field: by where it was
// sent, or by its path in the form if the pattern names no list element. An
// index of the form is never meant: a system prompt that has its own place
// there moves the messages behind it.
func selects(pattern, path, source string) bool {
	inForm := source == "" || !slices.ContainsFunc(strings.Split(pattern, "/"), fieldpath.IsIndex)
	return source != "" && fieldpath.Match(pattern, source) || inForm && fieldpath.Match(pattern, path)
}

// hit says that an option was of use.
func (o *Options) hit(value string) {
	if o.Hit != nil {
		o.Hit(value)
	}
}

// Masked returns the text of the field at a path with what the masks match replaced.
func (o *Options) Masked(path, s string) string {
	for _, m := range o.Masks {
		if m.ByChance && isVersion().MatchString(path) {
			continue
		}
		masked := m.Replace(s)
		if masked != s {
			o.hit(cmp.Or(m.Option, m.Regexp.String()))
		}
		s = masked
	}
	return s
}

// isVersion matches the paths of fields that name a model, or a version of a model, an API or a protocol: another one is
// another thing, although a part of its name may look like a date or a UUID.
var isVersion = memo.Regexp(`^(?:(?:body|path|host)/model|path/agent|header/(?:.*-)?(?:beta|version)(?:/\d+)?|query/api-version|body/params/protocolVersion|body/prompt/version)$`)

// appendValue appends the value of the field at a path, which is no container or an empty one.
func (o *Options) appendValue(dst []byte, path string, v *exactjson.Value) []byte {
	text := v.Text
	switch v.Kind {
	default:
		return v.AppendJSON(dst, exactjson.Layout{})
	case exactjson.Number:
		return append(dst, exactjson.PlainNumber(text)...)
	case digest:
	case exactjson.String:
		if len(o.Masks) > 0 && !upload.EndsWithOne(text) { // or two files would be one
			text = exactjson.EscapeText(o.Masked(path, exactjson.UnescapeText(text)))
		}
	}
	return append(append(append(dst, '"'), text...), '"')
}
