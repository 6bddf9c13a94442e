package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// maxVectorNumbers is how many numbers of embeddings a script has. More of them are for no reader.
const maxVectorNumbers = 32

// A scriptTurn is an answer in a script for package echofake.
type scriptTurn struct {
	code  string   // an expression; "" if the script cannot have the answer
	notes []string // comments above it: what the code does not say
}

// fakeScript returns Go source that makes a fake with the answers of a cassette. Notes stand
// above the turn that they are about, and those behind the last turn at the end.
func fakeScript(s *shownCassette, withUsage bool) ([]byte, error) {
	var turns, notes strings.Builder
	for i, e := range s.Interactions {
		turn := scriptTurnOf(e, s.stored[i], withUsage)
		for _, note := range turn.notes {
			fmt.Fprintf(&notes, "// #%d: %s\n", e.Number, redact.OneLine(note))
		}
		if turn.code != "" {
			turns.WriteString(notes.String() + turn.code + ",\n")
			notes.Reset()
		}
	}
	source := "echofake.New(t,\n" + turns.String() + ")\n" + notes.String()
	if turns.Len() == 0 {
		source = "echofake.New(t)\n" + notes.String()
	}
	return format.Source([]byte(source))
}

// scriptTurnOf returns an answer as a turn of a script.
func scriptTurnOf(e *conversation.Exchange, it *interaction.Interaction, withUsage bool) scriptTurn {
	switch {
	case e.Kind != "llm":
		return leftOut("%s does not call a model", e.Call)
	case e.Session != nil:
		return leftOut("%s is a session, which a script cannot have", e.Call)
	case it.Response.Status == 0:
		return leftOut("it got no response: %s", cmp.Or(it.Response.Error, it.Response.End))
	case it.Response.Status >= 400:
		return scriptError(&it.Response)
	case strings.Contains(strings.ToLower(e.Boundary+e.Model), "embed"):
		return scriptEmbedding(&it.Response)
	}
	return scriptAnswer(e, &it.Response, withUsage)
}

// leftOut returns the turn for an answer that a script cannot have.
func leftOut(why string, args ...any) scriptTurn {
	return scriptTurn{notes: []string{"left out: " + fmt.Sprintf(why, args...)}}
}

// scriptError returns the turn for an error of the provider.
func scriptError(resp *interaction.Response) scriptTurn {
	args := strconv.Itoa(resp.Status)
	if message := errorMessage(resp); message != "" {
		args += ", " + literal(message)
	}
	return scriptTurn{code: "echofake.Error(" + args + ")"}
}

// scriptEmbedding returns the turn for embeddings. A script without vectors has some that
// are made of the words.
func scriptEmbedding(resp *interaction.Response) scriptTurn {
	vectors := vectorsOf(resp)
	numbers := 0
	for _, v := range vectors {
		numbers += len(v)
	}
	switch {
	case numbers == 0:
		return leftOut("its embeddings could not be read")
	case numbers > maxVectorNumbers:
		note := fmt.Sprintf("%s of %d numbers left out; the fake makes vectors of the words",
			count(len(vectors), "vector"), len(vectors[0]))
		return scriptTurn{code: "echofake.Embedding()", notes: []string{note}}
	}
	var list []string
	for _, v := range vectors {
		var texts []string
		for _, number := range v {
			texts = append(texts, strconv.FormatFloat(float64(number), 'g', -1, 32))
		}
		list = append(list, "[]float32{"+strings.Join(texts, ", ")+"}")
	}
	return scriptTurn{code: "echofake.Embedding(" + strings.Join(list, ", ") + ")"}
}

// scriptAnswer returns the turn for an answer of a model.
func scriptAnswer(e *conversation.Exchange, resp *interaction.Response, withUsage bool) (t scriptTurn) {
	reasoning, text := "", ""
	var calls []conversation.Part
	isBroken := false // the arguments of a call are not JSON, which only an unchecked turn has
	for _, p := range e.Answer.Parts {
		switch p.Kind {
		case conversation.Reasoning:
			reasoning += p.Text
		case conversation.Text:
			text += p.Text
		case conversation.Call:
			calls = append(calls, p)
			isBroken = isBroken || !json.Valid([]byte(p.Args))
		case conversation.Empty:
		default:
			t.notes = append(t.notes, "without its "+cmp.Or(p.Name, p.Kind)+", which a script cannot have")
		}
	}
	t.notes = append(t.notes, notesOf(e)...)

	refusal := refusalOf(resp)
	if refusal == "" && slices.Contains(e.Answer.Finish, "refusal") { // Anthropic's is the text
		refusal = text
	}
	switch {
	case refusal != "":
		t.code = "echofake.Refusal(" + literal(refusal) + ")"
	case text == "" && len(calls) > 0:
		t.code = "echofake." + toolCall(calls[0])
		calls = calls[1:]
	default:
		t.code = "echofake.Text(" + literal(text) + ")"
	}
	for _, call := range calls {
		t.code += "." + toolCall(call)
	}
	if reasoning != "" {
		t.code += ".Reasoning(" + literal(reasoning) + ")"
	}
	if refusal == "" {
		t.code += finishCall(e.Answer.Finish)
	}
	if isBroken {
		t.code += ".Unchecked()"
	}
	if withUsage && e.InputTokens+e.OutputTokens > 0 {
		t.code += fmt.Sprintf(".Usage(%d, %d)", e.InputTokens, e.OutputTokens)
	}
	return t
}

// withChoices are the endpoints that can give several answers, each with a finish reason. A
// response of other endpoints can have several reasons for one answer.
var withChoices = []string{"openai.chat", "openai.completions", "gemini.generateContent"}

// notesOf returns what a script does not say of an answer.
func notesOf(e *conversation.Exchange) (notes []string) {
	if len(e.Answer.Finish) > 1 && slices.Contains(withChoices, e.Boundary) {
		notes = append(notes, fmt.Sprintf("the answer has %d choices; their texts are joined", len(e.Answer.Finish)))
	}
	if e.Answer.Broken != "" {
		notes = append(notes, "when it was recorded, "+e.Answer.Broken+"; package echofault can cut the stream")
	}
	if len(e.Concurrent) > 0 && e.Concurrent[0] < e.Number {
		notes = append(notes, "at the same time as "+ranges(e.Concurrent)+
			": echofake.When tells their requests apart")
	}
	if len(e.Answer.Parts) == 0 {
		notes = append(notes, "its answer has no known parts")
	}
	return notes
}

// toolCall returns the call that adds a tool call to a script.
func toolCall(p conversation.Part) string {
	return "ToolCall(" + literal(p.Name) + ", " + literal(p.Args) + ")"
}

// finishCall returns the call that sets a finish reason; "" for an answer that is complete.
func finishCall(reasons []string) string {
	unknown := ""
	for _, reason := range reasons {
		name, isKnown := finishNames[reason]
		if name != "" {
			return ".Finish(echofake." + name + ")"
		}
		if !isKnown {
			unknown = cmp.Or(unknown, reason)
		}
	}
	if unknown == "" {
		return ""
	}
	return ".Finish(" + literal(unknown) + ")"
}

// literal returns a text as a Go string: without escapes if it has quotes or lines, and
// nothing that a terminal or an editor does not show.
func literal(text string) string {
	isHidden := func(r rune) bool {
		isSpace := r == '\n' || r == '\t'
		return r == '`' || r == unicode.ReplacementChar || !isSpace && !unicode.IsPrint(r)
	}
	isPlain := !strings.ContainsAny(text, "\"\\\n")
	if isPlain || strings.ContainsFunc(text, isHidden) {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}
