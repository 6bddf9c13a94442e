package fakeprovider

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

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
}

// turn is one step of the conversation.
type turn struct {
	role  string // user, assistant or tool
	text  string
	calls []toolCall // of an assistant
	id    string     // of the call a tool's text is the result of
}

type tool struct {
	name   string
	schema any
}

// choice is a tool choice: auto, none, required, or named for the tool of that name.
type choice struct{ mode, name string }

// format asks for an answer in JSON; a nil schema takes any object.
type format struct{ schema any }

type toolCall struct {
	id   string // in a request only
	name string
	args string // JSON
}

// ending is why an answer ends.
type ending int

const (
	ended   ending = iota // it was complete
	limited               // the token limit cut it
	stopped               // a stop sequence cut it
	called                // it calls tools
)

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
			names[c.id] = c.name
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
			all = append(all, c.args)
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
func (p prompt) size() int {
	n := 3 + 4*len(p.turns)
	for _, text := range p.texts() {
		n += len(tokens(text))
	}
	for _, t := range p.tools {
		n += 8 + len(tokens(string(encode(t.schema))))
	}
	return n
}

// tokens cuts a text into words with the space before them, and long words into parts.
// Joined, the tokens are the text.
func tokens(text string) []string {
	const long = 12
	var out []string
	start := 0 // of the token
	runes := 0 // of the token, without space
	for i, r := range text {
		isSpace := unicode.IsSpace(r)
		endsWord := isSpace && runes > 0
		if i > start && (endsWord || runes == long) {
			out = append(out, text[start:i])
			start = i
			runes = 0
		}
		if !isSpace {
			runes++
		}
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

// deltas joins tokens to the pieces of a stream: one each, more of a long text.
func deltas(tokens []string) []string {
	const most = 400
	step := (len(tokens) + most - 1) / most
	var out []string
	for i := 0; i < len(tokens); i += step {
		out = append(out, strings.Join(tokens[i:min(i+step, len(tokens))], ""))
	}
	return out
}

// fragments cuts tool arguments into short pieces, between runes.
func fragments(text string) []string {
	size := 8 + len(text)/400
	var out []string
	for text != "" {
		n := min(size, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

// beginning is the first words of a text.
func beginning(text string) string {
	const most = 6
	words := strings.Fields(text)
	if len(words) <= most {
		return strings.Join(words, " ")
	}
	return strings.Join(words[:most], " ") + " ..."
}

// reply is an answer without its provider's spelling.
type reply struct {
	text   string
	calls  []toolCall
	why    ending
	stop   string // the sequence that stopped it
	in     int    // tokens
	out    int
	tokens []string // of the text
}

// inWord reports whether the text between two texts is part of a longer word.
func inWord(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, size := utf8.DecodeRuneInString(after)
	if wordRune(last) || wordRune(first) {
		return true
	}
	second, _ := utf8.DecodeRuneInString(after[size:])
	return (first == '-' || first == '.') && wordRune(second)
}

func wordRune(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
