package foreign

import (
	"strconv"
	"testing"
)

// An answer whose type was stripped gets the one that its body shows: SDKs choose their decoder
// by it, and promptecho cuts a stream into its events.
func TestTypeThatWasStripped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body, media, stream string }{
		{"Ollama's stream", "{\"a\":1}\n{\"a\":2}\n", "application/x-ndjson", "ndjson"},
		{"a stream without its last line end", "{\"a\":1}\r\n{\"a\":2}", "application/x-ndjson", "ndjson"},
		{"a stream with an empty line", "{\"a\":1}\n\n{\"a\":2}\n", "application/x-ndjson", "ndjson"},
		{"a stream of one line, which is JSON", "{\"a\":1}\n", "application/json", ""},
		{"JSON in several lines", "{\n  \"a\": 1\n}\n", "application/json", ""},
		{"numbers, which may be anything", "1\n2\n", "", ""},
		{"a stream that was cut", "{\"a\":1}\n{\"a\":", "", ""},
		{"events", "data: 1\n\ndata: 2\n\n", "text/event-stream", "sse"},
		{"events behind a comment", ": hi\n\ndata: 2\n\n", "text/event-stream", "sse"},
		{"text", "hello", "", ""},
	} {
		it, _ := readOne(t, pyFile("body: x\nheaders: {}", "headers: {}\nbody: {string: "+strconv.Quote(tt.body)+"}"))
		if got := it.Response.Headers.Get("content-type"); got != tt.media || it.Response.Stream != tt.stream {
			t.Errorf("%s: type %q, stream %q, want %q, %q", tt.name, got, it.Response.Stream, tt.media, tt.stream)
		}
		if got := string(bodyOf(t, it)); got != tt.body {
			t.Errorf("%s: the body is %q, want %q", tt.name, got, tt.body)
		}
	}
}
