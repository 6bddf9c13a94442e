package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// The agent of the demo: one question, answered with the help of two tools in
// a loop, then a streamed summary. It talks plain HTTP, so that the demo needs
// no SDK; an SDK would take the same *http.Client.
type agent struct {
	client *http.Client
	base   string       // of the provider
	steps  func(string) // told what happens
}

// demoKey is the key the demo sends. It proves that no cassette holds it.
const demoKey = "sk-demo-0123456789abcdefghijklmnop"

type message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content,omitempty"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

func newTool(name, description string) tool {
	t := tool{Type: "function"}
	t.Function.Name, t.Function.Description = name, description
	t.Function.Parameters = json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)
	return t
}

// tools are what the agent can do itself.
var tools = map[string]func() string{
	"get_weather": func() string { return "rain, 12 degrees" },
	"find_museum": func() string { return "Louvre, open until 18:00" },
}

type chatRequest struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	Tools    []tool    `json:"tools,omitempty"`
	Stream   bool      `json:"stream,omitempty"`
}

// run answers a question and returns everything the application saw: the
// answers, and each chunk of the stream as it was read.
func (a *agent) run(question string) ([]string, error) {
	messages := []message{{Role: "user", Content: question}}
	offered := []tool{newTool("get_weather", "The weather in a city"), newTool("find_museum", "A museum that is open")}
	var seen []string
	for range 5 {
		m, err := a.ask(chatRequest{Model: "stand-in", Messages: messages, Tools: offered})
		if err != nil {
			return seen, err
		}
		messages = append(messages, m)
		if len(m.ToolCalls) == 0 {
			a.steps("answer     " + clip(m.Content, 70))
			seen = append(seen, m.Content)
			break
		}
		for _, c := range m.ToolCalls {
			f, ok := tools[c.Function.Name]
			if !ok {
				return seen, fmt.Errorf("the model asked for an unknown tool %q", c.Function.Name)
			}
			a.steps(fmt.Sprintf("tool call  %s(%s) = %s", c.Function.Name, c.Function.Arguments, f()))
			messages = append(messages, message{Role: "tool", ToolCallID: c.ID, Content: f()})
			seen = append(seen, c.Function.Name+c.Function.Arguments)
		}
	}
	chunks, err := a.stream(chatRequest{Model: "stand-in", Stream: true, Messages: append(messages, message{Role: "user", Content: "Now in one sentence."})})
	return append(seen, chunks...), err
}

func (a *agent) post(body chatRequest) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest("POST", a.base+"/v1/chat/completions", bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+demoKey)
	resp, err := a.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	var e struct{ Message string }
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(text, &e) == nil && e.Message != "" {
		text = []byte(e.Message)
	}
	return nil, fmt.Errorf("%s: %s", resp.Status, text)
}

func (a *agent) ask(body chatRequest) (message, error) {
	resp, err := a.post(body)
	if err != nil {
		return message{}, err
	}
	defer resp.Body.Close()
	var answer struct{ Choices []struct{ Message message } }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return message{}, err
	}
	if len(answer.Choices) == 0 {
		return message{}, fmt.Errorf("an answer without choices")
	}
	return answer.Choices[0].Message, nil
}

// stream returns the text of each chunk.
func (a *agent) stream(body chatRequest) (chunks []string, err error) {
	resp, err := a.post(body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var event struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			return chunks, err
		}
		for _, c := range event.Choices {
			chunks = append(chunks, c.Delta.Content)
		}
	}
	a.steps(fmt.Sprintf("stream     %s  [%d events]", clip(strings.Join(chunks, ""), 44), len(chunks)))
	return chunks, lines.Err()
}

// clip shortens a text to n runes.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
