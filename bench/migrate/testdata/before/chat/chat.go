// Package chat asks a model.
package chat

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// A Client asks a model through HTTP.
type Client struct {
	HTTP *http.Client
	Key  string
	User string // who asks; may be empty
}

type message struct {
	Role    string `json:"role,omitempty"`
	Content string `json:"content"`
}

type request struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	Stream   bool      `json:"stream,omitempty"`
	User     string    `json:"user,omitempty"`
}

// A reply is an answer, or an event of a stream.
type reply struct {
	Choices []struct{ Message, Delta message }
}

// Ask returns the answer to a question.
func (c *Client) Ask(ctx context.Context, question string) (string, error) {
	resp, err := c.send(ctx, question, false)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var r reply
	if err := json.NewDecoder(resp.Body).Decode(&r); err != nil {
		return "", err
	}
	return r.Choices[0].Message.Content, nil
}

// Stream calls say with each word of the answer as it comes.
func (c *Client) Stream(ctx context.Context, question string, say func(word string)) error {
	resp, err := c.send(ctx, question, true)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var r reply
		if err := json.Unmarshal([]byte(data), &r); err != nil {
			return err
		}
		if len(r.Choices) > 0 && r.Choices[0].Delta.Content != "" {
			say(r.Choices[0].Delta.Content)
		}
	}
	return lines.Err()
}

func (c *Client) send(ctx context.Context, question string, stream bool) (*http.Response, error) {
	body, err := json.Marshal(request{"gpt-5.4-mini", []message{{"user", question}}, stream, c.User})
	if err != nil {
		return nil, err
	}
	base := cmp.Or(os.Getenv("OPENAI_BASE_URL"), "https://api.openai.com/v1")
	req, err := http.NewRequestWithContext(ctx, "POST", base+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.HTTP.Do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		err = fmt.Errorf("chat: %s", resp.Status)
	}
	return resp, err
}
