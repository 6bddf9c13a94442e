// Package trip asks a model for a plan of a day, and for a title, which is streamed.
package trip

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// A Planner asks OpenAI's API. An SDK would take the same client.
type Planner struct {
	Client *http.Client
	Key    string
}

// Plan returns the answer to a prompt.
func (p Planner) Plan(ctx context.Context) (string, error) {
	body, err := p.ask(ctx, "Plan a rainy day in Paris.", false)
	if err != nil {
		return "", err
	}
	defer body.Close()
	var answer struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.NewDecoder(body).Decode(&answer); err != nil {
		return "", err
	}
	return answer.Choices[0].Message.Content, nil
}

// Title returns the text of an answer that comes in pieces.
func (p Planner) Title(ctx context.Context) (title string, err error) {
	body, err := p.ask(ctx, "Give that day a title.", true)
	if err != nil {
		return "", err
	}
	defer body.Close()
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var event struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			return "", err
		}
		for _, c := range event.Choices {
			title += c.Delta.Content
		}
	}
	return title, lines.Err()
}

func (p Planner) ask(ctx context.Context, prompt string, stream bool) (io.ReadCloser, error) {
	body, err := json.Marshal(map[string]any{
		"model":    "gpt-5.4-mini",
		"messages": []map[string]string{{"role": "user", "content": prompt}},
		"stream":   stream,
	})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, "POST", os.Getenv("OPENAI_BASE_URL")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+p.Key)
	resp, err := p.Client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("the model answers with status %s", resp.Status)
	}
	return resp.Body, nil
}
