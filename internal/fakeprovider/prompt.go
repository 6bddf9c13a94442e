package fakeprovider

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/promptecho/promptecho/internal/english"
)

// prompt is a request without its provider's spelling.
type prompt struct {
	system string
	turns  []turn
	tools  []tool
	choice choice
	serial bool // at most one tool call a turn
	format *format
	limit  int // tokens, 0 for no limit
	stops  []string

	choices int      // the number of answers that are wanted; 0 is one
	thinks  bool     // the answer is to begin with reasoning
	inputs  []string // the texts of which embeddings are wanted; nil for other requests
	free    bool     // no answer of a model is wanted: tokens are counted, or Ollama loads the model
}

// turn is one step of the conversation.
type turn struct {
	role  string // user, assistant or tool
	text  string
	calls []Call // of an assistant
	id    string // of the call a tool's text is the result of
}

type tool struct {
	name   string
	schema any
}

// choice is a tool choice: auto, none, required, or named for the tool of that name.
type choice struct{ mode, name string }

// format asks for an answer in JSON; a nil schema takes any object.
type format struct{ schema any }

var openings = []string{"You said: ", "I heard: ", "Your words: ", "So it is: "}

// say is the text of an answer.
func (p prompt) say(variant int) string {
	var b strings.Builder
	b.WriteString("[stand-in")
	if p.system != "" {
		fmt.Fprintf(&b, ", told %q", beginning(p.system))
	}
	b.WriteString("] ")
	if variant > 0 {
		fmt.Fprintf(&b, "(choice %d) ", variant+1)
	}
	if sum := p.results(); sum != "" {
		b.WriteString(sum)
	} else {
		b.WriteString(openings[variant%len(openings)] + p.lastUser())
	}
	messages, words, letters := p.count()
	fmt.Fprintf(&b, " (%s%s, %s, %s)", p.earlier(),
		english.Count(messages, "message"), english.Count(words, "word"), english.Count(letters, "letter"))
	return b.String()
}

// results sums up what the tools called since the last user message gave.
func (p prompt) results() string {
	names := map[string]string{}
	var said []string
	for _, t := range p.turns[p.lastUserAt()+1:] {
		for _, c := range t.calls {
			names[c.ID] = c.Name
		}
		if t.role == "tool" {
			name := names[t.id]
			if name == "" {
				name = "tool"
			}
			said = append(said, name+" gave "+t.text)
		}
	}
	if said == nil {
		return ""
	}
	return fmt.Sprintf("Done after %s: %s.", english.Count(len(said), "tool call"), strings.Join(said, "; "))
}

// earlier quotes the beginnings of the user messages before the last.
func (p prompt) earlier() string {
	var said []string
	for i, t := range p.turns {
		if t.role == "user" && i < p.lastUserAt() {
			said = append(said, fmt.Sprintf("%q", beginning(t.text)))
		}
	}
	if said == nil {
		return ""
	}
	return "before that: " + strings.Join(said, ", ") + "; "
}

// lastUserAt is the index of the last user message, -1 if there is none.
func (p prompt) lastUserAt() int {
	for i := len(p.turns) - 1; i >= 0; i-- {
		if p.turns[i].role == "user" {
			return i
		}
	}
	return -1
}

func (p prompt) lastUser() string {
	if i := p.lastUserAt(); i >= 0 {
		return p.turns[i].text
	}
	return ""
}

// texts is every text of the prompt, in order.
func (p prompt) texts() []string {
	all := []string{p.system}
	for _, t := range p.turns {
		all = append(all, t.text)
		for _, c := range t.calls {
			all = append(all, c.Args)
		}
	}
	return all
}

func (p prompt) count() (messages, words, letters int) {
	for _, text := range p.texts() {
		words += len(strings.Fields(text))
		for _, r := range text {
			if unicode.IsLetter(r) || unicode.IsNumber(r) {
				letters++
			}
		}
	}
	return len(p.turns), words, letters
}

// size is the number of input tokens: the words, and some for each message and tool.
// Of texts whose embeddings are wanted, only the words count.
func (p prompt) size() int {
	if p.inputs != nil {
		n := 0
		for _, text := range p.inputs {
			n += len(tokens(text))
		}
		return n
	}
	n := 3 + 4*len(p.turns)
	for _, text := range p.texts() {
		n += len(tokens(text))
	}
	for _, t := range p.tools {
		n += 8 + len(tokens(string(encode(t.schema))))
	}
	return n
}
