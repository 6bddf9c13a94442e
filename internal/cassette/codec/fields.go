// Package codec writes an interaction as YAML text and reads it back. It knows bytes and
// structs, not what they mean, and nothing of files: which framing a stream has, what makes
// two requests the same and what is secret are decided elsewhere.
//
// Text is written by an encoder and read by a parser, which trusts nothing and says what is
// wrong and where.
//
// The package keeps two laws. Readable when it is exact, raw when it is not: a body is
// written as YAML structure only if reading it back gives the same bytes. And nothing is
// lost: what is read equals what was written but for what is computed when an interaction
// is saved, its match key and the text for readers.
package codec

import (
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
)

// fields is what is done to the fields of an interaction, in the order in which they
// are written: the encoder writes those that are set, and the parser looks for them in any
// order. A field that is not there stays as it is.
type fields interface {
	section(key string, each func())
	text(key string, s *string)
	status(n *int)
	latency(ms *int64)
	flag(key string, set *bool)
	moments(m **interaction.Moments)
	headers(key string, hs *interaction.Headers)
	usage(u **interaction.Usage)
	stream(r *interaction.Response)
	body(b *[]byte)
	form(r *interaction.Request)
	jsonBody(b *[]byte, needed bool)
	texts(key string, list *[]string)
}

func interactionFields(f fields, it *interaction.Interaction) {
	f.text("kind", &it.Kind)
	f.text("boundary", &it.Boundary)
	f.text("within", &it.Request.Within)
	f.text("name", &it.Request.Name)
	f.flag("again", &it.Again)
	f.flag("accepted", &it.Accepted)
	if isFunction(it.Kind) {
		functionFields(f, it)
		return
	}
	f.section("request", func() { requestFields(f, &it.Request) })
	responsePartFields(f, it)
}

// functionFields are the fields of a call of a function. Its argument and its result are
// JSON of any kind: a body that is a text stands for a string.
func functionFields(f fields, it *interaction.Interaction) {
	if it.Request.Function == "" { // it is being read
		it.Request.Function = it.Kind + "/" + it.Boundary
	}
	f.section("request", func() { f.jsonBody(&it.Request.Body, true) })
	r := &it.Response
	f.section("response", func() {
		f.text("error", &r.Error)
		f.texts("error_is", &r.ErrorIs)
		f.jsonBody(&r.Body, r.Error == "")
	})
	f.latency(&it.LatencyMS)
	f.moments(&it.Concurrent)
}

func isFunction(kind string) bool { return slices.Contains(interaction.FunctionKinds, kind) }

func requestFields(f fields, r *interaction.Request) {
	f.text("method", &r.Method)
	f.text("url", &r.URL)
	f.headers("headers", &r.Headers)
	f.flag("unknown_headers", &r.UnknownHeaders)
	f.form(r)
}

const concurrentKey = "concurrent"

// ResponseStart is where the fields of an answer start in an interaction.
const ResponseStart = keyStart + "response:\n"

// responsePartFields are the fields of an interaction that tell how it was answered.
func responsePartFields(f fields, it *interaction.Interaction) {
	f.section("response", func() { responseFields(f, &it.Response) })
	f.usage(&it.Usage)
	f.latency(&it.LatencyMS)
	f.moments(&it.Concurrent)
}

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

// itemIndent is the column of an interaction's keys.
const itemIndent = 2

// keyStart and partStart are where those keys start, and those within them.
const (
	keyStart  = "\n  "
	partStart = "\n    "
)

// Lines of a cassette.
const (
	ItemsLine = "interactions:\n" // stands before the interactions
	EndMark   = "..."             // begins the last line: YAML's mark for the end of a document (YAML 1.2.2, 9.1.4)
)

// ItemStart is where an interaction starts in what Encode writes: nothing in it stands as
// far left.
const ItemStart = "- "

// allowedValues has all values that a key can have, for the keys with a fixed set of values.
var allowedValues = map[string][]string{
	"end":      {interaction.EndClosed, interaction.EndError, interaction.EndCanceled},
	"transfer": interaction.Transfers,
}

// mayHaveNoStatus reports whether a response is that of a request that got none.
func mayHaveNoStatus(r *interaction.Response) bool {
	return r.End == interaction.EndError || r.End == interaction.EndCanceled
}
