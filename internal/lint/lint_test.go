package lint

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// The rules themselves are tested in interop, with the types of the SDKs.

// Each rule of lint has a row in docs/LINT.md, where its URL leads.
func TestDocs(t *testing.T) {
	t.Parallel()
	if err := analysis.Validate(Analyzers); err != nil {
		t.Error(err)
	}
	page, err := os.ReadFile("../../docs/LINT.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range Analyzers {
		row := "| <a id=\"" + a.Name + "\"></a>`" + a.Name + "` | "
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/LINT.md has no row for %s", a.Name)
		}
		if _, anchor, _ := strings.Cut(a.URL, "docs/LINT.md#"); anchor != a.Name {
			t.Errorf("the URL of %s is %s", a.Name, a.URL)
		}
	}
}

// An SDK is known by the path of its module, in any major version. A package that merely begins
// like it is none.
func TestOfSDK(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"github.com/openai/openai-go":                            true,
		"github.com/openai/openai-go/v3/option":                  true,
		"github.com/cohere-ai/cohere-go/v2/client":               true,
		"google.golang.org/genai":                                true,
		"github.com/aws/aws-sdk-go-v2/service/bedrockruntime":    true,
		"github.com/openai/openai-gopher":                        false,
		"github.com/aws/aws-sdk-go-v2/service/s3":                false,
		"google.golang.org/grpc":                                 false,
		"example.com/v2/github.com/openai/openai-go":             false,
		"github.com/sashabaranov/go-openai":                      true,
		"github.com/modelcontextprotocol/go-sdk/mcp":             true,
		"github.com/modelcontextprotocol/go-sdk/jsonschema":      false,
		"github.com/anthropics/anthropic-sdk-go/packages/param":  true,
		"github.com/ollama/ollama/server":                        false,
		"github.com/tmc/langchaingo/llms/openai/internal/client": true,
	} {
		if got := OfSDK(path); got != want {
			t.Errorf("OfSDK(%q) is %v", path, got)
		}
	}
}
