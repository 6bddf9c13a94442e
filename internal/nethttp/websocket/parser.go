package websocket

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// DefaultMaxMessage is the size in bytes of the longest message that a [Parser] takes by
// default. It is far above the limits of APIs of models, which are below 100 MB, and keeps
// a hostile peer from filling the memory.
const DefaultMaxMessage = 1 << 30

// A Parser parses the bytes that one side of a connection sends after the handshake. Its
// zero value parses the bytes of a server. A Parser is not safe for concurrent use.
type Parser struct {
	// Masked says that the bytes are those of a client, which masks all frames. A server
	// masks none (RFC 6455, section 5.1).
	Masked bool

	// MaxMessage is the size in bytes of the longest text or binary message; 0 is
	// [DefaultMaxMessage].
	MaxMessage int64

	offset int64 // number of bytes parsed
	err    error // a *ProtocolError, after which nothing is parsed
	closed bool  // a Close frame was parsed

	header     [maxHeaderSize]byte // the header of the current frame
	headerSize int                 // how many bytes of it have come; 0 between frames
	frame      frame               // of the current frame, if inData
	inData     bool                // the header is complete

	message incoming // the text or binary message that the frames so far are part of
	control incoming // the current control frame
}

// A frame is what the parser needs of a header while the data of the frame comes.
type frame struct {
	isFinal bool
	opcode  Opcode
	length  int64
	read    int64 // how many bytes of the data have come
	key     [keySize]byte
}

// An incoming message is one whose frames are not complete. Its opcode is 0 if there is
// none.
type incoming struct {
	Message
	valid int // of a text: how many bytes are known to be whole characters
}

// Parse parses the next bytes, in pieces of any size, and returns the messages that they
// complete, in their order on the wire: control frames inside a fragmented message come
// before it. A message owns its data.
//
// An error is a [*ProtocolError]; the messages that were complete before it are returned,
// too. From then on, Parse returns the same error. After a Close message, all bytes are
// ignored (RFC 6455, section 1.4).
//
// The messages and the error do not depend on how the bytes are cut into pieces. Memory
// grows with the data that came, and not with the length that a header announces.
func (p *Parser) Parse(piece []byte) ([]Message, error) {
	var messages []Message
	for len(piece) > 0 && p.err == nil && !p.closed {
		n, err := p.parseSome(piece)
		piece = piece[n:]
		p.offset += int64(n)
		if err != nil {
			p.err = err
			break
		}

		isFrameComplete := p.inData && p.frame.read == p.frame.length
		if !isFrameComplete {
			continue
		}
		message, ok, err := p.endFrame()
		if err != nil {
			p.err = err
			break
		}
		if ok {
			messages = append(messages, message)
		}
	}
	return messages, p.err
}

// Partial reports whether the bytes parsed so far end inside a frame or a fragmented
// message. If the connection ends there, data is lost.
func (p *Parser) Partial() bool {
	return p.headerSize > 0 || p.message.Opcode != 0
}

// parseSome parses bytes of a header or of the data of a frame, and returns how many.
func (p *Parser) parseSome(piece []byte) (n int, err error) {
	if p.inData {
		return p.parseData(piece)
	}
	return p.parseHeader(piece)
}

// parseHeader parses bytes of a header (RFC 6455, section 5.2).
func (p *Parser) parseHeader(piece []byte) (n int, err error) {
	start := p.offset - int64(p.headerSize)
	n = p.fillHeader(piece, 2)
	if p.headerSize < 2 {
		return n, nil
	}
	err = p.checkStart(start)
	if err != nil {
		return n, err
	}

	size := headerSize(p.header[1])
	n += p.fillHeader(piece[n:], size)
	if p.headerSize < size {
		return n, nil
	}
	length, err := p.length(start)
	if err != nil {
		return n, err
	}

	p.frame = frame{
		isFinal: p.header[0]&finalBit != 0,
		opcode:  Opcode(p.header[0] & opcodeBits),
		length:  length,
	}
	if p.Masked {
		copy(p.frame.key[:], p.header[size-keySize:size])
	}
	p.inData = true
	p.begin(p.frame.opcode)
	return n, nil
}

// fillHeader takes bytes of a piece until the header has a size, and returns how many.
func (p *Parser) fillHeader(piece []byte, size int) int {
	if p.headerSize >= size {
		return 0
	}
	n := copy(p.header[p.headerSize:size], piece)
	p.headerSize += n
	return n
}

// headerSize returns the size of a header with this second byte.
func headerSize(second byte) int {
	size := 2
	switch second & lengthBits {
	case length16:
		size += 2
	case length64:
		size += 8
	}
	if second&maskBit != 0 {
		size += keySize
	}
	return size
}

// checkStart checks the first two bytes of a header that begins at an offset.
func (p *Parser) checkStart(offset int64) error {
	first, second := p.header[0], p.header[1]
	opcode := Opcode(first & opcodeBits)
	isFinal := first&finalBit != 0
	isFragmented := p.message.Opcode != 0
	isMasked := second&maskBit != 0

	switch {
	case first&reservedBits != 0:
		return violation(offset, "a reserved bit is set, and no extension was agreed on")
	case !opcode.isKnown():
		return violation(offset, fmt.Sprintf("opcode %d is reserved", opcode))
	case opcode.isControl() && !isFinal:
		return violation(offset, "a control frame is fragmented")
	case opcode == continuation && !isFragmented:
		return violation(offset, "a frame continues a message, and none has begun")
	case isFragmented && isData(opcode):
		return violation(offset, "a message begins inside a fragmented message")
	case p.Masked && !isMasked:
		return violation(offset+1, "a frame of a client is not masked")
	case !p.Masked && isMasked:
		return violation(offset+1, "a frame of a server is masked")
	case opcode.isControl() && second&lengthBits > maxControlData:
		return violation(offset+1, "a control frame has more than 125 bytes of data")
	}
	return nil
}

// isData reports whether a frame with an opcode begins a text or binary message.
func isData(op Opcode) bool { return op == Text || op == Binary }

// length returns the length of the data of the frame, whose header begins at an offset.
func (p *Parser) length(offset int64) (int64, error) {
	length := uint64(p.header[1] & lengthBits)
	shortest := uint64(0) // the smallest number that needs as many bytes
	switch length {
	case length16:
		length = uint64(binary.BigEndian.Uint16(p.header[2:]))
		shortest = length16
	case length64:
		length = binary.BigEndian.Uint64(p.header[2:])
		shortest = math.MaxUint16 + 1
	}
	if length > math.MaxInt64 {
		return 0, violation(offset+2, "the first bit of a length of 8 bytes is set")
	}
	if length < shortest {
		return 0, violation(offset+2, "a length has more bytes than it needs")
	}

	opcode := Opcode(p.header[0] & opcodeBits)
	limit := cmp.Or(p.MaxMessage, DefaultMaxMessage)
	isTooBig := int64(length) > limit-int64(len(p.message.Data))
	if isTooBig && !opcode.isControl() {
		text := fmt.Sprintf("a message has more than %d bytes", limit)
		return 0, &ProtocolError{CodeTooBig, offset + 1, text}
	}
	return int64(length), nil
}

// begin begins the message of a frame, unless the frame continues one.
func (p *Parser) begin(op Opcode) {
	if op.isControl() {
		p.control = incoming{Message: Message{Opcode: op}}
	} else if op != continuation {
		p.message = incoming{Message: Message{Opcode: op}}
	}
}

// current returns the message that the data of the frame belongs to.
func (p *Parser) current() *incoming {
	if p.frame.opcode.isControl() {
		return &p.control
	}
	return &p.message
}

// parseData parses bytes of the data of the frame.
func (p *Parser) parseData(piece []byte) (n int, err error) {
	left := p.frame.length - p.frame.read
	n = int(min(int64(len(piece)), left))

	m := p.current()
	old := len(m.Data)
	m.Data = p.grow(m.Data, n)
	m.Data = append(m.Data, piece[:n]...)
	if p.Masked {
		mask(m.Data[old:], p.frame.key, p.frame.read)
	}
	p.frame.read += int64(n)

	if m.Opcode != Text {
		return n, nil
	}
	isLast := p.frame.isFinal && p.frame.read == p.frame.length
	return n, p.checkText(m, p.offset+int64(n), isLast)
}

// grow returns data with room for n bytes more. The room doubles, so that a message of many
// pieces is copied a constant number of times. It is never more than what the last frame
// of a message announces.
func (p *Parser) grow(data []byte, n int) []byte {
	if len(data)+n <= cap(data) {
		return data
	}
	size := max(len(data)+n, 2*len(data))
	if p.frame.isFinal {
		whole := int64(len(data)) + p.frame.length - p.frame.read
		size = int(min(int64(size), whole))
	}
	grown := make([]byte, len(data), size)
	copy(grown, data)
	return grown
}

// checkText checks the bytes of a text that were not checked. The text so far ends at an
// offset.
func (p *Parser) checkText(m *incoming, end int64, isLast bool) error {
	unchecked := m.Data[m.valid:]
	n, ok := scanUTF8(unchecked, isLast)
	if !ok {
		offset := end - int64(len(unchecked)-n)
		return &ProtocolError{CodeInvalidData, offset, "a text is not UTF-8"}
	}
	m.valid += n
	return nil
}

// endFrame ends a frame whose data is complete. It returns the message that the frame
// completes; ok is false if there is none.
func (p *Parser) endFrame() (message Message, ok bool, err error) {
	p.headerSize = 0
	p.inData = false
	if !p.frame.isFinal {
		return Message{}, false, nil
	}

	m := p.current()
	message = m.Message
	if message.Opcode == Text && m.valid < len(message.Data) { // the last frame is empty
		err = p.checkText(m, p.offset, true)
	}
	if message.Opcode == Close {
		err = p.checkClose(message.Data)
		p.closed = true
	}
	*m = incoming{}
	return message, err == nil, err
}

// checkClose checks the data of a Close frame, which ends at the current offset.
func (p *Parser) checkClose(data []byte) error {
	_, _, err := ParseClose(data)
	var e *ProtocolError
	if errors.As(err, &e) {
		e.Offset += p.offset - int64(len(data))
	}
	return err
}

// violation returns the error of a frame that violates RFC 6455 at an offset.
func violation(offset int64, text string) error {
	return &ProtocolError{CodeProtocolError, offset, text}
}
