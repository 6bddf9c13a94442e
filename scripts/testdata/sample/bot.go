// Package bot asks a model. Its client is given, so that tests can hand it a recorder.
package bot

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// A Bot asks a provider with OpenAI's API.
type Bot struct {
	Client *http.Client
	Base   string // of the API: "https://api.openai.com/v1"
	Key    string
}

type chunk struct {
	Choices []struct {
		Message, Delta struct{ Content string }
	}
}

// Answer answers a question.
func (b *Bot) Answer(ctx context.Context, question string) (string, error) {
	return b.whole(ctx, answerPrompt, question)
}

// Title finds a title for a text.
func (b *Bot) Title(ctx context.Context, text string) (string, error) {
	return b.whole(ctx, titlePrompt, text)
}

// Tell tells a story and hands its parts to say as they come.
func (b *Bot) Tell(ctx context.Context, about string, say func(string)) error {
	resp, err := b.ask(ctx, true, tellPrompt, about)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: {")
		if !ok {
			continue
		}
		var c chunk
		if err := json.Unmarshal([]byte("{"+data), &c); err != nil {
			return err
		}
		for _, choice := range c.Choices {
			say(choice.Delta.Content)
		}
	}
	return lines.Err()
}

func (b *Bot) whole(ctx context.Context, system, user string) (string, error) {
	resp, err := b.ask(ctx, false, system, user)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var c chunk
	if err := json.NewDecoder(resp.Body).Decode(&c); err != nil {
		return "", err
	}
	if len(c.Choices) == 0 {
		return "", fmt.Errorf("no choices")
	}
	return c.Choices[0].Message.Content, nil
}

func (b *Bot) ask(ctx context.Context, stream bool, system, user string) (*http.Response, error) {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	body, err := json.Marshal(map[string]any{"model": "gpt-5", "stream": stream, "messages": []message{{"system", system}, {"user", user}}})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, "POST", b.Base+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+b.Key)
	resp, err := b.Client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, fmt.Errorf("the provider says %s", resp.Status)
	}
	return resp, nil
}
