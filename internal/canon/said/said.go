// Package said reads what an answer says, whole or streamed: its texts, its calls of tools,
// why it ended, which model gave it and what it cost. Where an answer of each model API has
// that is data of package canon.
package said

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/transcript"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
)

// An Answer is what a response says. Nothing of it is matched or replayed.
type Answer struct {
	Reasoning string
	Text      string
	Calls     []Call   // of tools, in the order in which they began
	Blocks    []Call   // all of each block of a type that nobody knows: it may be a call
	Results   []Call   // what the provider's own tools gave, and pictures and sounds
	Finish    []string // why the answer ended: one for each choice, or for what ended a stream
	Model     string   // that answered; empty if the answer does not say
	Usage     *interaction.Usage
	Failed    bool // it says so itself, whatever its status

	Joined *exactjson.Value // a stream, as the whole answer that it makes; nil if nobody knows it

	// Transcript is a stream put together for people: its reasoning, marked as such, its
	// text, and a line for each call. It is empty for an answer in one piece.
	Transcript string
}

// A Call is a call of a tool, or what else stands in an answer by a name.
type Call struct {
	Name string
	Args string // JSON, as the model wrote it, or a text
}

// modelPaths are where answers name the model that gave them: at the top, in the message
// that starts an Anthropic stream, in the response or the interaction of an event, in
// Gemini's version, or in the trace of one of Bedrock's routers.
var modelPaths = []string{
	"model", "message/model", "response/model", "interaction/model", "modelVersion", "trace/promptRouter/invokedModelId",
}

// errorPaths are where answers of status 200 say why they failed: at the top (Ollama; OpenAI, OpenRouter, Anthropic's
// and Gemini's events), or in the response of an event. An error of JSON-RPC is an answer like others.
var errorPaths = []string{"error", "error/message", "response/error/message"}

// Read reads a response to the request of a form. It keeps nothing of it.
func Read(form *canon.Form, resp *interaction.Response) (a Answer) {
	used := counts{}
	t, stream, parser := form.Transcript(), transcript.Joined{}, exactjson.Parser{}
	for p := range resp.Payloads() {
		if len(p) == 0 || p[0] != '{' && strings.IndexByte(p[:min(len(p), 4096)], '{') < 0 {
			continue
		}
		if len(p) > huge {
			p = string(withoutLists(p))
		}
		v, err := parser.Parse(p)
		if err != nil {
			continue
		}
		used.read(p, &v)
		a.Failed = false // what goes on has not failed
		for _, path := range errorPaths {
			v.Each(path, func(m *exactjson.Value) {
				a.Failed = a.Failed || form.Known && !form.Linked() && m.Kind == exactjson.String && m.Text != ""
			})
		}
		for _, path := range modelPaths {
			v.Each(path, func(m *exactjson.Value) { a.Model = cmp.Or(a.Model, m.Scalar()) })
		}
		switch {
		case t == nil:
		case resp.Stream == "" || t.Pieces == nil:
			a.read(t, &v)
		default:
			stream.Take(t, &v)
		}
	}
	if t != nil && t.Pieces != nil && resp.Stream != "" {
		whole := stream.Value()
		a.read(t, &whole)
		a.Joined = &whole
	}
	a.Usage = used.usage(form.Known)
	if resp.Stream != "" {
		a.Finish = slices.Compact(a.Finish) // some say it with every event
		a.Transcript = a.transcript()
	}
	return a
}

// huge is the length in bytes of JSON whose long lists are not read: as values they take many
// times their bytes.
const huge = 1 << 20

// withoutLists returns JSON with its long lists empty. What an answer says is in none of them:
// they are vectors, rows, scores.
func withoutLists(p string) (rest []byte) {
	const long = 1000
	type open struct{ at, elements int } // where it begins in what is left
	var in []open
	end := 0
	for s := exactjson.Scan(p); s.Next(); {
		last := len(in) - 1
		if s.Token == exactjson.Close {
			if s.Kind == exactjson.Array && in[last].elements > long {
				rest, end = rest[:in[last].at], s.Start
			}
			in = in[:last]
		} else if last >= 0 && s.Token != exactjson.Name {
			in[last].elements++
		}
		rest, end = append(rest, p[end:s.End]...), s.End
		if s.Token == exactjson.Open {
			in = append(in, open{at: len(rest)})
		}
	}
	return append(rest, p[end:]...)
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
	parts = append(parts, group.Each(a.Decisions(), func(c Call) string { return "-> " + c.Name + "(" + c.Args + ")" })...)
	return strings.Join(parts, "\n")
}

// Decisions returns all that the model wants done: the calls, and the blocks that may be some.
func (a *Answer) Decisions() []Call { return slices.Concat(a.Calls, a.Blocks) }

// read adds what a whole answer, or an event that is one, says.
func (a *Answer) read(t *canon.Transcript, v *exactjson.Value) {
	texts := func(paths []string, f func(string)) {
		for _, path := range paths {
			v.Each(path, func(v *exactjson.Value) {
				switch s := v.Scalar(); {
				case s != "":
					f(s)
				case v.Kind == exactjson.Object && !strings.HasSuffix(path, "*"):
					f(string(v.AppendJSON(nil, exactjson.Layout{}))) // a structured output
				}
			})
		}
	}
	texts(t.Reasoning, func(s string) { a.Reasoning += s })
	texts(t.Text, func(s string) { a.Text += s })
	texts(t.Finish, func(s string) { a.Finish = append(a.Finish, s) })
	for _, paths := range t.Calls {
		v.Each(paths.At(), func(block *exactjson.Value) {
			switch c := callOf(paths, block); {
			case c == (Call{}):
			case paths.Args() == "":
				a.Blocks = append(a.Blocks, c)
			default:
				a.Calls = append(a.Calls, c)
			}
		})
	}
	for _, paths := range t.Results {
		v.Each(paths.At(), func(block *exactjson.Value) {
			if c := callOf(paths, block); c.Args != "" {
				a.Results = append(a.Results, c)
			}
		})
	}
}

// callOf reads a call. Without paths for its arguments, all of the block is what it wants.
func callOf(paths transcript.Call, block *exactjson.Value) (c Call) {
	args := exactjson.Value{Kind: exactjson.Object}
	for path := range strings.FieldsSeq(paths.Args()) {
		if path == "." && len(args.Elems) == 0 {
			args = *block
		}
		block.Each(path, func(v *exactjson.Value) {
			if v.Kind != exactjson.Null {
				args.Elems = append(args.Elems, *v)
			}
		})
	}
	count := len(args.Elems)
	switch {
	case paths.Args() == "":
		args = *block
		args.Elems = slices.DeleteFunc(slices.Clone(args.Elems), func(m exactjson.Value) bool {
			return m.Name == "thoughtSignature" || m.Name == "thought"
		})
	case count == 1 && !strings.Contains(paths.Args(), "/"):
		args = args.Elems[0]
	}
	if args.Kind != exactjson.Object && args.Kind != exactjson.Array {
		c.Args = args.Scalar()
	} else if len(args.Elems) > 0 || count == 1 {
		c.Args = string(args.AppendJSON(nil, exactjson.Layout{}))
	}
	for path := range strings.FieldsSeq(paths.Name()) {
		switch name, ok := strings.CutPrefix(path, "="); {
		case ok && c.Args != "":
			c.Name = name
		case path == "." && c.Args != "":
			c.Name = block.Name
		default:
			block.Each(path, func(v *exactjson.Value) { c.Name = strings.Trim(c.Name+"."+v.Scalar(), ".") })
		}
	}
	return c
}
