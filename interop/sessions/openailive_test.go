package sessions

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/live"

	"github.com/promptecho/promptecho"
)

// talkOpenAILive plays OpenAI's Live API: it acknowledges each command under the ID that the client
// gave it, and answers audio in three pieces.
func talkOpenAILive(p *peer) {
	audio := 0
	for {
		e, ok := p.next()
		if !ok {
			return
		}
		switch e.Type {
		case "session.start":
			p.sendf(`{"type":"session.started","event_id":"%s","client_event_id":"%s","session":{"id":"%s"}}`, newID("event"), e.EventID, newID("sess"))
		case "session.instructions.append":
			p.sendf(`{"type":"session.instructions.appended","event_id":"%s","client_event_id":"%s"}`, newID("event"), e.EventID)
		case "session.input_audio.append":
			audio += len(e.Audio)
		case "session.input_audio.mute":
			for n := range 3 {
				p.sendf(`{"type":"session.output_transcript.delta","event_id":"%s","delta":"word %d ","start_ms":%d,"end_ms":%d}`, newID("event"), n, n, n+1)
			}
			p.sendf(`{"type":"session.input_audio.muted","event_id":"%s","client_event_id":"%s"}`, newID("event"), e.EventID)
		}
	}
}

// openaiLiveProgram starts a session, speaks, and waits for the acknowledgement of each command.
func openaiLiveProgram(instructions string) program {
	runs := 0
	return func(ctx context.Context, rec *promptecho.Recorder, base string, see *notes) error {
		runs++
		client := openaiClient(rec, base)
		conn, err := client.Live.Connect(ctx, live.LiveConnectionOptions{})
		if err != nil {
			return err
		}
		defer conn.Close()
		ask := func(e live.ClientEventUnionParam, id string) error {
			if err := conn.Send(ctx, e); err != nil {
				return err
			}
			for {
				answer, err := conn.RecvRaw(ctx)
				if err != nil {
					return err
				}
				if strings.Contains(string(answer), `"type":"error"`) {
					return fmt.Errorf("the server says %s", answer)
				}
				see.add("events", "%s", strings.ReplaceAll(string(answer), id, "ID"))
				if strings.Contains(string(answer), id) {
					return nil
				}
			}
		}

		id := newID("event")
		err = ask(live.ClientEventUnionParam{OfSessionStart: &live.SessionStartEventParam{
			EventID: openai.String(id),
			Session: live.SessionConfigParam{Model: live.SessionConfigModelGPTLive1, Instructions: openai.String(instructions)},
		}}, id)
		if err != nil {
			return err
		}
		audio := []byte(strings.Repeat("audio of the user ", 100))
		for size := 100 + 7*runs; len(audio) > 0; { // cut differently in each run
			piece := audio[:min(size, len(audio))]
			audio = audio[len(piece):]
			err := conn.Send(ctx, live.ClientEventUnionParam{OfSessionInputAudioAppend: &live.InputAudioAppendEventParam{Audio: base64Of(piece)}})
			if err != nil {
				return err
			}
		}
		id = newID("event")
		return ask(live.ClientEventUnionParam{OfSessionInputAudioMute: &live.InputAudioMuteEventParam{EventID: openai.String(id)}}, id)
	}
}

// A conversation through the Live API of openai-go replays. The client finds its own IDs in what the
// server acknowledges.
func TestOpenAILive(t *testing.T) {
	t.Parallel()
	server := serveSockets(t, talkOpenAILive, websocket.AcceptOptions{})
	file := replays(t, server, openaiLiveProgram("Be kind."))
	text := read(t, file)
	for _, want := range []string{"boundary: openai.live", "session.input_audio.append", "word 0 word 1 word 2"} {
		if !strings.Contains(text, want) {
			t.Errorf("the cassette does not have %q:\n%s", want, text)
		}
	}
	wantMiss(t, file, server.URL, openaiLiveProgram("Be rude."), "session/instructions", "Be rude.")
}
