package mutation

import (
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// isEventStream reports whether a response is a stream of AWS, in which each message has its type.
func (d *document) isEventStream() bool {
	isType := func(f interaction.Field) bool { return f.Name == ":event-type" }
	return slices.ContainsFunc(d.payloads, func(p *payload) bool {
		return slices.ContainsFunc(p.event, isType)
	})
}

// setException makes an event of a stream of AWS an exception
// (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html).
func (p *payload) setException() {
	p.event = interaction.Event{
		{Name: ":exception-type", Value: "modelStreamErrorException"},
		{Name: ":content-type", Value: "application/json"},
		{Name: ":message-type", Value: "exception"},
		{Name: "data"},
	}
	p.field = len(p.event) - 1
	p.layout = exactjson.Layout{}
	p.setValue(`{"message":"The model returned an unexpected error during streaming."}`)
}

// setValue sets the JSON of a payload, which is a constant of this package.
func (p *payload) setValue(text string) {
	p.value = parsed(text)
	p.isJSON = true
	p.before = ""
}

// The events of errors in the streams of several APIs.
const (
	openaiFailure = `{"error":{"message":"The server had an error while processing your request.",` +
		`"type":"server_error","param":null,"code":null}}`
	anthropicFailure = `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`
)
