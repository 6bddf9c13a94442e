package session

import "fmt"

// A Miss is the error for a sent message that leaves no placement of the
// conversations on the recordings.
type Miss struct {
	Form       string
	Part       bool        // the message was a piece of bytes, see [Message]
	Candidates []Candidate // the recordings that the conversation fitted before
}

// A Candidate is a recording that a conversation fitted until a miss.
type Candidate struct {
	Recording int
	Untaken   []Place // sent messages that the conversation has not taken

	// Due is how many of Untaken come first: they were sent before the next message
	// to receive.
	Due int

	// Fits says that the recording has the message, and that another
	// conversation needs the recording.
	Fits bool
}

func (m *Miss) Error() string {
	what := "message"
	if m.Part {
		what = "piece of bytes"
	}
	for _, candidate := range m.Candidates {
		if candidate.Fits {
			return fmt.Sprintf("session: another conversation uses the recording "+
				"of the %s %.100q", what, m.Form)
		}
	}
	return fmt.Sprintf("session: the %s %.100q is not recorded", what, m.Form)
}

// miss returns the error for a message.
func (p *Player) miss(key formKey, fits func(*indexed) bool) error {
	miss := &Miss{Form: key.form, Part: key.kind == sentPart}
	for _, recording := range p.fitting {
		rec := p.group.recordings[recording]
		miss.Candidates = append(miss.Candidates, Candidate{
			Recording: recording,
			Untaken:   p.untaken(recording, len(rec.messages)),
			Due:       len(p.untaken(recording, p.nextReceived(rec))),
			Fits:      fits(rec),
		})
	}
	return miss
}

// nextReceived returns the index of the next message to receive from a recording, or the number of
// its messages.
func (p *Player) nextReceived(rec *indexed) int {
	for i, m := range rec.messages {
		isNext := m.kind == received && !p.isDone(m)
		if isNext {
			return i
		}
	}
	return len(rec.messages)
}
