// Package codec writes interactions as YAML text and reads them back. It does not open files, and
// it does not interpret interactions: other packages decide which framing a stream has, which
// requests are equal and what is secret.
//
// An encoder writes the text. A parser reads it, checks everything, and reports what is wrong and
// where.
//
// Two rules hold. A body is written as YAML structure, which people can read, only if reading it
// back gives the same bytes; else it is written as text, in base64 or as an asset. And nothing is
// lost: an interaction that is read equals the one that was written, except for the match key and
// the text of a stream, which are computed when an interaction is saved.
package codec

import (
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
)

// fields has a method for each type of field. The functions below call the methods in the order of
// the cassette. The encoder writes the fields that are set. The parser looks for them in any order,
// and does not change a field whose key is not there.
type fields interface {
	section(key string, fields func())
	text(key string, s *string)
	status(n *int)
	latency(ms *int64)
	flag(key string, set *bool)
	date(key string, d *interaction.Date)
	moments(m **interaction.Moments)
	headers(key string, hs *interaction.Headers)
	usage(u **interaction.Usage)
	stream(r *interaction.Response)
	messages(r *interaction.Response)
	body(b *[]byte)
	form(r *interaction.Request)
	jsonBody(b *[]byte, isRequired bool)
	texts(key string, list *[]string)
}

// interactionFields writes or reads the fields of an interaction. An encoder writes the fields of
// the interaction as YAML, and a parser sets them from the YAML. One function does both, so that
// the encoder and the parser cannot differ in the fields. For example, f.text("name", ...) writes
// a line such as "name: summary", or reads it. A call of a function has other fields: see
// functionFields.
func interactionFields(f fields, it *interaction.Interaction) {
	f.text("kind", &it.Kind)
	f.text("boundary", &it.Boundary)
	f.text("within", &it.Request.Within)
	f.text("name", &it.Request.Name)
	f.flag("again", &it.Again)
	f.flag("accepted", &it.Accepted)
	f.flag("fake", &it.Fake)
	f.date(recordedKey, &it.Recorded)
	if isFunction(it.Kind) {
		functionFields(f, it)
		return
	}
	f.section("request", func() { requestFields(f, &it.Request) })
	responsePartFields(f, it)
}

// functionFields writes or reads the fields of a call of a function, whose argument and result are
// JSON of any kind. A text as a body is a JSON string.
func functionFields(f fields, it *interaction.Interaction) {
	if it.Request.Function == "" { // f is a parser
		it.Request.Function = it.Kind + "/" + it.Boundary
	}
	f.section("request", func() { f.jsonBody(&it.Request.Body, true) })
	r := &it.Response
	f.section("response", func() {
		f.messages(r)
		f.text("error", &r.Error)
		f.texts("error_is", &r.ErrorIs)
		f.jsonBody(&r.Body, r.Error == "" && r.Stream == "")
	})
	f.latency(&it.LatencyMS)
	f.moments(&it.Concurrent)
}

// isFunction reports whether a kind of interaction is a call of a function.
func isFunction(kind string) bool { return slices.Contains(interaction.FunctionKinds, kind) }

// requestFields writes or reads the fields of an HTTP request.
func requestFields(f fields, r *interaction.Request) {
	f.text("method", &r.Method)
	f.text("url", &r.URL)
	f.headers("headers", &r.Headers)
	f.flag("unknown_headers", &r.UnknownHeaders)
	f.form(r)
}

const (
	concurrentKey = "concurrent"
	recordedKey   = "recorded"
)

// ResponseStart is the text before the fields of the response in an item.
const ResponseStart = keyStart + "response:\n"

// responsePartFields writes or reads the fields of an interaction from the response on.
func responsePartFields(f fields, it *interaction.Interaction) {
	f.section("response", func() { responseFields(f, &it.Response) })
	f.usage(&it.Usage)
	f.latency(&it.LatencyMS)
	f.moments(&it.Concurrent)
}

// responseFields writes or reads the fields of an HTTP response.
func responseFields(f fields, r *interaction.Response) {
	f.status(&r.Status)
	f.text("status_line", &r.Line)
	f.text("proto", &r.Proto)
	f.text("transfer", &r.Transfer)
	f.headers("headers", &r.Headers)
	f.headers("trailers", &r.Trailers)
	f.stream(r)
	f.body(&r.Body)
	f.text("end", &r.End)
	f.text("error", &r.Error)
}

// itemIndent is the indentation of the keys of an item, in spaces.
const itemIndent = 2

// The text before a key in what [Encode] writes.
const (
	keyStart  = "\n  "   // before a key of an item
	partStart = "\n    " // before a key of its request or its response
)

// Lines of a cassette.
const (
	ItemsLine = "interactions:\n" // the line before the items
	EndMark   = "..."             // begins the last line: the end of a document (YAML 1.2.2, 9.1.4)
)

// ItemStart begins the text of an item that [Encode] writes. The other lines of the item are
// indented.
const ItemStart = "- "

// allowedValues has all values that a key can have, for the keys with a fixed set of values.
var allowedValues = map[string][]string{
	"end":      {interaction.EndClosed, interaction.EndError, interaction.EndCanceled},
	"transfer": interaction.Transfers,
}

// webSocketStatus is the status of a response that opens a WebSocket (RFC 6455, section 4.2.2).
const webSocketStatus = 101

// mayHaveNoStatus reports whether a response ended with an error or a cancellation, which may have
// been before the status came.
func mayHaveNoStatus(r *interaction.Response) bool {
	return r.End == interaction.EndError || r.End == interaction.EndCanceled
}
