package foreign

import (
	"time"

	"github.com/promptecho/promptecho/internal/canon"
	playback "github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/recorder/script"
)

// A timedMessage is a message of a WebSocket.
type timedMessage struct {
	interaction.Message
	at time.Time
}

// A sessionWriter writes the messages of a WebSocket into its interaction, as a recorder does.
type sessionWriter struct {
	request  *interaction.Request
	response *interaction.Response
	opening  script.Opening
	audio    playback.AudioParts
	last     time.Time // of the message before
}

// addMessages adds the messages of a captured WebSocket to its interaction.
func addMessages(it *interaction.Interaction, messages []timedMessage) {
	it.Response.Stream = interaction.WebSocket
	it.Response.End = interaction.EndClosed
	w := sessionWriter{request: &it.Request, response: &it.Response}
	w.opening = script.Opening{Request: it.Request, Form: new(canon.Options).Form(&it.Request)}
	for _, m := range messages {
		if m.Kind == interaction.Close {
			it.Response.End = ""
		}
		if m.Sent {
			w.addSent(m)
			continue
		}
		w.audio.End(it.Response.Events)
		w.add(m.Message, m.at)
	}
	w.audio.End(it.Response.Events)
}

// addSent adds a message of the client. Its audio is not kept, nor is a message that only keeps the
// connection open.
func (w *sessionWriter) addSent(m timedMessage) {
	stored, piece := w.opening.Split(m.Message)
	req := w.request.MessageRequest(&stored)
	if new(canon.Options).Form(&req).KeepsAlive() {
		return
	}
	continuesAudio := piece != nil && !w.audio.Add(stored, piece, len(w.response.Events))
	if !continuesAudio {
		w.add(stored, m.at)
	}
}

// add adds a message that came at a time, which may be unknown.
func (w *sessionWriter) add(m interaction.Message, at time.Time) {
	var delay interaction.Delay
	if !w.last.IsZero() && at.After(w.last) {
		delay.MS = at.Sub(w.last).Milliseconds()
	}
	if !at.IsZero() {
		w.last = at
	}
	w.response.Events = append(w.response.Events, m.Event())
	w.response.Delays = append(w.response.Delays, delay)
}
