package sessions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/promptecho/promptecho"
)

// A sonicServer plays Bedrock's InvokeModelWithBidirectionalStream. It answers each text input with
// two events. A text "end" makes it end the stream, and "fail" makes it send an exception.
func sonicServer(t *testing.T) *httptest.Server {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
		flush := http.NewResponseController(w).Flush
		w.WriteHeader(http.StatusOK)
		if flush() != nil {
			return
		}
		out := eventstream.NewEncoder()
		send := func(kind, name, payload string) {
			var e eventstream.Message
			e.Headers.Set(":message-type", eventstream.StringValue(kind))
			e.Headers.Set(":"+kind+"-type", eventstream.StringValue(name))
			e.Headers.Set(":content-type", eventstream.StringValue("application/json"))
			e.Payload = []byte(payload)
			_ = out.Encode(w, e)
			_ = flush()
		}
		in := eventstream.NewDecoder()
		for {
			m, err := in.Decode(r.Body, nil)
			isLast := err == nil && len(m.Payload) == 0 // of a signed stream
			if err != nil || isLast {
				return
			}
			text := contentOf(m.Payload)
			switch {
			case strings.Contains(text, `"end"`):
				return
			case strings.Contains(text, `"fail"`):
				send("exception", "modelStreamErrorException", `{"message":"the model is tired"}`)
				return
			case strings.Contains(text, "textInput"):
				for range 2 {
					send("event", "chunk", fmt.Sprintf(`{"bytes":%q}`, base64Of(fmt.Appendf(nil, `{"event":{"textOutput":{"completionId":%q,"content":"an answer"}}}`, newID("completion")))))
				}
			}
		}
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// contentOf returns the JSON in a signed event: its payload is another event.
func contentOf(payload []byte) string {
	inner, err := eventstream.NewDecoder().Decode(strings.NewReader(string(payload)), nil)
	if err != nil {
		return string(payload)
	}
	_, encoded, _ := strings.Cut(string(inner.Payload), `"bytes":"`)
	encoded, _, _ = strings.Cut(encoded, `"`)
	return decodeBase64(encoded)
}

// sonicProgram sends texts, and notes all events and how the stream ended. It closes the stream
// after the answers to the last text, unless the server ends it.
func sonicProgram(texts ...string) program {
	return func(ctx context.Context, rec *promptecho.Recorder, base string, see *notes) error {
		client := bedrockruntime.New(bedrockruntime.Options{
			Region: "us-east-1", HTTPClient: rec.Client(), BaseEndpoint: aws.String(base),
			Credentials: credentials.NewStaticCredentialsProvider("AKIDOFINTEROPTESTS", fakeKey, ""),
		})
		out, err := client.InvokeModelWithBidirectionalStream(ctx, &bedrockruntime.InvokeModelWithBidirectionalStreamInput{ModelId: aws.String("amazon.nova-sonic-v1:0")})
		if err != nil {
			return err
		}
		stream := out.GetStream()
		defer stream.Close()
		prompt := newID("prompt") // the client makes it up for each run
		for _, text := range texts {
			message := fmt.Appendf(nil, `{"event":{"textInput":{"promptName":%q,"content":%q}}}`, prompt, text)
			err = stream.Send(ctx, &types.InvokeModelWithBidirectionalStreamInputMemberChunk{Value: types.BidirectionalInputPayloadPart{Bytes: message}})
			if ctx.Err() != nil {
				return err
			}
			// If the server ends the stream because of this message, Send may fail. What comes says why.
			for range 2 {
				e, ok := <-stream.Events()
				if !ok {
					return see.end(stream.Err())
				}
				chunk := e.(*types.InvokeModelWithBidirectionalStreamOutputMemberChunk)
				see.add("events", "%s", chunk.Value.Bytes)
			}
		}
		return nil
	}
}

// end notes how a stream ended. It returns other errors than those that a server sends.
func (n *notes) end(err error) error {
	var sent *types.ModelStreamErrorException
	switch {
	case err == nil:
		n.add("events", "the end")
		return nil
	case errors.As(err, &sent):
		n.add("events", "%v", sent)
		return nil
	}
	return err
}

// Two-way streams of Bedrock replay through aws-sdk-go-v2, however they end: by the client, by the
// server, or by an exception.
func TestBedrockTwoWayStreams(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		"the client ends it":   {"Hello.", "How are you?", "Bye."},
		"the server ends it":   {"Hello.", "end"},
		"an exception ends it": {"Hello.", "fail"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := sonicServer(t)
			file := replays(t, server, sonicProgram(texts...), promptecho.Upstream(server.Client().Transport))
			text := read(t, file)
			for _, secret := range []string{"chunk-signature", ":date", "x-amz-date", "Signature=", "AKIDOFINTEROPTESTS"} {
				if strings.Contains(text, secret) {
					t.Errorf("the cassette has %q:\n%s", secret, text)
				}
			}
			inOrder := regexp.MustCompile(`(?s)sent: .*Hello.*bytes: .*an answer.*sent: `)
			if !inOrder.MatchString(text) {
				t.Errorf("sent and received events are not in order:\n%s", text)
			}
		})
	}
}

// A message of a two-way stream that is not recorded is an error of aws-sdk-go-v2 that names the
// field.
func TestBedrockTwoWayStreamMiss(t *testing.T) {
	t.Parallel()
	server := sonicServer(t)
	file := replays(t, server, sonicProgram("Hello.", "How are you?"), promptecho.Upstream(server.Client().Transport))
	err := wantMiss(t, file, server.URL, sonicProgram("Hello.", "Who are you?"), "event/textInput/content", "Who are you?")
	var invalid *types.ValidationException
	if !errors.As(err, &invalid) || !strings.Contains(err.Error(), "event/textInput/content") {
		t.Errorf("the program gets %v", err)
	}
}
