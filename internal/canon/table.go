package canon

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A Family is one endpoint of one kind of model API: how it is recognised and
// which of its fields decide the answer. Everything in the body matches but
// the two lists; a field nobody has heard of matches.
type Family struct {
	Name   string // "openai.chat": family and operation
	Method string // POST if empty

	// Paths are path suffixes. "{model}" stands for one segment, or for part of
	// one, that names the model, and "{model...}" for all that is left; "{org}"
	// before it is a part of that name, and so is the word that "{org=word}"
	// stands for. Any other "{name}" is a segment that matches as "path/name", and
	// so is the word of "{name=word}".
	// StreamPaths are those whose answers stream. What stands before a suffix
	// can name somebody too; see [prefixes].
	Paths       []string
	StreamPaths []string

	// Needs lists members of which the body must have one, where a path alone does
	// not tell: anyone may end a path in "/responses". "a b" asks for both, and
	// "a=b*" for a field of a form with a value that starts so. Bodies are JSON
	// objects unless TakesForms allows multipart and URL-encoded forms too, or TakesLists a
	// list of such objects.
	Needs      []string
	TakesForms bool
	TakesLists bool

	// NoModel says that no model answers, or that the body names those that do
	// elsewhere, so that it does not matter if none is named.
	NoModel bool

	// Server says that anybody can have such an endpoint, so that the origin
	// matches: two servers must not answer for each other.
	Server bool

	// Stream names the member of the body that asks for a stream; Streams says
	// that a body without it asks for one. StreamWire is what a stream's wire
	// is called if its format is not that of the endpoint's other streams.
	Stream     string
	Streams    bool
	StreamWire string

	// Bookkeeping lists what cannot change the answer, Sampling what changes
	// only how it is drawn. Neither matches; both are reported as drift.
	Bookkeeping []string
	Sampling    []string

	// Headers and Query list the request headers and query parameters that
	// change the answer.
	Headers []string
	Query   []string

	// Rewrites bring equal spellings to one; they run in order on the body.
	Rewrites []Rewrite

	// EndMarkers lists what the last event of a complete stream holds, so that a
	// client that stops reading there has missed nothing.
	EndMarkers []string

	// Delta adds what one event of a stream says to the transcript.
	Delta func(t *transcript, event *exactjson.Value)
}

// A Rewrite brings a body to its one spelling.
type Rewrite func(b *Body)

// families is the table of everything that is known: one file per provider.
// The first family that knows a request has it, so what is more special stands
// before what is less.
var families = slices.Concat(
	jsonrpcFamilies,
	credentialFamilies,
	anthropicFamilies,
	bedrockFamilies,
	mistralFamilies,
	cohereFamilies,
	ollamaFamilies,
	geminiFamilies,
	huggingfaceFamilies,
	openaiFamilies,
	voyageFamilies,
	platformFamilies,
)

// match reports whether the family knows a path.
func (f *Family) match(path []string) (s served, ok bool) {
	for i, paths := range [...][]string{f.Paths, f.StreamPaths} {
		for _, p := range paths {
			if names, at, ok := matchSuffix(p, path); ok {
				if !f.anywhere() {
					names = append(prefixNames(path[:at]), names...)
				}
				return served{f, strings.Join(path[:at], "/"), names, i == 1}, true
			}
		}
	}
	return served{}, false
}

// anywhere reports whether the family is known by its body, whatever the path.
func (f *Family) anywhere() bool { return f.Paths[0] == "" }

// streamWire is how the family's streams come.
func (f *Family) streamWire() string { return cmp.Or(f.StreamWire, "stream") }

// accepts reports whether the family takes such a method and body.
func (f *Family) accepts(method string, c *call) bool {
	if method != cmp.Or(f.Method, "POST") {
		return false
	}
	switch c.encoding {
	case jsonBody:
		if f.TakesLists && len(c.body.Elems) > 0 && c.body.Kind == exactjson.Array {
			return !slices.ContainsFunc(c.body.Elems, func(v exactjson.Value) bool { return !f.has(&v) })
		}
		if c.body.Kind != exactjson.Object {
			return false
		}
	case multipartBody, formBody:
		if !f.TakesForms {
			return false
		}
	default:
		return false
	}
	return f.has(&c.body)
}

// has reports whether a body has what Needs asks for.
func (f *Family) has(body *exactjson.Value) bool {
	return len(f.Needs) == 0 || slices.ContainsFunc(f.Needs, func(names string) bool {
		for name := range strings.FieldsSeq(names) {
			name, value, valued := strings.Cut(name, "=")
			m := member(body, name)
			if m == nil || m.Kind == exactjson.Null {
				return false
			}
			if list := elems(m); valued && (len(list) != 1 || !strings.HasPrefix(list[0].Text, strings.TrimSuffix(value, "*"))) {
				return false
			}
		}
		return true
	})
}

// matchSuffix compares the last segments of a path with those of a pattern, and
// tells where they start.
func matchSuffix(pattern string, path []string) (names []named, at int, ok bool) {
	if pattern == "" {
		return nil, 0, true
	}
	if !mayEnd(pattern, path[len(path)-1]) {
		return nil, 0, false
	}
	pattern = strings.TrimPrefix(pattern, "/")
	if head, ok := strings.CutSuffix(pattern, "...}"); ok {
		// Wherever the segments before it stand first, it is the rest.
		head, name, _ := strings.Cut(head, "/{")
		n := 1 + strings.Count(head, "/")
		for at := range max(0, len(path)-n) {
			if names, ok := matchParts(head, "/", path[at:]); ok {
				return append(names, named{name, strings.Join(path[at+n:], "/")}), at, true
			}
		}
		return nil, 0, false
	}
	at = len(path) - 1 - strings.Count(pattern, "/")
	if at < 0 {
		return nil, 0, false
	}
	names, ok = matchParts(pattern, "/", path[at:])
	return names, at, ok
}

// matchParts compares the parts of a pattern with the first segments of a path,
// or labels of a host.
func matchParts(pattern, separator string, path []string) (names []named, ok bool) {
	for p := range strings.SplitSeq(pattern, separator) {
		if len(path) == 0 {
			return nil, false
		}
		segment := path[0]
		path = path[1:]
		open, end := strings.IndexByte(p, '{'), strings.IndexByte(p, '}')
		if open < 0 {
			if p != segment {
				return nil, false
			}
			continue
		}
		value, ok1 := strings.CutPrefix(segment, p[:open])
		value, ok2 := strings.CutSuffix(value, p[end+1:])
		name, word, fixed := strings.Cut(p[open+1:end], "=")
		if !ok1 || !ok2 || value == "" || fixed && value != word {
			return nil, false
		}
		names = append(names, named{name, value})
	}
	return names, true
}

// mayEnd reports whether a path that ends in the segment may match the pattern.
// Every pattern of the table is tried for every request: this tells most of
// them by a byte or two.
func mayEnd(pattern, segment string) bool {
	for i := 1; i <= len(pattern); i++ {
		switch c := pattern[len(pattern)-i]; {
		case c == '/':
			return i-1 == len(segment)
		case c == '}':
			return true
		case i > len(segment) || segment[len(segment)-i] != c:
			return false
		}
	}
	return len(pattern) == len(segment)
}

// Complete reports whether a stream whose last event is last is whole although
// the client closed it before its end (openai-go closes at [DONE]).
func (f *Form) Complete(last []byte) bool {
	if f.family == nil {
		return false
	}
	return slices.ContainsFunc(f.family.EndMarkers, func(end string) bool { return strings.Contains(string(last), end) })
}
