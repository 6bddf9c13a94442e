package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/interaction"
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
		p.line(indent, bold, "%s", senderOf(m)+" "+messageAbout(m, true))
		switch {
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
	return about
}

// senderOf returns the side that sent a message.
func senderOf(m *conversation.SessionMessage) string {
	if m.Sent {
		return "client"
	}
	return "server"
}

// messageAbout describes a message: "4-6, response.output_text.delta, 15 ms to 46 ms, lines
// 23-25". The lines are there if withLine is set.
func messageAbout(m *conversation.SessionMessage, withLine bool) string {
	number := strconv.Itoa(m.Number)
	time := duration(m.FirstMS)
	if m.Count > 1 {
		number += "-" + strconv.Itoa(m.Last())
		if m.LastMS != m.FirstMS {
			time += " to " + duration(m.LastMS)
		}
	}
	about := []string{number}
	if m.Type != "" {
		about = append(about, clip(m.Type, 100))
	}
	switch {
	case m.Closed != nil:
		about = append(about, strings.TrimSpace("closes "+*m.Closed))
	case m.Bytes > 0:
		about = append(about, count(int(m.Bytes), "byte"))
	}
	about = append(about, time)
	if withLine && m.Line > 0 {
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
