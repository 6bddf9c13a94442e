package milvus

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/milvus-io/milvus-proto/go-api/v2/commonpb"
	"github.com/milvus-io/milvus-proto/go-api/v2/milvuspb"
	"github.com/milvus-io/milvus-proto/go-api/v2/schemapb"
	"github.com/milvus-io/milvus/client/v2/entity"
	"github.com/milvus-io/milvus/client/v2/index"
	"github.com/milvus-io/milvus/client/v2/milvusclient"
	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echogrpc"
	"github.com/promptecho/promptecho/internal/testing/environ"
	"github.com/promptecho/promptecho/internal/testing/full"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// TestMain lets tests record, which CI does not.
func TestMain(m *testing.M) { environ.Main(m) }

// A database answers the calls of the client. Each answer has the number of its call.
type database struct {
	milvuspb.UnimplementedMilvusServiceServer
	calls atomic.Int64
}

func (d *database) Connect(context.Context, *milvuspb.ConnectRequest) (*milvuspb.ConnectResponse, error) {
	return &milvuspb.ConnectResponse{
		Status:     &commonpb.Status{},
		ServerInfo: &commonpb.ServerInfo{BuildTags: "2.6.2"},
		Identifier: d.calls.Add(1),
	}, nil
}

func (d *database) CreateCollection(context.Context, *milvuspb.CreateCollectionRequest) (*commonpb.Status, error) {
	return &commonpb.Status{}, nil
}

func (d *database) CreateIndex(context.Context, *milvuspb.CreateIndexRequest) (*commonpb.Status, error) {
	return &commonpb.Status{}, nil
}

func (d *database) DescribeCollection(
	_ context.Context, r *milvuspb.DescribeCollectionRequest,
) (*milvuspb.DescribeCollectionResponse, error) {
	return &milvuspb.DescribeCollectionResponse{
		Status:       &commonpb.Status{},
		CollectionID: d.calls.Add(1),
		Schema:       collection().WithName(r.CollectionName).ProtoMessage(),
	}, nil
}

func (d *database) Insert(_ context.Context, r *milvuspb.InsertRequest) (*milvuspb.MutationResult, error) {
	ids := &schemapb.IDs{IdField: &schemapb.IDs_IntId{IntId: &schemapb.LongArray{Data: []int64{1, 2}}}}
	return &milvuspb.MutationResult{
		Status: &commonpb.Status{}, IDs: ids, InsertCnt: int64(r.NumRows), Timestamp: 1<<60 + uint64(d.calls.Add(1)),
	}, nil
}

func (d *database) Search(context.Context, *milvuspb.SearchRequest) (*milvuspb.SearchResults, error) {
	n := d.calls.Add(1)
	return &milvuspb.SearchResults{Status: &commonpb.Status{}, Results: &schemapb.SearchResultData{
		NumQueries: 1,
		TopK:       1,
		Topks:      []int64{1},
		Scores:     []float32{float32(n) / 3},
		Ids:        &schemapb.IDs{IdField: &schemapb.IDs_IntId{IntId: &schemapb.LongArray{Data: []int64{n}}}},
	}}, nil
}

// collection returns the schema of a collection.
func collection() *entity.Schema {
	return entity.NewSchema().WithName("docs").
		WithField(entity.NewField().WithName("id").WithDataType(entity.FieldTypeInt64).WithIsPrimaryKey(true)).
		WithField(entity.NewField().WithName("city").WithDataType(entity.FieldTypeVarChar).WithMaxLength(64)).
		WithField(entity.NewField().WithName("people").WithDataType(entity.FieldTypeInt64)).
		WithField(entity.NewField().WithName("vector").WithDataType(entity.FieldTypeFloatVector).WithDim(3))
}

// open returns a client. It connects when it is made, and sends the time and the name of the host.
func open(ctx context.Context, options []grpc.DialOption) (*milvusclient.Client, error) {
	return milvusclient.New(ctx, &milvusclient.ClientConfig{Address: "db.invalid:19530", DialOptions: options})
}

// searchFor returns a search by a vector and a filter.
func searchFor(collection, city string, vector ...float32) milvusclient.SearchOption {
	return milvusclient.NewSearchOption(collection, 1, []entity.Vector{entity.FloatVector(vector)}).
		WithANNSField("vector").
		WithAnnParam(index.NewHNSWAnnParam(64)).
		WithFilter("city == {city}").
		WithTemplateParam("city", city).
		WithTemplateParam("country", "FR")
}

// use makes a collection and an index, inserts rows, and searches: alone, and 64 times at once.
func use(ctx context.Context, options []grpc.DialOption) error {
	c, err := open(ctx, options)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	err = c.CreateCollection(ctx, milvusclient.NewCreateCollectionOption("docs", collection()).
		WithProperty("collection.ttl.seconds", 60).WithProperty("mmap.enabled", true).WithProperty("timezone", "UTC"))
	if err != nil {
		return err
	}
	_, err = c.CreateIndex(ctx, milvusclient.NewCreateIndexOption("docs", "vector", index.NewHNSWIndex(entity.COSINE, 16, 200)))
	if err != nil {
		return err
	}
	_, err = c.Insert(ctx, milvusclient.NewColumnBasedInsertOption("docs").
		WithInt64Column("id", []int64{1, 2}).
		WithVarcharColumn("city", []string{"Paris", "Rome"}).
		WithInt64Column("people", []int64{2_100_000, 2_700_000}).
		WithFloatVectorColumn("vector", 3, [][]float32{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}))
	if err != nil {
		return err
	}
	for _, city := range []string{"Paris", "Paris", "Rome", "Paris"} { // equal searches have other answers
		_, err = c.Search(ctx, searchFor("docs", city, 0.1, 0.2, 0.3))
		if err != nil {
			return err
		}
	}
	var searches sync.WaitGroup
	failed := make([]error, 64)
	for i := range failed {
		searches.Go(func() {
			_, failed[i] = c.Search(ctx, searchFor("docs", fmt.Sprint("city ", i), 0.5, 0.25, 0.125))
		})
	}
	searches.Wait()
	return errors.Join(failed...)
}

// A watcher notes the replies to the calls of a client, by what was asked.
type watcher struct {
	mu      sync.Mutex // guards replies
	replies map[string][]proto.Message
}

func (w *watcher) option() grpc.DialOption {
	return grpc.WithChainUnaryInterceptor(func(
		ctx context.Context, method string, request, reply any,
		conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
	) error {
		err := invoke(ctx, method, request, reply, conn, options...)
		asked := method
		search, isSearch := request.(*milvuspb.SearchRequest)
		if isSearch {
			asked += search.ExprTemplateValues["city"].GetStringVal()
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.replies[asked] = append(w.replies[asked], proto.Clone(reply.(proto.Message)))
		return err
	})
}

// record runs use with a server, stops the server, and returns the cassette and the replies.
func record(t *testing.T) (file string, recorded map[string][]proto.Message) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "cassette.yaml")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	milvuspb.RegisterMilvusServiceServer(s, new(database))
	go s.Serve(l) // it returns when Stop closes the listener
	t.Cleanup(s.Stop)
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeAll))
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{replies: map[string][]proto.Message{}}
	dial := grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
	})
	err = use(t.Context(), append([]grpc.DialOption{dial, w.option()}, echogrpc.DialOptions(rec)...))
	s.Stop()
	err = errors.Join(err, rec.Close())
	if err != nil {
		t.Fatalf("recording: %v", err)
	}
	return file, w.replies
}

// replay runs a program without a server. It returns the replies, and the error of Close.
func replay(
	t *testing.T, file string, program func(context.Context, []grpc.DialOption),
) (map[string][]proto.Message, error) {
	t.Helper()
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone))
	if err != nil {
		t.Fatal(err)
	}
	var dials atomic.Int64
	dial := grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
		dials.Add(1)
		return nil, errors.New("a replay has dialled")
	})
	w := &watcher{replies: map[string][]proto.Message{}}
	program(t.Context(), append([]grpc.DialOption{dial, w.option()}, echogrpc.DialOptions(rec)...))
	if dials.Load() > 0 {
		t.Errorf("%d dials in replay", dials.Load())
	}
	return w.replies, rec.Close()
}

// A program that uses Milvus gets each recorded reply without the database, whatever the time, the host and the
// order of maps.
func TestMilvusReplaysWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	file, recorded := record(t)
	for i := range full.Cases(3, 200) {
		// A bubble has another time, and fails if a goroutine is left at its end.
		synctest.Test(t, func(t *testing.T) {
			replayed, err := replay(t, file, func(ctx context.Context, options []grpc.DialOption) {
				err := use(ctx, options)
				if err != nil {
					t.Errorf("replay %d: %v", i, err)
				}
			})
			if err != nil {
				t.Errorf("replay %d: %v", i, err)
			}
			if len(replayed) != len(recorded) {
				t.Errorf("replay %d: %d kinds of calls, want %d", i, len(replayed), len(recorded))
			}
			for asked, want := range recorded {
				if !slices.EqualFunc(replayed[asked], want, proto.Equal) {
					t.Errorf("replay %d, %s: %v, want %v", i, asked, replayed[asked], want)
				}
			}
		})
		if t.Failed() {
			return
		}
	}
}

// A changed vector, filter or collection is reported once, with its field and the line of the test.
func TestMilvusMissesNameTheField(t *testing.T) {
	t.Parallel()
	file, _ := record(t)
	for _, change := range []struct {
		want, collection, city string
		vector                 []float32
	}{
		{"placeholderGroup", "docs", "Paris", []float32{0.1, 0.2, 0.4}},
		{"exprTemplateValues/city", "docs", "Berlin", []float32{0.1, 0.2, 0.3}},
		{"collectionName", "notes", "Paris", []float32{0.1, 0.2, 0.3}},
	} {
		t.Run(change.want, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var line int
				_, closed := replay(t, file, func(ctx context.Context, options []grpc.DialOption) {
					c, err := open(ctx, options)
					if err != nil {
						t.Fatal(err)
					}
					defer c.Close(ctx)
					began := time.Now()
					_, _, line, _ = runtime.Caller(0)
					_, err = c.Search(ctx, searchFor(change.collection, change.city, change.vector...))
					if err == nil || time.Since(began) > time.Second {
						t.Errorf("the client returned %v after %v, want an error at once", err, time.Since(began))
					}
				})
				var miss *promptecho.MissError
				if !errors.As(closed, &miss) {
					t.Fatalf("Close returned %v, want a miss", closed)
				}
				if miss.Count != 1 || !strings.Contains(miss.Reason, change.want) {
					t.Errorf("%d attempts, reason %q; want one, and %q", miss.Count, miss.Reason, change.want)
				}
				if !strings.Contains(miss.Caller, fmt.Sprintf("milvus_test.go:%d", line+1)) {
					t.Errorf("the caller is %q, want line %d", miss.Caller, line+1)
				}
			})
		})
	}
}
