package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echogrpc"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/weaviate/weaviate-go-client/v5/weaviate"
	"github.com/weaviate/weaviate-go-client/v5/weaviate/filters"
	"github.com/weaviate/weaviate-go-client/v5/weaviate/graphql"
	weaviategrpc "github.com/weaviate/weaviate-go-client/v5/weaviate/grpc"
	"github.com/weaviate/weaviate/entities/models"
	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// weaviateServedMethods are the methods that the client of Weaviate calls over gRPC.
var weaviateServedMethods = methods{
	"grpc.health.v1.Health/Check": ofJSON("grpc.health.v1.HealthCheckResponse", `{"status": "SERVING"}`),
	"weaviate.v1.Weaviate/BatchObjects": ofJSON("weaviate.v1.BatchObjectsReply",
		`{"took": 0.5, "errors": [{"index": 1, "error": "no vector, says call %d"}]}`),
	"weaviate.v1.Weaviate/Search": searchServed,
}

// searchServed answers a search, and fails if its collection does not exist.
func searchServed(n int64, request proto.Message) ([]proto.Message, error) {
	search, isSearch := request.(*pb.SearchRequest)
	if isSearch && search.Collection == "Gone" {
		return nil, status.Errorf(codes.NotFound, "no collection Gone, says call %d", n)
	}
	return weaviateMethods["weaviate.v1.Weaviate/Search"](n, request)
}

// weaviateHTTP is the part of Weaviate that answers over HTTP. No two answers are equal.
func weaviateHTTP() http.Handler {
	calls := new(atomic.Int64)
	reply := func(w http.ResponseWriter, body string) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, strings.ReplaceAll(body, "%d", fmt.Sprint(calls.Add(1))))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/.well-known/ready", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /v1/meta", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, `{"version": "1.33.0"}`)
	})
	mux.HandleFunc("POST /v1/schema", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, `{"class": "Docs"}`)
	})
	mux.HandleFunc("POST /v1/graphql", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, `{"data": {"Get": {"Docs": [{"text": "text %d"}]}}}`)
	})
	mux.HandleFunc("GET /v1/objects/Docs/{id}", func(w http.ResponseWriter, r *http.Request) {
		reply(w, `{"class": "Docs", "id": "`+r.PathValue("id")+`", "properties": {"text": "text %d"}}`)
	})
	return mux
}

// A weaviateServer has the addresses of Weaviate.
type weaviateServer struct {
	http string // HOST:PORT
	grpc string // HOST:PORT
	stop func()
}

// serveWeaviate starts both servers of Weaviate.
func serveWeaviate(t *testing.T) weaviateServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	overGRPC := weaviateServedMethods.server()
	go overGRPC.Serve(l) // it returns when Stop closes the listener
	overHTTP := httptest.NewServer(weaviateHTTP())
	stop := func() {
		overGRPC.Stop()
		overHTTP.Close()
	}
	t.Cleanup(stop)
	return weaviateServer{http: overHTTP.Listener.Addr().String(), grpc: l.Addr().String(), stop: stop}
}

// A weaviateProgram uses a client, and returns what it got, as text.
type weaviateProgram func(context.Context, weaviate.Config) ([]string, error)

// A weaviateRecording is a cassette of a program, and what the program got.
type weaviateRecording struct {
	file    string
	server  weaviateServer // stopped
	program weaviateProgram
	saw     []string
	options []promptecho.Option
}

// recordWeaviate records a program behind echotest.Serve, and stops Weaviate.
func recordWeaviate(t *testing.T, p weaviateProgram, options ...promptecho.Option) *weaviateRecording {
	t.Helper()
	r := &weaviateRecording{
		file:    filepath.Join(t.TempDir(), "cassette.yaml"),
		server:  serveWeaviate(t),
		program: p,
		options: options,
	}
	saw, err, closed := r.run(t, promptecho.ModeAll, p)
	if err != nil || closed != nil {
		t.Fatalf("recording: %v, %v", err, closed)
	}
	r.saw = saw
	r.server.stop()
	return r
}

// run runs a program whose client has the addresses of echotest.Serve. It returns what the program
// returned, and the error of Close.
func (r *weaviateRecording) run(
	t *testing.T, mode promptecho.Mode, p weaviateProgram,
) (saw []string, err, closed error) {
	t.Helper()
	rec, err := promptecho.Open(r.file, append(r.options, promptecho.InMode(mode))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("served", func(t *testing.T) { // its end closes the server
		srv := echotest.Serve(t, rec, echotest.Through(echogrpc.Transport(rec)))
		hostOf := func(upstream string) string {
			return strings.TrimPrefix(srv.URL("http://"+upstream), "http://")
		}
		saw, err = p(t.Context(), weaviate.Config{
			Scheme:     "http",
			Host:       hostOf(r.server.http),
			GrpcConfig: &weaviategrpc.Config{Host: hostOf(r.server.grpc), Secured: false},
		})
	})
	return saw, err, rec.Close()
}

// replays replays the recording, and reports whatever differs.
func (r *weaviateRecording) replays(t *testing.T) {
	t.Helper()
	for i := range full.Cases(3, 200) {
		saw, err, closed := r.run(t, promptecho.ModeNone, r.program)
		if err != nil || closed != nil {
			t.Fatalf("replay %d: %v, %v", i, err, closed)
		}
		if !slices.Equal(saw, r.saw) {
			t.Fatalf("replay %d got\n%q\nin the recorded run\n%q", i, saw, r.saw)
		}
	}
}

// weaviateObjects returns two objects. The client writes the lists of an object, and its vectors, in the
// order of a Go map.
func weaviateObjects(city string) []*models.Object {
	return []*models.Object{
		{
			Class: "Docs",
			ID:    "00000000-0000-4000-8000-000000000001",
			Properties: map[string]any{
				"city": city, "people": 2_100_000, "old": true,
				"rivers": []string{"Seine", "Bièvre"}, "names": []string{"Lutetia"}, "mayors": []string{},
				"years": []int{52, 508}, "areas": []float64{105.4}, "floods": []int{1910, 2016},
				"hill":  map[string]any{"name": "Montmartre", "steps": []int{222, 300}, "lifts": []int{1}},
				"tower": map[string]any{"name": "Eiffel"},
				"near": []map[string]string{
					{"beacon": "weaviate://localhost/Town/00000000-0000-4000-8000-000000000011"},
					{"beacon": "weaviate://localhost/Forest/00000000-0000-4000-8000-000000000012"},
				},
				"in": []map[string]string{
					{"beacon": "weaviate://localhost/Country/00000000-0000-4000-8000-000000000013"},
				},
				"on": []map[string]string{
					{"beacon": "weaviate://localhost/River/00000000-0000-4000-8000-000000000014"},
				},
			},
			Vectors: models.Vectors{
				"text":  []float32{0.1, 0.2},
				"image": []float32{0.3, 0.4, 0.5},
				"parts": [][]float32{{0.1, 0.2}, {0.3, 0.4}},
			},
		},
		{Class: "Docs", ID: "00000000-0000-4000-8000-000000000002", Properties: map[string]any{"city": "Rome"}},
	}
}

// inCity returns a filter.
func inCity(city string) *filters.WhereBuilder {
	return filters.Where().WithPath([]string{"city"}).WithOperator(filters.Equal).WithValueText(city)
}

// weaviateSearchFor returns a search over gRPC.
func weaviateSearchFor(c *weaviate.Client, collection, city string, vector ...float32) *graphql.Search {
	return c.Experimental().Search().
		WithCollection(collection).
		WithNearVector(new(graphql.NearVectorArgumentBuilder).WithVector(vector)).
		WithWhere(inCity(city)).
		WithProperties("text").
		WithLimit(3)
}

// weaviateGraph returns a search over HTTP.
func weaviateGraph(c *weaviate.Client, city string) *graphql.GetBuilder {
	return c.GraphQL().Get().
		WithClassName("Docs").
		WithFields(graphql.Field{Name: "text"}).
		WithWhere(inCity(city))
}

// textOf returns what a call of the client returned, as text.
func textOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// useWeaviateClient calls both parts of Weaviate, and asks 64 searches at once.
func useWeaviateClient(ctx context.Context, config weaviate.Config) ([]string, error) {
	client, err := weaviate.NewClient(config)
	if err != nil {
		return nil, err
	}
	err = client.Schema().ClassCreator().WithClass(&models.Class{Class: "Docs"}).Do(ctx)
	if err != nil {
		return nil, err
	}
	batch, err := client.Batch().ObjectsBatcher().WithObjects(weaviateObjects("Paris")...).Do(ctx)
	if err != nil {
		return nil, err
	}
	saw := []string{textOf(batch)}
	for range 2 { // equal searches have other answers
		results, err := weaviateSearchFor(client, "Docs", "Paris", 0.1, 0.2).Do(ctx)
		if err != nil {
			return nil, err
		}
		answer, err := weaviateGraph(client, "Paris").Do(ctx)
		if err != nil {
			return nil, err
		}
		saw = append(saw, textOf(results), textOf(answer))
	}
	object, err := client.Data().ObjectsGetter().
		WithClassName("Docs").WithID("00000000-0000-4000-8000-000000000001").Do(ctx)
	if err != nil {
		return nil, err
	}
	saw = append(saw, textOf(object))
	_, err = weaviateSearchFor(client, "Gone", "Paris", 0.1, 0.2).Do(ctx)
	if status.Code(err) != codes.NotFound {
		return nil, fmt.Errorf("a search in no collection returned %v, want NotFound", err)
	}
	saw = append(saw, err.Error())
	concurrent := make([]string, 64)
	err = atOnce(len(concurrent), func(i int) error {
		results, err := weaviateSearchFor(client, "Docs", fmt.Sprint("city ", i), 0.5).Do(ctx)
		concurrent[i] = textOf(results)
		return err
	})
	return append(saw, concurrent...), err
}

// A program that uses the Go client of Weaviate gets each recorded answer without the database, over gRPC and
// HTTP, also 64 at once.
func TestWeaviateClientReplaysWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	recordWeaviate(t, useWeaviateClient).replays(t)
}

// A changed object, vector, filter or query of the Go client of Weaviate is reported with its field after one
// attempt.
func TestWeaviateClientMissesNameTheField(t *testing.T) {
	t.Parallel()
	recorded := recordWeaviate(t, useWeaviateClient)
	const isMiss = "FailedPrecondition"
	for _, c := range []struct {
		name, field, want string
		ask               func(context.Context, *weaviate.Client) error
	}{
		{"object", "objects/0/properties/nonRefProperties/city", isMiss,
			func(ctx context.Context, c *weaviate.Client) error {
				_, err := c.Batch().ObjectsBatcher().WithObjects(weaviateObjects("Lyon")...).Do(ctx)
				return err
			}},
		{"vector", "vectorBytes", isMiss, func(ctx context.Context, c *weaviate.Client) error {
			_, err := weaviateSearchFor(c, "Docs", "Paris", 0.1, 0.3).Do(ctx)
			return err
		}},
		{"filter", "filters/valueText", isMiss, func(ctx context.Context, c *weaviate.Client) error {
			_, err := weaviateSearchFor(c, "Docs", "Rome", 0.1, 0.2).Do(ctx)
			return err
		}},
		{"query over HTTP", "query", "status code: 418", func(ctx context.Context, c *weaviate.Client) error {
			_, err := weaviateGraph(c, "Rome").Do(ctx)
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err, closed := recorded.run(t, promptecho.ModeNone,
				func(ctx context.Context, config weaviate.Config) ([]string, error) {
					client, err := weaviate.NewClient(config)
					if err != nil {
						return nil, err
					}
					return nil, c.ask(ctx, client)
				})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the client returned %v, want %s", err, c.want)
			}
			var miss *promptecho.MissError
			if !errors.As(closed, &miss) {
				t.Fatalf("Close returned %v, want a miss", closed)
			}
			if miss.Count != 1 || miss.Code != "request-changed" || !strings.Contains(miss.Reason, c.field) {
				t.Errorf("%d attempts, code %s, reason %q; want one, request-changed, and %q",
					miss.Count, miss.Code, miss.Reason, c.field)
			}
		})
	}
}

// A client that waits for Weaviate to start gets the recorded answers to its checks over HTTP and gRPC.
func TestWeaviateClientStartsWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	start := func(_ context.Context, config weaviate.Config) ([]string, error) {
		config.StartupTimeout = time.Minute
		_, err := weaviate.NewClient(config)
		return nil, err
	}
	// The client asks each second until it has an answer, so a slow machine may ask again.
	recordWeaviate(t, start, promptecho.AllowRepeats("http"), promptecho.AllowUnused("http")).replays(t)
}

// Objects without an ID, for which the client makes a random one, replay with MaskUUIDs.
func TestWeaviateObjectsWithRandomIDsReplay(t *testing.T) {
	t.Parallel()
	insert := func(ctx context.Context, config weaviate.Config) ([]string, error) {
		client, err := weaviate.NewClient(config)
		if err != nil {
			return nil, err
		}
		reply, err := client.Batch().ObjectsBatcher().WithObjects(
			&models.Object{Class: "Docs", Properties: map[string]any{"city": "Paris"}},
			&models.Object{Class: "Docs", Properties: map[string]any{"city": "Rome"}},
		).Do(ctx)
		return []string{textOf(reply)}, err
	}
	recordWeaviate(t, insert, promptecho.MaskUUIDs()).replays(t)
}

// A search with a vector for each target, which the client writes in the order of a Go map, replays with Unordered.
func TestWeaviateSearchWithSeveralTargetsReplays(t *testing.T) {
	t.Parallel()
	search := func(ctx context.Context, config weaviate.Config) ([]string, error) {
		client, err := weaviate.NewClient(config)
		if err != nil {
			return nil, err
		}
		weights := map[string]float32{"text": 0.5, "image": 0.25, "sound": 0.25}
		vectors := map[string]models.Vector{
			"text": []float32{0.1}, "image": []float32{0.2}, "sound": []float32{0.3},
		}
		results, err := client.Experimental().Search().
			WithCollection("Docs").
			WithNearVector(new(graphql.NearVectorArgumentBuilder).
				WithVectorPerTarget(vectors).
				WithTargets(new(graphql.MultiTargetArgumentBuilder).ManualWeights(weights))).
			Do(ctx)
		return []string{textOf(results)}, err
	}
	recordWeaviate(t, search, promptecho.Unordered(
		"nearVector/vectorForTargets",
		"nearVector/targets/targetVectors",
		"nearVector/targets/weightsForTargets",
	)).replays(t)
}
