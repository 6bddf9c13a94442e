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

// eventMessage frames one message as AWS does: a prelude of the two lengths and
// its checksum, the headers, the payload, and a checksum of it all.
func eventMessage(typeHeader, kind, messageType string, payload []byte) []byte {
	headers := eventHeader(nil, typeHeader, kind)
	headers = eventHeader(headers, ":content-type", "application/json")
	headers = eventHeader(headers, ":message-type", messageType)
	const around = 4 + 4 + 4 + 4 // lengths and checksums
	var b []byte
	b = binary.BigEndian.AppendUint32(b, uint32(around+len(headers)+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(headers)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, headers...), payload...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// eventHeader appends a header whose value is a string, which is type 7.
func eventHeader(b []byte, name, value string) []byte {
	b = append(append(b, byte(len(name))), name...)
	b = binary.BigEndian.AppendUint16(append(b, 7), uint16(len(value)))
	return append(b, value...)
}
