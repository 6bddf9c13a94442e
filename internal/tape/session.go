package tape

import (
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// Sessions returns the recordings of sessions that have the match key of rec, in recorded order.
// Each of them may be played for a session that begins with the request of rec: the messages tell
// which one. Recordings with another name than rec are not among them.
func (t *Tape) Sessions(rec *Recording) []*Recording {
	c := t.index.byKey[rec.key]
	if c == nil {
		return []*Recording{rec}
	}
	name := rec.Head().Request.Name
	return slices.DeleteFunc(slices.Clone(c.answered.recordings), func(other *Recording) bool {
		head := other.Head()
		return head.Request.Name != name || head.Response.Stream != rec.Head().Response.Stream
	})
}

// IsSession reports whether the recording is a session. It reads the recording.
func (rec *Recording) IsSession() bool { return rec.Interaction().Response.IsSession() }

// WithForm returns the match with its form, also if the recording was found by its bytes.
func (m Match) WithForm() Match {
	if m.Form == nil {
		m.Form = m.Recording.Form()
	}
	return m
}

// SetPlayed says which of the recordings that Sessions has returned are played. Take has marked
// as many of them, in recorded order.
func (t *Tape) SetPlayed(sessions []*Recording, isPlayed func(i int) bool) {
	t.change(func() {
		for i, rec := range sessions {
			rec.run.used.Store(isPlayed(i))
		}
		c := t.index.byKey[sessions[0].key]
		if c != nil {
			c.rewind()
		}
	})
}

// Message returns a message of a recorded session as a recording: its request is that of
// [interaction.Request.MessageRequest], and it has no response. req is the request of rec. The
// result is for comparisons and reports.
func (rec *Recording) Message(
	req *interaction.Request, event int, m *interaction.Message,
) *Recording {
	message := &Recording{entry: rec.entry}
	message.event = event + 1
	message.content.interaction.Store(&interaction.Interaction{Request: req.MessageRequest(m)})
	return message
}

// MessageNumber returns the number of the message that the recording stands for, from 1, among
// all messages of its session.
func (rec *Recording) MessageNumber() int { return rec.event }

// MatchMessage returns a message of the client as a call, redacted and with its form. handshake
// is the redacted request that opened the session. With sentBack, a placeholder in the message
// is one of the cassette; otherwise it is the program's own text.
func (t *Tape) MatchMessage(
	handshake *interaction.Request, m *interaction.Message, sentBack bool,
) (Match, error) {
	match := Match{Call: Call{Request: handshake.MessageRequest(m)}}
	if !sentBack {
		match.Request.Body = redact.MarkOwn(match.Request.Body)
	}
	err := t.policy.RedactBody(&match.Request)
	match.Form = t.Config.Options.Form(&match.Request)
	return match, err
}

// MessageForm returns the form of a recorded message of the client.
func (rec *Recording) MessageForm(req *interaction.Request, m *interaction.Message) *canon.Form {
	message := req.MessageRequest(m)
	if rec.isSealed {
		rec.of.redactNew(&message)
	} else {
		_ = rec.of.policy.RedactBody(&message) // see redactNew
	}
	return rec.of.Config.Options.Form(&message)
}

// Reveals reports whether a recorded message equals one of the client except where it has a
// placeholder. The text there is a secret of this run from now on.
func (t *Tape) Reveals(recorded, sent *Match) bool {
	return t.policy.Reveal(recorded.text(), sent.text())
}
