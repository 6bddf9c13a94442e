package child

import (
	"context"
	"io"
	"sync"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A liveLink is a running program as a recorder sees it: an [exchange.Link] whose messages are
// masked. The bytes that the program and its client exchange go past the recorder, so they are
// exactly those of the program.
type liveLink struct {
	ctx     context.Context
	program *program
	place   *Place
	client  Client
	reject  func(mark string) // is called if a line has a mark of a Place

	// files is the folder whose files are recorded; nil if none are. noFiles is called if it
	// cannot be read.
	files   *folder
	noFiles func(error)

	// waiting are messages that come before the others. Only the goroutine that receives uses it.
	waiting []receivedOutput

	// input is what the program gets for the message that is being sent; prepareSend sets it.
	input []byte

	// output is what the message that was received last has for the client. Only the goroutine
	// that receives uses it.
	output []byte

	mu    sync.Mutex      // guards pings
	pings map[string]bool // the keys of requests that are not recorded, see [jsonMessage.requestKey]
}

// prepareSend is called before the recorder gets a message of the client, which then calls Send. input
// is the part of the message that the program has not got yet.
func (l *liveLink) prepareSend(m interaction.Message, input []byte) {
	mark := FirstMark(m.Data)
	if mark != "" {
		l.reject(mark)
	}
	l.program.flush()
	l.input = append([]byte(nil), input...)
}

// Send gives the program what the message stands for.
func (l *liveLink) Send(m interaction.Message) error {
	switch m.Kind {
	case interaction.Close:
		l.program.input.End()
	case interaction.Signal:
		l.program.signal(m.Data)
	default:
		l.forward(l.input)
	}
	return nil
}

// forward gives the program bytes that are not recorded. An error says that the program has exited.
func (l *liveLink) forward(p []byte) { _, _ = l.program.input.Write(p) }

// forwardPing gives the program the end of a ping, whose response is not recorded.
func (l *liveLink) forwardPing(key string, end []byte) {
	l.mu.Lock()
	if l.pings == nil {
		l.pings = map[string]bool{}
	}
	l.pings[key] = true
	l.mu.Unlock()
	l.forward(end)
}

// A receivedOutput is a message of the program, and what the client gets for it.
type receivedOutput struct {
	message interaction.Message
	raw     []byte
}

// Recv returns the next message of the program. What is not recorded goes to the client.
func (l *liveLink) Recv() (interaction.Message, error) {
	for len(l.waiting) == 0 {
		item, ok := l.program.outputs.take()
		switch {
		case l.ctx.Err() != nil:
			return interaction.Message{}, l.ctx.Err()
		case !ok:
			return interaction.Message{}, io.EOF
		case !item.isMessage || l.isPong(item.message):
			deliver(l.client, item.raw, item.isStderr)
			continue
		}
		l.addFiles()
		l.waiting = append(l.waiting, receivedOutput{item.message, item.raw})
	}
	next := l.waiting[0]
	l.waiting = l.waiting[1:]
	l.output = next.raw
	mark := FirstMark(next.message.Data)
	if mark != "" {
		l.reject(mark)
	}
	next.message.Data = l.place.MaskReceived(next.message.Data)
	return next.message, nil
}

// addFiles adds the files that the program has written since the last message. The line that
// follows may say that they are there.
func (l *liveLink) addFiles() {
	if l.files == nil {
		return
	}
	changed, err := l.files.changes()
	if err != nil {
		l.noFiles(err)
	}
	for _, f := range changed {
		l.waiting = append(l.waiting, receivedOutput{message: f.message()})
	}
}

// isPong reports whether a message is the response to a ping that is not recorded.
func (l *liveLink) isPong(m interaction.Message) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	isLine := m.Kind == interaction.Text || m.Kind == interaction.Framed
	if len(l.pings) == 0 || !isLine {
		return false
	}
	parsed := parse(m.Data)
	key := parsed.responseKey()
	isPong := l.pings[key]
	delete(l.pings, key)
	return isPong
}

// Close ends the program.
func (l *liveLink) Close() error { return l.program.Close() }
