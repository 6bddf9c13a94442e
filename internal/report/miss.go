package report

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/redact"
)

// A Miss is a request that was not recorded. Users see it as a *promptecho.MissError, which
// has the same fields and says what they mean.
type Miss struct {
	File           string
	Line           int
	Call, Request  string
	Model, Caller  string
	Asked          string
	Count          int
	Reason, Change string
	Diff, Hint     string
}

// Error returns the report in several lines: where the nearest recording is, what was
// asked and by whom, and each differing field with both values.
func (m *Miss) Error() string {
	text := m.at() + ": " + m.Reason + "\n  asked:  " + m.asked()
	if m.Caller != "" {
		text += "\n  caller: " + m.Caller
	}
	if m.Diff != "" {
		text += "\n" + strings.TrimRight(m.Diff, "\n")
	}
	if m.Hint != "" {
		text += "\n  if this cannot change the answer, add " + m.Hint
	}
	return redact.Printable(text)
}

// at returns where the nearest recording is.
func (m *Miss) at() string {
	if m.Line > 0 {
		return fmt.Sprintf("%s:%d", m.File, m.Line)
	}
	return m.File
}

// asked returns what was asked, in a line.
func (m *Miss) asked() string {
	s := strings.TrimSpace(m.Call + " " + m.Request)
	if m.Model != "" {
		s += ", model " + m.Model
	}
	if m.Asked != "" {
		s += ", " + m.Asked
	}
	if m.Count > 1 {
		s += ", " + times(m.Count)
	}
	return s
}

// OneLine returns where the nearest recording is and which fields differ, and in full the
// same with both values of the first field.
func (m *Miss) OneLine() (short, full string) {
	return redact.Printable(m.at() + ": " + m.Reason), redact.Printable(m.at() + ": " + m.why())
}

// why returns what differs, with both values of the first field, in a line.
func (m *Miss) why() string {
	if m.Change == "" {
		return m.Reason
	}
	return m.Reason + ": " + m.Change
}

// brief returns the miss in a line. It leaves the reason out if it is the known one.
func (m *Miss) brief(known string) string {
	s := m.asked()
	if m.Caller != "" {
		s += ", " + m.Caller
	}
	if m.Reason != known {
		s = m.at() + ": " + m.Reason + " (" + s + ")"
	}
	return s
}

// unrecordable reports whether recording again cannot help.
func (m *Miss) unrecordable() bool { return m.Reason == Socket || strings.HasSuffix(m.Reason, frozen) }

// frozen ends the reason of a miss that no mode records.
const frozen = "; Frozen keeps it from being called: to record it, take that option out for one run"

// Socket is what is wrong with a request that opens a WebSocket.
const Socket = "it opens a WebSocket, and what passes through one is not recorded: ask over HTTP, or give this connection a client without the recorder"
