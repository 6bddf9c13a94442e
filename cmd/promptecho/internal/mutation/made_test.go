package mutation

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/stream"
)

// An endpoint has a request for an answer in one piece, and one for a stream.
type endpoint struct {
	name, url, streamURL string
	body, streamBody     string
	callsTools           bool
}

const openaiBody = `"model":"m","messages":[{"role":"user","content":"x"}]`

// endpoints are those of which the fake provider knows the format.
var endpoints = []endpoint{
	sameURL("chat", "https://api.openai.com/v1/chat/completions", openaiBody, true),
	sameURL("responses", "https://api.openai.com/v1/responses", `"model":"m","input":"x"`, true),
	sameURL("messages", "https://api.anthropic.com/v1/messages", openaiBody+`,"max_tokens":9`, true),
	sameURL("cohere", "https://api.cohere.com/v2/chat", openaiBody, true),
	sameURL("cohere v1", "https://api.cohere.com/v1/chat", `"model":"m","message":"x"`, false),
	sameURL("mistral", "https://api.mistral.ai/v1/fim/completions", `"model":"m","prompt":"x"`, false),
	{
		name: "ollama", url: "http://127.0.0.1:11434/api/chat", callsTools: true,
		body: `{` + openaiBody + `,"stream":false}`, streamBody: `{` + openaiBody + `}`,
	},
	{
		name: "generate", url: "http://127.0.0.1:11434/api/generate",
		body:       `{"model":"m","prompt":"x","stream":false}`,
		streamBody: `{"model":"m","prompt":"x"}`,
	},
	bedrock("converse", "m/converse", "m/converse-stream", true),
	bedrock("nova", "amazon.nova-lite-v1:0/invoke",
		"amazon.nova-lite-v1:0/invoke-with-response-stream", true),
	{
		name:      "claude on bedrock",
		url:       bedrockURL + "anthropic.m/invoke",
		streamURL: bedrockURL + "anthropic.m/invoke-with-response-stream",
		body: `{"anthropic_version":"bedrock-2023-05-31","max_tokens":9,` +
			`"messages":[{"role":"user","content":"x"}]}`,
		callsTools: true,
	},
	{
		name:      "titan",
		url:       bedrockURL + "amazon.titan-text-lite-v1/invoke",
		streamURL: bedrockURL + "amazon.titan-text-lite-v1/invoke-with-response-stream",
		body:      `{"inputText":"x"}`,
	},
}

const bedrockURL = "https://bedrock-runtime.us-east-1.amazonaws.com/model/"

// sameURL returns an endpoint where the body asks for a stream.
func sameURL(name, url, members string, callsTools bool) endpoint {
	return endpoint{
		name: name, url: url, callsTools: callsTools,
		body: "{" + members + "}", streamBody: "{" + members + `,"stream":true}`,
	}
}

// bedrock returns an endpoint with the body of Converse.
func bedrock(name, path, streamPath string, callsTools bool) endpoint {
	return endpoint{
		name: name, url: bedrockURL + path, streamURL: bedrockURL + streamPath,
		body: `{"messages":[{"role":"user","content":[{"text":"x"}]}]}`, callsTools: callsTools,
	}
}

// replies are answers by what they have.
var replies = map[string]fakeprovider.Reply{
	"text":      {Text: "Hello there, how are you?"},
	"object":    {Text: `{"name":"Ada","seats":4,"vip":true,"tags":["a"]}`},
	"reasoning": {Reasoning: "I think.", Text: "Hello there, how are you?"},
	"call":      {Calls: []fakeprovider.Call{{Name: "add", Args: `{"a":1,"city":"Oslo"}`}}},
	"calls": {
		Text: "I will add.",
		Calls: []fakeprovider.Call{
			{ID: "call_1", Name: "add", Args: `{"a":1,"city":"Oslo"}`},
			{ID: "call_2", Name: "mail", Args: `{"to":"Ada"}`},
		},
	},
}

// madeUp returns an answer that the fake provider has made up, as it is recorded.
func madeUp(t testing.TB, e endpoint, reply string, streamed bool) *interaction.Interaction {
	t.Helper()
	url, body := e.url, e.body
	if streamed && e.streamURL != "" {
		url = e.streamURL
	}
	if streamed && e.streamBody != "" {
		body = e.streamBody
	}
	req, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	state := &fakeprovider.State{NeedsNoKey: true}
	read := fakeprovider.Read(req, []byte(body), state)
	if read.Problem != nil {
		t.Fatalf("%s: %+v", e.name, read.Problem)
	}
	resp := read.Answer(1, replies[reply])

	it := &interaction.Interaction{Request: interaction.Request{
		Method: "POST", URL: url, Body: []byte(body), Headers: interaction.HeadersOf(req.Header),
	}}
	it.Response = interaction.Response{
		Status: resp.Status, Headers: interaction.HeadersOf(resp.Header), Body: resp.Body,
	}
	cutEvents(&it.Response, bytes.Join(resp.Events, nil))
	return it
}

// cutEvents sets the events of a response.
func cutEvents(resp *interaction.Response, body []byte) {
	if len(body) == 0 {
		return
	}
	cutter := stream.Cutter{ContentType: resp.Headers.Get("content-type")}
	cutter.Frame = func(frame []byte) {
		resp.Events = append(resp.Events, cutter.Framing().Read(frame))
	}
	cutter.Add(body)
	framing, rest := cutter.End()
	resp.Body = rest
	if framing != nil {
		resp.Stream = framing.Name
	}
}

// eachMadeUp calls f for each kind of answer of each endpoint.
func eachMadeUp(t testing.TB, f func(name string, it *interaction.Interaction)) {
	for _, e := range endpoints {
		for _, reply := range slices.Sorted(maps.Keys(replies)) {
			hasCalls := strings.HasPrefix(reply, "call")
			if hasCalls && !e.callsTools {
				continue
			}
			f(e.name+", "+reply, madeUp(t, e, reply, false))
			f(e.name+", "+reply+" streamed", madeUp(t, e, reply, true))
		}
	}
}
