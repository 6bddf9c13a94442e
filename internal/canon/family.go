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

// A Family describes one endpoint of a model API: which requests it receives,
// and which of their fields decide the answer. All fields of the body match,
// unknown ones too, except those in Bookkeeping, Sampling and Generated.
type Family struct {
	Name   string // provider and operation: "openai.chat"
	Method string // POST if empty

	// Paths are patterns for the end of the URL's path. StreamPaths are those
	// whose answers are streams. A family with the path "" takes every path.
	// For what may precede the pattern in a URL, see [urls.PrefixNames].
	//
	//	part of a path    matches                    the form has it as
	//	/word             the word
	//	{model}           one segment, or a part     the model
	//	{model...}        all segments that follow   the model
	//	{org}             one segment                the part of the model's name before the slash
	//	{org=word}        the word                   the part of the model's name before the slash
	//	{name}            one segment, or a part     path/name
	//	{name=word}       the word                   path/name
	Paths       []string
	StreamPaths []string

	// Scheme is the scheme of the URLs if that is neither http nor https, nor one
	// of WebSockets: [interaction.ProcessScheme] or [interaction.GRPCScheme].
	Scheme string

	// NoModelAPI is set if the API is not one of a model. The family only says which
	// fields of its requests match, and the kind of a request is that of its protocol.
	NoModelAPI bool

	// Hosts are domains. If there are any, the host of the URL is one of them or
	// below one: other services may have an endpoint with such a path.
	Hosts []string

	// Handshake is set if the requests are handshakes of WebSockets; see
	// [handshake]. Other families accept none.
	Handshake bool

	// Needs lists members of which the body must have at least one. They tell
	// the API from others that have the same path, such as "/responses".
	//
	//	a       a member that is not null
	//	a b     both members
	//	a=b     a string, or a field of a form, that is b
	//	a=b*    one that starts with b
	//
	// If Only is not empty, the body must have no other members.
	Needs []string
	Only  []string

	// The body must be a JSON object. TakesForms also allows multipart and
	// URL-encoded forms, TakesLists a list of JSON objects, and AnyBody
	// all bodies and no body.
	TakesForms bool
	TakesLists bool
	AnyBody    bool

	// NoModel is set if requests name no model, or name it in another place.
	// Without it and without Server, the host is compared if a request names no
	// model.
	NoModel bool

	// Server is set if many independent servers have such an endpoint. The host
	// is compared, so that no server gets an answer of another.
	Server bool

	// Stream names the member of the body that asks for a stream. Streams is
	// set if a body without that member asks for one. StreamWire is the wire
	// format of the family's streams if it differs from that of other families
	// at the same path; see [Form.Wire].
	Stream     string
	Streams    bool
	StreamWire string

	// Bookkeeping lists fields that cannot change the answer. Sampling lists
	// fields that change only how the answer is sampled. Neither matches. Both
	// are reported if they change.
	Bookkeeping []string
	Sampling    []string

	// Generated lists fields whose values clients generate for each request.
	// They do not match, and do not help to choose among recordings.
	Generated []string

	// Kinds lists objects whose name says what a message is. The name matches even
	// if no field of the object does.
	Kinds []string

	// Headers and Query list the request headers and query parameters that
	// change the answer. Headers that end in "-beta" change it for every
	// family.
	Headers []string
	Query   []string

	// Rewrites normalize the body: they give equivalent requests the same body.
	// They run in order. After them, fields that have their default value are
	// removed.
	Rewrites []Rewrite
	Defaults []Default

	// Linked is set if answers hold an ID of their request; see package
	// jsonrpc.
	Linked bool

	// EndMarkers lists texts of which the last event of a complete stream
	// contains one. A client that stops reading there has read the whole
	// stream. An event that ends in [DONE] is always the last.
	EndMarkers []string

	// Transcript tells where answers have their texts, tool calls and finish
	// reasons.
	Transcript Transcript

	// Audio lists paths in a message of a session where it has a piece of audio
	// in base64; see [CutAudio]. AudioFrames is set if the binary messages that
	// the client sends are pieces of audio. Without their audio they are empty.
	Audio       []string
	AudioFrames bool

	// KeepAlive is an entry as in Needs for the messages that only keep a session
	// open; see [Form.KeepsAlive].
	KeepAlive string

	// Cancel lists entries as in Needs for the messages that cancel an earlier one; see
	// [Form.Cancels].
	Cancel []string

	// ErrorEvent returns the message by which a server of the family reports an
	// error with this text in a session. It is nil if the API has none.
	ErrorEvent func(text string) []byte

	// SideEffects lists members of the body that make a request do more than
	// ask a model: it calls a tool, starts a job, or changes what the server
	// stores. "*" stands for every body. Such a request is never sent a second
	// time by promptecho.
	SideEffects []string
}

// poll returns the family of a GET that asks for the result or the state of an
// earlier request. Its query matches as a whole. Only the client repeats it, so
// it has SideEffects.
func poll(f Family) *Family {
	f.Method = "GET"
	f.NoModel = true
	f.SideEffects = []string{"*"}
	return &f
}

// handshake returns the family of a GET that opens a WebSocket. The messages
// that the client then sends are requests of other families: a POST to the same
// URL, with the message as its body. A handshake has SideEffects, since nothing
// but a WebSocket can follow it.
func handshake(f Family) *Family {
	f.Method = "GET"
	f.Handshake = true
	f.NoModel = !f.Server
	f.SideEffects = []string{"*"}
	return &f
}

// message returns the family of the messages that the client sends in a session.
// A message has SideEffects, since it has a meaning only in its session.
func message(f Family) *Family {
	f.SideEffects = []string{"*"}
	return &f
}

// matchesAnyPath reports whether requests of the family are known by their
// bodies only.
func (f *Family) matchesAnyPath() bool { return f.Paths[0] == "" }

// wire returns the wire format of an answer; see [Form.Wire].
func (f *Family) wire(stream bool) string {
	if stream {
		return cmp.Or(f.StreamWire, "stream")
	}
	return "whole"
}

// accepts reports whether a request with this method, of which the other fields
// are known, belongs to the family.
func (f *Family) accepts(method string, r *request) bool {
	body, encoding := &r.body, r.encoding
	switch {
	case method != cmp.Or(f.Method, "POST"):
		return false
	case f.Handshake != r.isHandshake:
		return false
	case f.AnyBody:
		return true
	case method == "GET" || method == "DELETE":
		return encoding == noBody
	case encoding == noBody:
		return f.AudioFrames // a binary message without its audio
	case encoding == multipartBody || encoding == formBody:
		return f.TakesForms && f.hasNeeds(body)
	case encoding != jsonBody:
		return false
	case f.TakesLists && len(elems(body)) > 0:
		return f.elementsHaveNeeds(body)
	case body.Kind != exactjson.Object:
		return false
	case len(f.Only) > 0 && !hasOnly(body, f.Only...):
		return false
	}
	return f.hasNeeds(body)
}

// elementsHaveNeeds reports whether each element of a list satisfies Needs.
func (f *Family) elementsHaveNeeds(list *exactjson.Value) bool {
	for i := range list.Elems {
		if !f.hasNeeds(&list.Elems[i]) {
			return false
		}
	}
	return true
}

// hasNeeds reports whether a body satisfies one of the entries of Needs.
func (f *Family) hasNeeds(body *exactjson.Value) bool {
	if len(f.Needs) == 0 {
		return true
	}
	for _, entry := range f.Needs {
		if hasAllNeeds(body, strings.Fields(entry)) {
			return true
		}
	}
	return false
}

// hasAllNeeds reports whether a body has the members that all needs ask for.
func hasAllNeeds(body *exactjson.Value, needs []string) bool {
	for _, need := range needs {
		if !hasNeed(body, need) {
			return false
		}
	}
	return true
}

// hasNeed reports whether a body has the member that a need asks for: "a", "a=b",
// or "a=b*" for a member that starts with b.
func hasNeed(body *exactjson.Value, need string) bool {
	name, value, hasValue := strings.Cut(need, "=")
	m := member(body, name)
	if !hasValue {
		return m != nil && m.Kind != exactjson.Null
	}
	m = singleValue(m)
	if !isKind(m, exactjson.String) {
		return false
	}
	start, isStart := strings.CutSuffix(value, "*")
	return m.Text == value || isStart && strings.HasPrefix(m.Text, start)
}

// level returns the level of a field of the body: the one of the list that has
// a pattern for it.
func (f *Family) level(path string) level {
	rest := strings.TrimPrefix(path, "body/")
	member, _, _ := strings.Cut(rest, "/")
	switch {
	case matchesOne(f.Bookkeeping, member, path):
		return levelBookkeeping
	case matchesOne(f.Sampling, member, path):
		return levelSampling
	case matchesOne(f.Generated, member, path):
		return levelGenerated
	}
	return levelIdentity
}

// matchesOne reports whether one of the patterns selects the field at a path
// below a member of the body. Patterns begin with the name of a member.
// Comparing that first is faster.
func matchesOne(patterns []string, member, path string) bool {
	for _, pattern := range patterns {
		if startsWith(pattern, member) && fieldpath.Match(pattern, path) {
			return true
		}
	}
	return false
}

// startsWith reports whether the first segment of a pattern is the name of a
// member.
func startsWith(pattern, member string) bool {
	rest, ok := strings.CutPrefix(pattern, member)
	return ok && (rest == "" || rest[0] == '/')
}

// isBeta reports whether a header asks for features that are not generally
// available. It changes the answer of every endpoint.
func isBeta(name string) bool { return strings.HasSuffix(name, "-beta") }

// families returns all known endpoints; each provider has a file. A request
// belongs to the first family that accepts it, so a special family precedes a
// general one. The table is made on first use: many programs that have this
// package in their binary never need it.
var families = sync.OnceValue(func() []*Family {
	return slices.Concat(
		stdioFamilies(),
		a2aFamilies(),
		jsonrpcFamilies(),
		credentialFamilies(),
		anthropicFamilies(),
		sonicFamilies(),
		bedrockFamilies(),
		mistralFamilies(),
		cohereFamilies(),
		ollamaFamilies(),
		geminiFamilies(),
		geminiLiveFamilies(),
		huggingfaceFamilies(),
		perplexityFamilies(),
		storedFamilies(),
		speechFamilies(),
		realtimeFamilies(),
		openaiLiveFamilies(),
		responsesSessionFamilies(),
		openaiFamilies(),
		voyageFamilies(),
		platformFamilies(),
		grpcFamilies(),
	)
})

// A Transcript tells where an answer has its texts, tool calls and finish
// reasons.
type Transcript = transcript.Transcript

// Short names for the types in the tables of the families.
type (
	calls  = []transcript.Call
	pieces = []transcript.Piece
	names  = []string
)

// all is a [transcript.Piece.Grow] that stands for all texts of the piece.
var all = names{"*"}

// Transcript tells how to read an answer to the form's request. It is nil if no
// family knows the request.
func (f *Form) Transcript() *Transcript {
	if f.family == nil {
		return nil
	}
	return &f.family.Transcript
}
