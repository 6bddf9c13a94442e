package mutation

import (
	"slices"
	"strconv"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// converse is Bedrock's Converse
// (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html). Amazon's
// Nova models have the same format in InvokeModel, where an event is a member that is named after
// it.
type converse struct{}

var converseBlocks = blocks{
	lists: []string{"output/message/content"},
	number: []string{
		"contentBlockIndex",
		"contentBlockStart|contentBlockDelta|contentBlockStop/contentBlockIndex",
	},
}

// Paths in an event of a stream.
var (
	conversePieces = []string{"delta/text", "contentBlockDelta/delta/text"}
	converseArgs   = []string{"delta/toolUse/input", "contentBlockDelta/delta/toolUse/input"}
)

func (converse) read(d *document) *answer {
	r := newReading(d)
	for _, p := range d.sent() {
		content := p.value.Member("output").Member("message").Member("content")
		for i := range elems(content) {
			key := strconv.Itoa(i)
			r.addText(key, 0, content.Elems[i].Member("text"))
			if use := content.Elems[i].Member("toolUse"); use != nil {
				r.addCall(key, use.Member("name"))
				r.addArgs(key, 0, use.Member("input"))
			}
		}

		converseBlocks.numbersOf(p, func(v *exactjson.Value, _ int) {
			key := v.Scalar()
			for _, path := range []string{"start/toolUse", "contentBlockStart/start/toolUse"} {
				p.value.Each(path, func(use *exactjson.Value) { r.addCall(key, use.Member("name")) })
			}
			for _, path := range conversePieces {
				p.value.Each(path, func(v *exactjson.Value) { r.addText(key, 0, v) })
			}
			for _, path := range converseArgs {
				p.value.Each(path, func(v *exactjson.Value) { r.addArgs(key, 0, v) })
			}
		})
	}
	return r.answer
}

// end has a guardrail in the place of a refusal: Converse has no other reason for one.
func (c converse) end(a *answer, e ending) bool {
	if e == refused {
		c.refuse(a)
	}
	reasons := map[ending]string{
		stopped: "end_turn", cutOff: "max_tokens", filtered: "content_filtered",
		refused: "guardrail_intervened",
	}
	return setReasons(a.document, reasons, e, "stopReason", "messageStop/stopReason")
}

// refuse puts the text that a guardrail has for a blocked answer in the place of the content.
func (c converse) refuse(a *answer) {
	const blocked = "Sorry, the model cannot answer this question."
	d := a.document
	for n := converseBlocks.count(d) - 1; n >= 0; n-- {
		converseBlocks.drop(d, n)
	}
	converseBlocks.eachList(d, func(list *exactjson.Value) {
		list.Elems = append(list.Elems, parsed(`{"text":"`+blocked+`"}`))
	})
	for _, p := range d.sent() {
		switch {
		case p.value.Member("stopReason") != nil && p.event != nil:
			d.insert(p, "contentBlockDelta",
				parsed(`{"contentBlockIndex":0,"delta":{"text":"`+blocked+`"}}`))
			d.insert(p, "contentBlockStop", parsed(`{"contentBlockIndex":0}`))
		case p.value.Member("messageStop") != nil:
			d.insert(p, "", parsed(`{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"`+
				blocked+`"}}}`))
			d.insert(p, "", parsed(`{"contentBlockStop":{"contentBlockIndex":0}}`))
		}
	}
	*a = *c.read(d)
}

func (c converse) clear(a *answer) {
	a.clearTexts()
	c.finish(a.document)
}

func (c converse) drop(a *answer, dropped *call) {
	converseBlocks.drop(a.document, number(dropped.key))
	*a = *c.read(a.document)
	if len(a.calls) == 0 {
		c.end(a, stopped)
	}
}

func (c converse) repeat(a *answer, repeated *call) {
	converseBlocks.repeat(a.document, number(repeated.key), func(v *exactjson.Value) {
		addToIDs(v, "toolUse/toolUseId", "start/toolUse/toolUseId",
			"contentBlockStart/start/toolUse/toolUseId")
	})
	*a = *c.read(a.document)
}

// finish removes text blocks without a text.
func (converse) finish(d *document) {
	converseBlocks.dropEmptyTexts(d, "text", conversePieces...)
	dropEmptyPieces(d, slices.Concat(converseArgs, conversePieces)...)
}

// errorEvent has none: a stream of AWS has an exception.
func (converse) errorEvent(*document, *payload) bool { return false }
