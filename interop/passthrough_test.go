package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/tmc/langchaingo/httputil"
	langschema "github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores/qdrant"
)

// unit embeds every text in one dimension.
type unit struct{}

func (unit) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	return make([][]float32, len(texts)), nil
}

func (unit) EmbedQuery(context.Context, string) ([]float32, error) { return []float32{1}, nil }

// points is as much of a qdrant as its client asks for.
type points struct{ texts []any }

func (p *points) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var asked struct {
		Batch struct {
			IDs      []string         `json:"ids"`
			Payloads []map[string]any `json:"payloads"`
		} `json:"batch"`
	}
	json.NewDecoder(req.Body).Decode(&asked)
	w.Header().Set("Content-Type", "application/json")
	if !strings.HasSuffix(req.URL.Path, "/search") {
		for _, payload := range asked.Batch.Payloads {
			p.texts = append(p.texts, payload["content"])
		}
		fmt.Fprint(w, `{"result":{"operation_id":0,"status":"completed"},"status":"ok","time":0.001}`)
		return
	}
	var found []any
	for _, text := range p.texts {
		found = append(found, map[string]any{"id": "1", "score": 0.5, "payload": map[string]any{"content": text}})
	}
	json.NewEncoder(w).Encode(map[string]any{"result": found, "status": "ok"})
}

// Tools of an MCP server and a vector store are asked for real while the model is replayed. Once
// the tool says something else, the miss names the message that carries it.
func TestPassThrough(t *testing.T) {
	const mcpHost, dbHost, modelHost = "tools.example.com", "qdrant.example.com:6333", "api.example.com"
	for _, way := range []string{"Client", "Default", "Serve"} {
		t.Run(way, func(t *testing.T) {
			model := fakeprovider.New()
			defer model.Close()
			var weather atomic.Value
			weather.Store("rain")
			var calls atomic.Int32
			server := mcp.NewServer(&mcp.Implementation{Name: "tools", Version: "1"}, nil)
			mcp.AddTool(server, &mcp.Tool{Name: "weather"}, func(context.Context, *mcp.CallToolRequest, struct{ City string }) (*mcp.CallToolResult, any, error) {
				calls.Add(1)
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: weather.Load().(string)}}}, nil, nil
			})
			tools := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{DisableLocalhostProtection: true}))
			defer tools.Close()
			db := httptest.NewServer(&points{})
			defer db.Close()
			addresses := map[string]string{mcpHost + ":80": tools.URL, dbHost: db.URL, modelHost + ":80": model.URL}
			network := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, strings.TrimPrefix(addresses[address], "http://"))
			}}
			defer network.CloseIdleConnections()
			file := filepath.Join(t.TempDir(), "c.yaml")
			before := httputil.DefaultClient
			defer func() { httputil.DefaultClient = before }()

			run := func(t *testing.T, mode promptecho.Mode) (documents int, err error) {
				var notes []string
				rec, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.Upstream(network), promptecho.PassThrough("http/"+mcpHost, "http/"+dbHost), promptecho.Log(func(note string) { notes = append(notes, note) }))
				if err != nil {
					t.Fatal(err)
				}
				client, address := rec.Client(), func(host string) string { return "http://" + host }
				switch way {
				case "Default":
					echotest.SetDefault(t, rec)
					client = &http.Client{}
				case "Serve":
					served := echotest.Serve(t, rec)
					client, address = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, func(host string) string { return served.URL("http://" + host) }
				}
				httputil.DefaultClient = client

				session, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: address(mcpHost), HTTPClient: client}, nil)
				if err != nil {
					t.Fatal(err)
				}
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "weather", Arguments: map[string]string{"City": "Rome"}})
				if err != nil {
					t.Fatal(err)
				}
				said := result.Content[0].(*mcp.TextContent).Text
				session.Close()

				at, err := url.Parse(address(dbHost))
				if err != nil {
					t.Fatal(err)
				}
				store, err := qdrant.New(qdrant.WithURL(*at), qdrant.WithCollectionName("days"), qdrant.WithEmbedder(unit{}))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := store.AddDocuments(t.Context(), []langschema.Document{{PageContent: said}}); err != nil {
					t.Fatal(err)
				}
				found, err := store.SimilaritySearch(t.Context(), "weather", 10)
				if err != nil {
					t.Fatal(err)
				}

				req, err := http.NewRequest("POST", address(modelHost)+"/v1/chat/completions", strings.NewReader(fmt.Sprintf(`{"model":"gpt-5.4-mini","messages":[{"role":"user","content":"Do I need an umbrella?"},
					{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_1","content":%q}]}`, said)))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Authorization", "Bearer "+fakeKey)
				req.Header.Set("Content-Type", "application/json")
				resp, err := client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				err = rec.Close()
				for _, want := range []string{" passed through to http/" + mcpHost, "2 requests passed through to http/" + dbHost} {
					if !strings.Contains(strings.Join(notes, "\n"), want) {
						t.Errorf("no note %q in %q", want, notes)
					}
				}
				return len(found), err
			}

			for i, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeOnce, promptecho.ModeUpdate, promptecho.ModeCompare} {
				t.Run(string(mode), func(t *testing.T) {
					documents, err := run(t, mode)
					if err != nil || documents != i+1 || int(calls.Load()) != i+1 {
						t.Errorf("%d documents, %d calls in run %d: %v", documents, calls.Load(), i+1, err)
					}
				})
			}
			if model.Requests() != 2 {
				t.Errorf("the model was asked %d times, want once for all and once for compare", model.Requests())
			}
			t.Run("sun", func(t *testing.T) {
				weather.Store("sun")
				_, err := run(t, promptecho.ModeNone)
				var miss *promptecho.MissError
				if !errors.As(err, &miss) || miss.Call != "llm/openai.chat" || !strings.Contains(err.Error(), "messages/2/content") || !strings.Contains(err.Error(), "sun") {
					t.Errorf("%v", err)
				}
			})
		})
	}
}
