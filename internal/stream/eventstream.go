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

// eventStream is the AWS event stream encoding,
// https://smithy.io/2.0/aws/amazon-eventstream.html: messages of total length,
// length of the headers, CRC of these two, headers, payload, and CRC of all
// before. The headers read as fields of their names, one that is no string with
// its type behind it, and the payload as "data". Bedrock's
// InvokeModelWithResponseStream wraps an event in base64; that reads as "bytes".
// Lengths and sums are computed when a frame is written.
var eventStream = Framing{
	Name: "aws-event-stream",
	Detect: func(media string, body []byte) bool {
		switch media {
		case "application/vnd.amazon.eventstream", "application/octet-stream", "":
			_, ok := messageLen(body)
			return ok
		}
		return false
	},
	FrameLen: firstMessageLen,
	Fields:   messageFields,
	Append: func(dst []byte, fields []Field) ([]byte, error) {
		msg, err := messageBytes(fields)
		return append(dst, msg...), err
	},
}

const (
	preludeLen = 12
	sumLen     = 4

	// maxMessage is more than any message has: the payload is limited to 24 MB,
	// the headers to 128 KB.
	maxMessage = 25 << 20
)

// messageLen returns the length of the message at the start of b, which need
// not be whole.
func messageLen(b []byte) (n int, ok bool) {
	if len(b) < preludeLen || crc32.ChecksumIEEE(b[:8]) != binary.BigEndian.Uint32(b[8:]) {
		return 0, false
	}
	total, headers := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	if total > maxMessage || headers > total || total-headers < preludeLen+sumLen {
		return 0, false
	}
	return int(total), true
}

// firstMessageLen returns the length of the first message, if it is whole. Where
// there is none it cannot find the next: the rest is one frame.
func firstMessageLen(rest []byte, _ bool) int {
	if n, ok := messageLen(rest); ok && n <= len(rest) {
		return n
	}
	return 0
}

// Fields of the payload, beside dataField.
const (
	bytesField = "bytes" // the event in {"bytes":"BASE64"}
	afterField = "after" // what stands behind it, if that is not "}"
)

func messageFields(frame []byte) ([]Field, bool) {
	n, ok := messageLen(frame)
	if !ok || n != len(frame) || crc32.ChecksumIEEE(frame[:n-sumLen]) != binary.BigEndian.Uint32(frame[n-sumLen:]) {
		return nil, false
	}
	split := preludeLen + int(binary.BigEndian.Uint32(frame[4:]))
	var fields []Field
	for b := frame[preludeLen:split]; len(b) > 0; {
		f, rest, ok := headerField(b)
		if !ok || f.Name == Raw { // which would read as the bytes of the frame
			return nil, false
		}
		fields, b = append(fields, f), rest
	}
	payload := string(frame[split : n-sumLen])
	if chunk, after, ok := unwrapped(payload); ok {
		fields = append(fields, Field{bytesField, chunk})
		if after != "}" {
			fields = append(fields, Field{afterField, after})
		}
	} else if payload != "" {
		fields = append(fields, Field{dataField, payload})
	}
	back, err := messageBytes(fields)
	return fields, err == nil && len(fields) > 0 && string(back) == string(frame)
}

// unwrapped returns the event in the payload {"bytes":"BASE64"...}, and what
// stands behind the base64.
func unwrapped(payload string) (chunk, after string, ok bool) {
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

// A headerType is how the value of a header is written.
type headerType struct {
	name   string // stands behind the header's name; "" for a string
	size   int    // of the value in bytes; -1 stands for a length before the value
	number bool   // it is signed and big-endian, and reads in decimal; others read in hexadecimal
}

// headerTypes has the types by their numbers.
var headerTypes = []headerType{
	{name: "true"}, {name: "false"}, {"byte", 1, true}, {"short", 2, true}, {"int", 4, true}, {"long", 8, true},
	{name: "bytes", size: -1}, {size: -1}, {"timestamp", 8, true}, {name: "uuid", size: 16},
}

const stringType = 7

// headerField reads one header: length of the name, name, type, value.
func headerField(b []byte) (f Field, rest []byte, ok bool) {
	n := int(b[0])
	if len(b) < 1+n+1 || int(b[1+n]) >= len(headerTypes) {
		return Field{}, nil, false
	}
	name, kind, b := string(b[1:1+n]), headerTypes[b[1+n]], b[2+n:]
	size := kind.size
	if size < 0 {
		if len(b) < 2 {
			return Field{}, nil, false
		}
		size, b = int(binary.BigEndian.Uint16(b)), b[2:]
	}
	if len(b) < size {
		return Field{}, nil, false
	}
	value, rest := b[:size], b[size:]
	if kind.name == "" {
		return Field{name, string(value)}, rest, true
	}
	f = Field{name + "(" + kind.name + ")", hex.EncodeToString(value)}
	if kind.number {
		v := binary.BigEndian.Uint64(append(slices.Clone(value), make([]byte, 8-size)...))
		f.Value = strconv.FormatInt(int64(v)>>(64-8*size), 10)
	}
	return f, rest, true
}

func messageBytes(fields []Field) ([]byte, error) {
	msg := make([]byte, preludeLen)
	payload, hasPayload := "", false
	headers := preludeLen
	for i, f := range fields {
		switch f.Name {
		case dataField:
			payload, hasPayload = f.Value, true
		case bytesField:
			payload, hasPayload = `{"bytes":"`+base64.StdEncoding.EncodeToString([]byte(f.Value))+`"}`, true
		case afterField:
			if i == 0 || fields[i-1].Name != bytesField {
				return nil, fmt.Errorf("field %q needs %q before it", afterField, bytesField)
			}
			payload = strings.TrimSuffix(payload, "}") + f.Value
		default:
			if hasPayload {
				return nil, fmt.Errorf("field %q is after the payload: headers come first", f.Name)
			}
			var err error
			msg, err = appendHeader(msg, f)
			if err != nil {
				return nil, err
			}
			headers = len(msg)
		}
	}
	msg = append(msg, payload...)
	if len(msg)+sumLen > maxMessage {
		return nil, fmt.Errorf("a message of %d bytes is longer than %d", len(msg)+sumLen, maxMessage)
	}
	binary.BigEndian.PutUint32(msg, uint32(len(msg)+sumLen))
	binary.BigEndian.PutUint32(msg[4:], uint32(headers-preludeLen))
	binary.BigEndian.PutUint32(msg[8:], crc32.ChecksumIEEE(msg[:8]))
	return binary.BigEndian.AppendUint32(msg, crc32.ChecksumIEEE(msg)), nil
}

func appendHeader(msg []byte, f Field) ([]byte, error) {
	name, number := f.Name, stringType
	for i, t := range headerTypes {
		if before, ok := strings.CutSuffix(f.Name, "("+t.name+")"); ok && i != stringType {
			name, number = before, i
		}
	}
	if len(name) > 255 {
		return nil, fmt.Errorf("the name of header %q has %d bytes, at most 255 are allowed", name[:20]+"…", len(name))
	}
	kind := headerTypes[number]
	value, err := headerValue(f, kind)
	if err != nil {
		return nil, err
	}
	msg = append(append(msg, byte(len(name))), name...)
	msg = append(msg, byte(number))
	if kind.size < 0 {
		if len(value) > 1<<15-1 {
			return nil, fmt.Errorf("header %q has %d bytes, at most 32767 are allowed", f.Name, len(value))
		}
		msg = binary.BigEndian.AppendUint16(msg, uint16(len(value)))
	}
	return append(msg, value...), nil
}

// headerValue returns the bytes of what a header's value reads as.
func headerValue(f Field, kind headerType) ([]byte, error) {
	switch {
	case kind.name == "":
		return []byte(f.Value), nil
	case kind.number:
		v, err := strconv.ParseInt(f.Value, 10, 8*kind.size)
		if err != nil {
			return nil, fmt.Errorf("header %q: %q is not a number of %d bytes", f.Name, f.Value, kind.size)
		}
		return binary.BigEndian.AppendUint64(nil, uint64(v))[8-kind.size:], nil
	}
	value, err := hex.DecodeString(f.Value)
	if err != nil || kind.size >= 0 && len(value) != kind.size {
		return nil, fmt.Errorf("header %q: %q are not the hexadecimal digits of its value", f.Name, f.Value)
	}
	return value, nil
}
