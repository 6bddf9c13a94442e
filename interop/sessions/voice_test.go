package sessions

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/realtime"

	"github.com/promptecho/promptecho/echotest"
)

// The code of "A voice agent" in docs/RECIPES.md. Its cassette was recorded against talkByVoice.

// A voice agent sells train tickets. answer sends it what a microphone hears, plays what the agent
// says, and returns the words.
func answer(ctx context.Context, client openai.Client, microphone io.Reader, speaker io.Writer) (string, error) {
	conn, err := client.Realtime.Connect(ctx, realtime.RealtimeConnectionOptions{}, option.WithQuery("model", "gpt-realtime"))
	if err != nil {
		return "", err
	}
	defer conn.Close()
	session := realtime.RealtimeSessionCreateRequestParam{Instructions: openai.String("You sell train tickets.")}
	err = conn.Send(ctx, realtime.RealtimeClientEventUnionParam{OfSessionUpdate: &realtime.SessionUpdateEventParam{
		Session: realtime.SessionUpdateEventSessionUnionParam{OfRealtime: &session},
	}})
	if err != nil {
		return "", err
	}
	go listen(ctx, conn, microphone)
	words := ""
	for {
		event, err := conn.Recv(ctx)
		if err != nil {
			return words, err
		}
		switch e := event.AsAny().(type) {
		case realtime.ResponseAudioTranscriptDeltaEvent:
			words += e.Delta
		case realtime.ResponseAudioDeltaEvent:
			_, err = speaker.Write(decoded(e.Delta))
		case realtime.RealtimeErrorEvent:
			err = errors.New(e.Error.Message)
		case realtime.ResponseDoneEvent:
			return words, nil
		}
		if err != nil {
			return words, err
		}
	}
}

// listen sends what a microphone hears, in pieces of any size. The server hears when it is the end.
func listen(ctx context.Context, conn *realtime.RealtimeConnection, microphone io.Reader) {
	piece := make([]byte, 1024)
	for {
		n, err := microphone.Read(piece)
		if n > 0 {
			sendErr := conn.Send(ctx, realtime.RealtimeClientEventUnionParam{
				OfInputAudioBufferAppend: &realtime.InputAudioBufferAppendEventParam{Audio: base64Of(piece[:n])},
			})
			if sendErr != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func decoded(audio string) []byte { return []byte(decodeBase64(audio)) }

// A voice agent hears a question from a file, and its words and its sound replay.
func TestVoiceAgent(t *testing.T) {
	rec := echotest.New(t)
	client := openai.NewClient(option.WithHTTPClient(rec.Client()), option.WithAPIKey(rec.Secret("OPENAI_API_KEY")))
	microphone, err := os.Open("testdata/question.pcm")
	if err != nil {
		t.Fatal(err)
	}
	defer microphone.Close()
	var speaker bytes.Buffer
	words, err := answer(t.Context(), client, microphone, &speaker)
	if err != nil || !strings.Contains(words, "Oslo") || speaker.Len() == 0 {
		t.Errorf("the agent says %q in %d bytes, %v", words, speaker.Len(), err)
	}
}

// talkByVoice plays a voice agent of the Realtime API, which answers when it has heard the whole
// question.
func talkByVoice(p *peer) {
	const question = 4800 // the bytes of testdata/question.pcm
	p.sendf(`{"type":"session.created","event_id":"event_1","session":{"id":"sess_1","type":"realtime","model":"gpt-realtime"}}`)
	heard := 0
	for {
		e, ok := p.next()
		if !ok {
			return
		}
		switch e.Type {
		case "session.update":
			p.sendf(`{"type":"session.updated","event_id":"event_2","session":{"type":"realtime","instructions":"You sell train tickets."}}`)
		case "input_audio_buffer.append":
			heard += len(decoded(e.Audio))
			if heard == question {
				p.speak()
			}
		}
	}
}

// speak sends a response with its words and its sound.
func (p *peer) speak() {
	p.sendf(`{"type":"input_audio_buffer.committed","event_id":"event_3","item_id":"item_1"}`)
	p.sendf(`{"type":"response.created","event_id":"event_4","response":{"id":"resp_1","status":"in_progress"}}`)
	const of = `"response_id":"resp_1","item_id":"item_2","output_index":0,"content_index":0`
	for _, word := range []string{"A ticket ", "to Oslo?"} {
		p.sendf(`{"type":"response.output_audio_transcript.delta","event_id":"event_5",%s,"delta":%q}`, of, word)
		p.sendf(`{"type":"response.output_audio.delta","event_id":"event_6",%s,"delta":%q}`, of, base64Of(bytes.Repeat([]byte{1, 2, 3}, 8)))
	}
	p.sendf(`{"type":"response.done","event_id":"event_7","response":{"id":"resp_1","status":"completed","usage":{"input_tokens":20,"output_tokens":10,"total_tokens":30}}}`)
}

// sendToVoiceServer makes the default transport send requests to a voice agent of this process, in
// the place of OpenAI.
func sendToVoiceServer() {
	server := httptest.NewServer(socketHandler(context.Background(), talkByVoice, websocket.AcceptOptions{}))
	address, err := url.Parse(server.URL)
	if err != nil {
		panic(err)
	}
	local := http.DefaultTransport
	http.DefaultTransport = roundTripFunc(func(req *http.Request) (*http.Response, error) {
		out := req.Clone(req.Context())
		out.URL.Scheme = address.Scheme
		out.URL.Host = address.Host
		out.Host = ""
		return local.RoundTrip(out)
	})
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
