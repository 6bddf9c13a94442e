package rpc

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/qdrant/go-client/qdrant"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echogrpc"
	"github.com/promptecho/promptecho/echotest"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// A library answers questions from documents: an embedding model makes vectors of texts, Qdrant finds the
// document that is nearest to a question, and a model answers with it.
type library struct {
	models openai.Client
	store  *qdrant.Client
}

const documents = "documents" // the collection

// embed returns the vectors of texts.
func (l *library) embed(ctx context.Context, texts ...string) ([][]float32, error) {
	answer, err := l.models.Embeddings.New(ctx, openai.EmbeddingNewParams{
		Model:      openai.EmbeddingModelTextEmbedding3Small,
		Dimensions: openai.Int(4),
		Input:      openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: texts},
	})
	if err != nil {
		return nil, err
	}
	var vectors [][]float32
	for _, item := range answer.Data {
		var vector []float32
		for _, number := range item.Embedding {
			vector = append(vector, float32(number))
		}
		vectors = append(vectors, vector)
	}
	return vectors, nil
}

// add stores texts.
func (l *library) add(ctx context.Context, texts ...string) error {
	vectors, err := l.embed(ctx, texts...)
	if err != nil {
		return err
	}
	var points []*qdrant.PointStruct
	for i, vector := range vectors {
		points = append(points, &qdrant.PointStruct{
			Id:      qdrant.NewIDNum(uint64(i)),
			Vectors: qdrant.NewVectorsDense(vector),
			Payload: qdrant.NewValueMap(map[string]any{"text": texts[i]}),
		})
	}
	_, err = l.store.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: documents, Wait: qdrant.PtrOf(true), Points: points})
	return err
}

// answer answers a question.
func (l *library) answer(ctx context.Context, question string) (string, error) {
	vectors, err := l.embed(ctx, question)
	if err != nil {
		return "", err
	}
	found, err := l.store.Query(ctx, &qdrant.QueryPoints{
		CollectionName: documents,
		Query:          qdrant.NewQueryDense(vectors[0]),
		Limit:          qdrant.PtrOf(uint64(1)),
		WithPayload:    qdrant.NewWithPayload(true),
	})
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", fmt.Errorf("no document for %q", question)
	}
	text := found[0].Payload["text"].GetStringValue()
	answer, err := l.models.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model: openai.ChatModelGPT5_4Mini,
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage("Answer from this document: " + text),
			openai.UserMessage(question),
		},
	})
	if err != nil {
		return "", err
	}
	return answer.Choices[0].Message.Content, nil
}

// A question is answered from the documents, with neither a database nor a model: both are in one cassette.
func TestQuestionIsAnsweredFromDocuments(t *testing.T) {
	models, toStore := ragFakes(t) // delete this line, and both uses, to record the real ones
	rec := echotest.New(t, models...)
	store, err := qdrant.NewClient(&qdrant.Config{
		Host:        "localhost",
		Port:        6334,
		GrpcOptions: append(toStore, echogrpc.DialOptions(rec)...),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	l := &library{
		models: openai.NewClient(option.WithHTTPClient(rec.Client()), option.WithAPIKey(rec.Secret("OPENAI_API_KEY"))),
		store:  store,
	}
	err = l.add(t.Context(), "The museum opens at nine.", "Dogs must stay outside.")
	if err != nil {
		t.Fatal(err)
	}
	answer, err := l.answer(t.Context(), "When does the museum open?")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(answer, "nine") {
		t.Errorf("the answer is %q, want the hour", answer)
	}
}

// ragFakes returns what a run that records has in the place of the model and the database: the committed cassette is
// recorded from them.
//
//	PROMPTECHO_MODE=all OPENAI_API_KEY=made-up go test -count=1 -run TestQuestionIsAnsweredFromDocuments ./rpc
func ragFakes(t *testing.T) (models []promptecho.Option, toStore []grpc.DialOption) {
	if os.Getenv("PROMPTECHO_MODE") != string(promptecho.ModeAll) {
		return nil, nil
	}
	p := echofake.New(t, echofake.Embedding(), echofake.Embedding(), echofake.Text("It opens at nine."))
	found := &qdrant.QueryResponse{Result: []*qdrant.ScoredPoint{{
		Id:      qdrant.NewIDNum(0),
		Score:   0.75,
		Payload: qdrant.NewValueMap(map[string]any{"text": "The museum opens at nine."}),
	}}}
	store := qdrantMethods(t)
	store["qdrant.Points/Query"] = func(int64, proto.Message) ([]proto.Message, error) { return one(found) }
	return []promptecho.Option{promptecho.Upstream(p)}, serve(t, store.server())
}
