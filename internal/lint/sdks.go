package lint

import (
	"slices"
	"strings"
)

// An sdk is a function that makes a client of a model API, or a type that is such a client, and
// how its HTTP client is set.
type sdk struct {
	path string // the import path without major versions
	name string // the function or the type

	option   string // the package whose option WithHTTPClient sets the client
	argument int    // the index of the first option, of the struct, or of the client itself
	config   bool   // a struct has the client, in its field HTTPClient
	literal  bool   // the struct is the client
	client   bool   // the argument is the client
	instead  string // what to write instead, if it takes no client
}

const (
	ofOpenAI    = "github.com/openai/openai-go"
	ofAnthropic = "github.com/anthropics/anthropic-sdk-go"
	ofCohere    = "github.com/cohere-ai/cohere-go"
	ofGenAI     = "google.golang.org/genai"
	ofBedrock   = "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	ofOllama    = "github.com/ollama/ollama/api"
	ofGoOpenAI  = "github.com/sashabaranov/go-openai"
	ofLangChain = "github.com/tmc/langchaingo/llms"
	ofMCP       = "github.com/modelcontextprotocol/go-sdk/mcp"

	awsConfig = "github.com/aws/aws-sdk-go-v2/config"
)

// sdks are the clients of docs/SUPPORT.md.
var sdks = []sdk{
	{path: ofOpenAI, name: "NewClient", option: ofOpenAI + "/option"},
	{path: ofAnthropic, name: "NewClient", option: ofAnthropic + "/option"},
	{path: ofCohere + "/client", name: "NewClient", option: ofCohere + "/option"},
	{path: ofGenAI, name: "NewClient", config: true, argument: 1},
	{path: ofBedrock, name: "New", config: true},
	{path: ofBedrock, name: "NewFromConfig", config: true},
	{path: ofOllama, name: "NewClient", client: true, argument: 1},
	{path: ofOllama, name: "ClientFromEnvironment", instead: "call api.NewClient with the URL " +
		"and the client"},
	{path: ofGoOpenAI, name: "NewClient", instead: "call openai.NewClientWithConfig, and set " +
		"HTTPClient of its configuration"},
	{path: ofGoOpenAI, name: "NewOrgClient", instead: "call openai.NewClientWithConfig, and set " +
		"HTTPClient of its configuration"},
	{path: ofGoOpenAI, name: "NewClientWithConfig", config: true},
	{path: ofLangChain + "/openai", name: "New", option: ofLangChain + "/openai"},
	{path: ofLangChain + "/anthropic", name: "New", option: ofLangChain + "/anthropic"},
	{path: ofLangChain + "/ollama", name: "New", option: ofLangChain + "/ollama"},
	{path: ofLangChain + "/huggingface", name: "New", option: ofLangChain + "/huggingface"},
	{path: ofLangChain + "/googleai", name: "New", option: ofLangChain + "/googleai", argument: 1},
	{path: ofMCP, name: "StreamableClientTransport", config: true, literal: true},
	{path: ofMCP, name: "SSEClientTransport", config: true, literal: true},
}

// OfSDK reports whether a package is of one of the SDKs.
func OfSDK(path string) bool {
	path = unversioned(path)
	return slices.ContainsFunc(sdkRoots, func(root string) bool {
		return path == root || strings.HasPrefix(path, root+"/")
	})
}

// sdkRoots are the import paths of the SDKs. All packages below them are of the SDK.
var sdkRoots = []string{
	ofOpenAI,
	ofAnthropic,
	ofCohere,
	ofGenAI,
	ofBedrock,
	ofOllama,
	ofGoOpenAI,
	"github.com/tmc/langchaingo",
	ofMCP,
}

// howToSet says how to set the HTTP client of a client of the SDK; client is how the code writes
// the HTTP client.
func (s *sdk) howToSet(client string) string {
	switch {
	case s.instead != "":
		return s.instead
	case s.option != "":
		return "pass " + s.option[strings.LastIndex(s.option, "/")+1:] + ".WithHTTPClient(" + client + ")"
	case s.client:
		return "pass " + client + " as its HTTP client"
	}
	return "set HTTPClient: " + client
}
