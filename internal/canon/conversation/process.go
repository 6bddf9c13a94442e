package conversation

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// protocols are those that sessions with processes are read in. A session has the first protocol
// of which it has a message.
var protocols = []*protocol{
	&claudeProtocol,
	&codexExec,
	&acpProtocol,
	&codexServer,
	&mcpProtocol,
	&plainRPC,
}

// readProcess reads the messages of a session with a process in its protocol.
func (e *Exchange) readProcess(resp *interaction.Response) {
	s := e.Session
	s.Peer = Process
	s.Ended = endOfProcess(s, resp)
	values := make([]*exactjson.Value, len(s.Messages))
	for i := range s.Messages {
		m := &s.Messages[i]
		values[i] = valueOf(resp.Events[m.Number-1])
		m.setProcessTitle(resp.Events[m.Number-1])
	}
	p := protocolOf(values)
	if p == nil {
		return
	}

	e.Kind = p.name
	s.Peer = p.peer
	r := newReader(p, s)
	for i := range s.Messages {
		if values[i] != nil {
			r.read(&s.Messages[i], values[i])
		}
	}
}

// valueOf returns the JSON of a line that a process read or wrote; nil for any other event, and for
// a line that is not JSON or only a scalar.
func valueOf(event interaction.Event) *exactjson.Value {
	m, ok := event.Message()
	kinds := []interaction.MessageKind{interaction.Text, interaction.Bytes, interaction.Framed}
	isLine := slices.Contains(kinds, m.Kind)
	if !ok || !isLine {
		return nil
	}
	v, err := exactjson.Parse(m.Data)
	isStructure := v.Kind == exactjson.Object || v.Kind == exactjson.Array
	if err != nil || !isStructure {
		return nil
	}
	return &v
}

// protocolOf returns the protocol in which these messages are; nil if it is unknown.
func protocolOf(values []*exactjson.Value) *protocol {
	for _, p := range protocols {
		for _, v := range values {
			if v == nil {
				continue
			}
			for _, message := range messagesOf(v) {
				if p.isOwn(&message) {
					return p
				}
			}
		}
	}
	return nil
}

// setProcessTitle sets the title of a message that only sessions with processes have.
func (m *SessionMessage) setProcessTitle(event interaction.Event) {
	message, ok := event.Message()
	if ok && isBytes(&message) && utf8.ValidString(message.Data) {
		m.Body = message.Data // a line without a newline at its end
		m.Bytes = 0
		m.SHA256 = ""
	}
	switch {
	case !ok:
	case message.IsStderr():
		m.Title = "stderr"
	case message.Kind == interaction.Signal:
		m.Title = "signal " + message.Data
		m.Body = ""
	case message.Kind == interaction.File:
		m.readFile(message.Data)
	case message.Kind == interaction.Close && message.Sent:
		m.Title = "closes stdin"
	case message.Kind == interaction.Close:
		m.Title = message.Data
	}
}

// readFile reads that a process has written a file, or has removed it.
func (m *SessionMessage) readFile(data string) {
	m.Title = "file"
	v, err := exactjson.Parse(data)
	if err != nil {
		return
	}
	m.Title = "writes " + textOf(&v, "path")
	if v.Member("removed") != nil {
		m.Title = "removes " + textOf(&v, "path")
	}
	m.Body = ""
	m.Parts = textParts(Text, textOf(&v, "text"))
	if m.Parts == nil {
		m.Parts = jsonPart(without(&v, "path", "removed"))
	}
}

// endOfProcess returns in words how a session with a process ended.
func endOfProcess(s *Session, resp *interaction.Response) string {
	for i := range s.Messages {
		m := &s.Messages[i]
		if m.Closed != nil && !m.Sent {
			return strings.TrimSpace("the process ended: " + *m.Closed)
		}
	}
	switch resp.End {
	case interaction.EndError:
		return "it broke off: " + resp.Error
	case interaction.EndClosed:
		return "the client left without waiting for the end of the process"
	}
	return "complete"
}
