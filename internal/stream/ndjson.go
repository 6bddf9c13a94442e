package stream

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// ndjson is one JSON value on each line (https://github.com/ndjson/ndjson-spec), as
// Ollama and version 1 of Cohere's API send it. A file of JSON Lines
// (application/jsonl) is not a stream.
var ndjson = Framing{
	Name: "ndjson",
	Detect: func(media string, body []byte) bool {
		return slices.Contains(ndjsonMedia, media) && len(bytes.TrimSpace(body)) > 0
	},
	FrameLen: func(rest []byte, _ bool) int { return bytes.IndexByte(rest, '\n') + 1 },
	Fields: func(frame []byte) ([]Field, bool) {
		line, ok := strings.CutSuffix(string(frame), "\n")
		if !ok || hasLineBreak(line) || line == "" {
			return nil, false
		}
		return []Field{{dataField, line}}, true
	},
	Append: func(dst []byte, fields []Field) ([]byte, error) {
		if len(fields) != 1 || fields[0].Name != dataField {
			return nil, fmt.Errorf("a line of ndjson has one field, data")
		}
		if hasLineBreak(fields[0].Value) {
			return nil, fmt.Errorf("field %q contains a line break, and must be one line", dataField)
		}
		return append(append(dst, fields[0].Value...), '\n'), nil
	},
}

var ndjsonMedia = []string{
	"application/x-ndjson",
	"application/ndjson",
	"application/stream+json",
	"application/x-json-stream",
}
