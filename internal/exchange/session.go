package exchange

import (
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A SessionSink receives a live session; see [Sink] for the fields of both.
type SessionSink struct {
	Finish      func(resp *interaction.Response, latencyMS int64)
	Unreadable  func(err error) // is called if a side sends what is no message
	DropsHeader func(name string) bool
	Pending     *Pending

	// Sent is called with each message of the client, in order. It returns the message as
	// the cassette has it, or the bytes of audio that the message brings and the message
	// without them. The message is not recorded if isKept is false.
	Sent func(m interaction.Message) (stored interaction.Message, audio []byte, isKept bool)
}

// A sessionLog collects the messages of a live session.
type sessionLog struct {
	sink  SessionSink
	onEnd func() // closes the connection when the recorder ends
	start time.Time

	mu       sync.Mutex // guards what follows; it is held during Finish
	stored   interaction.Response
	last     int64 // when the last message came, in milliseconds since start
	latency  int64
	audio    AudioParts
	finished bool
}

// add adds a message. It is called before a message of the client is sent: otherwise the
// answer could be recorded before it.
func (l *sessionLog) add(m interaction.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.finished {
		return
	}
	if !m.Sent {
		l.audio.End(l.stored.Events)
		l.addEvent(m.Event())
		return
	}
	stored, piece, isKept := l.sink.Sent(m)
	isPart := isKept && piece != nil
	switch {
	case isPart && l.audio.Add(stored, piece, len(l.stored.Events)):
		l.addEvent(stored.Event())
	case isKept && !isPart:
		l.addEvent(stored.Event())
	}
}

// addReceived adds an event of a stream with a framing of its own.
func (l *sessionLog) addReceived(event interaction.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.finished {
		l.audio.End(l.stored.Events)
		l.addEvent(event)
	}
}

func (l *sessionLog) addEvent(event interaction.Event) {
	now := time.Since(l.start).Milliseconds()
	l.stored.Events = append(l.stored.Events, event)
	l.stored.Delays = append(l.stored.Delays, interaction.Delay{MS: now - l.last})
	l.last = now
}

// finish hands the session to the sink, once. end, errText and errorIs are End, Error and ErrorIs of
// the response.
func (l *sessionLog) finish(end, errText string, errorIs ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.finished {
		return
	}
	l.finished = true
	l.audio.End(l.stored.Events)
	if end != "" && l.isClosed() {
		end = ""
		errText = ""
		errorIs = nil
	}
	l.stored.End = end
	l.stored.Error = errText
	l.stored.ErrorIs = errorIs
	stored := l.stored
	l.stored = interaction.Response{}
	l.sink.Finish(&stored, l.latency)
	l.sink.Pending.Remove(l)
}

// isClosed reports whether one side has closed a WebSocket, so that it does not matter how the
// connection ends. In other sessions a side that has sent its last message still receives.
func (l *sessionLog) isClosed() bool {
	if l.stored.Stream != interaction.WebSocket {
		return false
	}
	for _, event := range l.stored.Events {
		m, ok := event.Message()
		if ok && m.Kind == interaction.Close {
			return true
		}
	}
	return false
}

// Close ends the session when its recorder is closed.
func (l *sessionLog) Close() error {
	l.finish(interaction.EndClosed, "")
	l.onEnd()
	return nil
}
