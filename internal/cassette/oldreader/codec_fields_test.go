package oldreader

import (
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
)

// fields is what is done to the fields of an interaction, in the order in which they
// are written: the encoder writes those that are set, and the parser looks for them in any
// order. A field that is not there stays as it is.
type fields interface {
	part(key string, each func())
	text(key string, s *string)
	status(n *int)
	latency(ms *int64)
	flag(key string, set *bool)
	moments(m **interaction.Moments)
	headers(key string, hs *interaction.Headers)
	usage(u **interaction.Usage)
	stream(r *interaction.Response)
	messages(r *interaction.Response)
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
	f.flag("fake", &it.Fake)
	if isFunction(it.Kind) {
		functionFields(f, it)
		return
	}
	f.part("request", func() { requestFields(f, &it.Request) })
	answerFields(f, it)
}

// functionFields are the fields of a call of a function. Its argument and its result are
// JSON of any kind: a body that is a text stands for a string.
func functionFields(f fields, it *interaction.Interaction) {
	if it.Request.Function == "" { // it is being read
		it.Request.Function = it.Kind + "/" + it.Boundary
	}
	f.part("request", func() { f.jsonBody(&it.Request.Body, true) })
	r := &it.Response
	f.part("response", func() {
		f.messages(r)
		f.text("error", &r.Error)
		f.texts("error_is", &r.ErrorIs)
		f.jsonBody(&r.Body, r.Error == "" && r.Stream == "")
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

const momentsKey = "concurrent"

// AnswerStart is where the fields of an answer start in an interaction.
const AnswerStart = keyStart + "response:\n"

// answerFields are the fields of an interaction that tell how it was answered.
func answerFields(f fields, it *interaction.Interaction) {
	f.part("response", func() { responseFields(f, &it.Response) })
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

// keyStart and partStart are where those keys start, and those within them.
const (
	keyStart  = "\n  "
	partStart = "\n    "
)

// ItemStart is where an interaction starts in what Encode writes: nothing in it stands as
// far left.
const ItemStart = "- "

// words are the values of keys that have no others.
var words = map[string][]string{
	"end":      {interaction.EndClosed, interaction.EndError, interaction.EndCanceled}, // before its end
	"transfer": interaction.Transfers,
}

// mayHaveNoStatus reports whether a response is that of a request that got none.
func mayHaveNoStatus(r *interaction.Response) bool {
	return r.End == interaction.EndError || r.End == interaction.EndCanceled
}
