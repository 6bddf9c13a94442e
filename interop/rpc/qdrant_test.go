package rpc

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// qdrantMethods are the methods of Qdrant that the tests call.
func qdrantMethods(t *testing.T) methods {
	full, err := status.New(codes.InvalidArgument, "wrong vector size").WithDetails(
		&errdetails.ErrorInfo{Reason: "VECTOR_SIZE", Domain: "qdrant"})
	if err != nil {
		t.Fatal(err)
	}
	return methods{
		"qdrant.Qdrant/HealthCheck": func(n int64, _ proto.Message) ([]proto.Message, error) {
			return one(&qdrant.HealthCheckReply{Title: fmt.Sprint("health ", n), Version: "1.17.1"})
		},
		"qdrant.Collections/Create": func(n int64, _ proto.Message) ([]proto.Message, error) {
			return one(&qdrant.CollectionOperationResponse{Result: true, Time: float64(n)})
		},
		"qdrant.Points/Upsert": func(n int64, _ proto.Message) ([]proto.Message, error) {
			return one(&qdrant.PointsOperationResponse{
				Result: &qdrant.UpdateResult{OperationId: proto.Uint64(1<<60 + uint64(n)), Status: qdrant.UpdateStatus_Completed},
			})
		},
		"qdrant.Points/Query": func(n int64, _ proto.Message) ([]proto.Message, error) {
			return one(&qdrant.QueryResponse{Time: float64(n) / 7, Result: []*qdrant.ScoredPoint{{
				Id:      qdrant.NewIDNum(uint64(n)),
				Score:   float32(n) / 3,
				Payload: qdrant.NewValueMap(map[string]any{"text": fmt.Sprint("text ", n), "size": n, "tags": []any{"a", nil}}),
			}}})
		},
		"qdrant.Points/Scroll": func(n int64, _ proto.Message) ([]proto.Message, error) {
			return one(&qdrant.ScrollResponse{
				Result:         []*qdrant.RetrievedPoint{{Id: qdrant.NewIDNum(uint64(n)), Vectors: &qdrant.VectorsOutput{}}},
				NextPageOffset: qdrant.NewIDNum(uint64(n + 1)),
			})
		},
		"qdrant.Points/Count":  failing(full.Err()),
		"qdrant.Points/Delete": failing(status.Error(codes.ResourceExhausted, "too many requests")),
	}
}

// openQdrant returns a client as programs make it: with a pool of connections, and a check of the server.
func openQdrant(at run) (*qdrant.Client, error) {
	return qdrant.NewClient(&qdrant.Config{Host: host, GrpcOptions: at.options})
}

// qdrantQuery returns a query with a vector and a filter.
func qdrantQuery(collection, city string, vector ...float32) *qdrant.QueryPoints {
	return &qdrant.QueryPoints{
		CollectionName: collection,
		Query:          qdrant.NewQuery(vector...),
		Filter:         &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatch("city", city)}},
		WithPayload:    qdrant.NewWithPayload(true),
	}
}

// useQdrant calls all methods, and asks 64 queries at once.
func useQdrant(ctx context.Context, at run) error {
	client, err := openQdrant(at)
	if err != nil {
		return err
	}
	defer client.Close()
	err = client.CreateCollection(ctx, &qdrant.CreateCollection{
		CollectionName: "docs",
		VectorsConfig:  qdrant.NewVectorsConfig(&qdrant.VectorParams{Size: 3, Distance: qdrant.Distance_Cosine}),
	})
	if err != nil {
		return err
	}
	_, err = client.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: "docs", Points: []*qdrant.PointStruct{{
		Id:      qdrant.NewIDNum(1),
		Vectors: qdrant.NewVectors(0.1, 0.2, 0.3),
		Payload: qdrant.NewValueMap(map[string]any{"city": "Paris", "people": 2_100_000, "old": true}),
	}}})
	if err != nil {
		return err
	}
	_, err = client.Query(ctx, qdrantQuery("docs", "Paris", 0.1, 0.2, 0.3))
	if err != nil {
		return err
	}
	_, err = client.Scroll(ctx, &qdrant.ScrollPoints{CollectionName: "docs"})
	if err != nil {
		return err
	}
	_, err = client.Count(ctx, &qdrant.CountPoints{CollectionName: "docs"})
	if status.Code(err) != codes.InvalidArgument {
		return fmt.Errorf("Count returned %v, want InvalidArgument", err)
	}
	_, err = client.Delete(ctx, &qdrant.DeletePoints{CollectionName: "docs"})
	if err == nil {
		return errors.New("Delete returned no error")
	}
	return atOnce(64, func(i int) error {
		_, err := client.Query(ctx, qdrantQuery("docs", fmt.Sprint("city ", i), 0.5, 0.25))
		return err
	})
}

// A program that uses Qdrant gets each recorded answer without the database, also 64 at once.
func TestQdrantReplaysWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	record(t, qdrantMethods(t).server(), useQdrant).replays(t)
}

// A changed vector, filter or collection is reported with its field and the line of the test.
func TestQdrantMissesNameTheField(t *testing.T) {
	t.Parallel()
	recorded := record(t, qdrantMethods(t).server(), useQdrant)
	query := func(query *qdrant.QueryPoints) func(context.Context, run) (string, error) {
		return func(ctx context.Context, at run) (string, error) {
			client, err := openQdrant(at)
			if err != nil {
				return "", err
			}
			defer client.Close()
			line := nextLine()
			_, err = client.Query(ctx, query)
			return line, err
		}
	}
	recorded.misses(t,
		change{"vector", query(qdrantQuery("docs", "Paris", 0.1, 0.2, 0.4)), "query/nearest"},
		change{"filter", query(qdrantQuery("docs", "Rome", 0.1, 0.2, 0.3)), "filter/must"},
		change{"collection", query(qdrantQuery("notes", "Paris", 0.1, 0.2, 0.3)), "collectionName"},
	)
}
