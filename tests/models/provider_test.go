package models_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// An answer is what a model answers, in no provider's spelling.
type answer = fakeprovider.Reply

// twoModels is a provider with an old model, and newModel, which have one answer each.
type twoModels struct {
	old, new answer
	state    fakeprovider.State

	mu     sync.Mutex
	number int
	sent   []*http.Request // to any model, in order
	bodies []string
}

func (p *twoModels) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	p.number++
	number := p.number
	p.sent = append(p.sent, req)
	p.bodies = append(p.bodies, string(body))
	p.mu.Unlock()

	read := fakeprovider.Read(req, body, &p.state)
	reply := p.old
	if strings.Contains(req.URL.Path+string(body), newModel) {
		reply = p.new
	}
	var made *fakeprovider.Response
	if read.Problem != nil {
		made = read.Refuse(number, *read.Problem)
	} else {
		made = read.Answer(number, reply)
	}
	content := made.Body
	if made.Events != nil {
		content = bytes.Join(made.Events, nil)
	}
	return &http.Response{
		StatusCode:    made.Status,
		Header:        made.Header,
		Body:          io.NopCloser(bytes.NewReader(content)),
		ContentLength: int64(len(content)),
		Request:       req,
	}, nil
}

// sentAfter returns the requests that were sent after the first n.
func (p *twoModels) sentAfter(n int) (requests []*http.Request, bodies []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent[n:], p.bodies[n:]
}

// A format is an API in which a model is asked.
type format struct {
	name string
	must.Request
}

// tool is the tool that every format offers.
const tool = "get_weather"

// formats ask each API, with and without a stream, what has the members of old in it.
var formats = []format{
	{"chat", must.Request{
		URL: "https://api.openai.com/v1/chat/completions",
		Body: `{"model":"model-old","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function",` +
			`"function":{"name":"get_weather","parameters":{"type":"object"}}},{"type":"function",` +
			`"function":{"name":"get_time","parameters":{"type":"object"}}}]}`,
		Headers: []string{"Authorization", "Bearer k"},
	}},
	{"chat stream", must.Request{
		URL: "https://api.openai.com/v1/chat/completions",
		Body: `{"model":"model-old","stream":true,"stream_options":{"include_usage":true},` +
			`"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function",` +
			`"function":{"name":"get_weather","parameters":{"type":"object"}}},{"type":"function",` +
			`"function":{"name":"get_time","parameters":{"type":"object"}}}]}`,
		Headers: []string{"Authorization", "Bearer k"},
	}},
	{"responses", must.Request{
		URL: "https://api.openai.com/v1/responses",
		Body: `{"model":"model-old","input":"hi","tools":[{"type":"function","name":"get_weather",` +
			`"parameters":{"type":"object"}},{"type":"function","name":"get_time","parameters":{"type":"object"}}]}`,
		Headers: []string{"Authorization", "Bearer k"},
	}},
	{"anthropic", must.Request{
		URL: "https://api.anthropic.com/v1/messages",
		Body: `{"model":"model-old","max_tokens":99,"messages":[{"role":"user","content":"hi"}],"tools":[` +
			`{"name":"get_weather","input_schema":{"type":"object"}},{"name":"get_time","input_schema":{"type":"object"}}]}`,
		Headers: []string{"X-Api-Key", "k", "Anthropic-Version", "2023-06-01"},
	}},
	{"anthropic stream", must.Request{
		URL: "https://api.anthropic.com/v1/messages",
		Body: `{"model":"model-old","max_tokens":99,"stream":true,"messages":[{"role":"user","content":"hi"}],"tools":[` +
			`{"name":"get_weather","input_schema":{"type":"object"}},{"name":"get_time","input_schema":{"type":"object"}}]}`,
		Headers: []string{"X-Api-Key", "k", "Anthropic-Version", "2023-06-01"},
	}},
	{"gemini", must.Request{
		URL: "https://generativelanguage.googleapis.com/v1beta/models/model-old:generateContent",
		Body: `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[` +
			`{"name":"get_weather"},{"name":"get_time"}]}]}`,
		Headers: []string{"X-Goog-Api-Key", "k"},
	}},
	{"gemini stream", must.Request{
		URL: "https://generativelanguage.googleapis.com/v1beta/models/model-old:streamGenerateContent?alt=sse",
		Body: `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[` +
			`{"name":"get_weather"},{"name":"get_time"}]}]}`,
		Headers: []string{"X-Goog-Api-Key", "k"},
	}},
	{"bedrock", must.Request{
		URL: "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.model-old/converse",
		Body: `{"messages":[{"role":"user","content":[{"text":"hi"}]}],"toolConfig":{"tools":[` +
			`{"toolSpec":{"name":"get_weather","inputSchema":{"json":{"type":"object"}}}},` +
			`{"toolSpec":{"name":"get_time","inputSchema":{"json":{"type":"object"}}}}]}}`,
		Headers: []string{"Authorization", "Bearer k"},
	}},
}

// record asks a provider, and returns the cassette.
func record(t *testing.T, p http.RoundTripper, requests ...must.Request) (file string) {
	t.Helper()
	file = t.TempDir() + "/c.yaml"
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(p))
	for _, req := range requests {
		req.Ask(t, r)
	}
	must.Close(t, r)
	return file
}

// askOthers replays requests, asks the other models, and returns what they change.
func askOthers(t *testing.T, file string, p http.RoundTripper, requests ...must.Request) []attr.OtherAnswer {
	t.Helper()
	rep := compared(t, file, p, requests...)
	if len(rep.Errors) > 0 {
		t.Errorf("%q", rep.Errors)
	}
	return rep.Done.Others
}

// compared is askOthers for a run that may fail.
func compared(t *testing.T, file string, p http.RoundTripper, requests ...must.Request) report.Report {
	t.Helper()
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeCompare), promptecho.Upstream(p))
	for _, req := range requests {
		req.Ask(t, r)
	}
	return must.Finish(r, report.Outcome{})
}
