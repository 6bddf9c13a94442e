package mutation

import (
	"strconv"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// messages is Anthropic's API (https://platform.claude.com/docs/en/api/messages), also on Vertex AI
// and Bedrock. Thinking and calls of Anthropic's own tools stay as they are: their signatures and
// results belong to them.
type messages struct{}

var messagesBlocks = blocks{lists: []string{"content"}, number: []string{"index"}}

func (messages) read(d *document) *answer {
	r := newReading(d)
	for _, p := range d.sent() {
		content := p.value.Member("content")
		for i := range elems(content) {
			block := &content.Elems[i]
			key := strconv.Itoa(i)
			block.Each("type=text/text", func(v *exactjson.Value) { r.addText(key, 0, v) })
			block.Each("type=tool_use", func(v *exactjson.Value) {
				r.addCall(key, v.Member("name"))
				r.addArgs(key, 0, v.Member("input"))
			})
		}

		key := p.value.Member("index").Scalar()
		p.value.Each("type=content_block_start/content_block", func(block *exactjson.Value) {
			block.Each("type=text/text", func(v *exactjson.Value) { r.addText(key, 0, v) })
			block.Each("type=tool_use", func(v *exactjson.Value) { r.addCall(key, v.Member("name")) })
		})
		p.value.Each("type=content_block_delta/delta", func(delta *exactjson.Value) {
			r.addText(key, 0, delta.Member("text"))
			r.addArgs(key, 0, delta.Member("partial_json"))
		})
	}
	return r.answer
}

// end has no reason for an answer that a filter withheld: there is none but the refusal
// (https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons).
func (m messages) end(a *answer, e ending) bool {
	if e == refused {
		m.refuse(a)
	}
	reasons := map[ending]string{stopped: "end_turn", cutOff: "max_tokens", refused: "refusal"}
	return setReasons(a.document, reasons, e, "stop_reason", "type=message_delta/delta/stop_reason")
}

// refuse removes the content. An answer that was to have details says that it was refused.
func (messages) refuse(a *answer) {
	d := a.document
	for n := messagesBlocks.count(d) - 1; n >= 0; n-- {
		messagesBlocks.drop(d, n)
	}
	for _, p := range d.sent() {
		for _, path := range []string{"stop_details", "type=message_delta/delta/stop_details"} {
			p.value.Each(path, func(v *exactjson.Value) {
				set(v, parsed(`{"type":"refusal","category":null,"explanation":null}`))
			})
		}
	}
	*a = *messages{}.read(d)
}

func (m messages) clear(a *answer) {
	a.clearTexts()
	m.finish(a.document)
}

func (m messages) drop(a *answer, c *call) {
	messagesBlocks.drop(a.document, number(c.key))
	*a = *m.read(a.document)
	if len(a.calls) == 0 {
		m.end(a, stopped)
	}
}

func (m messages) repeat(a *answer, c *call) {
	messagesBlocks.repeat(a.document, number(c.key), func(v *exactjson.Value) {
		addToIDs(v, "id", "content_block/id")
	})
	*a = *m.read(a.document)
}

// finish removes text blocks without a text, which the API does not send.
func (messages) finish(d *document) {
	messagesBlocks.dropEmptyTexts(d, "type=text/text", "delta/text")
	dropEmptyPieces(d, "delta/text", "delta/partial_json")
}

func (messages) errorEvent(_ *document, last *payload) bool {
	last.renamed = "error"
	last.setValue(anthropicFailure)
	return true
}
