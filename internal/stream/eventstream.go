package stream

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// EventStream is the name of the AWS event stream encoding in cassettes.
const EventStream = "aws-event-stream"

// eventStream is the AWS event stream encoding,
// https://smithy.io/2.0/aws/amazon-eventstream.html. A message has these parts:
//   - a prelude: the total length, the length of the headers, and the CRC of these two
//   - the headers
//   - the payload
//   - the CRC of everything before it
//
// Each header is a field; the name of a header that is not a string has the type after
// it: "name(int)". The payload is the field "data". Bedrock's
// InvokeModelWithResponseStream wraps an event in base64; then the decoded event is the
// field "bytes". Lengths and CRCs have no fields.
var eventStream = Framing{
	Name: EventStream,
	Detect: func(media string, body []byte) bool {
		switch media {
		case "application/vnd.amazon.eventstream", "application/octet-stream", "":
			_, ok := messageLen(body)
			return ok
		}
		return false
	},
	FrameLen: firstMessageLen,
	Fields:   decodeMessage,
	Append: func(dst []byte, fields []Field) ([]byte, error) {
		msg, err := encodeMessage(fields)
		return append(dst, msg...), err
	},
}

const (
	preludeLen = 12 // two lengths and a CRC, of 4 bytes each
	sumLen     = 4  // the CRC of the message

	maxHeaderName  = 255       // bytes: the length is one byte
	maxHeaderValue = 1<<15 - 1 // bytes; the limit of the encoders in the SDKs of AWS

	// maxMessage is above the length of any valid message: the payload is limited
	// to 24 MB, the headers to 128 KB.
	maxMessage = 25 << 20
)

// messageLen returns the length of the message at the start of b, which may be
// incomplete. It returns false if b does not start with a valid prelude.
func messageLen(b []byte) (n int, ok bool) {
	if len(b) < preludeLen || crc32.ChecksumIEEE(b[:8]) != binary.BigEndian.Uint32(b[8:]) {
		return 0, false
	}
	total := binary.BigEndian.Uint32(b)
	headers := binary.BigEndian.Uint32(b[4:])
	headersFit := headers <= total && total-headers >= preludeLen+sumLen
	if total > maxMessage || !headersFit {
		return 0, false
	}
	return int(total), true
}

// firstMessageLen returns the length of the first message, or 0 if it is incomplete or
// not valid. The start of the message after an invalid one cannot be found.
func firstMessageLen(rest []byte, _ bool) int {
	if n, ok := messageLen(rest); ok && n <= len(rest) {
		return n
	}
	return 0
}

// Fields of a payload {"bytes":"BASE64"...}.
const (
	bytesField = "bytes" // the decoded event
	afterField = "after" // the text after the base64 string, if that is not "}"
)

// decodeMessage returns the fields of a message: one for each header, and those of the
// payload. It returns false if the message is not valid, or if encodeMessage would not
// return the same bytes.
func decodeMessage(frame []byte) ([]Field, bool) {
	n, ok := messageLen(frame)
	if !ok || n != len(frame) {
		return nil, false
	}
	content, sum := frame[:n-sumLen], frame[n-sumLen:]
	if crc32.ChecksumIEEE(content) != binary.BigEndian.Uint32(sum) {
		return nil, false
	}

	headersEnd := preludeLen + int(binary.BigEndian.Uint32(frame[4:]))
	var fields []Field
	headers := content[preludeLen:headersEnd]
	for len(headers) > 0 {
		f, rest, ok := readHeader(headers)
		if !ok || f.Name == Raw { // a field Raw has the bytes of a frame
			return nil, false
		}
		fields = append(fields, f)
		headers = rest
	}
	payload := string(content[headersEnd:])
	if event, after, ok := unwrapEvent(payload); ok {
		fields = append(fields, Field{bytesField, event})
		if after != "}" {
			fields = append(fields, Field{afterField, after})
		}
	} else if payload != "" {
		fields = append(fields, Field{dataField, payload})
	}
	encoded, err := encodeMessage(fields)
	isSame := err == nil && string(encoded) == string(frame)
	return fields, isSame && len(fields) > 0
}

// unwrapEvent returns the decoded event in a payload {"bytes":"BASE64"...}, and the text
// after the base64 string. It returns false for any other payload.
func unwrapEvent(payload string) (event, after string, ok bool) {
	rest, ok := strings.CutPrefix(payload, `{"bytes":"`)
	if !ok {
		return "", "", false
	}
	digits, after, ok := strings.Cut(rest, `"`)
	b, err := base64.StdEncoding.Strict().DecodeString(digits)
	if !ok || err != nil || !utf8.Valid(b) || len(b) == 0 {
		return "", "", false
	}
	return string(b), after, true
}

// A headerType is the type of a header's value.
type headerType struct {
	name     string // in parentheses after the name of the field; "" for a string
	size     int    // of the value in bytes; -1 if its length is before it
	isNumber bool   // a signed big-endian integer, in decimal in the field; others are hexadecimal
}

// headerTypes has the types by the numbers that the encoding gives them.
var headerTypes = []headerType{
	0:          {name: "true"},
	1:          {name: "false"},
	2:          {"byte", 1, true},
	3:          {"short", 2, true},
	4:          {"int", 4, true},
	5:          {"long", 8, true},
	6:          {name: "bytes", size: -1},
	stringType: {size: -1},
	8:          {"timestamp", 8, true},
	9:          {name: "uuid", size: 16},
}

const stringType = 7

// readHeader reads the first header in b: the length of the name, the name, the number of
// the type, and the value.
func readHeader(b []byte) (f Field, rest []byte, ok bool) {
	nameLen := int(b[0])
	if len(b) < 1+nameLen+1 {
		return Field{}, nil, false
	}
	name := string(b[1 : 1+nameLen])
	typeNumber := int(b[1+nameLen])
	if typeNumber >= len(headerTypes) {
		return Field{}, nil, false
	}
	b = b[1+nameLen+1:]

	valueType := headerTypes[typeNumber]
	size := valueType.size
	if size < 0 {
		if len(b) < 2 {
			return Field{}, nil, false
		}
		size = int(binary.BigEndian.Uint16(b))
		b = b[2:]
	}
	if len(b) < size {
		return Field{}, nil, false
	}
	value, rest := b[:size], b[size:]
	if valueType.name == "" {
		return Field{name, string(value)}, rest, true
	}
	f = Field{name + "(" + valueType.name + ")", hex.EncodeToString(value)}
	if valueType.isNumber {
		// Put the value at the top of 64 bits. Shifting it down keeps its sign.
		v := binary.BigEndian.Uint64(append(slices.Clone(value), make([]byte, 8-size)...))
		f.Value = strconv.FormatInt(int64(v)>>(64-8*size), 10)
	}
	return f, rest, true
}

// encodeMessage is the reverse of decodeMessage. It returns an error if a field is not
// valid, or if the fields are not in the order of a message.
func encodeMessage(fields []Field) ([]byte, error) {
	msg := make([]byte, preludeLen)
	payload := ""
	hasPayload := false
	headersEnd := preludeLen
	for i, f := range fields {
		switch f.Name {
		case dataField:
			payload = f.Value
			hasPayload = true
		case bytesField:
			payload = `{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(f.Value)) + `"}`
			hasPayload = true
		case afterField:
			if i == 0 || fields[i-1].Name != bytesField {
				return nil, fmt.Errorf("field %q needs %q before it", afterField, bytesField)
			}
			payload = strings.TrimSuffix(payload, "}") + f.Value
		default:
			if hasPayload {
				return nil, fmt.Errorf("field %q is after the payload: "+
					"headers come first", f.Name)
			}
			var err error
			msg, err = appendHeader(msg, f)
			if err != nil {
				return nil, err
			}
			headersEnd = len(msg)
		}
	}
	msg = append(msg, payload...)
	if len(msg)+sumLen > maxMessage {
		return nil, fmt.Errorf("a message of %d bytes is longer than %d",
			len(msg)+sumLen, maxMessage)
	}
	binary.BigEndian.PutUint32(msg, uint32(len(msg)+sumLen))
	binary.BigEndian.PutUint32(msg[4:], uint32(headersEnd-preludeLen))
	binary.BigEndian.PutUint32(msg[8:], crc32.ChecksumIEEE(msg[:8]))
	return binary.BigEndian.AppendUint32(msg, crc32.ChecksumIEEE(msg)), nil
}

// appendHeader appends the header for a field.
func appendHeader(msg []byte, f Field) ([]byte, error) {
	name := f.Name
	typeNumber := stringType
	for i, t := range headerTypes {
		nameBefore, hasType := strings.CutSuffix(f.Name, "("+t.name+")")
		if hasType && i != stringType {
			name = nameBefore
			typeNumber = i
		}
	}
	if len(name) > maxHeaderName {
		return nil, fmt.Errorf("the name of header %q has %d bytes, "+
			"at most 255 are allowed", name[:20]+"…", len(name))
	}
	valueType := headerTypes[typeNumber]
	value, err := headerValue(f, valueType)
	if err != nil {
		return nil, err
	}
	msg = append(append(msg, byte(len(name))), name...)
	msg = append(msg, byte(typeNumber))
	if valueType.size < 0 {
		if len(value) > maxHeaderValue {
			return nil, fmt.Errorf("header %q has %d bytes, at most 32767 are allowed",
				f.Name, len(value))
		}
		msg = binary.BigEndian.AppendUint16(msg, uint16(len(value)))
	}
	return append(msg, value...), nil
}

// headerValue returns the bytes of a header's value. It is the reverse of the conversion in
// readHeader.
func headerValue(f Field, valueType headerType) ([]byte, error) {
	switch {
	case valueType.name == "":
		return []byte(f.Value), nil
	case valueType.isNumber:
		v, err := strconv.ParseInt(f.Value, 10, 8*valueType.size)
		if err != nil {
			return nil, fmt.Errorf("header %q: %q is not a number of %d bytes",
				f.Name, f.Value, valueType.size)
		}
		return binary.BigEndian.AppendUint64(nil, uint64(v))[8-valueType.size:], nil
	}
	value, err := hex.DecodeString(f.Value)
	hasOtherSize := valueType.size >= 0 && len(value) != valueType.size
	if err != nil || hasOtherSize {
		return nil, fmt.Errorf("header %q: %q are not the hexadecimal digits of its value",
			f.Name, f.Value)
	}
	return value, nil
}
