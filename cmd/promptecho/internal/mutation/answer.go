package mutation

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// An answer is what a model said in a response, with the places where it stands.
type answer struct {
	document *document
	texts    []*text
	calls    []*call
}

// text returns the texts of the answer, joined.
func (a *answer) text() string {
	var b strings.Builder
	for _, t := range a.texts {
		b.WriteString(t.String())
	}
	return b.String()
}

// clearTexts makes all texts empty.
func (a *answer) clearTexts() {
	for _, t := range a.texts {
		t.set("")
	}
}

// An ending is a reason why an answer ended.
type ending int

const (
	stopped  ending = iota // the model had nothing more to say
	cutOff                 // it reached the limit of tokens
	filtered               // a filter of the provider withheld it
	refused                // the model refused
)

// An api knows the answers of one model API. Each is a file.
type api interface {
	// read finds the parts of an answer. It returns nil if there is no answer of the API.
	read(d *document) *answer

	// end sets the reason why the answer ended. It returns false if the API has none for
	// this ending. For refused, it also puts the refusal in the place of the texts and calls.
	end(a *answer, e ending) bool

	// clear removes the texts, as the API sends an answer without any.
	clear(a *answer)

	// drop removes a call. The reason for the end becomes stopped if none is left.
	drop(a *answer, c *call)

	// repeat adds a copy of a call, with an ID of its own, behind it.
	repeat(a *answer, c *call)

	// errorEvent puts an error into the place of the last event of a stream that was cut. It
	// returns false if the API sends none. Streams of AWS have exceptions instead.
	errorEvent(d *document, last *payload) bool
}

// A finisher is an api that completes each changed answer, for example with new numbers of events.
type finisher interface{ finish(d *document) }

// A text is a text of an answer. Each copy is the values that have it, joined: one if it is whole,
// and one for each piece if it was streamed. An API that repeats a streamed text as a whole at the
// end has a copy for each. All copies have the same text.
type text struct{ copies [][]*exactjson.Value }

// add adds a value that continues a copy, from 0.
func (t *text) add(copy int, v *exactjson.Value) {
	for len(t.copies) <= copy {
		t.copies = append(t.copies, nil)
	}
	t.copies[copy] = append(t.copies[copy], v)
}

// String returns the text.
func (t *text) String() string {
	for _, values := range t.copies {
		var b strings.Builder
		for _, v := range values {
			if v.Kind == exactjson.Object || v.Kind == exactjson.Array {
				return compact(v)
			}
			b.WriteString(v.Scalar())
		}
		if b.Len() > 0 {
			return b.String()
		}
	}
	return ""
}

// setAgain cuts each copy anew into its pieces.
func (t *text) setAgain() {
	for i := range t.copies {
		one := text{copies: t.copies[i : i+1]}
		one.set(one.String())
	}
}

// set changes the text in each copy. A streamed copy keeps its number of pieces. A value that is no
// string stays one if the text is JSON.
func (t *text) set(s string) {
	for _, values := range t.copies {
		v, err := exactjson.Parse(s)
		if err == nil && len(values) == 1 && values[0].Kind != exactjson.String {
			set(values[0], v)
			continue
		}
		pieces := piecesOf(s, len(values))
		for i, v := range values {
			setText(v, pieces[i])
		}
	}
}

// setValue changes the text to a value: to its JSON where the text is a string.
func (t *text) setValue(to exactjson.Value) {
	for _, values := range t.copies {
		if len(values) == 1 && values[0].Kind != exactjson.String {
			set(values[0], clone(&to))
			continue
		}
		pieces := piecesOf(compact(&to), len(values))
		for i, v := range values {
			setText(v, pieces[i])
		}
	}
}

// value returns the text as the JSON value that it is, or false if it is none.
func (t *text) value() (v exactjson.Value, ok bool) {
	v, err := exactjson.Parse(t.String())
	return v, err == nil
}

// A call is a tool call of an answer.
type call struct {
	key   string             // tells the calls of an answer apart, for the API
	names []*exactjson.Value // of the tool: one, or one for each copy
	args  text               // an object, or its JSON in a text
}

// name returns the name of the tool.
func (c *call) name() string {
	for _, v := range c.names {
		if v.Scalar() != "" {
			return v.Scalar()
		}
	}
	return ""
}

// piecesOf cuts a text into n pieces of about the same length. Some are empty if it is short.
func piecesOf(s string, n int) []string {
	letters := []rune(s)
	pieces := make([]string, n)
	for i := range n {
		pieces[i] = string(letters[i*len(letters)/n : (i+1)*len(letters)/n])
	}
	return pieces
}
