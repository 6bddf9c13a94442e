package interaction

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/stream"
)

// A session is a conversation in messages that both sides send: a WebSocket, a request body
// that is sent while its response streams, a stream of a Go program, or what a process reads and
// writes. It is one interaction:
// the request opens the session, and each event of the response is a message. A message of the
// client has one of these fields. A message of the server has one of them, too, unless the
// stream of the response has a framing of its own.
//
//	field                        content
//	sent, received               a text; JSON is shown as a structure
//	sent_bytes, received_bytes   bytes
//	sent_framed, received_framed a text after a header Content-Length, as in LSP and DAP
//	sent_close, received_close   how a side closed the session: "1000 bye", or "" without a code
//	sent_signal                  the name of a signal that a process was sent
//	received_stderr              a line that a process wrote to its standard error
//	received_stderr_bytes        what it wrote there without a newline
//	received_file                a file that a process wrote, see package child
//
// The messages of a process are lines without the newline at their end; bytes are what does not end
// in a newline. It has received_close when the process has exited: "exit status 1".
//
// A field "audio" follows the message of the client whose audio is not kept; see [Audio].
const (
	sentPrefix     = stream.Sent
	receivedPrefix = receivedField
)

// AudioField is the name of the field that has an [Audio].
const AudioField = "audio"

// Streams that are sessions. A stream with another name is a session if it has messages of the
// client.
const (
	WebSocket = "websocket" // RFC 6455
	Messages  = "messages"  // of a Go program
)

// A MessageKind says what a message holds.
type MessageKind string

// The kinds of messages.
const (
	Text  MessageKind = ""
	Bytes MessageKind = "_bytes"
	Close MessageKind = "_close" // the side that sends it sends nothing after it

	// Framed is a text of a process after a header Content-Length, which is not stored.
	Framed MessageKind = "_framed"

	Signal      MessageKind = "_signal"       // only sent
	Stderr      MessageKind = "_stderr"       // only received
	StderrBytes MessageKind = "_stderr_bytes" // only received
	File        MessageKind = "_file"         // only received
)

// sentKinds and receivedKinds are the kinds of messages that each side has.
var (
	sentKinds     = []MessageKind{Text, Bytes, Framed, Close, Signal}
	receivedKinds = []MessageKind{Text, Bytes, Framed, Close, Stderr, StderrBytes, File}
)

// A Message is one message of a session.
type Message struct {
	Sent  bool // by the client; else by the server
	Kind  MessageKind
	Data  string // for Close: the code and the reason, such as "4001 enough", or how a process exited
	Audio *Audio // what Data had in addition; nil unless it is of a client
}

// Audio stands for audio that a client sent, which a cassette does not have. Programs cut audio
// into messages in another way in each run, so consecutive pieces are one Audio. It belongs to
// a message like those that brought the pieces, with an empty text in the place of the audio.
type Audio struct {
	Size   int64    // in bytes
	Sum    [32]byte // SHA-256
	Pieces [32]byte // the same for the pieces in any order, see package session
}

// storedAudio is the JSON of an [Audio].
type storedAudio struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Pieces string `json:"pieces,omitempty"` // if it is not the same
}

// IsStderr reports whether a process wrote the message to its standard error.
func (m *Message) IsStderr() bool { return m.Kind == Stderr || m.Kind == StderrBytes }

// Event returns the message as an event of a response.
func (m *Message) Event() Event {
	name := receivedPrefix
	if m.Sent {
		name = sentPrefix
	}
	event := Event{{Name: name + string(m.Kind), Value: m.Data}}
	if m.Audio != nil {
		event = append(event, Field{Name: AudioField, Value: m.Audio.text()})
	}
	return event
}

// Message returns the message that an event is. It returns false if the event is none, such as
// an event of a stream with a framing of its own, or if a field is not valid.
func (e Event) Message() (m Message, ok bool) {
	if len(e) == 0 || len(e) > 2 {
		return m, false
	}
	side, kind, found := strings.Cut(e[0].Name, "_")
	m = Message{Sent: side == sentPrefix, Data: e[0].Value}
	if found {
		m.Kind = MessageKind("_" + kind)
	}
	isSent := side == sentPrefix && slices.Contains(sentKinds, m.Kind)
	isReceived := side == receivedPrefix && slices.Contains(receivedKinds, m.Kind)
	if !isSent && !isReceived {
		return m, false
	}
	if len(e) == 1 {
		return m, true
	}
	m.Audio, ok = parseAudio(e[1])
	return m, ok && m.Sent
}

// text returns the JSON of the audio.
func (a *Audio) text() string {
	stored := storedAudio{Bytes: a.Size, SHA256: hex.EncodeToString(a.Sum[:])}
	if a.Pieces != a.Sum {
		stored.Pieces = hex.EncodeToString(a.Pieces[:])
	}
	text, _ := json.Marshal(stored) // strings and numbers always marshal
	return string(text)
}

// MessageFields are the names of the fields that a message can have as its first one.
func MessageFields() []string {
	var names []string
	for _, kind := range sentKinds {
		names = append(names, sentPrefix+string(kind))
	}
	for _, kind := range receivedKinds {
		names = append(names, receivedPrefix+string(kind))
	}
	return names
}

// IsSentField reports whether a field of this name is that of a message of the client.
func IsSentField(name string) bool {
	kind, isSent := strings.CutPrefix(name, sentPrefix)
	return isSent && slices.Contains(sentKinds, MessageKind(kind))
}

// IsBytesField reports whether a field of this name has the bytes of a message.
func IsBytesField(name string) bool {
	switch name {
	case sentPrefix + string(Bytes), receivedPrefix + string(Bytes), receivedPrefix + string(StderrBytes):
		return true
	}
	return false
}

// HasOnlyMessages reports whether the stream of this name has no framing of its own, so that
// each of its events is a message.
func HasOnlyMessages(stream string) bool { return stream == WebSocket || stream == Messages }

// parseAudio returns the audio that a field stands for.
func parseAudio(f Field) (*Audio, bool) {
	var stored storedAudio
	if f.Name != AudioField || json.Unmarshal([]byte(f.Value), &stored) != nil {
		return nil, false
	}
	sum, err := hex.DecodeString(stored.SHA256)
	pieces, piecesErr := hex.DecodeString(cmp.Or(stored.Pieces, stored.SHA256))
	isValid := err == nil && piecesErr == nil && len(sum) == 32 && len(pieces) == 32
	if !isValid || stored.Bytes < 0 {
		return nil, false
	}
	return &Audio{Size: stored.Bytes, Sum: [32]byte(sum), Pieces: [32]byte(pieces)}, true
}

// IsSent reports whether an event is a message of the client.
func (e Event) IsSent() bool {
	m, ok := e.Message()
	return ok && m.Sent
}

// IsSession reports whether the response is a session.
func (r *Response) IsSession() bool {
	if HasOnlyMessages(r.Stream) {
		return true
	}
	return r.Stream != "" && slices.ContainsFunc(r.Events, Event.IsSent)
}

// SentMessages returns the messages of the client in a session, and the indices of their
// events.
func (r *Response) SentMessages() iter.Seq2[int, Message] {
	return func(yield func(int, Message) bool) {
		for i, event := range r.Events {
			m, ok := event.Message()
			if ok && m.Sent && !yield(i, m) {
				return
			}
		}
	}
}

// OpensWebSocket reports whether a request opens a WebSocket (RFC 6455, section 4.1), by its headers
// that a cassette has.
func (r *Request) OpensWebSocket() bool {
	isWebSocket := func(protocol string) bool {
		return strings.EqualFold(strings.TrimSpace(protocol), "websocket")
	}
	for _, h := range r.Headers {
		if r.Method != "GET" || !strings.EqualFold(h.Name, "upgrade") {
			continue
		}
		protocols := strings.Split(strings.Join(h.Values, ","), ",")
		if slices.ContainsFunc(protocols, isWebSocket) {
			return true
		}
	}
	return false
}

// ProcessScheme is the scheme of the URL of a session with a process, stdio://NAME. The body of the request
// has the arguments, the working directory and the environment of the process; the messages are lines
// that the process reads and writes. Nothing is sent to such a URL.
const ProcessScheme = "stdio"

// ProcessURL returns the URL of a session with the process of this name.
func ProcessURL(name string) string { return ProcessScheme + "://" + name }

// IsForProcess reports whether the request opens a session with a process, or is a message to one.
func (r *Request) IsForProcess() bool { return strings.HasPrefix(r.URL, ProcessURL("")) }

// ProcessName returns the name of the process that the request is for.
func (r *Request) ProcessName() string { return strings.TrimPrefix(r.URL, ProcessURL("")) }

// GRPCScheme is the scheme of the URL of a call over gRPC: POST grpc://HOST/PACKAGE.SERVICE/METHOD, with the
// message as JSON, or a list of the messages of a stream that the client sends. Package echogrpc makes such
// requests. Nothing is sent to such a URL.
const GRPCScheme = "grpc"

// IsLine reports whether the field of this name has a line of a process, without the newline at its
// end, or a whole message with a header.
func IsLine(field string) bool {
	switch field {
	case sentPrefix, receivedPrefix, receivedPrefix + string(Stderr):
		return true
	case sentPrefix + string(Framed), receivedPrefix + string(Framed):
		return true
	}
	return false
}

// MessageRequest returns a message of the client as a request. Messages are redacted, compared
// and reported as requests are that go to the URL of the request which opened the session.
func (r *Request) MessageRequest(m *Message) Request {
	return Request{
		Method:         "POST",
		URL:            r.URL,
		UnknownHeaders: r.UnknownHeaders,
		Function:       r.Function,
		Body:           []byte(m.Data),
	}
}
