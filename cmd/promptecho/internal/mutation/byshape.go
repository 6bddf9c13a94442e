package mutation

// byShape is an endpoint whose answers have the formats of several APIs.
type byShape []shape

// A shape is the format of an API. One of the paths is in each answer of it.
type shape struct {
	api   api
	paths []string
}

// The shapes of answers, by what only they have.
var (
	chatShape     = shape{chat{}, []string{"choices/*/message", "choices/*/delta"}}
	messagesShape = shape{messages{}, []string{"type=message/content", "type=message_start"}}
	tgiShape      = shape{textGeneration, []string{"generated_text", "*/generated_text", "token/text"}}
)

// invoke is Bedrock's InvokeModel, where each model has its own format.
var invoke = byShape{
	{converse{}, []string{"output/message/content", "messageStop", "contentBlockDelta"}},
	chatShape,
	messagesShape,
	{titanText, []string{"results/*/outputText", "outputText"}},
	{llama, []string{"generation"}},
	{mistralText, []string{"outputs/*/text"}},
	{cohereText, []string{"generations/*/text", "is_finished"}},
	{complete, []string{"completion"}},
}

// servers is an endpoint of a platform that passes on what the server of a model answers.
var servers = byShape{chatShape, messagesShape, tgiShape}

// of returns the API of an answer. It is the first one if the answer has the format of none.
func (b byShape) of(d *document) api {
	for _, s := range b {
		if d.has(s.paths...) {
			return s.api
		}
	}
	return b[0].api
}

func (b byShape) read(d *document) *answer { return b.of(d).read(d) }

func (b byShape) end(a *answer, e ending) bool { return b.of(a.document).end(a, e) }

func (b byShape) clear(a *answer) { b.of(a.document).clear(a) }

func (b byShape) drop(a *answer, c *call) { b.of(a.document).drop(a, c) }

func (b byShape) repeat(a *answer, c *call) { b.of(a.document).repeat(a, c) }

func (b byShape) errorEvent(d *document, last *payload) bool {
	return b.of(d).errorEvent(d, last)
}

func (b byShape) finish(d *document) {
	if api, ok := b.of(d).(finisher); ok {
		api.finish(d)
	}
}
