// Package setup has what the tests below interop/mutate share: recorders whose recordings are the
// answers of a script, and a client of each SDK.
//
// Nothing in their cassettes was sent by a provider: the header "x-promptecho-provider: stand-in"
// says so in each response. They are recorded again with
//
//	PROMPTECHO_MODE=all PROMPTECHO_SNAPSHOTS=update go test ./mutate/suite ./mutate/odd/... ./mutate/decode
package setup

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"os"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	cohere "github.com/cohere-ai/cohere-go/v2/client"
	ollama "github.com/ollama/ollama/api"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// Recorder returns the recorder of a test. A run that records gets its answers from the script.
func Recorder(t *testing.T, script ...echofake.Step) *promptecho.Recorder {
	t.Helper()
	return echotest.New(t, Script(t, script...))
}

// Script returns the option with which a run that records gets its answers from a script.
func Script(t *testing.T, script ...echofake.Step) promptecho.Option {
	t.Helper()
	if !IsRecording() {
		return nil
	}
	return Provider(echofake.New(t, script...))
}

// Provider returns the option with which a run that records gets its answers from a fake.
func Provider(p *echofake.Provider) promptecho.Option {
	if IsRecording() {
		setKeys()
	}
	return promptecho.Upstream(roundTripper(func(req *http.Request) (*http.Response, error) {
		resp, err := p.RoundTrip(req)
		if err == nil {
			resp.Header.Set("X-Promptecho-Provider", "stand-in")
		}
		return resp, err
	}))
}

// IsRecording reports whether this run records the cassettes again.
func IsRecording() bool {
	return promptecho.Mode(os.Getenv("PROMPTECHO_MODE")) == promptecho.ModeAll
}

// Improvised returns the option with which a run that records gets answers that are made of the
// words of the prompts. It is for recorders that belong to no test.
func Improvised() promptecho.Option {
	if !IsRecording() {
		return nil
	}
	setKeys()
	server := fakeprovider.New() // it ends with the process
	address, err := url.Parse(server.URL)
	if err != nil {
		panic(err) // the address of a listener is a URL
	}
	return promptecho.Upstream(roundTripper(func(req *http.Request) (*http.Response, error) {
		moved := req.Clone(req.Context())
		moved.URL.Scheme = address.Scheme
		moved.URL.Host = address.Host
		moved.Host = ""
		return http.DefaultTransport.RoundTrip(moved)
	}))
}

// setKeys gives a run that records the keys that it needs. The fake takes any.
func setKeys() {
	for _, name := range []string{
		"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "CO_API_KEY", "AWS_SECRET_ACCESS_KEY",
	} {
		os.Setenv(name, "echo-secret-mutate-0123456789")
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// OpenAI returns a client of OpenAI.
func OpenAI(rec echotest.Answerer) openai.Client {
	return openai.NewClient(
		option.WithHTTPClient(&http.Client{Transport: rec}),
		option.WithAPIKey(rec.Secret("OPENAI_API_KEY")),
	)
}

// Anthropic returns a client of Anthropic.
func Anthropic(rec echotest.Answerer) anthropic.Client {
	return anthropic.NewClient(
		anthropicoption.WithHTTPClient(&http.Client{Transport: rec}),
		anthropicoption.WithAPIKey(rec.Secret("ANTHROPIC_API_KEY")),
	)
}

// Gemini returns a client of Gemini.
func Gemini(t *testing.T, rec echotest.Answerer) *genai.Client {
	t.Helper()
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		HTTPClient: &http.Client{Transport: rec},
		APIKey:     rec.Secret("GEMINI_API_KEY"),
		Backend:    genai.BackendGeminiAPI,
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// Bedrock returns a client of Bedrock. It does not retry: AWS's SDK would wait for seconds.
func Bedrock(rec echotest.Answerer) *bedrockruntime.Client {
	key := rec.Secret("AWS_SECRET_ACCESS_KEY")
	return bedrockruntime.New(bedrockruntime.Options{
		Region:           "us-east-1",
		HTTPClient:       &http.Client{Transport: rec},
		Credentials:      credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", key, ""),
		RetryMaxAttempts: 1,
	})
}

// Ollama returns a client of an Ollama of this machine.
func Ollama(rec echotest.Answerer) *ollama.Client {
	server := &url.URL{Scheme: "http", Host: "localhost:11434"}
	return ollama.NewClient(server, &http.Client{Transport: rec})
}

// Cohere returns a client of Cohere. It reads each response as a whole before the SDK does, whose
// reader of streams fails where a read ends behind a blank line. It does not retry: the SDK would
// wait for half a second.
func Cohere(rec echotest.Answerer) *cohere.Client {
	whole := roundTripper(func(req *http.Request) (*http.Response, error) {
		resp, err := rec.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		rest := &brokenOff{data: *bytes.NewReader(body), err: err}
		resp.Body = io.NopCloser(rest)
		return resp, nil
	})
	return cohere.NewClient(
		cohere.WithHTTPClient(&http.Client{Transport: whole}),
		cohere.WithToken(rec.Secret("CO_API_KEY")),
		cohere.WithMaxAttempts(1),
	)
}

// A brokenOff is what was read of a body, and the error that ended it.
type brokenOff struct {
	data bytes.Reader
	err  error // nil at the end of the body
}

func (b *brokenOff) Read(p []byte) (int, error) {
	n, err := b.data.Read(p)
	if err == io.EOF && b.err != nil {
		return n, b.err
	}
	return n, err
}
