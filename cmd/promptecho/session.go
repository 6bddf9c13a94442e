package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// storedBody returns the body of a response, and the offset just past each of its events or
// chunks. A session has no body: its messages are lines of JSON.
func storedBody(resp *interaction.Response) (body []byte, ends []int, err error) {
	if resp.IsSession() {
		body, ends = conversation.SessionLines(resp)
		return body, ends, nil
	}
	return exchange.Join(resp)
}

// setMessageLines sets the lines of the messages of sessions, which are in a file.
func setMessageLines(file string, list []*conversation.Exchange) {
	var sessions []*conversation.Session
	var starts []int
	for _, e := range list {
		if e.Session != nil {
			sessions = append(sessions, e.Session)
			starts = append(starts, e.Line)
		}
	}
	if len(sessions) == 0 {
		return
	}
	for i, lines := range cassette.EventLines(file, starts) {
		messages := sessions[i].Messages
		for k := range messages {
			m := &messages[k]
			if m.Number <= len(lines) {
				m.Line = lines[m.Number-1]
			}
		}
	}
}

// session prints the messages of a session, and how it ended.
func (p *printer) session(indent int, e *conversation.Exchange) {
	p.line(indent, bold, "session %s", sessionAbout(e))
	messages := e.Session.Messages
	if !p.full && len(messages) > maxSessionMessages {
		messages = messages[:maxSessionMessages]
	}
	for i := range messages {
		m := &messages[i]
		p.line(indent, bold, "%s", senderOf(e.Session, m)+" "+messageAbout(e.Session, m))
		switch {
		case len(m.Parts) > 0:
			p.parts(indent+2, m.Parts)
		case m.Text != "":
			p.text(indent+2, m.Text)
		case m.Body != "" && !isOnlyType(m):
			p.text(indent+2, readable(m.Body))
		}
	}
	left := len(e.Session.Messages) - len(messages)
	if left > 0 {
		p.line(indent, dim, "(%s more: -full)", count(left, "message"))
	}
	p.line(indent, "", "(%s)", e.Session.Ended)
}

// sessionAbout describes a session: "of 12 messages sent and 40 received in 3.2 s".
func sessionAbout(e *conversation.Exchange) string {
	s := e.Session
	about := fmt.Sprintf("of %s sent and %s received in %s", count(s.Sent, "message"),
		english.Thousands(int64(s.Received)), duration(e.TotalMS))
	if len(e.Answer.Finish) > 0 { // one for each response of the model
		about += ", finish: " + strings.Join(slices.Compact(slices.Clone(e.Answer.Finish)), " ")
	}
	return about + agentAbout(s)
}

// agentAbout describes the work of an agent or a server that is a process: ", 2 turns, model
// claude-sonnet-4-5, $0.104". It is "" for other sessions.
func agentAbout(s *conversation.Session) string {
	about := ""
	if len(s.Turns) > 0 {
		unit := "turn"
		if s.Turns[0].Call != nil {
			unit = "call"
		}
		about += ", " + count(len(s.Turns), unit)
	}
	if s.Model != "" {
		about += ", model " + s.Model
	}
	if s.CostUSD != "" {
		about += ", $" + s.CostUSD
	}
	if len(s.IDs) == 1 {
		about += ", session " + s.IDs[0]
	}
	if len(s.IDs) > 1 {
		about += ", sessions " + strings.Join(s.IDs, ", ")
	}
	return redact.OneLine(about)
}

// senderOf returns the side that sent a message.
func senderOf(s *conversation.Session, m *conversation.SessionMessage) string {
	if m.Sent {
		return "client"
	}
	return cmp.Or(s.Peer, "server")
}

// messageAbout describes a message: "4-6, response.output_text.delta, 15 ms to 46 ms, line 23". If
// a process has several conversations, it says which one the message belongs to.
func messageAbout(s *conversation.Session, m *conversation.SessionMessage) string {
	number := strconv.Itoa(m.Number)
	time := duration(m.FirstMS)
	if m.Count > 1 {
		number += "-" + strconv.Itoa(m.Last())
		if m.LastMS != m.FirstMS {
			time += " to " + duration(m.LastMS)
		}
	}
	about := []string{number}
	conversation := slices.Index(s.IDs, m.Conversation)
	if len(s.IDs) > 1 && conversation >= 0 {
		about = append(about, "session "+strconv.Itoa(conversation+1))
	}
	switch {
	case m.Title != "":
		about = append(about, clip(redact.OneLine(m.Title), 200))
	case m.Type != "":
		about = append(about, clip(m.Type, 100))
	}
	switch {
	case m.Title != "":
	case m.Closed != nil:
		about = append(about, strings.TrimSpace("closes "+*m.Closed))
	case m.Bytes > 0:
		about = append(about, count(int(m.Bytes), "byte"))
	}
	about = append(about, time)
	if m.Line > 0 {
		about = append(about, "line "+strconv.Itoa(m.Line))
	}
	return strings.Join(about, ", ")
}

// isOnlyType reports whether a message has nothing but its type, which its heading has.
func isOnlyType(m *conversation.SessionMessage) bool {
	return m.Body == `{"type":`+strconv.Quote(m.Type)+`}`
}

// maxSessionMessages is the largest number of messages of a session that show prints without
// -full, and that the page has, so that a browser opens it at once.
const maxSessionMessages = 500
