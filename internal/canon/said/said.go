// Package said reads the content of a model's response, whole or streamed: its texts, its
// tool calls, its finish reasons, its model and its token usage. The places of texts and
// calls in the responses of each model API are data of package canon.
package said

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/transcript"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// An Answer is the content of a response. It is for reports: nothing of it is matched or
// replayed.
type Answer struct {
	Reasoning string
	Text      string
	Calls     []Call   // of tools, in the order in which they began
	Blocks    []Call   // whole blocks of unknown types, which may be calls
	Results   []Call   // results of the provider's own tools, pictures and sounds
	Finish    []string // finish reasons: one for each choice, or for each end in a stream
	Model     string   // the model that answered; empty if the response does not name it
	Usage     *interaction.Usage
	Failed    bool // the body reports an error, whatever the status

	// Joined is a stream as the response that the API would send without streaming. It is
	// nil if the events of the API are unknown.
	Joined *exactjson.Value

	// Transcript is a stream put together for people: its reasoning, marked as such, its
	// text, and a line for each call. It is empty for a response without a stream.
	Transcript string
}

// A Call is a tool call, or another named part of a response.
type Call struct {
	Name string
	Args string // JSON, as the model wrote it, or a text
}

// modelPaths are the paths at which responses name the model that answered.
var modelPaths = []string{
	"model",
	"message/model",                     // the first event of an Anthropic stream
	"response/model",                    // events of OpenAI's Responses
	"session/model",                     // the first event of a Realtime session
	"interaction/model",                 // events of Gemini's interactions
	"modelVersion",                      // Gemini
	"trace/promptRouter/invokedModelId", // routers of Bedrock
}

// errorPaths are the paths at which responses of status 200 report an error: at the top
// (Ollama; the events of OpenAI, OpenRouter, Anthropic and Gemini), or in the response of
// an event. The error of a JSON-RPC response is not a failure: it answers the call.
var errorPaths = []string{"error", "error/message", "response/error/message"}

// Read reads a response to the request that has this form. The Answer shares no memory with
// the response.
func Read(form *canon.Form, resp *interaction.Response) (a Answer) {
	var (
		t      = form.Transcript()
		parser exactjson.Parser
	)
	isJoined := t != nil && t.Pieces != nil && resp.Stream != ""
	responses := newResponses(t)

	for payload := range resp.Payloads() {
		if !mayHaveObject(payload) {
			continue
		}
		if len(payload) > huge {
			payload = string(withoutLists(payload))
		}
		v, err := parser.Parse(payload)
		if err != nil {
			continue
		}

		current := responses.take(&v)
		current.used.add(payload, &v)
		// Only an error in the last event counts: a stream that goes on has not failed.
		a.Failed = form.Known && !form.Linked() && hasError(&v)
		for _, path := range modelPaths {
			v.Each(path, func(m *exactjson.Value) { a.Model = cmp.Or(a.Model, m.Scalar()) })
		}
		switch {
		case isJoined:
			current.stream.Take(t, &v)
		case t != nil:
			a.add(t, &v)
		}
	}

	for _, r := range responses.all {
		a.Usage = addUsage(a.Usage, r.used.usage(form.Known))
		if isJoined {
			a.addJoined(t, &r.stream)
		}
	}
	if isJoined {
		a.Joined = responses.joined()
	}
	if resp.Stream != "" {
		if !isJoined {
			a.Finish = slices.Compact(a.Finish) // some servers repeat the reason in each event
		}
		a.Transcript = a.transcript()
	}
	return a
}

// addJoined adds the content of a response that the events of a stream built up.
// The texts of different responses of a session are on different lines.
func (a *Answer) addJoined(t *canon.Transcript, stream *transcript.Joined) {
	whole := stream.Value()
	var content Answer
	content.add(t, &whole)
	a.Reasoning = joinLines(a.Reasoning, content.Reasoning)
	a.Text = joinLines(a.Text, content.Text)
	a.Calls = append(a.Calls, content.Calls...)
	a.Blocks = append(a.Blocks, content.Blocks...)
	a.Results = append(a.Results, content.Results...)
	a.Finish = append(a.Finish, slices.Compact(content.Finish)...) // some servers repeat the reason
}

// joinLines joins two texts by a line break, unless one of them is empty.
func joinLines(first, second string) string {
	if first == "" || second == "" {
		return first + second
	}
	return first + "\n" + second
}

// mayHaveObject reports whether a payload may have a JSON object. Each response of a model
// has its first one near its beginning; without one, the payload is not worth parsing.
func mayHaveObject(payload string) bool {
	const near = 4096 // bytes
	return strings.IndexByte(payload[:min(len(payload), near)], '{') >= 0
}

// hasError reports whether a response or an event has an error text.
func hasError(v *exactjson.Value) bool {
	found := false
	for _, path := range errorPaths {
		v.Each(path, func(m *exactjson.Value) {
			if m.Kind == exactjson.String && m.Text != "" {
				found = true
			}
		})
	}
	return found
}

// huge is the length in bytes from which the long lists of a payload are skipped: parsed,
// they would take many times their bytes.
const huge = 1 << 20

// withoutLists returns JSON with its long lists emptied. Long lists are vectors, rows or
// scores: they have no text and no tool call.
func withoutLists(p string) (rest []byte) {
	const long = 1000 // elements

	type container struct {
		start    int // the offset in rest after the opening bracket
		elements int // how many there are so far, or members of an object
	}
	var open []container // the containers around the current token, the innermost last
	end := 0             // rest has what is kept of p[:end]
	for s := exactjson.Scan(p); s.Next(); {
		last := len(open) - 1
		if s.Token == exactjson.Close {
			isLongList := s.Kind == exactjson.Array && open[last].elements > long
			if isLongList {
				rest = rest[:open[last].start]
				end = s.Start
			}
			open = open[:last]
		} else if last >= 0 && s.Token != exactjson.Name {
			open[last].elements++
		}

		rest = append(rest, p[end:s.End]...)
		end = s.End
		if s.Token == exactjson.Open {
			open = append(open, container{start: len(rest)})
		}
	}
	return append(rest, p[end:]...)
}

// transcript returns the content of a stream for people; see [Answer.Transcript].
func (a *Answer) transcript() string {
	var parts []string
	if a.Reasoning != "" {
		parts = append(parts, "[reasoning] "+a.Reasoning)
	}
	if a.Text != "" {
		parts = append(parts, a.Text)
	}
	for _, c := range a.Decisions() {
		parts = append(parts, "-> "+c.Name+"("+c.Args+")")
	}
	return strings.Join(parts, "\n")
}

// Decisions returns the calls of the answer, and its blocks that may be calls.
func (a *Answer) Decisions() []Call { return slices.Concat(a.Calls, a.Blocks) }

// add adds the content of a response that was not streamed, or of an event of the same
// format.
func (a *Answer) add(t *canon.Transcript, v *exactjson.Value) {
	a.Reasoning += strings.Join(textsAt(v, t.Reasoning), "")
	a.Text += strings.Join(textsAt(v, t.Text), "")
	a.Finish = append(a.Finish, textsAt(v, t.Finish)...)
	for _, paths := range t.Calls {
		v.Each(paths.At(), func(block *exactjson.Value) {
			c := callOf(paths, block)
			isUnknownType := paths.Args() == "" // then the arguments are the whole block
			switch {
			case c == (Call{}):
				return
			case isUnknownType:
				a.Blocks = append(a.Blocks, c)
			default:
				a.Calls = append(a.Calls, c)
			}
		})
	}
	for _, paths := range t.Results {
		v.Each(paths.At(), func(block *exactjson.Value) {
			c := callOf(paths, block)
			if c.Args != "" {
				a.Results = append(a.Results, c)
			}
		})
	}
}

// textsAt returns the texts at paths. An object at a path is structured output, and is
// returned as JSON. The objects in a list (a path that ends in "*") are blocks without a
// text, and are left out.
func textsAt(v *exactjson.Value, paths []string) (texts []string) {
	for _, path := range paths {
		isList := strings.HasSuffix(path, "*")
		v.Each(path, func(v *exactjson.Value) {
			text := v.Scalar()
			if v.Kind == exactjson.Object && !isList {
				text = string(v.AppendJSON(nil, exactjson.Layout{}))
			}
			if text != "" {
				texts = append(texts, text)
			}
		})
	}
	return texts
}

// callOf reads a call; it is zero if the block has neither a name nor arguments.
func callOf(paths transcript.Call, block *exactjson.Value) (c Call) {
	c.Args = argsOf(paths, block)
	for path := range strings.FieldsSeq(paths.Name()) {
		name, isLiteral := strings.CutPrefix(path, "=")
		switch {
		case isLiteral && c.Args != "":
			c.Name = name
		case path == "." && c.Args != "":
			c.Name = block.Name
		default:
			block.Each(path, func(v *exactjson.Value) {
				c.Name = strings.Trim(c.Name+"."+v.Scalar(), ".")
			})
		}
	}
	return c
}

// argsOf returns the arguments of a call: JSON, or the text of a string. For its rules see
// [transcript.Call.Args].
func argsOf(paths transcript.Call, block *exactjson.Value) string {
	if paths.Args() == "" {
		whole := *block
		whole.Elems = slices.DeleteFunc(slices.Clone(block.Elems), func(m exactjson.Value) bool {
			return m.Name == "thoughtSignature" || m.Name == "thought"
		})
		return argsText(&whole, false)
	}

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
	isOne := len(args.Elems) == 1
	keepsName := strings.Contains(paths.Args(), "/") // one value is an object, too
	if isOne && !keepsName {
		args = args.Elems[0]
	}
	return argsText(&args, isOne)
}

// argsText returns arguments as text. Of an empty object or list it returns "", unless
// the model wrote it, as {} for a tool without parameters.
func argsText(args *exactjson.Value, isWritten bool) string {
	if args.Kind != exactjson.Object && args.Kind != exactjson.Array {
		return args.Scalar()
	}
	if len(args.Elems) == 0 && !isWritten {
		return ""
	}
	return string(args.AppendJSON(nil, exactjson.Layout{}))
}
