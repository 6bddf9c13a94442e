package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	aiplatform "cloud.google.com/go/aiplatform/apiv1"
	pb "cloud.google.com/go/aiplatform/apiv1/aiplatformpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

const vertex = "google.cloud.aiplatform.v1."

// vertexMethods are the methods of Vertex AI that the tests call.
var vertexMethods = methods{
	vertex + "PredictionService/GenerateContent":       ofJSON(vertex+"GenerateContentResponse", googleAnswer),
	vertex + "PredictionService/StreamGenerateContent": ofJSON(vertex+"GenerateContentResponse", googleStream...),
	vertex + "PredictionService/Predict": ofJSON(vertex+"PredictResponse",
		`{"predictions": [{"embeddings": {"values": [0.1, %d], "statistics": {"truncated": false}}}]}`),
	vertex + "PredictionService/RawPredict": failing(status.Error(codes.NotFound, "no such endpoint")),
}

const (
	vertexModel     = "projects/p/locations/l/publishers/google/models/gemini-made-up"
	vertexEmbedding = "projects/p/locations/l/publishers/google/models/embedding-made-up"
)

// vertexRequest returns a request with a tool.
func vertexRequest(question string) *pb.GenerateContentRequest {
	return &pb.GenerateContentRequest{
		Model:    vertexModel,
		Contents: []*pb.Content{{Role: "user", Parts: []*pb.Part{{Data: &pb.Part_Text{Text: question}}}}},
		Tools: []*pb.Tool{{FunctionDeclarations: []*pb.FunctionDeclaration{{
			Name:       "get_weather",
			Parameters: &pb.Schema{Type: pb.Type_OBJECT, Properties: map[string]*pb.Schema{"city": {Type: pb.Type_STRING}}},
		}}}},
	}
}

// vertexPrediction returns a request for the embedding of a text.
func vertexPrediction(text string) (*pb.PredictRequest, error) {
	instance, err := structpb.NewValue(map[string]any{"content": text, "task_type": "RETRIEVAL_QUERY"})
	return &pb.PredictRequest{Endpoint: vertexEmbedding, Instances: []*structpb.Value{instance}}, err
}

func useVertex(ctx context.Context, at run) error {
	client, err := aiplatform.NewPredictionClient(ctx, googleOptions(at)...)
	if err != nil {
		return err
	}
	defer client.Close()
	for range 2 {
		_, err = client.GenerateContent(ctx, vertexRequest("How is the weather?"))
		if err != nil {
			return err
		}
	}
	prediction, err := vertexPrediction("a text")
	if err != nil {
		return err
	}
	_, err = client.Predict(ctx, prediction)
	if err != nil {
		return err
	}
	_, err = client.RawPredict(ctx, &pb.RawPredictRequest{Endpoint: vertexEmbedding})
	if status.Code(err) != codes.NotFound {
		return fmt.Errorf("RawPredict returned %v, want NotFound", err)
	}
	return atOnce(64+8, func(i int) error {
		if i < 64 {
			_, err := client.GenerateContent(ctx, vertexRequest(fmt.Sprint("question ", i)))
			return err
		}
		stream, err := client.StreamGenerateContent(ctx, vertexRequest(fmt.Sprint("long question ", i)))
		for err == nil {
			_, err = stream.Recv()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
}

// A program that uses Vertex AI over gRPC gets each recorded answer without the network, also 64 calls and 8
// streams at once.
func TestVertexReplaysWithoutTheNetwork(t *testing.T) {
	t.Parallel()
	recorded := record(t, vertexMethods.server(), useVertex)
	recorded.replays(t)
	recorded.showsAnswers(t)
}

// A changed question, and a changed text to embed, are reported with the field and the line of the test.
func TestVertexMissesNameTheField(t *testing.T) {
	t.Parallel()
	recorded := record(t, vertexMethods.server(), useVertex)
	type call func(context.Context, *aiplatform.PredictionClient) (line string, err error)
	ask := func(c call) func(context.Context, run) (string, error) {
		return func(ctx context.Context, at run) (string, error) {
			client, err := aiplatform.NewPredictionClient(ctx, googleOptions(at)...)
			if err != nil {
				return "", err
			}
			defer client.Close()
			return c(ctx, client)
		}
	}
	question := ask(func(ctx context.Context, client *aiplatform.PredictionClient) (string, error) {
		line := nextLine()
		_, err := client.GenerateContent(ctx, vertexRequest("How is the sea?"))
		return line, err
	})
	text := ask(func(ctx context.Context, client *aiplatform.PredictionClient) (string, error) {
		prediction, err := vertexPrediction("another text")
		if err != nil {
			return "", err
		}
		line := nextLine()
		_, err = client.Predict(ctx, prediction)
		return line, err
	})
	recorded.misses(t,
		change{"question", question, "contents/0/parts/0/text"},
		change{"text", text, "instances/0/content"},
	)
}
