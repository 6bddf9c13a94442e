package rpc

import (
	"context"
	"fmt"
	"testing"

	"github.com/pinecone-io/go-pinecone/v5/pinecone"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// pineconeMethods are the methods of Pinecone's index that the tests call.
var pineconeMethods = methods{
	"VectorService/Upsert": ofJSON("UpsertResponse", `{"upsertedCount": %d}`),
	"VectorService/Query": ofJSON("QueryResponse", `{
		"matches": [{"id": "doc %d", "score": 0.25, "values": [0.1, %d], "metadata": {"text": "text %d"}}],
		"namespace": "docs", "usage": {"readUnits": %d}}`),
	"VectorService/DescribeIndexStats": ofJSON("DescribeIndexStatsResponse", `{
		"dimension": 3, "totalVectorCount": %d, "namespaces": {"docs": {"vectorCount": %d}, "notes": {}}}`),
	"VectorService/Delete": failing(status.Error(codes.NotFound, "no such namespace")),
}

// openPinecone returns a connection to an index. The server of the test has no certificate.
func openPinecone(at run) (*pinecone.IndexConnection, error) {
	client, err := pinecone.NewClient(pinecone.NewClientParams{ApiKey: "pcsk_made_up", RestClient: at.rec.Client()})
	if err != nil {
		return nil, err
	}
	return client.Index(pinecone.NewIndexConnParams{Host: "http://" + host + ":5081", Namespace: "docs"},
		append(at.options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
}

// pineconeQuery returns a query with a vector and a filter.
func pineconeQuery(city string, vector ...float32) (*pinecone.QueryByVectorValuesRequest, error) {
	filter, err := structpb.NewStruct(map[string]any{"city": map[string]any{"$eq": city}})
	return &pinecone.QueryByVectorValuesRequest{Vector: vector, TopK: 3, MetadataFilter: filter}, err
}

func usePinecone(ctx context.Context, at run) error {
	index, err := openPinecone(at)
	if err != nil {
		return err
	}
	defer index.Close()
	_, err = index.UpsertVectors(ctx, []*pinecone.Vector{{Id: "doc", Values: &[]float32{0.1, 0.2, 0.3}}})
	if err != nil {
		return err
	}
	query, err := pineconeQuery("Paris", 0.1, 0.2, 0.3)
	if err != nil {
		return err
	}
	for range 2 {
		_, err = index.QueryByVectorValues(ctx, query)
		if err != nil {
			return err
		}
	}
	_, err = index.DescribeIndexStats(ctx)
	if err != nil {
		return err
	}
	err = index.DeleteVectorsById(ctx, []string{"doc"})
	if status.Code(err) != codes.NotFound {
		return fmt.Errorf("DeleteVectorsById returned %v, want NotFound", err)
	}
	return atOnce(64, func(i int) error {
		query, err := pineconeQuery(fmt.Sprint("city ", i), 0.5)
		if err != nil {
			return err
		}
		_, err = index.QueryByVectorValues(ctx, query)
		return err
	})
}

// A program that uses Pinecone gets each recorded answer without the index, also 64 at once.
func TestPineconeReplaysWithoutTheIndex(t *testing.T) {
	t.Parallel()
	record(t, pineconeMethods.server(), usePinecone).replays(t)
}

// A changed vector, filter or namespace is reported with its field and the line of the test.
func TestPineconeMissesNameTheField(t *testing.T) {
	t.Parallel()
	recorded := record(t, pineconeMethods.server(), usePinecone)
	query := func(namespace, city string, vector ...float32) func(context.Context, run) (string, error) {
		return func(ctx context.Context, at run) (string, error) {
			index, err := openPinecone(at)
			if err != nil {
				return "", err
			}
			defer index.Close()
			changed, err := pineconeQuery(city, vector...)
			if err != nil {
				return "", err
			}
			line := nextLine()
			_, err = index.WithNamespace(namespace).QueryByVectorValues(ctx, changed)
			return line, err
		}
	}
	recorded.misses(t,
		change{"vector", query("docs", "Paris", 0.1, 0.2, 0.4), "vector"},
		change{"filter", query("docs", "Rome", 0.1, 0.2, 0.3), "filter/city"},
		change{"namespace", query("notes", "Paris", 0.1, 0.2, 0.3), "namespace"},
	)
}
