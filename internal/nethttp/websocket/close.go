package websocket

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Close codes (RFC 6455, section 7.4.1).
const (
	CodeNormal        = 1000
	CodeGoingAway     = 1001
	CodeProtocolError = 1002
	CodeNoStatus      = 1005 // the Close frame has no code; never in a frame
	CodeAbnormal      = 1006 // the connection ended without a Close frame; never in a frame
	CodeInvalidData   = 1007 // a text that is not UTF-8
	CodeTooBig        = 1009
	CodeInternalError = 1011
)

// codeSize is the size of the code at the beginning of the data of a Close frame.
const codeSize = 2

// maxReason is the size in bytes of the longest reason of a Close frame.
const maxReason = maxControlData - codeSize

// CloseData returns the data of a Close frame. A reason of more than 123 bytes is cut at the
// end of a character, and what is not UTF-8 in it is replaced by U+FFFD. The data is empty
// if the code must not be in a frame, as [CodeNoStatus].
func CloseData(code int, reason string) []byte {
	if !mayBeSent(code) {
		return nil
	}
	reason = strings.ToValidUTF8(reason, string(utf8.RuneError))
	if len(reason) > maxReason {
		end := maxReason
		for !utf8.RuneStart(reason[end]) {
			end--
		}
		reason = reason[:end]
	}
	data := binary.BigEndian.AppendUint16(nil, uint16(code))
	return append(data, reason...)
}

// ParseClose parses the data of a Close frame. Empty data has [CodeNoStatus]. An error is a
// [*ProtocolError], with an offset in data.
func ParseClose(data []byte) (code int, reason string, err error) {
	if len(data) == 0 {
		return CodeNoStatus, "", nil
	}
	if len(data) < codeSize {
		return 0, "", &ProtocolError{CodeProtocolError, 0, "the data of a Close frame has one byte"}
	}

	code = int(binary.BigEndian.Uint16(data))
	if !mayBeSent(code) {
		text := fmt.Sprintf("close code %d must not be in a frame", code)
		return 0, "", &ProtocolError{CodeProtocolError, 0, text}
	}

	text := data[codeSize:]
	n, ok := scanUTF8(text, true)
	if !ok {
		offset := codeSize + int64(n)
		return 0, "", &ProtocolError{CodeInvalidData, offset, "the reason of a Close frame is not UTF-8"}
	}
	return code, string(text), nil
}

// mayBeSent reports whether a close code may be in a frame (RFC 6455, section 7.4; 1012 to
// 1014 are in the registry of IANA).
func mayBeSent(code int) bool {
	switch {
	case 1000 <= code && code <= 1014:
		return code != 1004 && code != CodeNoStatus && code != CodeAbnormal
	case 3000 <= code && code <= 4999: // of libraries, frameworks and applications
		return true
	}
	return false
}

// A ProtocolError is a violation of RFC 6455 by the sender of frames.
type ProtocolError struct {
	Code   int    // the code of the Close frame that tells the sender
	Offset int64  // the byte that violates the RFC, counted from the first byte after the handshake
	Text   string // the violation in words, short enough for the reason of a Close frame
}

func (e *ProtocolError) Error() string {
	return fmt.Sprintf("websocket: %s (byte %d, close code %d)", e.Text, e.Offset, e.Code)
}
