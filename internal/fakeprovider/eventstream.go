package fakeprovider

import (
	"encoding/binary"
	"hash/crc32"
)

// eventstreamType is the content type of AWS event streams.
const eventstreamType = "application/vnd.amazon.eventstream"

// eventstream is a message of an event stream that has an event.
func eventstream(event string, payload []byte) []byte {
	return eventMessage(":event-type", event, "event", payload)
}

// eventException is a message of an event stream that has an error, which ends it.
func eventException(kind string, payload []byte) []byte {
	return eventMessage(":exception-type", kind, "exception", payload)
}

// eventMessage is a message whose payload is JSON.
func eventMessage(typeHeader, kind, messageType string, payload []byte) []byte {
	headers := eventHeader(nil, typeHeader, kind)
	headers = eventHeader(headers, ":content-type", "application/json")
	headers = eventHeader(headers, ":message-type", messageType)
	return joinMessage(headers, payload)
}

// eventHeader appends a header whose value is a string, which is type 7.
func eventHeader(b []byte, name, value string) []byte {
	b = append(append(b, byte(len(name))), name...)
	b = binary.BigEndian.AppendUint16(append(b, 7), uint16(len(value)))
	return append(b, value...)
}

// Sizes in a message of an event stream.
const (
	preludeSize  = 4 + 4 + 4 // two lengths and a checksum
	checksumSize = 4
)

// splitMessage returns the headers and the payload of a message. It returns
// ok == false for anything else.
func splitMessage(b []byte) (headers, payload []byte, ok bool) {
	if len(b) < preludeSize+checksumSize {
		return nil, nil, false
	}
	total, size := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	isWhole := int64(total) == int64(len(b))
	if !isWhole || int64(size) > int64(len(b)-preludeSize-checksumSize) {
		return nil, nil, false
	}
	start := preludeSize + int(size)
	return b[preludeSize:start], b[start : len(b)-checksumSize], true
}

// joinMessage frames one message as AWS does: a prelude of the two lengths and
// its checksum, the headers, the payload, and a checksum of it all.
func joinMessage(headers, payload []byte) []byte {
	total := preludeSize + len(headers) + len(payload) + checksumSize
	b := binary.BigEndian.AppendUint32(nil, uint32(total))
	b = binary.BigEndian.AppendUint32(b, uint32(len(headers)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, headers...), payload...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}
