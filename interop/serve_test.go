package interop

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/bedrock"
	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/bedrockagentruntime"
	agenttypes "github.com/aws/aws-sdk-go-v2/service/bedrockagentruntime/types"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	brtypes "github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	ollama "github.com/ollama/ollama/api"
	"github.com/openai/openai-go/v3"
	"github.com/philippgille/chromem-go"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// processes are programs that take everything from their environment, as a user's may. Each
// runs in a process of its own, and prints what it saw.
var processes = map[string]func(ctx context.Context) (string, error){
	"openai": func(ctx context.Context) (all string, err error) {
		c := openai.NewClient()
		stream := c.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello from a process.")}})
		for stream.Next() {
			all += fmt.Sprintln(stream.Current().RawJSON())
		}
		return all, stream.Err()
	},
	"anthropic": func(ctx context.Context) (string, error) {
		c := anthropic.NewClient()
		m, err := c.Messages.New(ctx, anthropic.MessageNewParams{Model: "m", MaxTokens: 100, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Hello from a process."))}})
		if err != nil {
			return "", err
		}
		return m.RawJSON(), nil
	},
	"genai": func(ctx context.Context) (string, error) {
		c, err := genai.NewClient(ctx, nil)
		if err != nil {
			return "", err
		}
		file, err := c.Files.Upload(ctx, strings.NewReader("the content of a file"), &genai.UploadFileConfig{MIMEType: "text/plain"})
		if err != nil {
			return "", err
		}
		r, err := c.Models.GenerateContent(ctx, "m", genai.Text("Hello from a process."), nil)
		if err != nil {
			return "", err
		}
		return file.Name + " " + r.Text(), nil
	},
	"ollama": func(ctx context.Context) (all string, err error) {
		c, err := ollama.ClientFromEnvironment()
		if err != nil {
			return "", err
		}
		err = c.Chat(ctx, &ollama.ChatRequest{Model: "m", Messages: []ollama.Message{{Role: "user", Content: "Hello from a process."}}}, func(r ollama.ChatResponse) error {
			all += r.Message.Content + "\n"
			return nil
		})
		return all, err
	},
	"bedrock": func(ctx context.Context) (string, error) { return converse(ctx) },
	// The region is in the code, and not that of the environment.
	"region": func(ctx context.Context) (string, error) { return converse(ctx, config.WithRegion("us-west-2")) },
	"agent": func(ctx context.Context) (string, error) {
		cfg, err := awsConfig(ctx)
		if err != nil {
			return "", err
		}
		out, err := bedrockagentruntime.NewFromConfig(cfg).Retrieve(ctx, &bedrockagentruntime.RetrieveInput{
			KnowledgeBaseId: aws.String("KBOFPROMPT"),
			RetrievalQuery:  &agenttypes.KnowledgeBaseQuery{Text: aws.String("Hello from a process.")},
		})
		if err != nil {
			return "", err
		}
		return aws.ToString(out.RetrievalResults[0].Content.Text), nil
	},
	"mantle": func(ctx context.Context) (string, error) {
		c, err := bedrock.NewMantleClient(ctx, bedrock.MantleClientConfig{})
		if err != nil {
			return "", err
		}
		m, err := c.Messages.New(ctx, anthropic.MessageNewParams{Model: "m", MaxTokens: 100, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Hello from a process."))}})
		if err != nil {
			return "", err
		}
		return m.RawJSON(), nil
	},
}

// awsConfig returns the configuration that AWS's SDK makes of the environment.
func awsConfig(ctx context.Context, options ...func(*config.LoadOptions) error) (aws.Config, error) {
	options = append(options, config.WithHTTPClient(&http.Client{Transport: roundTripFunc(readOnly)}))
	return config.LoadDefaultConfig(ctx, options...)
}

// converse asks Bedrock, and returns the events of the answer.
func converse(ctx context.Context, options ...func(*config.LoadOptions) error) (string, error) {
	cfg, err := awsConfig(ctx, options...)
	if err != nil {
		return "", err
	}
	out, err := bedrockruntime.NewFromConfig(cfg).ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{
		ModelId:  aws.String("eu.anthropic.claude-x-v1:0"),
		Messages: []brtypes.Message{{Role: "user", Content: []brtypes.ContentBlock{&brtypes.ContentBlockMemberText{Value: "Hello from a process."}}}},
	})
	if err != nil {
		return "", err
	}
	all, stream := "", out.GetStream()
	defer stream.Close()
	for event := range stream.Events() {
		all += fmt.Sprintln(asLine(event))
	}
	return all, stream.Err()
}

// readOnly sends a request whose body can only be read. The bodies of smithy-go v1.28.8 also
// have WriteTo, which fails with io.EOF once they are closed, and they are closed as soon as
// there is an answer. If that comes before net/http has seen the body's end, it takes the error
// for one of the request and closes the connection. On a busy machine, 1 of 100 processes failed
// so, with httptest.Server as well.
func readOnly(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req = req.Clone(req.Context())
		req.Body = struct{ io.ReadCloser }{req.Body}
	}
	return http.DefaultTransport.RoundTrip(req)
}

// unset takes variables out of the environment of a test.
func unset(t *testing.T, names ...string) {
	for _, name := range names {
		t.Setenv(name, "") // which puts it back
		os.Unsetenv(name)
	}
}

func asLine(v any) string { return fmt.Sprintf("%T %s", v, jsonOf(v)) }

// runProcess is main of such a process.
func runProcess(name string) int {
	text, err := processes[name](context.Background())
	fmt.Print(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// startProcess runs a process whose environment has nothing but what is given.
func startProcess(t *testing.T, name string, env []string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	// A proxy that is not there: NO_PROXY must keep it out of the way.
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "HTTP_PROXY=http://127.0.0.1:1", "http_proxy=http://127.0.0.1:1", "INTEROP_PROCESS=" + name}, env...)
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, &stderr)
	}
	return string(out)
}

// Each variable of echotest.Server.Env leads its SDK to the recorder. The process is
// recorded with keys, and replayed with none and without an upstream.
func TestServeVariables(t *testing.T) {
	const key, secret = "AKIDOFINTEROPTESTS", "echo-secret-of-aws-0123456789"
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	t.Setenv("AWS_REGION", "eu-central-1")
	unset(t, "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OLLAMA_HOST", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "NO_PROXY", "no_proxy",
		"AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME", "ANTHROPIC_BEDROCK_MANTLE_BASE_URL")
	p := fakeprovider.New()
	defer p.Close()
	atStandIn := toStandIn(func() *fakeprovider.Server { return p }, http.DefaultTransport)
	hosts := map[string]string{
		"openai": "api.openai.com", "anthropic": "api.anthropic.com", "genai": "generativelanguage.googleapis.com",
		"ollama": "127.0.0.1:11434", "bedrock": "bedrock-runtime.eu-central-1.amazonaws.com",
		"region": "bedrock-runtime.us-west-2.amazonaws.com", "agent": "bedrock-agent-runtime.eu-central-1.amazonaws.com",
		"mantle": "bedrock-mantle.eu-central-1.api.aws",
	}
	scopes := map[string][2]string{ // of signatures: the service and the region
		"bedrock": {"bedrock", "eu-central-1"}, "region": {"bedrock", "us-west-2"},
		"agent": {"bedrock", "eu-central-1"}, "mantle": {"bedrock-mantle", "eu-central-1"},
	}
	for name, host := range hosts {
		t.Run(name, func(t *testing.T) {
			file, asked := filepath.Join(t.TempDir(), "c.yaml"), 0
			upstream := roundTripFunc(func(req *http.Request) (*http.Response, error) {
				asked++
				if req.URL.Host != host || req.Host != "" && req.Host != host {
					t.Errorf("%s is asked, with Host %q, want %s", req.URL, req.Host, host)
				}
				if scope, isSigned := scopes[name]; isSigned {
					checkSignature(t, req, key, secret, scope[0], scope[1])
				}
				if name == "agent" {
					return retrieved(t, req)
				}
				if name == "mantle" { // which the stand-in does not know: to it, it is Anthropic
					req = req.Clone(req.Context())
					req.URL.Path = strings.TrimPrefix(req.URL.Path, "/anthropic")
					req.Header.Set("X-Api-Key", fakeKey)
				}
				if strings.HasPrefix(req.URL.Path, "/upload/") {
					return uploaded(t, req)
				}
				if name == "ollama" {
					req = req.Clone(req.Context())
					req.URL.Host = "ollama.example.com" // which is the stand-in
				}
				return atStandIn.RoundTrip(req)
			})
			run := func(mode promptecho.Mode, env ...string) (text string) {
				rec, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.Upstream(upstream))
				if err != nil {
					t.Fatal(err)
				}
				t.Run(string(mode), func(t *testing.T) {
					text = startProcess(t, name, append(env, echotest.Serve(t, rec).Env()...))
				})
				if err := rec.Close(); err != nil {
					t.Error(err)
				}
				return text
			}
			live := run(promptecho.ModeAll, "OPENAI_API_KEY="+fakeKey, "ANTHROPIC_API_KEY="+fakeKey, "GEMINI_API_KEY="+fakeKey, "AWS_ACCESS_KEY_ID="+key, "AWS_SECRET_ACCESS_KEY="+secret)
			before := asked
			again := run(promptecho.ModeNone)
			if live == "" || again != live || asked != before || before == 0 {
				t.Errorf("%d requests, then %d\nlive:   %s\nreplay: %s", before, asked-before, live, again)
			}
			noKey(t, filepath.Dir(file))
		})
	}
}

// checkSignature compares the signature of a request with the one that AWS's own signer
// makes for it.
func checkSignature(t *testing.T, req *http.Request, key, secret, service, region string) {
	t.Helper()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		t.Fatal(err)
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	got := req.Header.Get("Authorization")
	own, err := http.NewRequest(req.Method, req.URL.String(), bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Split(regexp.MustCompile(`SignedHeaders=([^,]+)`).FindStringSubmatch(got)[1], ";") {
		if values := req.Header.Values(name); len(values) > 0 {
			own.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	at, err := time.Parse("20060102T150405Z", req.Header.Get("X-Amz-Date"))
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(body)
	if err := v4.NewSigner().SignHTTP(t.Context(), aws.Credentials{AccessKeyID: key, SecretAccessKey: secret}, own, hex.EncodeToString(hash[:]), service, region, at); err != nil {
		t.Fatal(err)
	}
	isEscaped := strings.Contains(req.URL.EscapedPath(), "%3A") || !strings.Contains(req.URL.Path, ":")
	if want := own.Header.Get("Authorization"); got != want || !isEscaped {
		t.Errorf("%s is signed\n%s, AWS's signer has\n%s", req.URL, got, want)
	}
}

// retrieved answers a request for passages of a knowledge base. The passage is made up.
func retrieved(t *testing.T, req *http.Request) (*http.Response, error) {
	t.Helper()
	if req.URL.Path != "/knowledgebases/KBOFPROMPT/retrieve" {
		t.Errorf("%s is asked", req.URL)
	}
	const text = `{"retrievalResults": [{"content": {"text": "Hello from a knowledge base.", "type": "TEXT"}}]}`
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: header, Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)), Request: req}, nil
}

// uploaded answers the requests of a resumable upload, as Gemini's API does.
func uploaded(t *testing.T, req *http.Request) (*http.Response, error) {
	t.Helper()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	header, text := http.Header{"Content-Type": {"application/json"}}, "{}"
	switch command := req.Header.Get("X-Goog-Upload-Command"); command {
	case "start":
		header.Set("X-Goog-Upload-URL", "https://generativelanguage.googleapis.com/upload/v1beta/files?upload_id=7&upload_protocol=resumable")
	case "upload, finalize":
		if string(body) != "the content of a file" || req.URL.Query().Get("upload_id") != "7" {
			t.Errorf("%s: %q is uploaded", req.URL, body)
		}
		header.Set("X-Goog-Upload-Status", "final")
		text = `{"file": {"name": "files/abc", "uri": "https://generativelanguage.googleapis.com/v1beta/files/abc"}}`
	default:
		t.Errorf("%s: command %q", req.URL, command)
	}
	return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: header, Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)), Request: req}, nil
}

// SDKs that get no http.Client are answered if echotest.SetDefault has replaced the default
// transport.
func TestDefaultClients(t *testing.T) {
	unset(t, "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL")
	t.Setenv("OLLAMA_HOST", "http://127.0.0.1:11434")
	for _, name := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"} {
		t.Setenv(name, fakeKey)
	}
	p := fakeprovider.New()
	defer p.Close()
	atStandIn := toStandIn(sync.OnceValue(func() *fakeprovider.Server { return p }), http.DefaultTransport)
	upstream := roundTripFunc(func(req *http.Request) (*http.Response, error) {
		if strings.HasPrefix(req.URL.Path, "/upload/") {
			return uploaded(t, req)
		}
		req = req.Clone(req.Context())
		req.URL.Host = "provider.example.com" // which is the stand-in, for Ollama, too
		return atStandIn.RoundTrip(req)
	})
	clients := map[string]func(context.Context) (string, error){"chromem": func(ctx context.Context) (string, error) {
		vector, err := chromem.NewEmbeddingFuncOpenAI(fakeKey, chromem.EmbeddingModelOpenAI3Small)(ctx, "Hello from a test.")
		return fmt.Sprint(vector), err
	}}
	for _, name := range []string{"openai", "anthropic", "genai", "ollama"} {
		clients[name] = processes[name]
	}
	for name, ask := range clients {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "c.yaml")
			var said []string
			for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
				rec, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.Upstream(upstream), promptecho.Alias("http://127.0.0.1:11434", "ollama"))
				if err != nil {
					t.Fatal(err)
				}
				before := p.Requests()
				t.Run(string(mode), func(t *testing.T) {
					echotest.SetDefault(t, rec)
					text, err := ask(t.Context())
					if err != nil || text == "" {
						t.Errorf("%q, %v", text, err)
					}
					said = append(said, text)
				})
				if err := rec.Close(); err != nil {
					t.Error(err)
				}
				if asked := p.Requests() - before; (asked > 0) != (mode == promptecho.ModeAll) {
					t.Errorf("mode %s: %d requests reached the provider", mode, asked)
				}
			}
			if said[0] != said[1] {
				t.Errorf("live:   %s\nreplay: %s", said[0], said[1])
			}
			noKey(t, filepath.Dir(file))
		})
	}
}
