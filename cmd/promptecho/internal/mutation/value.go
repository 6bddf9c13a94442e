package mutation

import (
	"strconv"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// isStrict reports whether a request has the provider keep its answer within a schema. OpenAI does
// so for "strict": true (https://platform.openai.com/docs/guides/structured-outputs), Gemini for
// each schema of a response, and Ollama and vLLM for each format.
func isStrict(request *exactjson.Value) bool {
	strict := false
	for _, path := range []string{
		"response_format/json_schema/strict=true",
		"text/format/strict=true",
		"generationConfig/responseSchema",
		"generationConfig/responseJsonSchema",
		"format/type=*",
		"output_config/format/type=json_schema",        // Anthropic
		"output_format/type=json_schema",               // Anthropic's beta
		"outputConfig/textFormat/type=json_schema",     // Bedrock
		"response_format/type=json_object/schema",      // Cohere, version 1
		"response_format/type=json_object/json_schema", // Cohere
		"guided_json",
	} {
		request.Each(path, func(*exactjson.Value) { strict = true })
	}
	return strict
}

// isStrictTool reports whether a request has the provider keep the arguments of a tool within its
// schema.
func isStrictTool(request *exactjson.Value, tool string) bool {
	strict := request.Member("strict_tools").Scalar() == "true" // Cohere
	for _, path := range []string{
		"tools/*/function", // OpenAI's chat
		"tools/*",          // OpenAI's Responses, Anthropic
		"toolConfig/tools/*/toolSpec",
	} {
		request.Each(path, func(v *exactjson.Value) {
			isStrict := v.Member("strict").Scalar() == "true"
			if isStrict && v.Member("name").Scalar() == tool {
				strict = true
			}
		})
	}
	return strict
}

// enumOf returns the values that a schema in a request allows for a property of this name, or nil
// if it allows all.
func enumOf(request *exactjson.Value, property string) (values []exactjson.Value) {
	var visit func(v *exactjson.Value)
	visit = func(v *exactjson.Value) {
		list := v.Member("properties").Member(property).Member("enum")
		if list != nil && values == nil {
			values = list.Elems
		}
		for i := range v.Elems {
			visit(&v.Elems[i])
		}
	}
	visit(request)
	return values
}

// increased returns the literal of a number that is larger by one.
func increased(literal string) string {
	if n, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return strconv.FormatInt(n+1, 10)
	}
	n, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return "1"
	}
	return strconv.FormatFloat(n+1, 'g', -1, 64)
}

// short returns the JSON of a value, or its beginning.
func short(v *exactjson.Value) string {
	const most = 24
	text := []rune(compact(v))
	if len(text) > most {
		return string(text[:most-3]) + "..."
	}
	return string(text)
}

// shortEnd returns the JSON of a value. A long string is its end, where arguments are changed: a path
// begins like many others.
func shortEnd(v *exactjson.Value) string {
	const most = 24
	text := []rune(compact(v))
	if v.Kind != exactjson.String || len(text) <= most {
		return short(v)
	}
	return `"...` + string(text[len(text)-most+4:])
}

// quote returns a text in quotes, or its beginning.
func quote(s string) string {
	const most = 40
	s = strings.Join(strings.Fields(s), " ")
	text := []rune(s)
	if len(text) > most {
		return strconv.Quote(string(text[:most-3]) + "...")
	}
	return strconv.Quote(s)
}

// isEqual reports whether two values are equal, whatever the order of their members.
func isEqual(a, b *exactjson.Value) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Elems) != len(b.Elems) {
		return false
	}
	for i := range a.Elems {
		other := &b.Elems[i]
		if a.Kind == exactjson.Object {
			other = b.Member(a.Elems[i].Name)
		}
		if other == nil || !isEqual(&a.Elems[i], other) {
			return false
		}
	}
	return true
}

// otherOf returns another value of the same type, which a Go program decodes as it does the recorded one.
// Any text becomes plain. It returns false if there is no other value.
func otherOf(v *exactjson.Value, plain string) (other exactjson.Value, ok bool) {
	other = exactjson.Value{Kind: v.Kind}
	switch v.Kind {
	case exactjson.String:
		other.Text = otherText(v.Text, plain)
	case exactjson.Bool:
		other.Text = strconv.FormatBool(v.Text == "false")
	case exactjson.Number:
		other.Text = increased(v.Text)
	case exactjson.Array, exactjson.Object:
		return other, len(v.Elems) > 0 // an empty one
	default:
		return other, false // null has no other value of its type
	}
	return other, other.Text != v.Text
}

// otherText returns another text: a later time for a time, another number or ID of hexadecimal digits for
// one, since a program may read them as such, and plain for any other text.
func otherText(text, plain string) string {
	const (
		digits    = "0123456789"
		hexDigits = "0123456789abcdefABCDEF-"
	)
	for _, layout := range []string{time.RFC3339Nano, time.DateTime, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.AddDate(0, 0, 1).Format(layout)
		}
	}
	hasDigit := strings.ContainsAny(text, digits)
	switch {
	case hasDigit && strings.Trim(text, digits+".-") == "":
		return increased(text)
	case hasDigit && strings.Trim(text, hexDigits) == "":
		last := text[len(text)-1:]
		if last == "0" {
			return text[:len(text)-1] + "1"
		}
		return text[:len(text)-1] + "0"
	}
	return plain
}
