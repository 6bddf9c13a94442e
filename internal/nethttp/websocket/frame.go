package websocket

import (
	"encoding/binary"
	"fmt"
	"math"
)

// An Opcode is the type of a message (RFC 6455, section 11.8).
type Opcode byte

// Opcodes of messages. Text and Binary messages may have several frames, the others are
// control frames.
const (
	Text   Opcode = 1
	Binary Opcode = 2
	Close  Opcode = 8
	Ping   Opcode = 9
	Pong   Opcode = 10
)

// continuation is the opcode of all frames of a fragmented message after the first.
const continuation Opcode = 0

// isControl reports whether an opcode is one of a control frame, or reserved for one (RFC
// 6455, section 5.5).
func (op Opcode) isControl() bool { return op >= Close }

// isKnown reports whether RFC 6455 defines the opcode of a frame.
func (op Opcode) isKnown() bool { return op <= Binary || Close <= op && op <= Pong }

// A Message is a text or binary message with the data of all its frames, or a control frame.
type Message struct {
	Opcode Opcode
	Data   []byte // without the mask; nil if the message is empty
}

// The layout of a frame (RFC 6455, section 5.2).
const (
	finalBit     = 0x80 // of the first byte
	reservedBits = 0x70
	opcodeBits   = 0x0f

	maskBit    = 0x80 // of the second byte
	lengthBits = 0x7f
	length16   = 126 // in place of a length: the length is in the next 2 bytes
	length64   = 127 // in place of a length: the length is in the next 8 bytes

	keySize       = 4
	maxHeaderSize = 2 + 8 + keySize

	maxControlData = 125 // RFC 6455, section 5.5
)

// AppendFrame appends a message as a server sends it: in one frame, without a mask. It panics
// if a control frame has more than 125 bytes of data.
func AppendFrame(dst []byte, op Opcode, data []byte) []byte {
	dst = appendHeader(dst, op, len(data), 0)
	return append(dst, data...)
}

// AppendMaskedFrame appends a message as a client sends it: in one frame, masked with a key.
// It panics if a control frame has more than 125 bytes of data.
func AppendMaskedFrame(dst []byte, op Opcode, data []byte, key [4]byte) []byte {
	dst = appendHeader(dst, op, len(data), maskBit)
	dst = append(dst, key[:]...)
	dst = append(dst, data...)
	mask(dst[len(dst)-len(data):], key, 0)
	return dst
}

// appendHeader appends the header of a final frame, without the key of the mask. flag is
// maskBit if the frame is masked, and 0 otherwise.
func appendHeader(dst []byte, op Opcode, length int, flag byte) []byte {
	if op.isControl() && length > maxControlData {
		panic(fmt.Sprintf("websocket: a control frame with %d bytes of data", length))
	}
	dst = append(dst, finalBit|byte(op))
	switch {
	case length < length16:
		return append(dst, flag|byte(length))
	case length <= math.MaxUint16:
		dst = append(dst, flag|length16)
		return binary.BigEndian.AppendUint16(dst, uint16(length))
	}
	dst = append(dst, flag|length64)
	return binary.BigEndian.AppendUint64(dst, uint64(length))
}

// mask masks data in place, or removes the mask (RFC 6455, section 5.3). data begins at a
// position in the data of its frame.
func mask(data []byte, key [4]byte, position int64) {
	var rotated [4]byte // the key as it begins at data[0]
	for i := range rotated {
		rotated[i] = key[(position+int64(i))%keySize]
	}

	word := uint64(binary.LittleEndian.Uint32(rotated[:]))
	word |= word << 32
	for len(data) >= 8 {
		masked := binary.LittleEndian.Uint64(data) ^ word
		binary.LittleEndian.PutUint64(data, masked)
		data = data[8:]
	}
	for i := range data {
		data[i] ^= rotated[i%keySize]
	}
}
