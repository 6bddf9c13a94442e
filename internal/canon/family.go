package canon

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/canon/transcript"
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
	// so is the word of "{name=word}". A family with the path "" has all paths.
	// StreamPaths are those whose answers stream. What stands before a suffix
	// can name somebody too; see [prefixes].
	Paths       []string
	StreamPaths []string

	// Needs lists members of which the body must have one, where a path alone does
	// not tell: anyone may end a path in "/responses". "a b" asks for both, and "a=b*"
	// for a text, or a field of a form, that starts so. Bodies are JSON
	// objects unless TakesForms allows multipart and URL-encoded forms too, or
	// TakesLists a list of such objects, or AnyBody says that they are anything, or nothing.
	// Only lists all members that a body may have.
	Needs      []string
	Only       []string
	TakesForms bool
	TakesLists bool
	AnyBody    bool

	// NoModel says that no model answers, or that the body names those that do
	// elsewhere, so that it does not matter if none is named. So does Server.
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

	// Drawn lists what clients draw anew for each request: bookkeeping that chooses nothing.
	Drawn []string

	// Headers and Query list the request headers and query parameters that
	// change the answer. Headers that end in "-beta" do for all.
	Headers []string
	Query   []string

	// Rewrites bring equal spellings to one; they run in order on the body. Defaults are
	// left out behind them.
	Rewrites []Rewrite
	Defaults []Default

	// Linked says that answers hold an id of their request; see package jsonrpc.
	Linked bool

	// EndMarkers lists what the last event of a complete stream holds, so that a
	// client that stops reading there has missed nothing. One that ends in [DONE] is
	// the last of any stream.
	EndMarkers []string

	// Transcript tells where answers have what they say.
	Transcript Transcript

	// Acts lists members of the body with which a call does more than to ask a model: it
	// calls a tool, starts a job, or changes what a server keeps. "*" is every body. Nobody
	// sends such a call a second time.
	Acts []string
}

// poll is a GET that asks for what an earlier call has made, or how far it is. All of its query
// decides, and it is sent again by nobody but its client.
func poll(f Family) *Family {
	f.Method, f.NoModel, f.Acts = "GET", true, []string{"*"}
	return &f
}

// anywhere reports whether the family is known by its body, whatever the path.
func (f *Family) anywhere() bool { return f.Paths[0] == "" }

// wire returns how an answer comes.
func (f *Family) wire(stream bool) string {
	if stream {
		return cmp.Or(f.StreamWire, "stream")
	}
	return "whole"
}

// accepts reports whether the family takes such a method and body.
func (f *Family) accepts(method string, body *exactjson.Value, encoding encoding) bool {
	switch {
	case method != cmp.Or(f.Method, "POST"):
		return false
	case f.AnyBody:
		return true
	case method == "GET" || method == "DELETE":
		return encoding == noBody
	case encoding == multipartBody || encoding == formBody:
		return f.TakesForms && f.hasNeeds(body)
	case encoding != jsonBody:
		return false
	case f.TakesLists && len(elems(body)) > 0:
		return !slices.ContainsFunc(body.Elems, func(v exactjson.Value) bool { return !f.hasNeeds(&v) })
	}
	isKnown := len(f.Only) == 0 || only(body, f.Only...)
	return body.Kind == exactjson.Object && isKnown && f.hasNeeds(body)
}

// hasNeeds reports whether a body has what Needs asks for.
func (f *Family) hasNeeds(body *exactjson.Value) bool {
	return len(f.Needs) == 0 || slices.ContainsFunc(f.Needs, func(names string) bool {
		return !slices.ContainsFunc(strings.Fields(names), func(need string) bool { return !hasNeed(body, need) })
	})
}

// hasNeed reports whether a body has one need: "a" or "a=b*".
func hasNeed(body *exactjson.Value, need string) bool {
	name, start, valued := strings.Cut(strings.TrimSuffix(need, "*"), "=")
	m := member(body, name)
	if !valued {
		return m != nil && m.Kind != exactjson.Null
	}
	if list := elems(m); len(list) == 1 {
		m = &list[0]
	}
	return isKind(m, exactjson.String) && strings.HasPrefix(m.Text, start)
}

// level returns the level of a field of the body by the family's lists. Those start with the
// name of a member, which tells of most fields that they are on none.
func (f *Family) level(path string) level {
	levels := [...]level{bookkeeping, sampling, anew}
	member, _, _ := strings.Cut(strings.TrimPrefix(path, "body/"), "/")
	for i, patterns := range [...][]string{f.Bookkeeping, f.Sampling, f.Drawn} {
		if slices.ContainsFunc(patterns, func(p string) bool { return startsWith(p, member) && fieldpath.Match(p, path) }) {
			return levels[i]
		}
	}
	return identity
}

func startsWith(pattern, member string) bool {
	return strings.HasPrefix(pattern, member) && (len(pattern) == len(member) || pattern[len(member)] == '/')
}

// isBeta reports whether a header asks for features that are not for everybody yet.
// It changes the answer of whatever endpoint it is sent to.
func isBeta(name string) bool { return strings.HasSuffix(name, "-beta") }

// families is the table of everything that is known: one file per provider.
// The first family that knows a request has it, so what is more special stands
// before what is less. It is made on first use: not every program that links it asks a model.
var families = sync.OnceValue(func() []*Family {
	return slices.Concat(
		a2aFamilies(),
		jsonrpcFamilies(),
		credentialFamilies(),
		anthropicFamilies(),
		bedrockFamilies(),
		mistralFamilies(),
		cohereFamilies(),
		ollamaFamilies(),
		geminiFamilies(),
		huggingfaceFamilies(),
		perplexityFamilies(),
		keptFamilies(),
		openaiFamilies(),
		voyageFamilies(),
		platformFamilies(),
	)
})

// A Transcript tells where an answer has what it says.
type Transcript = transcript.Transcript

// Names for the tables of the families.
type (
	calls  = []transcript.Call
	pieces = []transcript.Piece
	names  = []string
)

// all says that all texts of a piece grow.
var all = names{"*"}

// Transcript returns how an answer to the form's request is read, or nil if nobody knows.
func (f *Form) Transcript() *Transcript {
	if f.of == nil {
		return nil
	}
	return &f.of.Transcript
}
