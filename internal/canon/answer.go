package canon

import (
	"bytes"
	"iter"
	"slices"
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

// A Transcript tells where the events of a stream have the answer, by paths of [steps].
// Of those that stand together, each is read.
type Transcript struct {
	Text      []string
	Reasoning []string
	Calls     []CallPaths
}

// CallPaths tell where a stream has the calls of tools.
type CallPaths struct {
	At   string // of the objects that each hold a piece of a call, "" for the event itself
	ID   string // below them: what tells calls apart; without it each object is a whole call
	Name string
	Args string
}

// Read reads the payloads of a response to the form's request: the events'
// data of a stream, or the one body. It keeps none of them.
func (f *Form) Read(payloads iter.Seq[[]byte]) Answer {
	var a Answer
	var r reader
	for p := range payloads {
		if len(p) == 0 || p[0] != '{' && !bytes.ContainsRune(p[:min(len(p), 4096)], '{') {
			continue
		}
		v, err := exactjson.Parse(p)
		if err != nil {
			continue
		}
		a.usage(&v)
		if f.transcript != nil && f.Wire != "whole" {
			r.event(f.transcript, &v)
		}
	}
	a.Text = r.String()
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
		if v := member(u, name); isKind(v, exactjson.Number) {
			if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil && n >= 0 {
				return n, true
			}
		}
	}
	return 0, false
}

// A reader puts an answer together from the events of a stream.
type reader struct {
	reasoning strings.Builder
	text      strings.Builder
	calls     []*toolCall
}

type toolCall struct {
	id         string // whatever tells the calls of one stream apart
	name, args strings.Builder
}

// event adds what one event says.
func (r *reader) event(t *Transcript, event *exactjson.Value) {
	for _, path := range t.Reasoning {
		join(&r.reasoning, event, path)
	}
	for _, path := range t.Text {
		join(&r.text, event, path)
	}
	for _, paths := range t.Calls {
		at(event, paths.At, func(v *exactjson.Value) {
			piece := toolCall{id: text(v, paths.ID)}
			join(&piece.name, v, paths.Name)
			join(&piece.args, v, paths.Args)
			if piece.name.Len()+piece.args.Len() > 0 {
				r.call(&piece, paths.ID != "")
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

// String returns the reasoning, marked as such, the text, and a line for each
// tool call.
func (r *reader) String() string {
	var parts []string
	if r.reasoning.Len() > 0 {
		parts = append(parts, "[reasoning] "+r.reasoning.String())
	}
	if r.text.Len() > 0 {
		parts = append(parts, r.text.String())
	}
	for _, c := range r.calls {
		parts = append(parts, "-> "+c.name.String()+"("+c.args.String()+")")
	}
	return strings.Join(parts, "\n")
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
			dst.WriteString(text(v))
		}
	})
}
