// Package said reads what an answer says, whole or streamed: its texts, its calls of tools,
// why it ended, which model gave it and what it cost. Where an answer of each model API has
// that is data of package canon.
package said

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// An Answer is what a response says. Nothing of it is matched or replayed.
type Answer struct {
	Reasoning string
	Text      string
	Calls     []Call   // of tools, in the order in which they began
	Finish    []string // why the answer ended: one for each choice, or for what ended a stream
	Model     string   // that answered; empty if the answer does not say
	Usage     *interaction.Usage

	// Transcript is a stream put together for people: its reasoning, marked as such, its
	// text, and a line for each call. It is empty for an answer in one piece.
	Transcript string
}

// A Call is a call of a tool.
type Call struct {
	Name string
	Args string // JSON, as the model wrote it
}

// modelPaths are where answers name the model that gave them: at the top, in the message
// that starts an Anthropic stream, in the response or the interaction of an event, in
// Gemini's version, or in the trace of one of Bedrock's routers.
var modelPaths = []string{
	"model", "message/model", "response/model", "interaction/model", "modelVersion", "trace/promptRouter/invokedModelId",
}

// Read reads a response to the request of a form. It keeps nothing of it.
func Read(form *canon.Form, resp *interaction.Response) (a Answer) {
	var r reader
	for p := range resp.Payloads() {
		if len(p) == 0 || p[0] != '{' && !bytes.ContainsRune(p[:min(len(p), 4096)], '{') {
			continue
		}
		v, err := exactjson.Parse(p)
		if err != nil {
			continue
		}
		a.usage(&v)
		for _, path := range modelPaths {
			at(&v, path, func(m *exactjson.Value) { a.Model = cmp.Or(a.Model, m.Scalar()) })
		}
		if t := form.Transcript(resp); t != nil {
			r.read(t, &v)
		}
	}
	a.Reasoning, a.Text, a.Finish = r.reasoning.String(), r.text.String(), r.finish
	for _, c := range r.calls {
		a.Calls = append(a.Calls, Call{c.name.String(), c.args.String()})
	}
	if resp.Stream != "" {
		a.Finish = slices.Compact(a.Finish) // some say it with every event
		a.Transcript = a.transcript()
	}
	return a
}

// transcript returns the answer as people read it.
func (a *Answer) transcript() string {
	var parts []string
	if a.Reasoning != "" {
		parts = append(parts, "[reasoning] "+a.Reasoning)
	}
	if a.Text != "" {
		parts = append(parts, a.Text)
	}
	for _, c := range a.Calls {
		parts = append(parts, "-> "+c.Name+"("+c.Args+")")
	}
	return strings.Join(parts, "\n")
}

// usage takes the token counts of one payload, wherever the vendors have them:
// at its top, in the message that starts an Anthropic stream, in the response
// that ends a Responses one, in Cohere's tokens, in Gemini's metadata, or beside
// everything else (Ollama). Streams count up, so a later number replaces an
// earlier one.
func (a *Answer) usage(v *exactjson.Value) {
	for _, path := range []string{"usage", "usage/tokens", "message/usage", "response/usage", "usageMetadata"} {
		at(v, path, func(u *exactjson.Value) {
			a.count(u, []string{"input_tokens", "prompt_tokens", "inputTokens", "promptTokenCount"},
				[]string{"output_tokens", "completion_tokens", "outputTokens", "candidatesTokenCount"})
		})
	}
	a.count(v, []string{"prompt_eval_count"}, []string{"eval_count"})
}

// count takes the counts of one object by the names they may have.
func (a *Answer) count(u *exactjson.Value, in, out []string) {
	input, hasIn := count(u, in)
	output, hasOut := count(u, out)
	if a.Usage == nil && (hasIn || hasOut) {
		a.Usage = new(interaction.Usage)
	}
	if hasIn {
		a.Usage.InputTokens = input
	}
	if hasOut {
		a.Usage.OutputTokens = output
	}
}

func count(u *exactjson.Value, names []string) (n int64, ok bool) {
	for _, name := range names {
		if v := u.Member(name); v != nil && v.Kind == exactjson.Number {
			if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil && n >= 0 {
				return n, true
			}
		}
	}
	return 0, false
}

// A reader puts an answer together from its events, or from its one body.
type reader struct {
	reasoning strings.Builder
	text      strings.Builder
	calls     []*toolCall
	finish    []string
}

type toolCall struct {
	id         string // whatever tells the calls of one stream apart
	name, args strings.Builder
}

// read adds what an event or a body says.
func (r *reader) read(t *canon.Transcript, v *exactjson.Value) {
	for _, path := range t.Reasoning {
		join(&r.reasoning, v, path)
	}
	for _, path := range t.Text {
		join(&r.text, v, path)
	}
	for _, paths := range t.Calls {
		at(v, paths.At, func(v *exactjson.Value) {
			piece := toolCall{id: v.Member(paths.ID).Scalar()}
			join(&piece.name, v, paths.Name)
			join(&piece.args, v, paths.Args)
			if piece.name.Len()+piece.args.Len() > 0 {
				r.call(&piece, paths.ID != "")
			}
		})
	}
	for _, path := range t.Finish {
		at(v, path, func(v *exactjson.Value) {
			if why := v.Scalar(); why != "" {
				r.finish = append(r.finish, why)
			}
		})
	}
}

// call adds a piece of a tool call to what is there of it.
func (r *reader) call(piece *toolCall, inPieces bool) {
	i := slices.IndexFunc(r.calls, func(c *toolCall) bool { return inPieces && c.id == piece.id })
	if i < 0 {
		i = len(r.calls)
		r.calls = append(r.calls, &toolCall{id: piece.id})
	}
	r.calls[i].name.WriteString(piece.name.String())
	r.calls[i].args.WriteString(piece.args.String())
}

// join appends the texts at a path of an event, if there is one; an object stands for its
// JSON.
func join(dst *strings.Builder, event *exactjson.Value, path string) {
	if path == "" {
		return
	}
	at(event, path, func(v *exactjson.Value) {
		if v.Kind == exactjson.Object {
			dst.Write(v.AppendJSON(nil, exactjson.Layout{}))
		} else {
			dst.WriteString(v.Scalar())
		}
	})
}

// at calls f for what stands at a path of [exactjson.Steps].
func at(v *exactjson.Value, path string, f func(*exactjson.Value)) {
	exactjson.StepsOf(path).Each(v, f)
}
