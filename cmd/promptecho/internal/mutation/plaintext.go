package mutation

import (
	"cmp"
	"strconv"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// plainText is an API whose answers are texts with a reason for their end. Each API is a row below.
type plainText struct {
	parts   []string          // the paths of the parts that have a text, such as choices
	texts   []string          // in a part: the paths of its text, or of a piece of it
	whole   string            // in a part: the path of the whole text in the last event of a stream
	finish  string            // in a part: the path of the reason for the end
	reasons map[ending]string // those that the API has
	failure string            // the event of an error; "" if it has none
}

// The APIs with plain texts.
var (
	// https://platform.openai.com/docs/api-reference/completions
	completions = plainText{
		parts: []string{"choices/*"}, texts: []string{"text"}, finish: "finish_reason",
		reasons: map[ending]string{stopped: "stop", cutOff: "length", filtered: "content_filter"},
		failure: openaiFailure,
	}

	// https://platform.claude.com/docs/en/api/complete
	complete = plainText{
		parts: []string{""}, texts: []string{"completion"}, finish: "stop_reason",
		reasons: map[ending]string{stopped: "stop_sequence", cutOff: "max_tokens"},
		failure: anthropicFailure,
	}

	// Text Generation Inference (https://huggingface.github.io/text-generation-inference). Special
	// tokens, such as the one that ends a text, are no part of it.
	textGeneration = plainText{
		parts: []string{"", "*"}, texts: []string{"token/special!=true/text"},
		whole: "generated_text", finish: "details/finish_reason",
		reasons: map[ending]string{stopped: "eos_token", cutOff: "length"},
		failure: `{"error":"Request failed during generation: Server error","error_type":"generation"}`,
	}

	// Models of Bedrock (https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html).
	titanText = plainText{
		parts: []string{"results/*", "outputText=*"}, texts: []string{"outputText"},
		finish: "completionReason",
		reasons: map[ending]string{
			stopped: "FINISHED", cutOff: "LENGTH", filtered: "CONTENT_FILTERED",
		},
	}
	llama = plainText{
		parts: []string{""}, texts: []string{"generation"}, finish: "stop_reason",
		reasons: map[ending]string{stopped: "stop", cutOff: "length"},
	}
	mistralText = plainText{
		parts: []string{"outputs/*"}, texts: []string{"text"}, finish: "stop_reason",
		reasons: map[ending]string{stopped: "stop", cutOff: "length"},
	}
	cohereText = plainText{
		parts: []string{"generations/*", "is_finished=*"}, texts: []string{"text"},
		finish: "finish_reason",
		reasons: map[ending]string{
			stopped: "COMPLETE", cutOff: "MAX_TOKENS", filtered: "ERROR_TOXIC",
		},
	}
)

// eachPart calls f for each part, with its key.
func (x plainText) eachPart(d *document, f func(p *payload, key string, part *exactjson.Value)) {
	for _, p := range d.sent() {
		n := 0
		for _, path := range x.parts {
			p.value.Each(path, func(part *exactjson.Value) {
				f(p, cmp.Or(part.Member("index").Scalar(), strconv.Itoa(n)), part)
				n++
			})
		}
	}
}

func (x plainText) read(d *document) *answer {
	r := newReading(d)
	x.eachPart(d, func(p *payload, key string, part *exactjson.Value) {
		for _, path := range x.texts {
			part.Each(path, func(v *exactjson.Value) { r.addText(key, 0, v) })
		}
		if x.whole != "" {
			part.Each(x.whole, func(v *exactjson.Value) { r.addText(key, 1, v) })
		}
	})
	return r.answer
}

func (x plainText) end(a *answer, e ending) bool {
	found := false
	x.eachPart(a.document, func(_ *payload, _ string, part *exactjson.Value) {
		part.Each(x.finish, func(v *exactjson.Value) {
			if v.Kind == exactjson.String && v.Text != "" && x.reasons[e] != "" {
				setText(v, x.reasons[e])
				found = true
			}
		})
	})
	return found
}

func (plainText) clear(a *answer) {
	a.clearTexts()
}

func (plainText) drop(*answer, *call)   {} // there are no calls
func (plainText) repeat(*answer, *call) {}

func (x plainText) errorEvent(_ *document, last *payload) bool {
	if x.failure == "" {
		return false
	}
	last.setValue(x.failure)
	last.renamed = "error"
	return true
}
