package report

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/tape"
)

// MissMessage notes a message of a session that is not recorded, and explains it by the nearest
// of the recorded messages that the client could have sent in its place. session is the recording
// that the session was played from until then. by is as for [Log.Miss].
func (l *Log) MissMessage(
	sent *tape.Match, session *tape.Recording, messages []*tape.Recording, by string,
) Told {
	m := l.newMissing(sent, by)
	m.call = sent
	if len(messages) == 0 {
		m.Code = string(finding.SessionLonger)
		m.Reason = "the session recorded here has no message of the client left"
		m.Line = session.Line()
	} else {
		isTaken := func(*tape.Recording) bool { return false }
		nearest := l.explain(m, sent, messages, messages, isTaken)
		m.Request = "message"
		if nearest != nil {
			m.Request = fmt.Sprintf("message, most like message %d", nearest.MessageNumber())
		}
	}
	m.call = nil
	m.completeReason("")
	l.addMiss(m)
	return m.told()
}

// MissWait notes that the client of a session waits for a message of the server, and does not
// send what it sent before that message when the session was recorded. missing are these messages.
func (l *Log) MissWait(session *tape.Recording, missing []*tape.Recording, by string) Told {
	call := &tape.Match{Form: session.Form()}
	call.Request = session.Request()
	m := l.newMissing(call, by)
	m.Code = string(finding.SessionWaits)
	m.Line = session.Line()
	m.Reason = "the client of this session waits for a message, but the recording has none left: " +
		"its client closed it here"
	if len(missing) > 0 {
		m.Line = missing[0].Line()
		m.Reason = fmt.Sprintf("the client of this session waits for a message that came after it had "+
			"sent message %d%s, which it has not sent now", missing[0].MessageNumber(), LineKind(missing[0]))
	}
	m.completeReason("")
	l.addMiss(m)
	return m.told()
}

// LineKind returns ", stdio.weather.tools/call" for a recorded message to a process, and "" for
// another message.
func LineKind(message *tape.Recording) string {
	form := message.Form()
	if !form.IsForProcess() {
		return ""
	}
	return ", " + form.Endpoint
}

// addMiss adds a miss of a session to those of the run.
func (l *Log) addMiss(m *missing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m.Count = 1
	l.misses = append(l.misses, m)
}
