package echofake

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// A Turn is one answer of the model. The functions of this package make turns,
// and each method returns a changed copy. The zero Turn is an empty text.
type Turn struct {
	reply   fakeprovider.Reply
	problem *fakeprovider.Problem // an error in the place of the reply
	compute func(*promptecho.Request) Turn
	handler http.Handler

	kind      turnKind
	words     string // how the turn is made, for reports
	line      string // where it is made: "agent_test.go:12"
	invalid   string // why the turn cannot be used; "" if it can
	unchecked bool

	conditions []Condition
	times      int // how many requests it answers; 0 is one
	always     bool

	after    time.Duration
	hold     <-chan struct{}
	header   http.Header
	comments []string
	members  []member
}

// A member is one that [Turn.Set] sets.
type member struct {
	path  string
	value []byte // JSON
}

// A turnKind is what kind of requests a turn answers.
type turnKind int

const (
	answers    turnKind = iota // of models that write texts, pictures or sounds
	embeddings                 // of texts
	anything                   // any request
	unreadable                 // requests that no reply of a model can answer; no turn has it
)

// newTurn returns a turn that its caller's caller has made.
func newTurn(kind turnKind, words string) Turn {
	t := Turn{kind: kind, words: words}
	_, file, line, ok := runtime.Caller(2)
	if ok {
		t.line = fmt.Sprintf("%s:%d", base(file), line)
	}
	return t
}

// Text returns an answer with a text. In a stream, each piece is an event of its
// own; a single piece is cut into words.
func Text(pieces ...string) Turn {
	t := newTurn(answers, fmt.Sprintf("Text(%s)", quoted(pieces...)))
	switch len(pieces) {
	case 0:
	case 1:
		t.reply.Text = pieces[0]
	default:
		t.reply.Pieces = slices.Clone(pieces)
	}
	return t
}

// JSON returns an answer with the JSON of v. A string, a []byte and a
// [json.RawMessage] are JSON already. If the request asks for an answer by a
// schema, the JSON must be valid for it.
func JSON(v any) Turn {
	text, err := jsonOf(v)
	t := newTurn(answers, fmt.Sprintf("JSON(%s)", short(text)))
	t.reply.Text = text
	if err != nil {
		t.invalid = err.Error()
	}
	return t
}

// ToolCall returns an answer that calls a tool. The arguments become JSON as v
// does in [JSON]. [Turn.ToolCall] adds parallel calls.
func ToolCall(name string, args any) Turn {
	t := newTurn(answers, fmt.Sprintf("ToolCall(%q)", name))
	return t.addCall(name, args)
}

// Refusal returns an answer in which the model refuses. Where an API has no
// place for a refusal, it is a text, with the finish reason that the API has.
func Refusal(text string) Turn {
	t := newTurn(answers, fmt.Sprintf("Refusal(%s)", quoted(text)))
	t.reply.Refusal = text
	return t
}

// Error returns an error response of this status, in the format of the
// provider. Without a message it has one that is usual for the status. SDKs
// that retry do so at once, unless [Turn.RetryAfter] says otherwise; each
// retry is a request, and takes a turn.
func Error(status int, message ...string) Turn {
	t := newTurn(anything, fmt.Sprintf("Error(%d)", status))
	t.problem = problemOf(status, message)
	return t.checkStatus(status)
}

// Embedding returns an answer with vectors, one for each text of the request.
// Texts that have none get one that is made from their words: the same in each
// run, and near each other for texts that share words.
func Embedding(vectors ...[]float32) Turn {
	t := newTurn(embeddings, fmt.Sprintf("Embedding(%d vectors)", len(vectors)))
	t.reply.Vectors = vectors
	return t
}

// File returns an answer with a picture or a sound from a file.
func File(path string) Turn {
	t := newTurn(answers, fmt.Sprintf("File(%q)", path))
	data, err := os.ReadFile(path)
	if err != nil {
		t.invalid = err.Error()
		return t
	}
	t.reply.Media = &fakeprovider.Media{Type: http.DetectContentType(data), Data: data}
	return t
}

// Func returns an answer that f makes for each request, other than for embeddings.
// It is called by the goroutine of the request, and may be called concurrently.
// What methods set on the turn of Func holds where f does not set it.
func Func(f func(r *promptecho.Request) Turn) Turn {
	t := newTurn(answers, "Func")
	t.compute = f
	return t
}

// Handler returns an answer that h writes, byte for byte. It is for answers
// that the other functions cannot express. It also answers requests that the
// provider would refuse, and requests to endpoints that this package does not have.
func Handler(h http.Handler) Turn {
	t := newTurn(anything, "Handler")
	t.handler = h
	t.unchecked = true
	return t
}

// ToolCall adds a tool call, which is parallel to those that the turn has.
func (t Turn) ToolCall(name string, args any) Turn {
	t.words += fmt.Sprintf(".ToolCall(%q)", name)
	return t.addCall(name, args)
}

func (t Turn) addCall(name string, args any) Turn {
	text, err := jsonOf(args)
	if err != nil {
		t.invalid = err.Error()
	}
	call := fakeprovider.Call{Name: name, Args: text}
	t.reply.Calls = append(slices.Clip(t.reply.Calls), call)
	return t
}

// ID sets the ID of the last tool call. Without it, the ID has the numbers of
// the turn and of the call: call_fake_2_1.
func (t Turn) ID(id string) Turn {
	if len(t.reply.Calls) == 0 {
		t.invalid = "ID(" + id + ") without a tool call before"
		return t
	}
	t.reply.Calls = slices.Clone(t.reply.Calls)
	t.reply.Calls[len(t.reply.Calls)-1].ID = id
	return t
}

// Reasoning sets what the model thinks before it answers. It is left out where
// an API has no place for it.
func (t Turn) Reasoning(text string) Turn {
	t.reply.Reasoning = text
	return t
}

// The finish reasons of [Turn.Finish].
const (
	Stop   = fakeprovider.FinishStop     // the answer is complete
	Length = fakeprovider.FinishLength   // the token limit cut it
	Filter = fakeprovider.FinishFilter   // a filter of the provider withheld the rest
	Calls  = fakeprovider.FinishCalls    // the tools are to be called
	Halted = fakeprovider.FinishSequence // a stop sequence cut it
)

// Finish sets why the answer ends: one of the constants, which becomes the word
// of the API, or another word, which is sent as it is. Without it, an answer
// with tool calls ends with Calls, a refusal as the API says it, and any other
// with Stop.
func (t Turn) Finish(reason string) Turn {
	t.reply.Finish = reason
	return t
}

// Usage sets the numbers of tokens of the request and of the answer. Without
// it, they are counted: the same in each run, but not those of a provider.
func (t Turn) Usage(in, out int) Turn {
	t.reply.Usage.Input = in
	t.reply.Usage.Output = out
	return t
}

// Cached sets how many of the tokens of the request were read from a cache.
func (t Turn) Cached(in int) Turn {
	t.reply.Usage.Cached = in
	return t
}

// RetryAfter tells SDKs how long to wait before they send the request again, in
// the headers Retry-After, in seconds rounded up, and Retry-After-Ms.
func (t Turn) RetryAfter(d time.Duration) Turn {
	seconds := (d + time.Second - 1) / time.Second
	t = t.Header("Retry-After", fmt.Sprint(int64(seconds)))
	return t.Header("Retry-After-Ms", fmt.Sprint(d.Milliseconds()))
}

// ThenError lets a stream end with an error of the provider, after all content
// and in the place of the finish reason. A response without a stream is that
// error.
func (t Turn) ThenError(status int, message ...string) Turn {
	t.reply.Broken = problemOf(status, message)
	return t.checkStatus(status)
}

// Header sets a header of the response.
func (t Turn) Header(name, value string) Turn {
	t.header = t.header.Clone()
	if t.header == nil {
		t.header = http.Header{}
	}
	t.header.Set(name, value)
	return t
}

// Set sets a member of the response, for what only one API has. The path has the
// names that the API uses, and the numbers of elements:
//
//	Set("candidates/0/groundingMetadata/webSearchQueries", []string{"go 1.26"})
//
// Objects that are missing on the way are made, elements of lists are not. The
// value becomes JSON; nil is null. In a stream, the last event that has the
// object around the member is changed.
func (t Turn) Set(path string, value any) Turn {
	text, err := json.Marshal(value)
	if err != nil {
		t.invalid = fmt.Sprintf("Set(%q): %v", path, err)
	}
	t.members = append(slices.Clip(t.members), member{strings.TrimPrefix(path, "/"), text})
	return t
}

// Comment puts a comment before the events of a stream, as gateways do while
// they wait for a model: "OPENROUTER PROCESSING". Only server-sent events can
// have comments.
func (t Turn) Comment(text string) Turn {
	t.comments = append(slices.Clip(t.comments), text)
	return t
}

// After waits before it answers, or until the request is canceled. In a bubble
// of [testing/synctest] that takes no time.
func (t Turn) After(d time.Duration) Turn {
	t.after = d
	return t
}

// Hold lets a stream wait for a value from gate, or for its end, before each
// event but the first, so that a test decides when they come. Without a stream,
// the response waits once.
func (t Turn) Hold(gate <-chan struct{}) Turn {
	t.hold = gate
	return t
}

// When lets the turn answer only requests for which cond holds. Several
// conditions must all hold.
func (t Turn) When(cond Condition) Turn {
	t.conditions = append(slices.Clip(t.conditions), cond)
	return t
}

// Times lets the turn answer n requests. All of them must come.
func (t Turn) Times(n int) Turn {
	t.times = n
	if n < 1 {
		t.invalid = fmt.Sprintf("Times(%d): a turn answers at least one request", n)
	}
	return t
}

// Always lets the turn answer any number of requests, also none. Turns behind it
// answer only requests that do not meet its conditions.
func (t Turn) Always() Turn {
	t.always = true
	return t
}

// Unchecked lets the turn answer requests that the provider would refuse, and
// call tools that the request does not offer.
func (t Turn) Unchecked() Turn {
	t.unchecked = true
	return t
}

// within returns a turn that the function of the outer turn has made. What the
// methods of the outer turn set is kept where the inner turn does not set it.
func (t Turn) within(outer Turn) Turn {
	t.line = outer.line
	t.words = outer.words
	t.compute = nil // a function that returns a function
	t.unchecked = t.unchecked || outer.unchecked
	t.after = cmp.Or(t.after, outer.after)
	if t.hold == nil {
		t.hold = outer.hold
	}
	t.members = slices.Concat(outer.members, t.members)
	t.comments = slices.Concat(outer.comments, t.comments)
	for name := range outer.header {
		if t.header.Get(name) == "" {
			t = t.Header(name, outer.header.Get(name))
		}
	}

	set := outer.reply
	r := &t.reply
	r.Reasoning = cmp.Or(r.Reasoning, set.Reasoning)
	r.Finish = cmp.Or(r.Finish, set.Finish)
	r.Usage = cmp.Or(r.Usage, set.Usage)
	if r.Broken == nil {
		r.Broken = set.Broken
	}
	return t
}

// turns returns the turn; see [Step].
func (t Turn) turns() []Turn { return []Turn{t} }

// checkStatus makes a turn invalid whose status is not that of an error.
func (t Turn) checkStatus(status int) Turn {
	if status < 400 || status > 599 {
		t.invalid = fmt.Sprintf("%d is not the status of an error", status)
	}
	return t
}

// problemOf returns the error of a provider.
func problemOf(status int, message []string) *fakeprovider.Problem {
	p := &fakeprovider.Problem{Status: status}
	if len(message) > 0 {
		p.Message = message[0]
	}
	return p
}

// jsonOf returns the JSON of a value.
func jsonOf(v any) (string, error) {
	var text []byte
	switch v := v.(type) {
	case nil:
		return "{}", nil
	case string:
		text = []byte(v)
	case []byte:
		text = v
	case json.RawMessage:
		text = v
	default:
		encoded, err := json.Marshal(v)
		return string(encoded), err
	}
	if !json.Valid(text) {
		return string(text), fmt.Errorf("this is not JSON: %s", short(string(text)))
	}
	return string(text), nil
}
