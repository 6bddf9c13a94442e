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
	Untaken   []Place // the first sent messages that the conversation has not taken

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

// mostUntaken is how many messages of a candidate a miss has. A caller compares the message with
// each of them, which must not take longer the longer the recording is: what the program
// meant to send is one of the next messages.
const mostUntaken = 1000
