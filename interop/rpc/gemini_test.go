package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	generativelanguage "cloud.google.com/go/ai/generativelanguage/apiv1beta"
	pb "cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// googleAnswers are the JSON of answers that Gemini and Vertex AI have in common: one with a text and a call of a
// tool, and a stream of a text in two parts. They are made up.
var (
	googleAnswer = `{
		"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [
			{"text": "Let me look %d."},
			{"functionCall": {"name": "get_weather", "args": {"city": "Paris", "days": %d}}}
		]}}],
		"usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 11, "totalTokenCount": 18}}`
	googleStream = []string{
		`{"candidates": [{"content": {"role": "model", "parts": [{"text": "Sunny, "}]}}]}`,
		`{"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [
			{"text": "%d degrees."},
			{"functionCall": {"name": "stop_here", "args": {}}}
		]}}], "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 5, "totalTokenCount": 8}}`,
	}
)

const gemini = "google.ai.generativelanguage.v1beta."

// geminiMethods are the methods of Gemini that the tests call.
var geminiMethods = methods{
	gemini + "GenerativeService/GenerateContent":       ofJSON(gemini+"GenerateContentResponse", googleAnswer),
	gemini + "GenerativeService/StreamGenerateContent": ofJSON(gemini+"GenerateContentResponse", googleStream...),
	gemini + "GenerativeService/EmbedContent": ofJSON(gemini+"EmbedContentResponse",
		`{"embedding": {"values": [0.1, 0.2, %d]}}`),
	gemini + "GenerativeService/CountTokens": failing(status.Error(codes.ResourceExhausted, "quota")),
}

// googleOptions returns the options of a client of Google. When it is made, the client looks for credentials,
// unless it is told not to. An API key is enough in replay. The server of the test has no certificate.
func googleOptions(at run) []option.ClientOption {
	options := []option.ClientOption{option.WithEndpoint(host + ":443")}
	if at.rec.Online() {
		options = append(options, option.WithoutAuthentication(),
			option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	} else {
		options = append(options, option.WithAPIKey("made up"))
	}
	for _, o := range at.options {
		options = append(options, option.WithGRPCDialOption(o))
	}
	return options
}

// geminiRequest returns a request with a tool.
func geminiRequest(question string) *pb.GenerateContentRequest {
	return &pb.GenerateContentRequest{
		Model:    "models/gemini-made-up",
		Contents: []*pb.Content{{Role: "user", Parts: []*pb.Part{{Data: &pb.Part_Text{Text: question}}}}},
		Tools: []*pb.Tool{{FunctionDeclarations: []*pb.FunctionDeclaration{{
			Name:       "get_weather",
			Parameters: &pb.Schema{Type: pb.Type_OBJECT, Properties: map[string]*pb.Schema{"city": {Type: pb.Type_STRING}}},
		}}}},
	}
}

func useGemini(ctx context.Context, at run) error {
	client, err := generativelanguage.NewGenerativeClient(ctx, googleOptions(at)...)
	if err != nil {
		return err
	}
	defer client.Close()
	for range 2 {
		_, err = client.GenerateContent(ctx, geminiRequest("How is the weather?"))
		if err != nil {
			return err
		}
	}
	_, err = client.EmbedContent(ctx, &pb.EmbedContentRequest{
		Model:   "models/embedding-made-up",
		Content: &pb.Content{Parts: []*pb.Part{{Data: &pb.Part_Text{Text: "a text"}}}},
	})
	if err != nil {
		return err
	}
	_, err = client.CountTokens(ctx, &pb.CountTokensRequest{Model: "models/gemini-made-up"})
	if status.Code(err) != codes.ResourceExhausted {
		return fmt.Errorf("CountTokens returned %v, want ResourceExhausted", err)
	}
	return atOnce(64+8, func(i int) error {
		if i < 64 {
			_, err := client.GenerateContent(ctx, geminiRequest(fmt.Sprint("question ", i)))
			return err
		}
		stream, err := client.StreamGenerateContent(ctx, geminiRequest(fmt.Sprint("long question ", i)))
		for err == nil {
			_, err = stream.Recv()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
}

// A program that uses Gemini over gRPC gets each recorded answer without the network, also 64 calls and 8 streams
// at once.
func TestGeminiReplaysWithoutTheNetwork(t *testing.T) {
	t.Parallel()
	recorded := record(t, geminiMethods.server(), useGemini)
	recorded.replays(t)
	recorded.showsAnswers(t)
}

// A changed question is reported with its field and the line of the test.
func TestGeminiMissesNameTheField(t *testing.T) {
	t.Parallel()
	record(t, geminiMethods.server(), useGemini).misses(t, change{
		name: "question",
		ask: func(ctx context.Context, at run) (string, error) {
			client, err := generativelanguage.NewGenerativeClient(ctx, googleOptions(at)...)
			if err != nil {
				return "", err
			}
			defer client.Close()
			line := nextLine()
			_, err = client.GenerateContent(ctx, geminiRequest("How is the sea?"))
			return line, err
		},
		want: "contents/0/parts/0/text",
	})
}
