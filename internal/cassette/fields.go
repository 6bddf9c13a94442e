package cassette

import "github.com/promptecho/promptecho/internal/interaction"

// fields is what is done to the fields of an interaction, in the order in which they
// are written: the encoder writes those that are set, the decoder reads back what the
// encoder wrote, and the parser looks for them in what people wrote, in any order. A
// field that is not there stays as it is.
type fields interface {
	part(key string, each func())
	text(key string, s *string)
	status(n *int)
	latency(ms *int64)
	flag(key string, set *bool)
	headers(key string, hs *interaction.Headers)
	usage(u **interaction.Usage)
	stream(r *interaction.Response)
	body(b *[]byte)
}

func interactionFields(f fields, it *interaction.Interaction) {
	f.text("kind", &it.Kind)
	f.text("boundary", &it.Boundary)
	f.part("request", func() { requestFields(f, &it.Request) })
	answerFields(f, it)
}

func requestFields(f fields, r *interaction.Request) {
	f.text("method", &r.Method)
	f.text("url", &r.URL)
	f.headers("headers", &r.Headers)
	f.body(&r.Body)
}

// answerFields are the fields of an interaction that tell how it was answered.
func answerFields(f fields, it *interaction.Interaction) {
	f.part("response", func() { responseFields(f, &it.Response) })
	f.usage(&it.Usage)
	f.latency(&it.LatencyMS)
	f.flag("concurrent", &it.Concurrent)
}

func responseFields(f fields, r *interaction.Response) {
	f.status(&r.Status)
	f.text("proto", &r.Proto)
	f.headers("headers", &r.Headers)
	f.headers("trailers", &r.Trailers)
	f.stream(r)
	f.body(&r.Body)
	f.text("end", &r.End)
	f.text("error", &r.Error)
}

// The columns of an interaction's keys, and of those within them.
const (
	itemIndent = 4
	partIndent = 6
)

// isEnd reports whether a body can have ended so before its end.
func isEnd(s string) bool {
	return s == interaction.EndClosed || s == interaction.EndError || s == interaction.EndCanceled
}

// mayHaveNoStatus reports whether a response is that of a request that got none.
func mayHaveNoStatus(r *interaction.Response) bool {
	return r.End == interaction.EndError || r.End == interaction.EndCanceled
}
