package rpc

import (
	"context"
	"fmt"
	"testing"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// weaviateMethods are the methods of Weaviate that the tests call.
var weaviateMethods = methods{
	"weaviate.v1.Weaviate/BatchObjects": ofJSON("weaviate.v1.BatchObjectsReply",
		`{"took": 0.5, "errors": [{"index": %d, "error": "no vector"}]}`),
	"weaviate.v1.Weaviate/Search": ofJSON("weaviate.v1.SearchReply", `{"took": %d, "results": [{
		"properties": {"targetCollection": "Docs", "nonRefProps": {"fields": {"text": {"textValue": "text %d"}}}},
		"metadata": {"id": "doc %d", "distance": 0.25, "distancePresent": true}}]}`),
	"weaviate.v1.Weaviate/TenantsGet": failing(status.Error(codes.Unimplemented, "no tenants")),
}

// openWeaviate returns a client of the generated code, which takes options for its connection.
func openWeaviate(at run) (*grpc.ClientConn, pb.WeaviateClient, error) {
	conn, err := grpc.NewClient(host+":50051",
		append(at.options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	return conn, pb.NewWeaviateClient(conn), err
}

// weaviateSearch returns a search by a vector and a filter. Vectors are bytes.
func weaviateSearch(collection, city string, vector ...byte) *pb.SearchRequest {
	return &pb.SearchRequest{
		Collection:  collection,
		Limit:       3,
		Uses_127Api: true,
		NearVector: &pb.NearVector{Vectors: []*pb.Vectors{{
			VectorBytes: vector,
			Type:        pb.Vectors_VECTOR_TYPE_SINGLE_FP32,
		}}},
		Filters: &pb.Filters{
			Operator:  pb.Filters_OPERATOR_EQUAL,
			TestValue: &pb.Filters_ValueText{ValueText: city},
			Target:    &pb.FilterTarget{Target: &pb.FilterTarget_Property{Property: "city"}},
		},
	}
}

func useWeaviate(ctx context.Context, at run) error {
	conn, client, err := openWeaviate(at)
	if err != nil {
		return err
	}
	defer conn.Close()
	properties, err := structpb.NewStruct(map[string]any{"city": "Paris", "people": 2_100_000})
	if err != nil {
		return err
	}
	_, err = client.BatchObjects(ctx, &pb.BatchObjectsRequest{Objects: []*pb.BatchObject{{
		Uuid:        "00000000-0000-4000-8000-000000000001",
		Collection:  "Docs",
		VectorBytes: []byte{0, 0, 128, 63},
		Properties:  &pb.BatchObject_Properties{NonRefProperties: properties},
	}}})
	if err != nil {
		return err
	}
	for range 2 {
		_, err = client.Search(ctx, weaviateSearch("Docs", "Paris", 0, 0, 128, 63))
		if err != nil {
			return err
		}
	}
	_, err = client.TenantsGet(ctx, &pb.TenantsGetRequest{Collection: "Docs"})
	if status.Code(err) != codes.Unimplemented {
		return fmt.Errorf("TenantsGet returned %v, want Unimplemented", err)
	}
	return atOnce(64, func(i int) error {
		_, err := client.Search(ctx, weaviateSearch("Docs", fmt.Sprint("city ", i), 0, 0, 0, 64))
		return err
	})
}

// A program that uses the code generated for Weaviate gets each recorded answer without the database, also 64
// at once.
func TestWeaviateReplaysWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	record(t, weaviateMethods.server(), useWeaviate).replays(t)
}

// A changed vector, filter or collection is reported with its field and the line of the test.
func TestWeaviateMissesNameTheField(t *testing.T) {
	t.Parallel()
	recorded := record(t, weaviateMethods.server(), useWeaviate)
	search := func(search *pb.SearchRequest) func(context.Context, run) (string, error) {
		return func(ctx context.Context, at run) (string, error) {
			conn, client, err := openWeaviate(at)
			if err != nil {
				return "", err
			}
			defer conn.Close()
			line := nextLine()
			_, err = client.Search(ctx, search)
			return line, err
		}
	}
	recorded.misses(t,
		change{"vector", search(weaviateSearch("Docs", "Paris", 0, 0, 128, 64)), "vectorBytes"},
		change{"filter", search(weaviateSearch("Docs", "Rome", 0, 0, 128, 63)), "filters/valueText"},
		change{"collection", search(weaviateSearch("Notes", "Paris", 0, 0, 128, 63)), "collection"},
	)
}
