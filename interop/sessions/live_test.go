package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho"
)

// talkLive plays Gemini's Live API. It asks for a tool before it answers the first turn.
func talkLive(p *peer) {
	type message struct {
		Setup         json.RawMessage `json:"setup"`
		ClientContent json.RawMessage `json:"clientContent"`
		ToolResponse  json.RawMessage `json:"toolResponse"`
		RealtimeInput *struct {
			Audio          *struct{ Data []byte } `json:"audio"`
			AudioStreamEnd bool                   `json:"audioStreamEnd"`
		} `json:"realtimeInput"`
	}
	heard := 0
	for {
		_, text, err := p.conn.Read(p.ctx)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text, &m) != nil {
			return
		}
		switch {
		case m.Setup != nil:
			p.sendf(`{"setupComplete":{"sessionId":%q}}`, newID("session"))
		case m.ClientContent != nil:
			p.sendf(`{"toolCall":{"functionCalls":[{"id":%q,"name":"get_weather","args":{"city":"Oslo"}}]}}`, newID("function-call"))
		case m.ToolResponse != nil:
			p.answer("It snows.")
		case m.RealtimeInput.AudioStreamEnd:
			p.answer(fmt.Sprintf("I heard %d bytes.", heard))
		case m.RealtimeInput.Audio != nil:
			heard += len(m.RealtimeInput.Audio.Data)
		}
	}
}

// answer sends a turn of the model, in pieces.
func (p *peer) answer(text string) {
	for word := range strings.FieldsSeq(text) {
		_ = p.conn.Write(p.ctx, websocket.MessageBinary, // as the Live API does
			fmt.Appendf(nil, `{"serverContent":{"modelTurn":{"parts":[{"text":%q}]}}}`, word+" "))
	}
	p.sendf(`{"serverContent":{"turnComplete":true},"usageMetadata":{"promptTokenCount":7,"responseTokenCount":5,"totalTokenCount":12}}`)
}

// liveProgram has a turn by text with a call of a tool, and one by audio.
func liveProgram(t *testing.T, question string) program {
	runs := 0
	return func(ctx context.Context, rec *promptecho.Recorder, base string, see *notes) error {
		runs++
		client, err := genai.NewClient(ctx, &genai.ClientConfig{
			APIKey:      fakeKey,
			Backend:     genai.BackendGeminiAPI,
			HTTPOptions: genai.HTTPOptions{BaseURL: socketURL(t, rec, base)},
		})
		if err != nil {
			return err
		}
		session, err := client.Live.Connect(ctx, "gemini-live-2.5-flash-preview", &genai.LiveConnectConfig{
			ResponseModalities: []genai.Modality{genai.ModalityText},
			SystemInstruction:  genai.NewContentFromText("Be kind.", genai.RoleUser),
		})
		if err != nil {
			return err
		}
		defer session.Close()

		err = session.SendClientContent(genai.LiveClientContentInput{
			Turns:        []*genai.Content{genai.NewContentFromText(question, genai.RoleUser)},
			TurnComplete: genai.Ptr(true),
		})
		if err != nil {
			return err
		}
		call, err := readTurn(session, see)
		if err != nil {
			return err
		}
		if call == nil {
			return fmt.Errorf("the model calls no tool")
		}
		err = session.SendToolResponse(genai.LiveToolResponseInput{FunctionResponses: []*genai.FunctionResponse{
			{ID: call.ID, Name: call.Name, Response: map[string]any{"weather": "snow"}},
		}})
		if err != nil {
			return err
		}
		if _, err := readTurn(session, see); err != nil {
			return err
		}

		audio := []byte(strings.Repeat("audio of the user ", 100))
		size := 100 + 7*runs // cut differently in each run
		for len(audio) > 0 {
			piece := audio[:min(size, len(audio))]
			audio = audio[len(piece):]
			err := session.SendRealtimeInput(genai.LiveRealtimeInput{Audio: &genai.Blob{Data: piece, MIMEType: "audio/pcm;rate=16000"}})
			if err != nil {
				return err
			}
		}
		if err := session.SendRealtimeInput(genai.LiveRealtimeInput{AudioStreamEnd: true}); err != nil {
			return err
		}
		_, err = readTurn(session, see)
		return err
	}
}

// readTurn notes the messages of a turn of the model, and returns the tool that it calls, or nil.
func readTurn(session *genai.Session, see *notes) (*genai.FunctionCall, error) {
	for {
		m, err := session.Receive()
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		see.add("messages", "%s", text)
		switch {
		case m.ToolCall != nil:
			return m.ToolCall.FunctionCalls[0], nil
		case m.ServerContent != nil && m.ServerContent.TurnComplete:
			return nil, nil
		}
	}
}

// A session of Gemini's Live API, with a tool and audio, replays through genai, which dials a server.
func TestGeminiLive(t *testing.T) {
	t.Parallel()
	server := serveSockets(t, talkLive, websocket.AcceptOptions{})
	file := replays(t, server, liveProgram(t, "How is the weather in Oslo?"))
	wantMiss(t, file, server.URL, liveProgram(t, "How is the weather in Rome?"), "clientContent/turns/0/parts/0/text", "Rome")
}
