package compare

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// value returns the JSON of a body, or the list of what the events of a stream carry; ok
// is false if the body is not JSON.
func value(resp *interaction.Response) (v exactjson.Value, ok bool) {
	if resp.Stream == "" {
		v, err := exactjson.Parse(resp.Body)
		return v, err == nil
	}
	v.Kind = exactjson.Array
	for payload := range resp.Payloads() {
		if event, err := exactjson.Parse(payload); err == nil {
			v.Elems = append(v.Elems, event)
		}
	}
	return v, true
}

// parseObject reads a text that is an object or a list; ok is false if it is neither.
func parseObject(s string) (v exactjson.Value, ok bool) {
	if trimmed := strings.TrimSpace(s); !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") {
		return v, false
	}
	v, err := exactjson.Parse([]byte(s))
	return v, err == nil
}

func text(s string) exactjson.Value { return exactjson.Value{Kind: exactjson.String, Text: s} }

// compact returns a value as the value of an edit, "" if there is none.
func compact(v *exactjson.Value) string {
	if v == nil {
		return ""
	}
	return string(v.AppendJSON(nil, exactjson.Layout{}))
}

func quote(s string) string {
	v := text(s)
	return compact(&v)
}
