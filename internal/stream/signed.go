package stream

import (
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"
)

// A SentEvent is an event that a client sends in the body of a request, in the AWS event stream
// encoding.
type SentEvent struct {
	// Data is the content. The event of another type than "chunk" has JSON with its type, as the
	// unions of AWS's APIs have it: {"ConfigurationEvent": {...}}.
	Data   string
	Binary bool // Data is not JSON
}

// ReadSent reads the event in a message of an AWS event stream that a client sends. A client signs
// each event, and sends it in a message with the date and the signature
// (https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html): these are left out,
// since they differ in each run. ok is false for the empty message at the end of a signed stream,
// and for bytes that are no message.
func ReadSent(frame []byte) (event SentEvent, ok bool) {
	headers, payload, ok := splitMessage(frame)
	if !ok {
		return event, false
	}
	if headers[":chunk-signature(bytes)"] != "" {
		if len(payload) == 0 {
			return event, false
		}
		headers, payload, ok = splitMessage(payload)
		if !ok {
			return event, false
		}
	}
	return sentEvent(headers[":event-type"], payload), true
}

// sentEvent returns the event of a type with a payload.
func sentEvent(eventType string, payload []byte) SentEvent {
	if inner, after, ok := unwrapEvent(string(payload)); ok && after == "}" {
		return SentEvent{Data: inner}
	}
	if eventType != "" && json.Valid(payload) {
		name, _ := json.Marshal(eventType)
		return SentEvent{Data: "{" + string(name) + ":" + string(payload) + "}"}
	}
	return SentEvent{Data: string(payload), Binary: !json.Valid(payload) || !utf8.Valid(payload)}
}

// splitMessage returns the headers and the payload of a message.
func splitMessage(frame []byte) (headers map[string]string, payload []byte, ok bool) {
	fields, ok := decodeMessage(frame)
	if !ok {
		return nil, nil, false
	}
	headers = map[string]string{}
	for _, f := range fields {
		switch f.Name {
		case dataField:
			payload = []byte(f.Value)
		case bytesField:
			payload = []byte(`{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(f.Value)) + `"}`)
		case afterField:
			payload = append(payload[:len(payload)-1], f.Value...)
		default:
			headers[f.Name] = f.Value
		}
	}
	return headers, payload, true
}

// Exception returns the message of an AWS event stream that reports an exception of a type with a
// text. A client returns it as the error of the stream.
func Exception(exceptionType, text string) ([]byte, error) {
	payload, err := json.Marshal(map[string]string{"message": text})
	if err != nil {
		return nil, err
	}
	return encodeMessage([]Field{
		{":exception-type", exceptionType},
		{":content-type", "application/json"},
		{":message-type", "exception"},
		{dataField, string(payload)},
	})
}
