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
// If several lists select a field, the first of Ignore, Match and Only decides.
type Options struct {
	Ignore   []string // patterns of fields that are left out
	Match    []string // patterns of fields that match although they would not
	Sampling bool     // sampling parameters match

	// Only has patterns of fields of the body, by selectors of requests. In a
	// request that one of them selects, no other fields of the body match.
	Only map[string][]string

	Masks     []Mask
	Aliases   []string // origins of local hosts that are not taken for any local host
	Unordered []string // patterns of lists that are compared without their order

	// For reports. AsSent keeps tool calls, their results and tools in the
	// order in which they were sent, and does not parse JSON in texts.
	// AnyService leaves every request as if no family knew it, so that requests
	// to two services have comparable fields.
	AsSent     bool
	AnyService bool

	// Hit is called with the pattern of each option that selects a field, and
	// the regular expression or the option of each mask that changes one. Its
	// result is not used. It may be nil.
	Hit func(value string) bool `json:"-"`
}

// Plain reports whether the options are the default ones.
func (o *Options) Plain() bool {
	return !o.selects() && len(o.Masks)+len(o.Aliases) == 0 && !o.Sampling
}

// selects reports whether the options select fields by their paths.
func (o *Options) selects() bool {
	return len(o.Ignore)+len(o.Match)+len(o.Only)+len(o.Unordered) > 0
}

// level returns the level of a field under the options. The argument level is
// the one without them. source is the path at which a field of the body was
// sent, or "" for other fields and those that were not sent.
func (o *Options) level(f *Form, level level, path, source string) level {
	isOfBody := strings.HasPrefix(path, "body")
	switch {
	case o.selected(o.Ignore, path, source):
		return levelIgnored
	case o.selected(o.Match, path, source):
		return levelIdentity
	case level == levelSampling && o.Sampling:
		return levelIdentity
	case len(f.bodyOnly) == 0 || !isOfBody:
		return level
	case o.selected(f.bodyOnly, path, source):
		return levelIdentity
	default:
		return max(level, levelUnmatched)
	}
}

// selected reports whether one of a user's patterns selects a field. It calls
// Hit for every pattern that does.
func (o *Options) selected(patterns []string, path, source string) (found bool) {
	for _, p := range patterns {
		if selects(p, path, source) {
			o.hit(p)
			found = true
		}
	}
	return found
}

// selects reports whether a user's pattern selects a field. path is the field's
// path in the form. source is the path at which the field was sent, or "" if
// that is unknown.
//
// A pattern may be of either path. With an index ("messages/1/content") it is
// of source only: a rewrite that moves a system prompt out of the messages
// changes the indices in the form.
func selects(pattern, path, source string) bool {
	if source == "" {
		return fieldpath.Match(pattern, path)
	}
	if fieldpath.Match(pattern, source) {
		return true
	}
	hasIndex := slices.ContainsFunc(strings.Split(pattern, "/"), fieldpath.IsIndex)
	return !hasIndex && fieldpath.Match(pattern, path)
}

// hit calls Hit with a pattern or an expression that had an effect.
func (o *Options) hit(value string) {
	if o.Hit != nil {
		o.Hit(value)
	}
}

// Masked returns the text of the field at a path, with the matches of the masks
// replaced.
func (o *Options) Masked(path, s string) string {
	for _, m := range o.Masks {
		if m.ByChance && versionPath().MatchString(path) {
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

// versionPath matches the paths of fields that name a model, or a version of a
// model, an API or a protocol. A part of such a name may look like a date or a
// UUID, but another name is another model or version.
var versionPath = memo.Regexp(`^(?:` +
	`(?:body|path|host)/model|` +
	`path/agent|` +
	`header/(?:.*-)?(?:beta|version)(?:/\d+)?|` +
	`query/api-version|` +
	`body/params/protocolVersion|` +
	`body/prompt/version` +
	`)$`)

// appendValue appends the value of the field at a path as the form has it. The
// value has no elements.
func (o *Options) appendValue(dst []byte, path string, v *exactjson.Value) []byte {
	text := v.Text
	switch v.Kind {
	default:
		return v.AppendJSON(dst, exactjson.Layout{})
	case exactjson.Number:
		return append(dst, exactjson.PlainNumber(text)...)
	case digest:
	case exactjson.String:
		// A mask could make the digests of two uploads equal.
		if len(o.Masks) > 0 && !upload.EndsWithOne(text) {
			text = exactjson.EscapeText(o.Masked(path, exactjson.UnescapeText(text)))
		}
	}
	dst = append(dst, '"')
	dst = append(dst, text...)
	return append(dst, '"')
}
