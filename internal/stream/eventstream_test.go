package stream

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"reflect"
	"strings"
	"testing"
)

// Messages as AWS publishes them for the implementers of SDKs (in each SDK's
// tests, in Go's under aws/protocol/eventstream/testdata/encoded).
const (
	allHeaders       = "000000cc000000af0fae64ca0a6576656e742d74797065040000a00c0c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0a626f6f6c2066616c73650109626f6f6c207472756500046279746502cf08627974652062756606001449276d2061206c6974746c6520746561706f74210974696d657374616d70080000000000845fed05696e74313603002a05696e7436340500000000028757b20475756964090102030405060708090a0b0c0d0e0f107b27666f6f273a27626172277daba5f10c"
	emptyMessage     = "000000100000000005c248eb7d98c8ff"
	noHeaders        = "0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936"
	stringHeader     = "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1"
	corruptHeaderLen = "0000003d0000002107fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1"
	corruptHeaders   = "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b61666f6f273a27626172277d8d9c08b1"
	corruptLength    = "0000003e0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1"
	corruptPayload   = "0000001d00000000fd528c5a5b27666f6f273a27626172277dc3653936"
)

func unhex(s string) string {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// message builds a message by the letter of the specification.
func message(headers, payload string) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(headers)+len(payload)+16))
	b = binary.BigEndian.AppendUint32(b, uint32(len(headers)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(b, headers+payload...)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

const awsMedia = "application/vnd.amazon.eventstream"

var eventStreamBodies = []sample{
	{"AWS, all kinds of headers", awsMedia, unhex(allHeaders), "aws-event-stream", 1, 0},
	{"AWS, an empty message", awsMedia, unhex(emptyMessage), "aws-event-stream", 1, 1},
	{"AWS, no headers", awsMedia, unhex(noHeaders), "aws-event-stream", 1, 0},
	{"AWS, three messages", awsMedia, unhex(noHeaders + stringHeader + noHeaders), "aws-event-stream", 3, 0},
	{"AWS, without a content type", "", unhex(stringHeader), "aws-event-stream", 1, 0},
	{"AWS, as bytes", "application/octet-stream", unhex(stringHeader), "aws-event-stream", 1, 0},
	{"AWS, the sum of the prelude is wrong", awsMedia, unhex(corruptHeaderLen), "", 0, 0},
	{"AWS, the length is wrong", awsMedia, unhex(corruptLength), "", 0, 0},
	{"AWS, a header is wrong", awsMedia, unhex(corruptHeaders), "aws-event-stream", 1, 1},
	{"AWS, the payload is wrong", awsMedia, unhex(noHeaders + corruptPayload + stringHeader), "aws-event-stream", 3, 1},
	{"AWS, cut off", awsMedia, unhex(noHeaders + stringHeader[:40]), "aws-event-stream", 2, 1},
	{"AWS, lost in the middle", awsMedia, unhex(noHeaders + corruptLength + noHeaders), "aws-event-stream", 2, 1},
	{"AWS, only a prelude", awsMedia, unhex(stringHeader[:24]), "aws-event-stream", 1, 1},
	{"AWS, a JSON error labelled so", awsMedia, `{"message":"no"}`, "", 0, 0},
	{"AWS, a header named like the payload", awsMedia, message("\x04data\x07\x00\x01x", "y"), "aws-event-stream", 1, 1},
	{"AWS, a header named like the raw form", awsMedia, message("\x03raw\x07\x00\x01x", ""), "aws-event-stream", 1, 1},
	{"AWS, a string named like a type", awsMedia, message("\x06a(int)\x07\x00\x011", ""), "aws-event-stream", 1, 1},
	{"AWS, a header of no type", awsMedia, message("\x01a\x0a", ""), "aws-event-stream", 1, 1},
	{"AWS, a header that is too short", awsMedia, message("\x01a\x07\x00\x09x", ""), "aws-event-stream", 1, 1},
	{"AWS, a header without a length", awsMedia, message("\x01a\x07\x00", ""), "aws-event-stream", 1, 1},
	{"AWS, a name that is too short", awsMedia, message("\x09a", ""), "aws-event-stream", 1, 1},
	{"AWS, bytes that are not text", awsMedia, message("", `{"bytes":"/w=="}`), "aws-event-stream", 1, 0},
	{"AWS, bytes with bits to spare", awsMedia, message("", `{"bytes":"YR=="}`), "aws-event-stream", 1, 0},
}

// TestMessageFields: how a message reads. The values are those that AWS gives
// for its vectors (testdata/decoded).
func TestMessageFields(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, frame string
		want        []Field
	}{
		{"all kinds of headers", unhex(allHeaders), []Field{
			{"event-type(int)", "40972"}, {"content-type", "application/json"}, {"bool false(false)", ""}, {"bool true(true)", ""},
			{"byte(byte)", "-49"}, {"byte buf(bytes)", hex.EncodeToString([]byte("I'm a little teapot!"))},
			{"timestamp(timestamp)", "8675309"}, {"int16(short)", "42"}, {"int64(long)", "42424242"},
			{"uuid(uuid)", "0102030405060708090a0b0c0d0e0f10"}, {"data", "{'foo':'bar'}"},
		}},
		{"Bedrock's Converse", message("\x0b:event-type\x07\x00\x0bmessageStop", `{"stopReason":"end_turn"}`), []Field{
			{":event-type", "messageStop"}, {"data", `{"stopReason":"end_turn"}`},
		}},
		{"Bedrock's Invoke", message("\x0b:event-type\x07\x00\x05chunk", `{"bytes":"eyJhIjoxfQ==","p":"abc"}`), []Field{
			{":event-type", "chunk"}, {"bytes", `{"a":1}`}, {"after", `,"p":"abc"}`},
		}},
		{"Invoke without padding", message("", `{"bytes":"eyJhIjoxfQ=="}`), []Field{{"bytes", `{"a":1}`}}},
		{"bytes that are not text", message("", `{"bytes":"/w=="}`), []Field{{"data", `{"bytes":"/w=="}`}}},
	}
	for _, tt := range tests {
		if got := eventStream.Read([]byte(tt.frame)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

// TestEditedMessage: a person changes a payload, and lengths and sums follow.
func TestEditedMessage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		fields []Field
		want   string
		err    string
	}{
		{"payload", []Field{{"content-type", "a"}, {"data", "longer than before"}}, message("\x0ccontent-type\x07\x00\x01a", "longer than before"), ""},
		{"event", []Field{{"bytes", `{"b":2}`}}, message("", `{"bytes":"eyJiIjoyfQ=="}`), ""},
		{"number", []Field{{"n(short)", "-2"}}, message("\x01n\x03\xff\xfe", ""), ""},
		{"no such type is a name", []Field{{"n(kg)", "1"}}, message("\x05n(kg)\x07\x00\x011", ""), ""},
		{"not a number", []Field{{"n(short)", "99999"}}, "", `header "n(short)": "99999" is not a number of 2 bytes`},
		{"not hexadecimal", []Field{{"n(uuid)", "zz"}}, "", `header "n(uuid)": "zz" are not the hexadecimal digits of its value`},
		{"too few digits", []Field{{"n(uuid)", "01"}}, "", `header "n(uuid)": "01" are not the hexadecimal digits of its value`},
		{"order", []Field{{"data", "a"}, {"x", "b"}}, "", `field "x" is after the payload: headers come first`},
		{"after nothing", []Field{{"after", "}"}}, "", `field "after" needs "bytes" before it`},
		{"raw with others", []Field{{"x", "b"}, {"raw", "a"}}, "", `field "raw" must be the only field of its event`},
		{"long name", []Field{{strings.Repeat("n", 256), ""}}, "", `the name of header "nnnnnnnnnnnnnnnnnnnn…" has 256 bytes, at most 255 are allowed`},
		{"long value", []Field{{"n", strings.Repeat("v", 1<<15)}}, "", `header "n" has 32768 bytes, at most 32767 are allowed`},
		{"long message", []Field{{"data", strings.Repeat("v", maxMessage)}}, "", "a message of 26214416 bytes is longer than 26214400"},
	}
	for _, tt := range tests {
		got, err := eventStream.Write(nil, tt.fields)
		if string(got) != tt.want || (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
			t.Errorf("%s: %x, %v\nwant %x, %q", tt.name, got, err, tt.want, tt.err)
		}
	}
}

// TestHostileLengths: a length that lies takes no memory and loses no byte.
func TestHostileLengths(t *testing.T) {
	t.Parallel()
	for _, lengths := range [][2]uint32{{1<<32 - 1, 0}, {15, 0}, {0, 0}, {100, 99}, {100, 1<<32 - 1}, {maxMessage + 1, 0}} {
		b := binary.BigEndian.AppendUint32(nil, lengths[0])
		b = binary.BigEndian.AppendUint32(b, lengths[1])
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
		b = append(b, "and more"...)
		if f := Detect(awsMedia, b); f != nil {
			t.Errorf("%v: detected as %s", lengths, f.Name)
		}
		checkLaws(t, &eventStream, b)
	}
}
