package interop

import (
	"context"
	"net/http"
	"strings"
)

// A scenario is something a program does with an SDK: a few calls, of which the
// later ones may send back what the earlier ones were answered. The same source
// is run with older versions of the SDK by testdata/upgrades/capture.
type scenario struct {
	name    string
	answers []string // the bodies of the answers, one for each request, in order
	run     func(ctx context.Context, client *http.Client, base string) error
}

// answerType is the content type of the body of an answer.
func answerType(body string) string {
	switch {
	case strings.HasPrefix(body, "event: "), strings.HasPrefix(body, "data: "):
		return "text/event-stream"
	case strings.HasPrefix(body, "\x00"):
		return "application/vnd.amazon.eventstream"
	case strings.Contains(body, "}\n{"):
		return "application/x-ndjson"
	}
	return "application/json"
}

// pixel is an image: the smallest PNG, in base64.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

// weatherSchema is the JSON schema of the arguments of get_weather.
func weatherSchema() map[string]any {
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			"city":  map[string]any{"type": "string", "description": "The city, e.g. Paris"},
			"units": map[string]any{"type": "string", "enum": []string{"celsius", "fahrenheit"}},
		},
		"required":             []string{"city"},
		"additionalProperties": false,
	}
}
