// Package interaction is what promptecho records: a request, and what answered it. It
// is data; every other package works on it, and this one knows of them only what a stream's
// frames have in them.
package interaction

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/stream"
)

// Interaction is one request and what answered it.
type Interaction struct {
	Kind      string // "llm" for a known model API, "http" for any other, or one of FunctionKinds
	Boundary  string // the logical endpoint, such as "anthropic.messages", or the function; may be empty
	MatchKey  string // a hint: 16 hex digits of the request's fingerprint; never an authority
	Request   Request
	Response  Response
	Usage     *Usage // what the answer says it cost; nil if it does not say
	LatencyMS int64  // milliseconds from sending the request to the response headers

	// Concurrent says when what happened if others were under way meanwhile; nil if none was.
	// Which was asked first, and whether this one was asked at all before its test ended, may
	// then be chance.
	Concurrent *Moments

	// Accepted says that Request is a later one, which promptecho accept has put in the place
	// of the request that was answered.
	Accepted bool

	// Again says that its SDK sent the request again by itself, after a failure, and that no
	// answer tells this SDK not to wait before that.
	Again bool

	Line int // the 1-based line where the interaction starts in its file; not written
}

// Head returns the interaction without what can be large: bodies, and what they say.
func (it *Interaction) Head() *Interaction {
	head := *it
	head.Request.Body, head.Response.Body, head.Response.Text = nil, nil, ""
	head.Response.Events, head.Response.Chunks, head.Response.Delays = nil, nil, nil
	return &head
}

// Usage is the token count that an answer reports: all that was read and written, whatever
// it cost.
type Usage struct {
	InputTokens     int64
	OutputTokens    int64
	CachedTokens    int64 // of InputTokens, read from a cache
	ReasoningTokens int64 // of OutputTokens, thought
}

// Fields returns the counts by their names in a cassette. Those after the first two are left
// out where they are zero.
func (u *Usage) Fields() (names []string, counts []*int64) {
	return []string{"input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens"},
		[]*int64{&u.InputTokens, &u.OutputTokens, &u.CachedTokens, &u.ReasoningTokens}
}

// Request is a cleaned request. It is sent over HTTP, or it is a call of a function, which
// has nothing but its name and a body: its argument as compact JSON.
type Request struct {
	Method  string
	URL     string
	Headers Headers
	Body    []byte // nil and empty are the same

	// UnknownHeaders says that it may have had other headers, too: another tool recorded it
	// and left headers out.
	UnknownHeaders bool

	Function string // kind and name of the function, such as "tool/get_weather"; empty if sent over HTTP
	Within   string // the function that asked while it ran; empty if none did
	Name     string // tells it apart from others that ask the same at once; empty if nobody named it
}

// KnownAs returns the request with as many of its headers as are known of other: all of
// them, unless other has unknown headers.
func (r *Request) KnownAs(other *Request) Request {
	c := *r
	if other.UnknownHeaders {
		c.UnknownHeaders, c.Headers = true, r.Headers.Only(other.Headers.Names())
	}
	return c
}

// FunctionKinds are the kinds of functions that can be recorded.
var FunctionKinds = []string{"tool", "retrieval", "memory_read", "memory_write"}

// Kinds are the kinds of calls that this version knows.
var Kinds = append([]string{"llm", "http"}, FunctionKinds...)

// String returns what is asked: "POST https://...", or the function.
func (r *Request) String() string { return cmp.Or(r.Function, r.Method+" "+r.URL) }

// Response is a cleaned response. A stream has Stream set and its body in
// Events; every other response has its body in Body. What a function returned has a Body,
// its result as compact JSON, or an Error, or both, and nothing else.
type Response struct {
	Status   int
	Line     string // the status as its line had it, if that is not the usual one ("200 Fine")
	Proto    string // "HTTP/2.0" and the like; empty means HTTP/1.1
	Transfer string // how a client knew where the body ends, if it is not as usual; see Transfers
	Headers  Headers
	Trailers Headers
	Body     []byte

	Stream string  // the framing's name; empty if the body is not a stream
	Events []Event // the frames of a stream in order
	Chunks []int   // the lengths of the pieces that a Body without a Stream came in; the last has the rest
	Delays []Delay // one per event or chunk; missing ones are zero and of an arrival of their own
	Text   string  // the assembled answer for the reader, written as a comment and not read back

	End   string // how the body ended: "" (whole), EndClosed, EndError or EndCanceled
	Error string // why it ended, as the client saw it; with EndClosed only if it gave up, see Waiting; of a function, its error

	ErrorIs []string // the texts of the well-known errors that the error of a function is
}

// Clone returns a copy whose events can be changed.
func (r *Response) Clone() *Response {
	c := *r
	c.Events = group.Each(r.Events, slices.Clone[Event])
	return &c
}

// How a response body ended before its end.
const (
	EndClosed   = "closed"   // the client stopped reading
	EndError    = "error"    // the server or the connection broke off
	EndCanceled = "canceled" // the client gave up before there was an answer: it has no status
)

// Waiting is the Error of a body that its client closed while it waited for more.
const Waiting = "closed while it waited for more"

// MissMark begins the message of a request that is not recorded. An agent that
// goes on after it may put the message into its next request, where promptecho
// accept finds the mark.
const MissMark = "promptecho: not recorded"

// Transfers are how a client can know where a body ends without a Content-Length: by the last
// chunk, or because nothing comes any more. Behind it stands that the transport has taken off
// the coding, of which a client learns by [net/http.Response.Uncompressed].
var Transfers = []string{"chunked", "end", "chunked gzip", "end gzip"}

// LeftWaiting reports whether somebody gave the body up while it was read, other than by a
// deadline.
func (r *Response) LeftWaiting() bool {
	return r.End == EndClosed && r.Error != "" && r.Error != context.DeadlineExceeded.Error()
}

// GivenUp returns why the request was given up before there was an answer, as the error
// of its context says it; "" if it was not.
func (r *Response) GivenUp() string {
	if r.End != EndCanceled {
		return ""
	}
	return r.Error
}

// Passing reports whether the status says nothing of the request: the server is busy or
// out of order, and the same request may succeed later (RFC 9110, section 15.5.9; RFC
// 6585, section 4; RFC 8470, section 5.2).
func (r *Response) Passing() bool {
	switch r.Status {
	case 408, 409, 425, 429:
		return true
	}
	return r.Status >= 500
}

// Event is one frame of a stream in its framing's readable form: named fields
// in order. The names belong to the framing; package codec only writes them down.
type Event []Field

// Field is one named value of an event: any bytes, written as structure when they are compact JSON.
type Field = stream.Field

// IsPayload reports whether the field of an event of this name has what the event carries,
// in whatever framing.
func IsPayload(field string) bool { return field == "data" || field == "data:" || field == "bytes" }

// Payloads returns the pieces of a response that hold JSON: the one body, or the
// fields of events that have the payload.
func (r *Response) Payloads() iter.Seq[string] {
	return func(yield func(string) bool) {
		if r.Stream == "" {
			yield(string(r.Body))
			return
		}
		for _, event := range r.Events {
			for _, f := range event {
				if IsPayload(f.Name) && !yield(f.Value) {
					return
				}
			}
		}
	}
}

// Delay says when an event arrived.
type Delay struct {
	MS       int64 // milliseconds since the arrival before, or since the response headers
	Together bool  // it came in one piece with the event before; MS is zero
	Rest     Rest  // if it came in several pieces, those after the first
}

// Rest is what of an event came later than its beginning: "~N+MS" for each piece,
// so many bytes from the end of the event so many milliseconds after the piece
// before. It counts from the end, which is what stays when an event is edited.
type Rest string

// A Piece is one of Rest.
type Piece struct {
	Bytes int   // from the end of the event, this piece and all behind it
	MS    int64 // after the piece before
}

// Add returns r with another piece.
func (r Rest) Add(p Piece) Rest { return r + Rest(fmt.Sprintf("~%d+%d", p.Bytes, p.MS)) }

// Pieces returns the pieces; ok is false if r has not their form, or if they are
// not each shorter than the one before.
func (r Rest) Pieces() (pieces []Piece, ok bool) {
	if r == "" {
		return nil, true
	}
	text, ok := strings.CutPrefix(string(r), "~")
	if !ok {
		return nil, false
	}
	for part := range strings.SplitSeq(text, "~") {
		n, ms, ok := strings.Cut(part, "+")
		bytes, err1 := strconv.Atoi(n)
		after, err2 := strconv.ParseInt(ms, 10, 64)
		p := Piece{bytes, after}
		if !ok || err1 != nil || err2 != nil || bytes <= 0 || after < 0 || len(pieces) > 0 && bytes >= pieces[len(pieces)-1].Bytes || Rest("").Add(p) != Rest("~"+part) {
			return nil, false
		}
		pieces = append(pieces, p)
	}
	return pieces, true
}
