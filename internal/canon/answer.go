package canon

import (
	"bytes"
	"iter"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// An Answer is what a response says, for people: the text of a stream put
// together, and the tokens it cost. Nothing of it is matched or replayed.
type Answer struct {
	Text  string // text, then one line per tool call; empty if nothing is known
	Usage *interaction.Usage
}

// Read reads the payloads of a response to the form's request: the events'
// data of a stream, or the one body. It keeps none of them.
func (f *Form) Read(payloads iter.Seq[[]byte]) Answer {
	var a Answer
	var t transcript
	var delta func(*transcript, *exactjson.Value)
	if f.family != nil && f.Wire != "whole" {
		delta = f.family.Delta
	}
	for p := range payloads {
		if len(p) == 0 || p[0] != '{' && !bytes.ContainsRune(p[:min(len(p), 4096)], '{') {
			continue
		}
		v, err := exactjson.Parse(p)
		if err != nil {
			continue
		}
		a.usage(&v)
		if delta != nil {
			delta(&t, &v)
		}
	}
	a.Text = t.String()
	return a
}

// IsPayload reports whether the field of an event of this name has its payload, in
// whatever framing.
func IsPayload(field string) bool { return field == "data" || field == "data:" || field == "bytes" }

// Payloads returns the pieces of a response that hold JSON: the one body, or the
// fields of events that have the payload.
func Payloads(resp *interaction.Response) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if resp.Stream == "" {
			yield(resp.Body)
			return
		}
		for _, event := range resp.Events {
			for _, f := range event {
				if IsPayload(f.Name) && !yield([]byte(f.Value)) {
					return
				}
			}
		}
	}
}

// usage takes the token counts of one payload, wherever the vendors have them:
// at its top, in the message that starts an Anthropic stream, in the response
// that ends a Responses one, in Cohere's tokens, in Gemini's metadata, or beside
// everything else (Ollama). Streams count up, so a later number replaces an
// earlier one.
func (a *Answer) usage(v *exactjson.Value) {
	u := member(v, "usage")
	for _, in := range []*exactjson.Value{
		u, member(u, "tokens"), member(member(v, "message"), "usage"), member(member(v, "response"), "usage"), member(v, "usageMetadata"),
	} {
		if in == nil || in.Kind != exactjson.Object {
			continue
		}
		a.count(in, []string{"input_tokens", "prompt_tokens", "inputTokens", "promptTokenCount"},
			[]string{"output_tokens", "completion_tokens", "outputTokens", "candidatesTokenCount"})
	}
	a.count(v, []string{"prompt_eval_count"}, []string{"eval_count"})
}

// count takes the counts of one object by the names they may have.
func (a *Answer) count(u *exactjson.Value, in, out []string) {
	input, hasIn := count(u, in...)
	output, hasOut := count(u, out...)
	if !hasIn && !hasOut {
		return
	}
	if a.Usage == nil {
		a.Usage = new(interaction.Usage)
	}
	if hasIn {
		a.Usage.InputTokens = input
	}
	if hasOut {
		a.Usage.OutputTokens = output
	}
}

func count(u *exactjson.Value, names ...string) (int64, bool) {
	for _, n := range names {
		if v := member(u, n); v != nil && v.Kind == exactjson.Number {
			if i, err := strconv.ParseInt(v.Text, 10, 64); err == nil && i >= 0 {
				return i, true
			}
		}
	}
	return 0, false
}

// transcript puts an answer together from the pieces of a stream.
type transcript struct {
	reasoning strings.Builder
	text      strings.Builder
	calls     []*toolCall
}

type toolCall struct {
	id   string // whatever tells the calls of one stream apart
	name string
	args strings.Builder
}

// call returns the tool call with the id, a new one if there is none.
func (t *transcript) call(id string) *toolCall {
	for _, c := range t.calls {
		if c.id == id {
			return c
		}
	}
	c := &toolCall{id: id}
	t.calls = append(t.calls, c)
	return c
}

// String returns the reasoning, marked as such, the text, and a line for each
// tool call.
func (t *transcript) String() string {
	var parts []string
	if t.reasoning.Len() > 0 {
		parts = append(parts, "[reasoning] "+t.reasoning.String())
	}
	if t.text.Len() > 0 {
		parts = append(parts, t.text.String())
	}
	for _, c := range t.calls {
		parts = append(parts, "-> "+c.name+"("+c.args.String()+")")
	}
	return strings.Join(parts, "\n")
}

// text returns the string at a path of member names, "" if there is none.
func text(v *exactjson.Value, path ...string) string {
	for _, name := range path {
		v = member(v, name)
	}
	if v == nil || v.Kind == exactjson.Object || v.Kind == exactjson.Array {
		return ""
	}
	return v.Text
}
