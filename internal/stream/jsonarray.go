package stream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// jsonArray is one JSON array whose elements come one by one: what Gemini's
// streamGenerateContent sends without alt=sse
// (https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent).
// A frame is an element with what stands before it, "[" or a comma; the closing
// bracket is a frame of its own.
var jsonArray = Framing{
	Name: "json-array",
	Detect: func(media string, body []byte) bool {
		return (media == "application/json" || media == "") && geminiArray().Match(body)
	},
	FrameLen: firstElementLen,
	Fields:   elementFields,
	Append:   elementAppend,
}

// geminiArray is the beginning of an array whose first element has a member of a
// GenerateContentResponse first. Any other array is an answer like others, and reads better in
// one piece.
var geminiArray = memo.Regexp(`^[ \t\r\n]*\[[ \t\r\n]*\{[ \t\r\n]*"` +
	`(?:candidates|usageMetadata|promptFeedback|modelVersion|responseId|createTime)"`)

// firstElementLen returns the length of the first element with what stands before
// it, if it is an object and whole.
func firstElementLen(rest []byte, _ bool) int {
	start := bytes.IndexByte(rest, '{')
	if start < 0 || !isSeparator(rest[:start]) {
		return 0
	}
	if n := objectLen(rest[start:]); n > 0 {
		return start + n
	}
	return 0
}

// isSeparator reports whether b can stand before an element.
func isSeparator(b []byte) bool {
	b = bytes.Trim(b, " \t\r\n")
	return len(b) == 0 || len(b) == 1 && (b[0] == '[' || b[0] == ',')
}

// objectLen returns the length of the JSON object at the start of b, 0 if it is
// not whole.
func objectLen(b []byte) int {
	d := json.NewDecoder(bytes.NewReader(b))
	if !bytes.HasPrefix(b, []byte("{")) || d.Decode(new(json.RawMessage)) != nil {
		return 0
	}
	return int(d.InputOffset())
}

// usualSeparator is what Google sends between two elements; it is not written.
const usualSeparator = "\n,\r\n"

const beforeField = "before"

func elementFields(frame []byte) ([]Field, bool) {
	text := string(frame)
	start := strings.IndexByte(text, '{')
	if start < 0 || !isSeparator(frame[:start]) || objectLen(frame[start:]) != len(frame)-start {
		return nil, false
	}
	before, element := text[:start], text[start:]
	if before == usualSeparator {
		return []Field{{dataField, element}}, true
	}
	return []Field{{beforeField, before}, {dataField, element}}, true
}

func elementAppend(dst []byte, fields []Field) ([]byte, error) {
	before := usualSeparator
	if len(fields) == 2 && fields[0].Name == beforeField {
		before, fields = fields[0].Value, fields[1:]
	}
	if len(fields) != 1 || fields[0].Name != dataField {
		return nil, fmt.Errorf("an element of a json-array has the field %q and, if the separator "+
			"before it is not the usual one, the field %q", dataField, beforeField)
	}
	if !isSeparator([]byte(before)) {
		return nil, fmt.Errorf("field %q: %q cannot come before an element", beforeField, before)
	}
	if v := fields[0].Value; v == "" || objectLen([]byte(v)) != len(v) {
		return nil, fmt.Errorf("field %q is not one JSON object", dataField)
	}
	return append(append(dst, before...), fields[0].Value...), nil
}
