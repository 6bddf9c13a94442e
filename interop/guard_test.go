package interop

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	cohere "github.com/cohere-ai/cohere-go/v2"
	cohereclient "github.com/cohere-ai/cohere-go/v2/client"
	ollama "github.com/ollama/ollama/api"
	"github.com/openai/openai-go/v3"
	goopenai "github.com/sashabaranov/go-openai"
	"github.com/tmc/langchaingo/llms"
	lcopenai "github.com/tmc/langchaingo/llms/openai"
	"google.golang.org/genai"

	aoption "github.com/anthropics/anthropic-sdk-go/option"
	cohereoption "github.com/cohere-ai/cohere-go/v2/option"
	"github.com/openai/openai-go/v3/option"

	"github.com/promptecho/promptecho/internal/nethttp/guard"
)

// The guard of echotest.Main sees the SDKs with the clients that they make themselves. Each
// is told once, however often the SDK tries again, with that SDK's own line to write.
func TestGuard(t *testing.T) {
	guard.Install() // TestMain has set another Proxy
	for _, tt := range []struct {
		name, host, client string
		call               func() error
	}{
		{"http", "api.example.com", "rec.Client()", func() error {
			resp, err := http.Get("https://api.example.com/x")
			if err == nil {
				resp.Body.Close()
			}
			return err
		}},
		{"openai-go", "api.openai.com", "option.WithHTTPClient(rec.Client())", func() error {
			c := openai.NewClient(option.WithAPIKey(fakeKey))
			_, err := c.Models.Get(t.Context(), "m")
			return err
		}},
		{"anthropic-sdk-go", "api.anthropic.com", "anthropic.NewClient(option.WithHTTPClient(rec.Client())", func() error {
			c := anthropic.NewClient(aoption.WithAPIKey(fakeKey))
			_, err := c.Models.Get(t.Context(), "m", anthropic.ModelGetParams{})
			return err
		}},
		{"genai", "generativelanguage.googleapis.com", "genai.ClientConfig{HTTPClient: rec.Client()", func() error {
			c, err := genai.NewClient(t.Context(), &genai.ClientConfig{APIKey: fakeKey, Backend: genai.BackendGeminiAPI})
			if err == nil {
				_, err = c.Models.Get(t.Context(), "m", nil)
			}
			return err
		}},
		{"ollama", "ollama.example.com", "api.NewClient(base, rec.Client())", func() error {
			_, err := ollama.NewClient(&url.URL{Scheme: "http", Host: "ollama.example.com"}, http.DefaultClient).Version(t.Context())
			return err
		}},
		{"cohere-go", "api.cohere.com", "client.NewClient(option.WithHTTPClient(rec.Client())", func() error {
			_, err := cohereclient.NewClient(cohereoption.WithToken(fakeKey)).V2.Embed(t.Context(), &cohere.V2EmbedRequest{Texts: []string{"x"}, Model: "m", InputType: "search_query"})
			return err
		}},
		{"go-openai", "api.openai.com", "config.HTTPClient = rec.Client()", func() error {
			_, err := goopenai.NewClient(fakeKey).ListModels(t.Context())
			return err
		}},
		{"langchaingo", "api.openai.com", "WithHTTPClient(rec.Client()) // an option", func() error {
			c, err := lcopenai.New(lcopenai.WithToken(fakeKey), lcopenai.WithModel("m"))
			if err == nil {
				_, err = llms.GenerateFromSinglePrompt(t.Context(), c, "hello")
			}
			return err
		}},
	} {
		guard.Start(nil)
		err := tt.call()
		leaks := guard.Stop()
		if err == nil || !strings.Contains(err.Error(), "promptecho: refused") && tt.name != "langchaingo" { // which hides what its transport says
			t.Errorf("%s: %v", tt.name, err)
		}
		if len(leaks) != 1 || leaks[0].Host != tt.host || leaks[0].Test != "TestGuard" || !strings.HasPrefix(leaks[0].Caller, "guard_test.go:") || !strings.Contains(leaks[0].Client, tt.client) {
			t.Errorf("%s: %+v", tt.name, leaks)
		}
	}
}
