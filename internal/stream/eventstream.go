package stream

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
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
	Split:  splitMessages,
	Fields: messageFields,
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

// splitMessages cuts after each message. Where there is none it cannot find the
// next: the rest is one frame.
func splitMessages(data []byte, atEOF bool) (advance int, frame []byte, err error) {
	if n, ok := messageLen(data); ok && n <= len(data) {
		return n, data[:n], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// Fields of the payload.
const (
	dataField  = "data"
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
		if !ok {
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

// The types of header values, by their numbers, and how many bytes they have;
// -1 stands for a length before the value.
var headerTypes = []struct {
	name string
	size int
}{
	{"true", 0}, {"false", 0}, {"byte", 1}, {"short", 2}, {"int", 4}, {"long", 8}, {"bytes", -1}, {"", -1}, {"timestamp", 8}, {"uuid", 16},
}

const stringType = 7

// headerField reads one header: length of the name, name, type, value.
func headerField(b []byte) (f Field, rest []byte, ok bool) {
	n := int(b[0])
	if len(b) < 1+n+1 || int(b[1+n]) >= len(headerTypes) {
		return Field{}, nil, false
	}
	name, kind, b := string(b[1:1+n]), int(b[1+n]), b[2+n:]
	size := headerTypes[kind].size
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
	if kind == stringType {
		return Field{name, string(value)}, rest, true
	}
	f.Name = name + "(" + headerTypes[kind].name + ")"
	switch headerTypes[kind].name {
	case "byte", "short", "int", "long", "timestamp": // signed, big-endian
		v := uint64(0)
		for _, c := range value {
			v = v<<8 | uint64(c)
		}
		unused := 64 - 8*size
		f.Value = strconv.FormatInt(int64(v<<unused)>>unused, 10)
	default:
		f.Value = hex.EncodeToString(value)
	}
	return f, rest, true
}

func messageBytes(fields []Field) ([]byte, error) {
	msg := make([]byte, preludeLen)
	payload, hasPayload := "", false
	headers := preludeLen
	for i, f := range fields {
		switch f.Name {
		case Raw:
			return nil, fmt.Errorf("field %q stands alone in its event", Raw)
		case dataField:
			payload, hasPayload = f.Value, true
		case bytesField:
			payload, hasPayload = `{"bytes":"`+base64.StdEncoding.EncodeToString([]byte(f.Value))+`"}`, true
		case afterField:
			if i == 0 || fields[i-1].Name != bytesField {
				return nil, fmt.Errorf("field %q stands behind %q, which is not there", afterField, bytesField)
			}
			payload = strings.TrimSuffix(payload, "}") + f.Value
		default:
			if hasPayload {
				return nil, fmt.Errorf("field %q stands behind the payload: headers come first", f.Name)
			}
			var err error
			if msg, err = appendHeader(msg, f); err != nil {
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
	name, kind := f.Name, stringType
	if open := strings.LastIndexByte(name, '('); open >= 0 && strings.HasSuffix(name, ")") {
		for i, t := range headerTypes {
			if i != stringType && t.name == name[open+1:len(name)-1] {
				name, kind = name[:open], i
				break
			}
		}
	}
	if len(name) > 255 {
		return nil, fmt.Errorf("the name of header %q has %d bytes, at most 255 are allowed", name[:20]+"…", len(name))
	}
	value := []byte(f.Value)
	switch t := headerTypes[kind]; t.name {
	case "":
	case "byte", "short", "int", "long", "timestamp":
		v, err := strconv.ParseInt(f.Value, 10, 8*t.size)
		if err != nil {
			return nil, fmt.Errorf("header %q: %q is no number of %d bytes", f.Name, f.Value, t.size)
		}
		value = binary.BigEndian.AppendUint64(nil, uint64(v))[8-t.size:]
	default:
		var err error
		if value, err = hex.DecodeString(f.Value); err != nil || t.size >= 0 && len(value) != t.size {
			return nil, fmt.Errorf("header %q: %q are not the hexadecimal digits of its value", f.Name, f.Value)
		}
	}
	msg = append(append(msg, byte(len(name))), name...)
	msg = append(msg, byte(kind))
	if headerTypes[kind].size < 0 {
		if len(value) > 1<<15-1 {
			return nil, fmt.Errorf("header %q has %d bytes, at most 32767 are allowed", f.Name, len(value))
		}
		msg = binary.BigEndian.AppendUint16(msg, uint16(len(value)))
	}
	return append(msg, value...), nil
}
