package main

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// What of JSON stands on one line, and of a list of numbers, such as an embedding, at all.
const (
	mostOnLine    = 100 // bytes
	mostNumbers   = 16
	numbersBefore = 3
)

// readable returns JSON with a line for each element where one would be too long, and any
// other text as it is. Of long lists of numbers it has the beginning.
func readable(text string) string {
	v, err := exactjson.Parse([]byte(text))
	if err != nil || v.Kind != exactjson.Array && v.Kind != exactjson.Object {
		return text
	}
	return readableValue(&v, "")
}

func readableValue(v *exactjson.Value, indent string) string {
	switch {
	case len(v.Elems) == 0:
		return string(v.AppendJSON(nil, exactjson.Layout{}))
	case numbers(v):
		short := exactjson.Value{Kind: exactjson.Array, Elems: v.Elems[:numbersBefore]}
		return strings.TrimSuffix(string(short.AppendJSON(nil, exactjson.Layout{})), "]") + fmt.Sprintf(", ... %s]", count(len(v.Elems), "number"))
	}
	if line := string(v.AppendJSON(nil, exactjson.Layout{ColonSpace: true, CommaSpace: true})); len(line) <= mostOnLine {
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
			b.Write(append(name.AppendJSON(nil, exactjson.Layout{}), ": "...))
		}
		b.WriteString(readableValue(e, indent+"  "))
	}
	b.WriteString("\n" + indent)
	b.WriteByte(brackets[1])
	return b.String()
}

// numbers reports whether v is a long list of nothing but numbers.
func numbers(v *exactjson.Value) bool {
	if v.Kind != exactjson.Array || len(v.Elems) <= mostNumbers {
		return false
	}
	for i := range v.Elems {
		if v.Elems[i].Kind != exactjson.Number {
			return false
		}
	}
	return true
}
