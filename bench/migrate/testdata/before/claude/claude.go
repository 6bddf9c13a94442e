// Package claude asks Claude.
package claude

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// A Client asks Claude through HTTP.
type Client struct {
	HTTP *http.Client
	Key  string
	URL  string // of another server; empty for Anthropic's
}

// An event is one of a stream.
type event struct {
	Type  string
	Delta struct {
		Text       string
		StopReason string `json:"stop_reason"`
	}
}

// Stream returns the pieces of an answer, and why it ends.
func (c *Client) Stream(ctx context.Context, question string) (pieces []string, stop string, err error) {
	body := fmt.Sprintf(`{"model":"claude-haiku-4-5","max_tokens":512,"stream":true,`+
		`"messages":[{"role":"user","content":%q}]}`, question)
	url := cmp.Or(c.URL, "https://api.anthropic.com") + "/v1/messages"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Anthropic-Version", "2023-06-01")
	req.Header.Set("X-Api-Key", c.Key)
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, "", fmt.Errorf("claude: %s", resp.Status)
	}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return nil, "", err
		}
		switch e.Type {
		case "content_block_delta":
			pieces = append(pieces, e.Delta.Text)
		case "message_delta":
			stop = e.Delta.StopReason
		}
	}
	return pieces, stop, lines.Err()
}
