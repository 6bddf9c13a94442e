package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A Script plays the part of the server in a recorded session. Its methods may be called
// concurrently.
type Script interface {
	// Send takes a message of the client. The error is a [*Refusal] if the message is not
	// recorded. Then the session is over. It is ErrSignalUnrecorded for a signal.
	Send(m interaction.Message) error

	// Next returns the next event of the server, and how many milliseconds after the message
	// before it the event came. Each event is returned once.
	Next() (event interaction.Event, delayMS int64, state ScriptState)

	// Wait waits until Next returns another state than AwaitsClient, or until the context ends.
	Wait(ctx context.Context)

	// WaitLimit returns how long the client may wait for the next event while it sends nothing.
	WaitLimit() time.Duration

	// WaitTimedOut returns the [*Refusal] of a client that has waited for longer, since it has
	// not sent what was sent before that event when it was recorded.
	WaitTimedOut() error

	// Close ends the session. What the client has not sent by then is not used.
	Close()
}

// A ScriptState says what [Script.Next] has returned.
type ScriptState int

const (
	EventReady   ScriptState = iota // an event
	AwaitsClient                    // nothing: the client has to send something first, or to close
	ScriptEnded                     // nothing: the server ends the session
	ScriptBroken                    // nothing: the connection breaks
)

// ErrSignalUnrecorded is the error of [Script.Send] for a signal that is not recorded. The session
// goes on: what a signal does to a process is known without a recording.
var ErrSignalUnrecorded = errors.New("the signal is not recorded")

// A Refusal is the error of a message that is not recorded.
type Refusal struct {
	Text  string // the report in a line
	Event []byte // the error event of the API, with the text; nil if it has none
	Miss  error  // the whole report; nil if the message is refused for another reason
}

func (r *Refusal) Error() string { return r.Text }

// Unwrap returns the whole report.
func (r *Refusal) Unwrap() error { return r.Miss }

// brokenBy returns the error of a Read from a connection that broke with a recorded error.
func brokenBy(errText string) error {
	if errText == "" || errText == io.EOF.Error() {
		return io.EOF
	}
	if strings.HasSuffix(errText, io.ErrUnexpectedEOF.Error()) {
		return io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w (recorded: %s)", io.ErrUnexpectedEOF, errText)
}

// An interrupter ends the wait of a reader when something happens that the reader must see.
type interrupter struct {
	mu     sync.Mutex // guards cancel; no other lock is taken under it
	cancel context.CancelFunc
}

// begin returns the context of a wait. It ends with its parent, after a limit, when interrupt is
// called, or when end is.
func (i *interrupter) begin(
	parent context.Context, limit time.Duration,
) (ctx context.Context, end context.CancelFunc) {
	ctx, cancel := context.WithTimeout(parent, limit)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.cancel = cancel
	return ctx, cancel
}

// interrupt ends the wait that has begun last.
func (i *interrupter) interrupt() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.cancel != nil {
		i.cancel()
	}
}
