package changes

import "github.com/promptecho/promptecho/internal/exactjson"

// parsed returns the value of a JSON text. Any other text is a string.
func parsed(text string) exactjson.Value {
	v, err := exactjson.Parse([]byte(text))
	if err != nil {
		return exactjson.Value{Kind: exactjson.String, Text: text}
	}
	return v
}

// textValue returns a string as a member of an object.
func textValue(name, text string) exactjson.Value {
	return exactjson.Value{Name: name, Kind: exactjson.String, Text: text}
}
