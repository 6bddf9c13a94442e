package websocket

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// key is the mask of the examples in RFC 6455, section 5.7.
var key = [4]byte{0x37, 0xfa, 0x21, 0x3d}

// A result is all that a parser says about a stream.
type result struct {
	messages []Message
	err      error
	partial  bool
}

// parse parses a stream that is cut into pieces. next returns the size of the next piece.
func parse(p *Parser, stream []byte, next func() int) result {
	var r result
	for len(stream) > 0 {
		n := min(next(), len(stream))
		piece := bytes.Clone(stream[:n])
		messages, err := p.Parse(piece)
		clear(piece) // a caller uses its buffer again
		r.messages = append(r.messages, messages...)
		r.err = err
		stream = stream[n:]
	}
	r.partial = p.Partial()
	return r
}

func parseWhole(p *Parser, stream []byte) result {
	return parse(p, stream, func() int { return len(stream) })
}

// fragment returns a frame that is not final.
func fragment(op Opcode, data string) []byte {
	frame := AppendFrame(nil, op, []byte(data))
	frame[0] &^= finalBit
	return frame
}

func final(op Opcode, data string) []byte { return AppendFrame(nil, op, []byte(data)) }

func join(frames ...[]byte) []byte { return bytes.Join(frames, nil) }

// TestFramesOfTheRFC: the examples of RFC 6455, section 5.7.
func TestFramesOfTheRFC(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte{0xfe}, 256)
	longer := bytes.Repeat([]byte{0xfe}, 65536)
	for _, tt := range []struct {
		name   string
		masked bool
		stream []byte
		want   Message
	}{
		{"text", false, []byte("\x81\x05Hello"), Message{Text, []byte("Hello")}},
		{"masked text", true, []byte("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"), Message{Text, []byte("Hello")}},
		{"fragmented text", false, []byte("\x01\x03Hel\x80\x02lo"), Message{Text, []byte("Hello")}},
		{"ping", false, []byte("\x89\x05Hello"), Message{Ping, []byte("Hello")}},
		{"masked pong", true, []byte("\x8a\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"), Message{Pong, []byte("Hello")}},
		{"256 bytes", false, append([]byte("\x82\x7e\x01\x00"), long...), Message{Binary, long}},
		{"64 KiB", false, append([]byte("\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00"), longer...), Message{Binary, longer}},
	} {
		got := parseWhole(&Parser{Masked: tt.masked}, tt.stream)
		want := result{messages: []Message{tt.want}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %.100v", tt.name, got)
		}
		if tt.stream[0]&finalBit == 0 {
			continue
		}
		frame := AppendFrame(nil, tt.want.Opcode, tt.want.Data)
		if tt.masked {
			frame = AppendMaskedFrame(nil, tt.want.Opcode, tt.want.Data, key)
		}
		if !bytes.Equal(frame, tt.stream) {
			t.Errorf("%s: written as %.20x, want %.20x", tt.name, frame, tt.stream)
		}
	}
}

// TestMessagesInTheirOrder: control frames between fragments come before the message, an
// empty frame is a message, and what follows a Close frame is ignored.
func TestMessagesInTheirOrder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		stream []byte
		want   result
	}{
		{"nothing", nil, result{}},
		{"empty", join(final(Text, ""), final(Binary, ""), final(Ping, "")), result{messages: []Message{{Text, nil}, {Binary, nil}, {Ping, nil}}}},
		{
			"control frames in a fragmented message",
			join(fragment(Binary, "a"), final(Ping, "1"), fragment(continuation, ""), final(Pong, ""), fragment(continuation, "b"), final(continuation, "c"), final(Text, "d")),
			result{messages: []Message{{Ping, []byte("1")}, {Pong, nil}, {Binary, []byte("abc")}, {Text, []byte("d")}}},
		},
		{"fragments without data", join(fragment(Text, ""), final(continuation, "")), result{messages: []Message{{Text, nil}}}},
		{
			"a character in four frames",
			join(fragment(Text, "\xf0"), fragment(continuation, "\x9f"), final(Ping, "\xff"), fragment(continuation, "\x98"), final(continuation, "\x80")),
			result{messages: []Message{{Ping, []byte("\xff")}, {Text, []byte("😀")}}},
		},
		{"binary is any bytes", final(Binary, "\xff"), result{messages: []Message{{Binary, []byte("\xff")}}}},
		{"close", join(final(Close, "\x03\xe8bye"), final(Text, "ignored"), []byte("\xff")), result{messages: []Message{{Close, []byte("\x03\xe8bye")}}}},
		{"close without a code", final(Close, ""), result{messages: []Message{{Close, nil}}}},
		{"close in a fragmented message", join(fragment(Text, "a"), final(Close, "")), result{messages: []Message{{Close, nil}}, partial: true}},
		{"a half header", []byte("\x81"), result{partial: true}},
		{"a header", []byte("\x81\x01"), result{partial: true}},
		{"a half frame", []byte("\x81\x02a"), result{partial: true}},
		{"a fragment", fragment(Text, "a"), result{partial: true}},
		{"a ping after a fragment", join(fragment(Text, "a"), final(Ping, "")), result{messages: []Message{{Ping, nil}}, partial: true}},
	} {
		for size := range 5 {
			got := parse(&Parser{}, tt.stream, func() int { return size + 1 })
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%s, in pieces of %d: %v, want %v", tt.name, size+1, got, tt.want)
			}
		}
	}
}

// TestViolations: each violation of RFC 6455 ends the stream at its byte, after the
// messages that were complete, however the bytes are cut.
func TestViolations(t *testing.T) {
	t.Parallel()
	hello := final(Text, "Hello") // 7 bytes
	const (
		reserved     = "a reserved bit is set, and no extension was agreed on"
		needless     = "a length has more bytes than it needs"
		notUTF8      = "a text is not UTF-8"
		reasonNoUTF8 = "the reason of a Close frame is not UTF-8"
		longControl  = "a control frame has more than 125 bytes of data"
	)
	for _, tt := range []struct {
		name   string
		masked bool
		frames []byte // after hello
		want   ProtocolError
	}{
		{"first reserved bit", false, []byte("\xc1\x00"), ProtocolError{1002, 7, reserved}},
		{"second reserved bit", false, []byte("\xa1\x00"), ProtocolError{1002, 7, reserved}},
		{"third reserved bit", false, []byte("\x91\x00"), ProtocolError{1002, 7, reserved}},
		{"HTTP", false, []byte("HTTP/1.1 400 Bad Request"), ProtocolError{1002, 7, reserved}},
		{"opcode 3", false, []byte("\x83\x00"), ProtocolError{1002, 7, "opcode 3 is reserved"}},
		{"opcode 7 in fragments", false, []byte("\x07\x00"), ProtocolError{1002, 7, "opcode 7 is reserved"}},
		{"opcode 11", false, []byte("\x8b\x00"), ProtocolError{1002, 7, "opcode 11 is reserved"}},
		{"opcode 15", false, []byte("\x8f\x00"), ProtocolError{1002, 7, "opcode 15 is reserved"}},
		{"fragmented ping", false, fragment(Ping, ""), ProtocolError{1002, 7, "a control frame is fragmented"}},
		{"fragmented close", false, fragment(Close, ""), ProtocolError{1002, 7, "a control frame is fragmented"}},
		{"long ping", false, []byte("\x89\x7e\x00\x7e"), ProtocolError{1002, 8, longControl}},
		{"long close", false, []byte("\x88\x7f\x00\x00\x00\x00\x00\x01\x00\x00"), ProtocolError{1002, 8, longControl}},
		{"continuation", false, final(continuation, ""), ProtocolError{1002, 7, "a frame continues a message, and none has begun"}},
		{"continuation after the end", false, join(fragment(Text, ""), final(continuation, ""), final(continuation, "")), ProtocolError{1002, 11, "a frame continues a message, and none has begun"}},
		{"text in a text", false, join(fragment(Text, "a"), final(Text, "")), ProtocolError{1002, 10, "a message begins inside a fragmented message"}},
		{"binary in a text", false, join(fragment(Text, "a"), fragment(Binary, "")), ProtocolError{1002, 10, "a message begins inside a fragmented message"}},
		{"masked server", false, AppendMaskedFrame(nil, Text, nil, key), ProtocolError{1002, 8, "a frame of a server is masked"}},
		{"client without mask", true, final(Text, ""), ProtocolError{1002, 8 + keySize, "a frame of a client is not masked"}},
		{"125 in 2 bytes", false, []byte("\x81\x7e\x00\x7d"), ProtocolError{1002, 9, needless}},
		{"0 in 8 bytes", false, []byte("\x81\x7f\x00\x00\x00\x00\x00\x00\x00\x00"), ProtocolError{1002, 9, needless}},
		{"65535 in 8 bytes", false, []byte("\x81\x7f\x00\x00\x00\x00\x00\x00\xff\xff"), ProtocolError{1002, 9, needless}},
		{"negative length", false, []byte("\x81\x7f\x80\x00\x00\x00\x00\x01\x00\x00"), ProtocolError{1002, 9, "the first bit of a length of 8 bytes is set"}},
		{"endless message", false, []byte("\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xff"), ProtocolError{1009, 8, "a message has more than 1073741824 bytes"}},
		{"close of one byte", false, final(Close, "\x03"), ProtocolError{1002, 9, "the data of a Close frame has one byte"}},
		{"close with code 1006", false, final(Close, "\x03\xee"), ProtocolError{1002, 9, "close code 1006 must not be in a frame"}},
		{"close with a bad reason", false, final(Close, "\x03\xe8ab\xff"), ProtocolError{1007, 13, reasonNoUTF8}},
		{"close with half a character", false, final(Close, "\x03\xe8ab\xe2\x82"), ProtocolError{1007, 15, reasonNoUTF8}},
		{"bad byte", false, final(Text, "ab\xffcd"), ProtocolError{1007, 11, notUTF8}},
		{"bad second byte", false, final(Text, "ab\xe2cd"), ProtocolError{1007, 12, notUTF8}},
		{"overlong character", false, final(Text, "ab\xc0\x80"), ProtocolError{1007, 11, notUTF8}},
		{"surrogate", false, final(Text, "ab\xed\xa0\x80"), ProtocolError{1007, 12, notUTF8}},
		{"beyond Unicode", false, final(Text, "\xf4\x90\x80\x80"), ProtocolError{1007, 10, notUTF8}},
		{"bad third byte in another frame", false, join(fragment(Text, "ab\xe2\x82"), final(Ping, ""), final(continuation, "x")), ProtocolError{1007, 17, notUTF8}},
		{"end inside a character", false, final(Text, "ab\xe2\x82"), ProtocolError{1007, 13, notUTF8}},
		{"end inside a character, empty frame", false, join(fragment(Text, "ab\xe2\x82"), final(continuation, "")), ProtocolError{1007, 15, notUTF8}},
		{"masked bad byte", true, AppendMaskedFrame(nil, Text, []byte("abcdefghi\xff"), key), ProtocolError{1007, 7 + 4 + 6 + 9, notUTF8}},
	} {
		stream := join(hello, tt.frames, hello)
		if tt.masked {
			stream = join(AppendMaskedFrame(nil, Text, []byte("Hello"), key), tt.frames)
		}
		for size := range 9 {
			p := &Parser{Masked: tt.masked}
			got := parse(p, stream, func() int { return size + 1 })
			before := slices.DeleteFunc(got.messages, func(m Message) bool { return m.Opcode == Ping || len(m.Data) == 0 })
			if len(before) != 1 || string(before[0].Data) != "Hello" {
				t.Errorf("%s: %v before the violation", tt.name, got.messages)
			}
			var violation *ProtocolError
			if !errors.As(got.err, &violation) || *violation != tt.want {
				t.Errorf("%s, in pieces of %d: %v, want %v", tt.name, size+1, got.err, &tt.want)
			}
			messages, err := p.Parse(hello)
			if messages != nil || err != got.err {
				t.Errorf("%s: after the violation: %v, %v", tt.name, messages, err)
			}
		}
		if data := CloseData(tt.want.Code, tt.want.Text); len(data) != 2+len(tt.want.Text) {
			t.Errorf("%s: the text does not fit into a Close frame", tt.name)
		}
	}
}

// TestViolationText: the error says where and what, and with which code to close.
func TestViolationText(t *testing.T) {
	t.Parallel()
	_, err := new(Parser).Parse([]byte("\x83\x00"))
	const want = "websocket: opcode 3 is reserved (byte 0, close code 1002)"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestViolationIsFoundAtOnce: no byte after the one that violates the RFC is waited for.
func TestViolationIsFoundAtOnce(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"\x83\x7f", "\x81\xff", "\x89\x7e", "\x81\x7e\x00\x7d", "\x81\x7e\x01\x00a\xff"} {
		p := &Parser{}
		for i := range stream {
			_, err := p.Parse([]byte(stream[i : i+1]))
			isLast := i == len(stream)-1
			if (err != nil) != isLast {
				t.Errorf("%x, byte %d: %v", stream, i, err)
			}
		}
	}
}

// TestMaxMessage: the limit is for the data of all frames of a message, and not for
// control frames.
func TestMaxMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		stream []byte
		offset int64 // 0 if the messages are short enough
	}{
		{"as long as the limit", join(final(Text, "abcd"), final(Text, "efgh")), 0},
		{"fragments as long as the limit", join(fragment(Text, "ab"), final(Ping, "123456"), final(continuation, "cd")), 0},
		{"too long", final(Text, "abcde"), 1},
		{"fragments too long", join(fragment(Text, "ab"), fragment(continuation, "c"), final(continuation, "de")), 4 + 3 + 1},
	} {
		got := parseWhole(&Parser{MaxMessage: 4}, tt.stream)
		var violation *ProtocolError
		errors.As(got.err, &violation)
		switch {
		case tt.offset == 0 && got.err != nil:
			t.Errorf("%s: %v", tt.name, got.err)
		case tt.offset > 0 && (violation == nil || violation.Code != CodeTooBig || violation.Offset != tt.offset):
			t.Errorf("%s: %v", tt.name, got.err)
		}
	}
}

// TestLengths: a length is written, and has to be, in as few bytes as possible.
func TestLengths(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		length int
		header string
	}{
		{0, "\x82\x00"},
		{125, "\x82\x7d"},
		{126, "\x82\x7e\x00\x7e"},
		{65535, "\x82\x7e\xff\xff"},
		{65536, "\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00"},
	} {
		data := make([]byte, tt.length)
		frame := AppendFrame(nil, Binary, data)
		header := string(frame[:len(frame)-tt.length])
		if header != tt.header {
			t.Errorf("%d bytes: header %x, want %x", tt.length, header, tt.header)
		}
		got := parseWhole(&Parser{}, frame)
		if len(got.messages) != 1 || len(got.messages[0].Data) != tt.length || got.err != nil {
			t.Errorf("%d bytes: %.100v", tt.length, got)
		}
	}
}

// TestTextIsCutAnywhere: a text with characters of all sizes may be cut at each of its bytes.
func TestTextIsCutAnywhere(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("aé€😀", 20)
	for name, stream := range map[string][]byte{
		"server": final(Text, text),
		"client": AppendMaskedFrame(nil, Text, []byte(text), key),
	} {
		for size := 1; size <= len(stream); size++ {
			p := &Parser{Masked: name == "client"}
			got := parse(p, stream, func() int { return size })
			if len(got.messages) != 1 || string(got.messages[0].Data) != text || got.err != nil {
				t.Errorf("%s, in pieces of %d: %v", name, size, got)
			}
		}
	}
}

// TestEachMessageOwnsItsData: a caller may change the data of a message and append to it.
func TestEachMessageOwnsItsData(t *testing.T) {
	t.Parallel()
	stream := join(fragment(Text, "first"), final(Ping, "second"), final(continuation, "third"), final(Text, "fourth"))
	p := &Parser{}
	messages, err := p.Parse(stream)
	if err != nil || len(messages) != 3 {
		t.Fatal(messages, err)
	}
	clear(stream)
	for i, want := range []string{"second", "firstthird", "fourth"} {
		data := messages[i].Data
		if string(data) != want {
			t.Errorf("%q, want %q", data, want)
		}
		clear(append(data, "more"...))
		clear(data)
	}
}

// allocated returns how many bytes a function allocates. No other test may run at once.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestAnnouncedLengthAllocatesNothing: a header that announces a gigabyte costs no memory
// until the data comes.
func TestAnnouncedLengthAllocatesNothing(t *testing.T) {
	for _, op := range []Opcode{Text, Binary} {
		for _, flag := range []byte{0, finalBit} {
			stream := binary.BigEndian.AppendUint64([]byte{flag | byte(op), length64}, DefaultMaxMessage)
			stream = append(stream, "some data"...)
			p := &Parser{}
			var err error
			bytes := allocated(func() { _, err = p.Parse(stream) })
			if err != nil || !p.Partial() || bytes > 64<<10 {
				t.Errorf("opcode %d, flag %x: %d bytes allocated, error %v", op, flag, bytes, err)
			}
		}
	}
}

// TestLargeMessageIsCopiedFewTimes: what a message allocates grows with its size, and not
// with its number of pieces or frames.
func TestLargeMessageIsCopiedFewTimes(t *testing.T) {
	const size = 4 << 20
	data := bytes.Repeat([]byte("four"), size/4)
	var frames []byte
	for i := 0; i < size; i += 16 {
		op := continuation
		if i == 0 {
			op = Text
		}
		frames = append(frames, fragment(op, string(data[i:i+16]))...)
	}
	frames = append(frames, final(continuation, "")...)

	for _, tt := range []struct {
		name   string
		stream []byte
		piece  int
		most   uint64 // allocated in all
		kept   int    // of it for the message
	}{
		{"one frame, one piece", AppendFrame(nil, Text, data), 2 * size, size + size/8, size},
		{"one frame, pieces of 100 bytes", AppendFrame(nil, Text, data), 100, 4 * size, size},
		{"frames of 16 bytes, one piece", frames, 2 * size, 5 * size, 2 * size},
		{"frames of 16 bytes, pieces of 100 bytes", frames, 100, 5 * size, 2 * size},
	} {
		p := &Parser{}
		var last []Message
		bytes := allocated(func() {
			for piece := range slices.Chunk(tt.stream, tt.piece) {
				last, _ = p.Parse(piece)
			}
		})
		if len(last) != 1 || len(last[0].Data) != size {
			t.Fatalf("%s: the message did not come", tt.name)
		}
		if kept := cap(last[0].Data); kept > tt.kept {
			t.Errorf("%s: %d bytes kept, want at most %d", tt.name, kept, tt.kept)
		}
		if bytes > tt.most {
			t.Errorf("%s: %d bytes allocated, want at most %d", tt.name, bytes, tt.most)
		}
	}
}

// streams are seeds for the fuzz test.
var streams = [][]byte{
	join(final(Text, "Hello"), fragment(Text, "\xf0\x9f"), final(Ping, "p"), final(continuation, "\x98\x80"), final(Close, "\x03\xe8bye")),
	join(fragment(Binary, "a"), final(continuation, strings.Repeat("b", 300)), final(Text, strings.Repeat("é", 40_000))[:100]),
	join(AppendMaskedFrame(nil, Text, []byte("Hello, world"), key), AppendMaskedFrame(nil, Close, nil, key)),
	join(fragment(Text, "\xe2\x82"), final(continuation, "")),
	join(fragment(Text, "\xe2"), final(Pong, ""), final(continuation, "\x28\xa1")),
	final(Close, "\x03\xe8\xff"),
	[]byte("\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xff"),
	[]byte("\x81\x7e\x00\x01a"),
	[]byte("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
}

// FuzzPieces: a stream gives the same messages, the same error and the same end, however it
// is cut.
func FuzzPieces(f *testing.F) {
	for i, stream := range streams {
		f.Add(stream, i%2 == 0, uint64(i))
		f.Add(stream, i%2 != 0, uint64(i))
	}
	f.Fuzz(func(t *testing.T, stream []byte, masked bool, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		most := 1 + random.IntN(64)
		newParser := func() *Parser { return &Parser{Masked: masked, MaxMessage: 1 << 20} }

		want := parseWhole(newParser(), stream)
		for name, next := range map[string]func() int{
			"bytes":  func() int { return 1 },
			"random": func() int { return 1 + random.IntN(most) },
		} {
			got := parse(newParser(), stream, next)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%x in pieces (%s): %v, want %v", stream, name, got, want)
			}
		}
		for _, m := range want.messages {
			if m.Opcode == Text && !utf8.Valid(m.Data) {
				t.Errorf("%x: %q is not UTF-8", stream, m.Data)
			}
		}
	})
}

// FuzzFrames: a frame that is written is read as the same message, alone and in fragments.
func FuzzFrames(f *testing.F) {
	for _, data := range []string{"", "Hello", "\x03\xe8bye", "\xff", strings.Repeat("é", 100), strings.Repeat("a", 70_000)} {
		for _, op := range []Opcode{Text, Binary, Close, Ping, Pong} {
			f.Add(byte(op), []byte(data), uint32(0x37fa213d), uint16(3))
		}
	}
	f.Fuzz(func(t *testing.T, opcode byte, data []byte, mask uint32, cut uint16) {
		op := Opcode(opcode)
		isMessage := op != continuation && op.isKnown()
		if !isMessage {
			return
		}
		if op.isControl() {
			data = data[:min(len(data), maxControlData)]
		}
		var k [4]byte
		binary.BigEndian.PutUint32(k[:], mask)
		at := min(int(cut), len(data))

		written := map[string]result{
			"server": parseWhole(&Parser{}, AppendFrame(nil, op, data)),
			"client": parseWhole(&Parser{Masked: true}, AppendMaskedFrame(nil, op, data, k)),
		}
		if !op.isControl() {
			fragments := join(fragment(op, string(data[:at])), final(Ping, ""), final(continuation, string(data[at:])))
			r := parseWhole(&Parser{}, fragments)
			r.messages = slices.DeleteFunc(r.messages, func(m Message) bool { return m.Opcode == Ping })
			written["fragments"] = r
		}

		_, _, closeErr := ParseClose(data)
		isRefused := op == Text && !utf8.Valid(data) || op == Close && closeErr != nil
		for name, r := range written {
			if isRefused {
				if len(r.messages) != 0 || r.err == nil {
					t.Errorf("%s, opcode %d, %q: read as %v", name, op, data, r)
				}
				continue
			}
			isSame := len(r.messages) == 1 && r.messages[0].Opcode == op && bytes.Equal(r.messages[0].Data, data)
			if !isSame || r.err != nil || r.partial {
				t.Errorf("%s, opcode %d, %q: read as %v", name, op, data, r)
			}
		}
	})
}

// BenchmarkLargeText parses a masked text of 1 MB in one frame, in pieces as io.Copy has
// them.
func BenchmarkLargeText(b *testing.B) {
	text := bytes.Repeat([]byte("0123456789"), 100_000)
	benchmarkParse(b, AppendMaskedFrame(nil, Text, text, key))
}

// BenchmarkSmallMessages parses 100,000 masked texts of 100 bytes.
func BenchmarkSmallMessages(b *testing.B) {
	text := bytes.Repeat([]byte("0123456789"), 10)
	var stream []byte
	for range 100_000 {
		stream = AppendMaskedFrame(stream, Text, text, key)
	}
	benchmarkParse(b, stream)
}

func benchmarkParse(b *testing.B, stream []byte) {
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		p := Parser{Masked: true}
		for piece := range slices.Chunk(stream, 32<<10) {
			_, err := p.Parse(piece)
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
