package main

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// JSON of at most maxLine bytes is on one line. Of a list of more than maxNumbers numbers, such as an
// embedding, the first shownNumbers are shown.
const (
	maxLine      = 100
	maxNumbers   = 16
	shownNumbers = 3
)

// readable returns JSON with a line for each element where one line would be too long, and with
// shortened lists of numbers. It returns any other text as it is.
func readable(text string) string {
	v, err := exactjson.Parse([]byte(text))
	if err != nil || v.Kind != exactjson.Array && v.Kind != exactjson.Object {
		return text
	}
	return readableValue(&v, "")
}

// readableValue returns the text of a value whose lines, but for the first one, are indented.
func readableValue(v *exactjson.Value, indent string) string {
	compact := exactjson.Layout{}
	if len(v.Elems) == 0 {
		return string(v.AppendJSON(nil, compact))
	}
	if isLongNumberList(v) {
		first := exactjson.Value{Kind: exactjson.Array, Elems: v.Elems[:shownNumbers]}
		text := strings.TrimSuffix(string(first.AppendJSON(nil, compact)), "]")
		return fmt.Sprintf("%s, ... %s]", text, count(len(v.Elems), "number"))
	}
	line := string(v.AppendJSON(nil, exactjson.Layout{ColonSpace: true, CommaSpace: true}))
	if len(line) <= maxLine {
		return line
	}

	brackets := "[]"
	if v.Kind == exactjson.Object {
		brackets = "{}"
	}
	var b strings.Builder
	b.WriteByte(brackets[0])
	for i := range v.Elems {
		e := &v.Elems[i]
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + indent + "  ")
		if v.Kind == exactjson.Object {
			name := exactjson.Value{Kind: exactjson.String, Text: e.Name}
			b.Write(append(name.AppendJSON(nil, compact), ": "...))
		}
		b.WriteString(readableValue(e, indent+"  "))
	}
	b.WriteString("\n" + indent)
	b.WriteByte(brackets[1])
	return b.String()
}

// isLongNumberList reports whether v is a list of more than maxNumbers numbers.
func isLongNumberList(v *exactjson.Value) bool {
	if v.Kind != exactjson.Array || len(v.Elems) <= maxNumbers {
		return false
	}
	for i := range v.Elems {
		if v.Elems[i].Kind != exactjson.Number {
			return false
		}
	}
	return true
}
