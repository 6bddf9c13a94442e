package exchange

import (
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
)

// handshakeHeaders are the headers of a response that a client of a WebSocket verifies (RFC
// 6455, section 4.1). Each replay makes them for its own request, so they are not stored.
var handshakeHeaders = [...]string{"Upgrade", "Connection", "Sec-Websocket-Accept"}

// extensions is the header by which a client offers to compress frames, and a server accepts.
// Neither gets it: frames that are not compressed can be read.
const extensions = "Sec-Websocket-Extensions"

// WithoutExtensions returns a handshake that offers no extension. It is for the upstream.
func WithoutExtensions(req *http.Request) *http.Request {
	out := *req
	out.Header = maps.Clone(req.Header)
	maps.DeleteFunc(out.Header, func(name string, _ []string) bool {
		return strings.EqualFold(name, extensions)
	})
	return &out
}

// CaptureSocket records a WebSocket while its client reads and writes messages. resp is the
// response that opens it, see [OpensSocket]. sent is when the request was sent. All bytes pass as
// they are.
func CaptureSocket(resp *http.Response, sent time.Time, sink SessionSink) {
	connection := resp.Body.(io.ReadWriteCloser)
	handshake := http.Header{}
	for _, name := range handshakeHeaders {
		if values := resp.Header[name]; values != nil {
			handshake[name] = values
		}
	}
	resp.TLS = nil
	resp.Header = maps.Clone(resp.Header)
	maps.DeleteFunc(resp.Header, func(name string, _ []string) bool {
		return name == extensions || handshake[name] != nil || sink.DropsHeader(name)
	})

	s := &socket{connection: connection}
	s.log = sessionLog{sink: sink, onEnd: func() { connection.Close() }, start: time.Now()}
	s.log.latency = s.log.start.Sub(sent).Milliseconds()
	s.log.stored = storedHead(resp)
	s.log.stored.Stream = interaction.WebSocket
	s.fromClient.Masked = true
	maps.Copy(resp.Header, handshake)
	resp.Body = s
	sink.Pending.Add(&s.log)
}

// A socket is the connection of a live WebSocket. It reads the messages in the bytes that pass.
type socket struct {
	connection io.ReadWriteCloser
	log        sessionLog

	reading    sync.Mutex // guards fromServer; Read is not called concurrently by any client
	fromServer websocket.Parser
	writing    sync.Mutex // guards fromClient
	fromClient websocket.Parser
}

// Read reads from the server, and records the messages.
func (s *socket) Read(p []byte) (int, error) {
	n, err := s.connection.Read(p)
	s.reading.Lock()
	defer s.reading.Unlock()
	messages, parseErr := s.fromServer.Parse(p[:n])
	for _, m := range messages {
		s.record(m, false)
	}
	switch {
	case parseErr != nil:
		s.log.sink.Unreadable(parseErr)
		s.log.finish(interaction.EndError, parseErr.Error())
	case err != nil:
		s.log.finish(interaction.EndError, err.Error())
	}
	return n, err
}

// Write records the messages of the client, and sends them.
func (s *socket) Write(p []byte) (int, error) {
	s.writing.Lock()
	messages, parseErr := s.fromClient.Parse(p)
	for _, m := range messages {
		s.record(m, true)
	}
	s.writing.Unlock()
	if parseErr != nil {
		s.log.sink.Unreadable(parseErr)
		s.log.finish(interaction.EndError, parseErr.Error())
	}
	return s.connection.Write(p)
}

// Close ends the session, if it has not ended.
func (s *socket) Close() error {
	s.log.finish(interaction.EndClosed, "")
	return s.connection.Close()
}

// record records a message. Pings and pongs are none: each side answers them by itself.
func (s *socket) record(m websocket.Message, sent bool) {
	kind, isMessage := kindOf(m.Opcode)
	if !isMessage {
		return
	}
	data := string(m.Data)
	if kind == interaction.Close {
		data = closeText(m.Data)
	}
	s.log.add(interaction.Message{Sent: sent, Kind: kind, Data: data})
}

// kindOf returns the kind of the messages with an opcode. It returns false for pings and pongs.
func kindOf(op websocket.Opcode) (kind interaction.MessageKind, isMessage bool) {
	switch op {
	case websocket.Text:
		return interaction.Text, true
	case websocket.Binary:
		return interaction.Bytes, true
	case websocket.Close:
		return interaction.Close, true
	}
	return "", false
}

// noStatus is the code of a close frame that has none (RFC 6455, section 7.4.1).
const noStatus = 1005

// closeText returns the content of a close frame as a message has it: "4001 enough".
func closeText(data []byte) string {
	code, reason, err := websocket.ParseClose(data)
	if err != nil || code == noStatus {
		return ""
	}
	return strings.TrimSpace(strconv.Itoa(code) + " " + reason)
}

// closeData is the reverse of closeText. A text without a code is a frame without one.
func closeData(text string) []byte {
	number, reason, _ := strings.Cut(text, " ")
	code, err := strconv.Atoi(number)
	if err != nil {
		code = noStatus
	}
	return websocket.CloseData(code, reason)
}

// IsSocket reports whether a request opens a WebSocket.
func IsSocket(req *http.Request) bool { return websocket.IsHandshake(req) }

// OpensSocket reports whether a live response opens a WebSocket whose messages can be recorded.
func OpensSocket(resp *http.Response) bool {
	_, isConnection := resp.Body.(io.ReadWriteCloser)
	isSwitched := resp.StatusCode == http.StatusSwitchingProtocols
	return isSwitched && isConnection && IsSocket(resp.Request)
}
