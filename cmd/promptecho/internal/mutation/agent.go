package mutation

import (
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// onlyTexts is for the api of a coding agent, which reports the texts of a model, and calls its
// tools itself.
type onlyTexts struct{ noRepeat }

func (onlyTexts) end(_ *answer, e ending) bool { return e == stopped }
func (onlyTexts) drop(*answer, *call)          {}

// clearMessages makes the texts empty, and removes the messages for which isText holds: an agent
// that says nothing sends none.
func clearMessages(a *answer, isText func(v *exactjson.Value) bool) {
	for _, p := range a.document.payloads {
		p.isDropped = isText(&p.value)
	}
	a.clearTexts()
}

// has reports whether there is a value at a path.
func has(v *exactjson.Value, path string) (found bool) {
	v.Each(path, func(*exactjson.Value) { found = true })
	return found
}

// claudeCode is Claude Code's stream-json (https://docs.claude.com/en/docs/claude-code/sdk). A turn
// ends with a result. A text comes whole, before it in pieces if the client asks for them, and the
// last one again in the result. What a subagent says is left out.
type claudeCode struct{ onlyTexts }

const (
	claudePiece = "type=stream_event/event/type=content_block_delta/delta/type=text_delta/text"
	claudeText  = "type=assistant/message/content/*/type=text/text"
)

func splitClaudeCode(_ *canon.Form, d *document) []*document {
	s := newSplitter(d)
	for _, p := range d.payloads {
		if p.value.Member("session_id") != nil {
			s.add("", p, has(&p.value, "type=result"))
		}
	}
	return s.all
}

func (claudeCode) read(d *document) *answer {
	a := &answer{document: d}
	var pieces, last *text // pieces is the text that goes on
	for _, p := range d.payloads {
		v := &p.value
		if v.Member("parent_tool_use_id").Scalar() != "" {
			continue
		}
		if has(v, "type=stream_event/event/type=content_block_start") {
			pieces = nil
		}
		v.Each(claudePiece, func(piece *exactjson.Value) {
			if pieces == nil {
				pieces = new(text)
				a.texts = append(a.texts, pieces)
			}
			pieces.add(0, piece)
		})
		v.Each(claudeText, func(whole *exactjson.Value) {
			isOfPieces := pieces != nil && pieces.String() == whole.Scalar()
			if isOfPieces {
				pieces.add(1, whole)
				last = pieces
			} else {
				last = new(text)
				last.add(0, whole)
				a.texts = append(a.texts, last)
			}
			pieces = nil
		})
		v.Each("type=result/result", func(whole *exactjson.Value) {
			if last == nil || last.String() != whole.Scalar() {
				last = new(text)
				a.texts = append(a.texts, last)
			}
			last.add(len(last.copies), whole)
		})
	}
	return a
}

func (claudeCode) clear(a *answer) {
	clearMessages(a, func(v *exactjson.Value) bool {
		isOfSubagent := v.Member("parent_tool_use_id").Scalar() != ""
		isOnlyText := has(v, claudeText) && len(v.Member("message").Member("content").Elems) == 1
		return !isOfSubagent && (isOnlyText || has(v, claudePiece))
	})
}

func (claudeCode) errorEvent(_ *document, last *payload) bool {
	if !has(&last.value, "type=result") {
		return false
	}
	setMember(&last.value, "subtype", stringValue("error_during_execution"))
	setMember(&last.value, "is_error", exactjson.Value{Kind: exactjson.Bool, Text: "true"})
	dropMember(&last.value, "result")
	return true
}

// codexExec is codex exec --json (https://developers.openai.com/codex/noninteractive).
type codexExec struct{ onlyTexts }

const codexMessage = "type=item.completed/item/type=agent_message/text"

func splitCodexExec(_ *canon.Form, d *document) []*document {
	s := newSplitter(d)
	for _, p := range d.payloads {
		s.add("", p, has(&p.value, "type=turn.completed|turn.failed"))
	}
	return s.all
}

func (codexExec) read(d *document) *answer {
	a := &answer{document: d}
	for _, p := range d.payloads {
		p.value.Each(codexMessage, func(v *exactjson.Value) {
			t := new(text)
			t.add(0, v)
			a.texts = append(a.texts, t)
		})
	}
	return a
}

func (codexExec) clear(a *answer) {
	clearMessages(a, func(v *exactjson.Value) bool { return has(v, codexMessage) })
}

func (codexExec) errorEvent(_ *document, last *payload) bool {
	if !has(&last.value, "type=turn.completed") {
		return false
	}
	set(&last.value, parsed(`{"type":"turn.failed",`+
		`"error":{"message":"stream disconnected before completion"}}`))
	return true
}

// codexServer is codex app-server (https://developers.openai.com/codex/app-server). A text comes in
// pieces, and whole when its item is completed.
type codexServer struct{ onlyTexts }

func splitCodexServer(_ *canon.Form, d *document) []*document {
	s := newSplitter(d)
	for _, p := range d.payloads {
		thread := p.value.Member("params").Member("threadId").Scalar()
		if thread != "" {
			s.add(thread, p, p.value.Member("method").Scalar() == "turn/completed")
		}
	}
	return s.all
}

func (c codexServer) read(d *document) *answer {
	a := &answer{document: d}
	texts := map[string]*text{} // by the ID of the item
	add := func(id string, copy int, v *exactjson.Value) {
		if v == nil || v.Kind != exactjson.String {
			return
		}
		if texts[id] == nil {
			texts[id] = new(text)
			a.texts = append(a.texts, texts[id])
		}
		texts[id].add(copy, v)
	}
	for _, p := range d.payloads {
		params := p.value.Member("params")
		item := params.Member("item")
		switch {
		case c.isPiece(&p.value):
			add(params.Member("itemId").Scalar(), 0, params.Member("delta"))
		case c.isItem(&p.value):
			add(item.Member("id").Scalar(), 1, item.Member("text"))
		}
	}
	return a
}

// isPiece reports whether a message has a piece of a text.
func (codexServer) isPiece(v *exactjson.Value) bool {
	return v.Member("method").Scalar() == "item/agentMessage/delta"
}

// isItem reports whether a message has a whole text.
func (codexServer) isItem(v *exactjson.Value) bool {
	isCompleted := v.Member("method").Scalar() == "item/completed"
	return isCompleted && v.Member("params").Member("item").Member("type").Scalar() == "agentMessage"
}

func (c codexServer) clear(a *answer) {
	clearMessages(a, func(v *exactjson.Value) bool { return c.isPiece(v) || c.isItem(v) })
}

func (codexServer) errorEvent(_ *document, last *payload) bool {
	turn := last.value.Member("params").Member("turn")
	if turn.Member("status") == nil {
		return false
	}
	setMember(turn, "status", stringValue("failed"))
	setMember(turn, "error", parsed(`{"message":"stream disconnected before completion"}`))
	return true
}

// acp is the Agent Client Protocol (https://agentclientprotocol.com/protocol/prompt-turn). A turn
// ends with the response to session/prompt.
type acp struct{ onlyTexts }

func splitACP(_ *canon.Form, d *document) []*document {
	s := newSplitter(d)
	prompts := promptsOf(d)
	for _, p := range d.payloads {
		if p.value.Member("method").Scalar() == "session/update" {
			s.add(p.value.Member("params").Member("sessionId").Scalar(), p, false)
			continue
		}
		id := p.value.Member("id")
		isResponse := id != nil && p.value.Member("method") == nil
		if !isResponse {
			continue
		}
		isOfPrompt := func(prompt *exactjson.Value) bool {
			return compact(prompt.Member("id")) == compact(id)
		}
		if i := slices.IndexFunc(prompts, isOfPrompt); i >= 0 {
			s.add(prompts[i].Member("params").Member("sessionId").Scalar(), p, true)
		}
	}
	return s.all
}

// promptsOf returns the prompts of a client. A client gives each request another ID.
func promptsOf(d *document) []*exactjson.Value {
	var prompts []*exactjson.Value
	for _, m := range d.response.SentMessages() {
		v, err := exactjson.Parse(m.Data)
		if err == nil && v.Member("method").Scalar() == "session/prompt" && v.Member("id") != nil {
			prompts = append(prompts, &v)
		}
	}
	return prompts
}

const acpChunk = "params/update/sessionUpdate=agent_message_chunk/content/type=text/text"

// read joins the pieces between which the agent does nothing else.
func (acp) read(d *document) *answer {
	a := &answer{document: d}
	var open *text
	for _, p := range d.payloads {
		isChunk := false
		p.value.Each(acpChunk, func(v *exactjson.Value) {
			isChunk = true
			if open == nil {
				open = new(text)
				a.texts = append(a.texts, open)
			}
			open.add(0, v)
		})
		if !isChunk {
			open = nil
		}
	}
	return a
}

func (c acp) end(a *answer, e ending) bool {
	reason := map[ending]string{stopped: "end_turn", cutOff: "max_tokens", refused: "refusal"}[e]
	if e == refused {
		c.clear(a)
	}
	found := false
	for _, p := range a.document.payloads {
		p.value.Each("result/stopReason", func(v *exactjson.Value) {
			setText(v, reason)
			found = true
		})
	}
	return found && reason != ""
}

func (acp) clear(a *answer) {
	clearMessages(a, func(v *exactjson.Value) bool { return has(v, acpChunk) })
}

func (acp) errorEvent(_ *document, last *payload) bool {
	if !has(&last.value, "result/stopReason") {
		return false
	}
	dropMember(&last.value, "result")
	setMember(&last.value, "error", parsed(`{"code":-32603,"message":"Internal error"}`))
	return true
}
