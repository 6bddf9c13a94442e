package stream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// jsonArray is a JSON array whose elements are sent one by one, as Gemini's
// streamGenerateContent does without alt=sse
// (https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent).
// A frame is an element with the "[" or the comma before it. The closing bracket is a
// separate frame.
var jsonArray = Framing{
	Name: "json-array",
	Detect: func(media string, body []byte) bool {
		return (media == "application/json" || media == "") && geminiArray().Match(body)
	},
	FrameLen: firstElementLen,
	Fields:   decodeElement,
	Append:   appendElement,
}

// geminiArray matches the beginning of an array whose first element begins with a member of
// a GenerateContentResponse. Other arrays are not streams.
var geminiArray = memo.Regexp(`^[ \t\r\n]*\[[ \t\r\n]*\{[ \t\r\n]*"` +
	`(?:candidates|usageMetadata|promptFeedback|modelVersion|responseId|createTime)"`)

// firstElementLen returns the length of the first element with the separator before it, or
// 0 if it is incomplete or not an object.
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

// isSeparator reports whether b is white space with at most one "[" or comma.
func isSeparator(b []byte) bool {
	b = bytes.Trim(b, " \t\r\n")
	return len(b) == 0 || len(b) == 1 && (b[0] == '[' || b[0] == ',')
}

// objectLen returns the length of the JSON object at the start of b, or 0 if it is
// incomplete.
func objectLen(b []byte) int {
	d := json.NewDecoder(bytes.NewReader(b))
	if !bytes.HasPrefix(b, []byte("{")) || d.Decode(new(json.RawMessage)) != nil {
		return 0
	}
	return int(d.InputOffset())
}

// usualSeparator is the separator that Google sends between two elements. It has no field.
const usualSeparator = "\n,\r\n"

// beforeField is the field for any other separator.
const beforeField = "before"

// decodeElement returns the fields of an element, and of the separator before it unless that
// is usualSeparator. It returns false for any other frame.
func decodeElement(frame []byte) ([]Field, bool) {
	text := string(frame)
	start := strings.IndexByte(text, '{')
	if start < 0 || !isSeparator(frame[:start]) {
		return nil, false
	}
	before, element := text[:start], text[start:]
	if objectLen(frame[start:]) != len(element) {
		return nil, false
	}
	if before == usualSeparator {
		return []Field{{dataField, element}}, true
	}
	return []Field{{beforeField, before}, {dataField, element}}, true
}

// appendElement appends the element for the fields that decodeElement returns.
func appendElement(dst []byte, fields []Field) ([]byte, error) {
	before := usualSeparator
	if len(fields) == 2 && fields[0].Name == beforeField {
		before = fields[0].Value
		fields = fields[1:]
	}
	if len(fields) != 1 || fields[0].Name != dataField {
		return nil, fmt.Errorf("an element of a json-array has the field %q and, if the separator "+
			"before it is not the usual one, the field %q", dataField, beforeField)
	}
	if !isSeparator([]byte(before)) {
		return nil, fmt.Errorf("field %q: %q cannot come before an element", beforeField, before)
	}
	element := fields[0].Value
	if element == "" || objectLen([]byte(element)) != len(element) {
		return nil, fmt.Errorf("field %q is not one JSON object", dataField)
	}
	return append(append(dst, before...), element...), nil
}
