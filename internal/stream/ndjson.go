package stream

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// ndjson is one JSON value a line (https://github.com/ndjson/ndjson-spec), as
// Ollama and Cohere's first version send it. A file of JSON lines
// (application/jsonl) is not a stream and stays whole.
var ndjson = Framing{
	Name: "ndjson",
	Detect: func(media string, body []byte) bool {
		return slices.Contains(ndjsonMedia, media) && len(bytes.TrimSpace(body)) > 0
	},
	Split: splitLines,
	Fields: func(frame []byte) ([]Field, bool) {
		line, ok := strings.CutSuffix(string(frame), "\n")
		if !ok || strings.ContainsAny(line, "\r\n") || line == "" {
			return nil, false
		}
		return []Field{{"data", line}}, true
	},
	Append: func(dst []byte, fields []Field) ([]byte, error) {
		if len(fields) != 1 || fields[0].Name != "data" {
			return nil, fmt.Errorf("a line of ndjson has one field, data")
		}
		if strings.ContainsAny(fields[0].Value, "\r\n") {
			return nil, fmt.Errorf("field %q holds a line break, and is one line", "data")
		}
		return append(append(dst, fields[0].Value...), '\n'), nil
	},
	text: &textFraming{
		before: func(dst, name []byte) ([]byte, bool) { return dst, string(name) == "data" },
		end:    "\n", most: 1,
	},
}

var ndjsonMedia = []string{"application/x-ndjson", "application/ndjson", "application/stream+json", "application/x-json-stream"}

// splitLines cuts after each LF.
func splitLines(data []byte, atEOF bool) (advance int, frame []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
