// Package interaction has the data that promptecho records: a request and its response. All
// other packages work on this data. This package imports only package stream, for the fields
// of a stream's frames.
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

// Interaction is one request and its response.
type Interaction struct {
	Kind      string // "llm" for a known model API, else "http", "grpc", or one of FunctionKinds
	Boundary  string // the endpoint, the method of gRPC, or the function; may be empty
	MatchKey  string // 16 hex digits of the request's fingerprint; a hint, which may be wrong
	Request   Request
	Response  Response
	Usage     *Usage // the token counts that the answer reports; nil if it reports none
	LatencyMS int64  // milliseconds from sending the request to the response headers

	// Concurrent says in which order the parts of this interaction and of overlapping ones
	// happened; nil if none overlapped. The order in which overlapping requests were sent, and
	// whether this one was sent at all before its test ended, may depend on scheduling.
	Concurrent *Moments

	// Accepted says that promptecho accept has replaced the request that was answered by a
	// later one, which Request is.
	Accepted bool

	// Fake says that a fake has given the answer, such as package echofake, and no provider.
	Fake bool

	// Recorded is the day on which the answer was recorded; "" if that is unknown, and if HasAge
	// is false.
	Recorded Date

	// Again says that the SDK sent the request again after a failure, and that no answer told
	// the SDK to do so without a delay.
	Again bool

	Line int // the 1-based line where the interaction starts in its file; not written
}

// HasAge reports whether the answer can be older than those that its source gives now. The answer
// of a fake is not, and a canceled request has no answer.
func (it *Interaction) HasAge() bool { return !it.Fake && it.Response.CancelCause() == "" }

// Head returns the interaction without bodies, events and texts, which can be large.
func (it *Interaction) Head() *Interaction {
	head := *it
	head.Request.Body = nil
	head.Response.Body = nil
	head.Response.Text = ""
	head.Response.Events = nil
	head.Response.Chunks = nil
	head.Response.Delays = nil
	return &head
}

// Usage holds the token counts that an answer reports: all tokens that were read and written,
// whatever their price.
type Usage struct {
	InputTokens     int64
	OutputTokens    int64
	CachedTokens    int64 // the part of InputTokens that was read from a cache
	ReasoningTokens int64 // the part of OutputTokens that was reasoning
}

// Fields returns pointers to the counts, and their names in a cassette. A cassette leaves out
// the last two if they are zero.
func (u *Usage) Fields() (names []string, counts []*int64) {
	return []string{"input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens"},
		[]*int64{&u.InputTokens, &u.OutputTokens, &u.CachedTokens, &u.ReasoningTokens}
}

// Request is a request without secrets and volatile headers. It is sent over HTTP, or it is
// the call of a function: then it has only the name of the function and a body, which is the
// argument as compact JSON.
type Request struct {
	Method  string
	URL     string
	Headers Headers
	Body    []byte // nil and empty are the same

	// UnknownHeaders says that Headers may be incomplete, because the tool that recorded the
	// request leaves headers out.
	UnknownHeaders bool

	Function string // kind and name of the function, such as "tool/get_weather"; "" over HTTP
	Within   string // the function that was running and sent this request; "" if none was

	// Name is a name that the program has set, to tell the request from equal requests that
	// are sent at the same time; usually empty.
	Name string
}

// KnownAs returns a copy of r with all of its headers, or if other has unknown headers, only
// with those that other has, too.
func (r *Request) KnownAs(other *Request) Request {
	known := *r
	if other.UnknownHeaders {
		known.UnknownHeaders = true
		known.Headers = r.Headers.Only(other.Headers.Names())
	}
	return known
}

// FunctionKinds are the kinds of functions that can be recorded.
var FunctionKinds = []string{"tool", "retrieval", "memory_read", "memory_write"}

// Kinds are all kinds of interactions.
var Kinds = append([]string{"llm", "http", "grpc"}, FunctionKinds...)

// String returns the method and the URL ("POST https://..."), or the function.
func (r *Request) String() string { return cmp.Or(r.Function, r.Method+" "+r.URL) }

// Response is a response without secrets and volatile headers.
//
// A stream has Stream set and its body in Events; every other response has its body in Body.
// The response of a function has only a Body, which is the result as compact JSON, or an
// Error, or both.
type Response struct {
	Status   int
	Line     string // the status line without the protocol if unusual ("200 Fine"), else ""
	Proto    string // "HTTP/2.0" and the like; empty means HTTP/1.1
	Transfer string // one of Transfers; empty if the body ended by its Content-Length
	Headers  Headers
	Trailers Headers
	Body     []byte

	Stream string  // the framing's name; empty if the body is not a stream
	Events []Event // the frames of a stream in order
	Chunks []int   // the lengths of the pieces in which Body arrived; the last has the rest
	Delays []Delay // one for each event or chunk; missing ones are zero

	Text string // the text of the answer for a reader; a comment in the file, and not parsed

	// End says how the body ended: "" (it is complete), EndClosed, EndError or EndCanceled.
	End string

	// Error is the error that ended the body, as the client saw it. With EndClosed there is one
	// only if the client stopped waiting; see Waiting. For a function, it is the error returned.
	Error string

	ErrorIs []string // the texts of the well-known errors that the error of a function wraps
}

// Clone returns a copy whose events can be changed.
func (r *Response) Clone() *Response {
	c := *r
	c.Events = group.Each(r.Events, slices.Clone[Event])
	return &c
}

// Causes why a response is incomplete.
const (
	EndClosed   = "closed"   // the client stopped reading
	EndError    = "error"    // the server or the connection failed
	EndCanceled = "canceled" // the client canceled the request before the headers came: no status
)

// Waiting is the Error of a body that the client closed while it waited for more bytes.
const Waiting = "closed while it waited for more"

// MissMark begins the error message for a request that has no recording. An agent that
// continues after the error may put the message into its next request, where promptecho
// accept finds the mark.
const MissMark = "promptecho: not recorded"

// Transfers are the ways in which a body without a Content-Length ends: by its last chunk, or
// by the end of the connection. The word "gzip" is added if the transport has decompressed the
// body, and so has set [net/http.Response.Uncompressed].
var Transfers = []string{"chunked", "end", "chunked gzip", "end gzip"}

// ClosedWhileWaiting reports whether the client closed the body while it waited for more
// bytes, unless a deadline was the cause.
func (r *Response) ClosedWhileWaiting() bool {
	return r.End == EndClosed && r.Error != "" && r.Error != context.DeadlineExceeded.Error()
}

// CancelCause returns the error of the context of a request that was canceled before the
// headers of the response came, or "" if it was not canceled.
func (r *Response) CancelCause() string {
	if r.End != EndCanceled {
		return ""
	}
	return r.Error
}

// IsTransientFailure reports whether the status is a failure that does not depend on the
// request: the server is busy or not working, and the same request may succeed later (RFC
// 9110, section 15.5.9; RFC 6585, section 4; RFC 8470, section 5.2).
func (r *Response) IsTransientFailure() bool {
	switch r.Status {
	case 408, 409, 425, 429:
		return true
	}
	return r.Status >= 500
}

// Event is one frame of a stream as a list of named fields, in order. The framing defines the
// names.
type Event []Field

// Field is one named value of an event, of any bytes. A cassette shows compact JSON as a
// structure.
type Field = stream.Field

// The fields of a text that the server of a session has sent; see [Framed] for the second one.
const (
	receivedField = "received"
	framedField   = receivedField + "_framed"
)

// IsPayload reports whether the field of this name has the payload of an event, in any of the
// framings.
func IsPayload(field string) bool {
	switch field {
	case "data", "data:", "bytes", receivedField, framedField:
		return true
	}
	return false
}

// Payloads returns the texts of a response that can be JSON: its body, or the payload of each
// event.
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

// Delay says when an event or a chunk arrived.
type Delay struct {
	MS       int64 // milliseconds since the previous arrival, or since the response headers
	Together bool  // it came in one piece with the previous event; MS is zero
	Rest     Rest  // the later pieces, if it came in several
}

// Rest lists the pieces of an event after its first one. Each is written "~N+MS": the piece
// begins N bytes before the end of the event, and came MS milliseconds after the previous
// piece. Bytes are counted from the end, because an edit of the event usually leaves its end
// as it is.
type Rest string

// A Piece is one piece of a [Rest].
type Piece struct {
	BytesToEnd int   // the number of bytes from the start of this piece to the end of the event
	MS         int64 // milliseconds since the previous piece
}

// Add returns r with another piece.
func (r Rest) Add(p Piece) Rest { return r + Rest(fmt.Sprintf("~%d+%d", p.BytesToEnd, p.MS)) }

// Pieces returns the pieces, each nearer to the end of the event than the one before. It
// returns false if the text of r is not what [Rest.Add] writes, or if they have another order.
func (r Rest) Pieces() (pieces []Piece, ok bool) {
	if r == "" {
		return nil, true
	}
	text, ok := strings.CutPrefix(string(r), "~")
	if !ok {
		return nil, false
	}
	for part := range strings.SplitSeq(text, "~") {
		piece, ok := parsePiece(part)
		if !ok {
			return nil, false
		}
		last := len(pieces) - 1
		if last >= 0 && piece.BytesToEnd >= pieces[last].BytesToEnd {
			return nil, false
		}
		pieces = append(pieces, piece)
	}
	return pieces, true
}

// parsePiece reads a piece as [Rest.Add] writes it, without the "~": "120+35" is a piece
// that begins 120 bytes before the end, and came after 35 ms. Numbers with a sign or leading
// zeros are not valid.
func parsePiece(text string) (p Piece, ok bool) {
	number, ms, ok := strings.Cut(text, "+")
	if !ok {
		return Piece{}, false
	}
	bytesToEnd, err := strconv.Atoi(number)
	if err != nil || bytesToEnd <= 0 {
		return Piece{}, false
	}
	after, err := strconv.ParseInt(ms, 10, 64)
	if err != nil || after < 0 {
		return Piece{}, false
	}
	p = Piece{bytesToEnd, after}
	isAsWritten := Rest("").Add(p) == Rest("~"+text) // not so with "+120" or "035"
	return p, isAsWritten
}
