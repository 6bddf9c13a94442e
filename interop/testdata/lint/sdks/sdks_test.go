package sdks

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	aoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	cohere "github.com/cohere-ai/cohere-go/v2/client"
	coption "github.com/cohere-ai/cohere-go/v2/option"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/ollama/ollama/api"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/azure"
	"github.com/openai/openai-go/v3/option"
	goopenai "github.com/sashabaranov/go-openai"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/googleai"
	lcopenai "github.com/tmc/langchaingo/llms/openai"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho/echotest"
)

func TestOpenAI(t *testing.T) {
	c := openai.NewClient() // want `openai.NewClient is made without a recorder, so this test calls the provider: write rec := echotest.New\(t\), and pass option.WithHTTPClient\(rec.Client\(\)\) \(norecorder\)`
	c.Models.List(t.Context())
	d := openai.NewClient(option.WithAPIKey(os.Getenv("OPENAI_API_KEY")), option.WithHTTPClient(&http.Client{Timeout: time.Second})) // want `openai.NewClient is made without`
	d.Models.List(t.Context())
}

func TestAzure(t *testing.T) {
	c := openai.NewClient(azure.WithEndpoint("https://x.openai.azure.com", "v1")) // want `openai.NewClient`
	c.Models.List(t.Context())
}

func TestAnthropic(t *testing.T) {
	client := &http.Client{}
	c := anthropic.NewClient(aoption.WithHTTPClient(client)) // want `anthropic.NewClient is made`
	c.Models.List(t.Context(), anthropic.ModelListParams{})
}

func TestCohere(t *testing.T) {
	c := cohere.NewClient(coption.WithToken(os.Getenv("CO_API_KEY"))) // want `cohere.NewClient is made`
	c.Models.List(t.Context(), nil)
}

func TestGenAI(t *testing.T) {
	c, err := genai.NewClient(t.Context(), nil) // want `genai.NewClient is made .* HTTPClient: rec.Client\(\)`
	if err != nil {
		t.Fatal(err)
	}
	c.Models.GenerateContent(t.Context(), "m", genai.Text("?"), nil)
	cfg := &genai.ClientConfig{APIKey: "key"}
	cfg.Backend = genai.BackendGeminiAPI
	d, _ := genai.NewClient(t.Context(), cfg) // want `genai.NewClient is made`
	d.Models.GenerateContent(t.Context(), "m", genai.Text("?"), nil)
}

func TestBedrock(t *testing.T) {
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithRegion("us-east-1"))
	if err != nil {
		t.Fatal(err)
	}
	c := bedrockruntime.NewFromConfig(cfg) // want `bedrockruntime.NewFromConfig is made`
	c.Converse(t.Context(), nil)
	d := bedrockruntime.New(bedrockruntime.Options{Region: "us-east-1"}) // want `bedrockruntime.New is made`
	d.Converse(t.Context(), nil)
}

func TestOllama(t *testing.T) {
	c, err := api.ClientFromEnvironment() // want `api.ClientFromEnvironment is made .*, and call api.NewClient with the URL and the client`
	if err != nil {
		t.Fatal(err)
	}
	c.Chat(t.Context(), nil, nil)
}

func TestGoOpenAI(t *testing.T) {
	c := goopenai.NewClient(os.Getenv("OPENAI_API_KEY")) // want `goopenai.NewClient is made`
	c.ListModels(t.Context())
	cfg := goopenai.DefaultConfig("key")
	cfg.OrgID = "org"
	d := goopenai.NewClientWithConfig(cfg) // want `goopenai.NewClientWithConfig is made`
	d.ListModels(t.Context())
}

func TestLangChain(t *testing.T) {
	c, err := lcopenai.New(lcopenai.WithModel("m")) // want `lcopenai.New is made .* openai.WithHTTPClient`
	if err != nil {
		t.Fatal(err)
	}
	llms.GenerateFromSinglePrompt(t.Context(), c, "?")
	g, _ := googleai.New(t.Context(), googleai.WithRest()) // want `googleai.New is made`
	llms.GenerateFromSinglePrompt(t.Context(), g, "?")
}

func TestMCP(t *testing.T) {
	c := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil)
	c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: "https://mcp.example.com"}, nil) // want `mcp.StreamableClientTransport is made`
}

func helper() openai.Client { return openai.NewClient() } // want `openai.NewClient is made`

func TestHelper(t *testing.T) {
	c := helper()
	c.Models.List(t.Context())
}

// What follows has a recorder, a server of the test, or asks nothing.

func TestRecorded(t *testing.T) {
	rec := echotest.New(t)
	opts := []option.RequestOption{option.WithHTTPClient(rec.Client())}
	c := openai.NewClient(opts...)
	c.Models.List(t.Context())
	a := anthropic.NewClient(aoption.WithHTTPClient(rec.Client()))
	a.Models.List(t.Context(), anthropic.ModelListParams{})
	co := cohere.NewClient(coption.WithHTTPClient(rec.Client()))
	co.Models.List(t.Context(), nil)
	g, _ := genai.NewClient(t.Context(), &genai.ClientConfig{HTTPClient: rec.Client()})
	g.Models.GenerateContent(t.Context(), "m", genai.Text("?"), nil)
	cfg := goopenai.DefaultConfig("key")
	cfg.HTTPClient = rec.Client()
	goopenai.NewClientWithConfig(cfg).ListModels(t.Context())
	aw, _ := config.LoadDefaultConfig(t.Context(), config.WithHTTPClient(rec.Client()))
	bedrockruntime.NewFromConfig(aw).Converse(t.Context(), nil)
	bedrockruntime.New(bedrockruntime.Options{HTTPClient: rec.Client()}).Converse(t.Context(), nil)
	bedrockruntime.NewFromConfig(aws.Config{HTTPClient: rec.Client()}).Converse(t.Context(), nil)
	api.NewClient(&url.URL{}, rec.Client()).Chat(t.Context(), nil, nil)
	l, _ := lcopenai.New(lcopenai.WithHTTPClient(rec.Client()))
	llms.GenerateFromSinglePrompt(t.Context(), l, "?")
	m := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil)
	m.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: "https://mcp.example.com", HTTPClient: rec.Client()}, nil)
}

func TestServer(t *testing.T) {
	srv := httptest.NewServer(nil)
	defer srv.Close()
	c := openai.NewClient(option.WithBaseURL(srv.URL), option.WithAPIKey("key"))
	c.Models.List(t.Context())
	d := openai.NewClient(option.WithHTTPClient(srv.Client()))
	d.Models.List(t.Context())
	e := openai.NewClient(option.WithBaseURL("http://localhost:1"))
	e.Models.List(t.Context())
	g, _ := genai.NewClient(t.Context(), &genai.ClientConfig{HTTPOptions: genai.HTTPOptions{BaseURL: srv.URL}})
	g.Models.GenerateContent(t.Context(), "m", genai.Text("?"), nil)
	cfg := goopenai.DefaultConfig("key")
	cfg.BaseURL = srv.URL
	goopenai.NewClientWithConfig(cfg).ListModels(t.Context())
	m := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil)
	m.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: srv.URL}, nil)
	mw := openai.NewClient(option.WithMiddleware(func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) { return nil, nil }))
	mw.Models.List(t.Context())
	tr := openai.NewClient(option.WithHTTPClient(&http.Client{Transport: http.NewFileTransport(http.Dir("."))}))
	tr.Models.List(t.Context())
}

func FuzzInput(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) {
		c := openai.NewClient() // want `openai.NewClient is made without a recorder, so this test calls the provider: write rec := echotest.New\(f\) before f.Fuzz, and pass option.WithHTTPClient\(rec.Client\(\)\) \(norecorder\)`
		c.Models.List(t.Context())
	})
}

func TestDefault(t *testing.T) {
	echotest.SetDefault(t, echotest.New(t))
	c := openai.NewClient()
	c.Models.List(t.Context())
}

func TestMadeOnly(t *testing.T) {
	c := goopenai.NewClient("key")
	if c == nil {
		t.Error("nil")
	}
	d := openai.NewClient()
	_ = d
	t.Log(d.Options)
}

func given(opts ...option.RequestOption) openai.Client { return openai.NewClient(opts...) }

func ExampleClient() {
	c := openai.NewClient()
	c.Models.List(nil)
}
