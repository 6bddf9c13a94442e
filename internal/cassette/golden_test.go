package cassette

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

var update = flag.Bool("update", false, "rewrite testdata/golden.yaml")

// goldenFile is the example of the design, a stream, the kinds of functions, and most of
// what is rare.
func goldenFile() *File {
	given := interaction.RecordedValues{
		Time: time.Date(2026, 11, 22, 15, 30, 12, 0, time.UTC),
		Seed: "5f0c71b2a9e84d36f1d0c3b2a1908f7e",
		Env:  map[string]string{"MODEL": "claude-opus-4-8", "REGION": ""},
	}
	return &File{Partial: true, RecordedValues: given, Interactions: []*interaction.Interaction{{
		Kind: "llm", Boundary: "anthropic.messages", MatchKey: "7d206bed48a0bc0c",
		Request: interaction.Request{
			Method: "POST", URL: "https://api.anthropic.com/v1/messages",
			Headers: interaction.Headers{{Name: "anthropic-version", Values: []string{"2023-06-01"}}},
			Body:    []byte(`{"model":"claude-opus-4-8","max_tokens":100,"messages":[{"role":"user","content":"Summarize:\nthe cat sat on the mat."}]}`),
		},
		Response: interaction.Response{
			Status: 200, Headers: interaction.Headers{{Name: "content-type", Values: []string{"application/json"}}},
			Body: []byte(`{"content":[{"type":"text","text":"A cat sat on a mat."}],"usage":{"input_tokens":14,"output_tokens":8}}`),
		},
		Usage: &interaction.Usage{InputTokens: 14, OutputTokens: 8}, LatencyMS: 640,
	}, {
		Kind: "llm", Boundary: "anthropic.messages", MatchKey: "1234567890123456",
		Request: interaction.Request{
			Method: "POST", URL: "https://api.anthropic.com/v1/messages",
			Body: []byte(`{"model": "claude-opus-4-8", "stream": true, "stop_sequences": [], "messages": [{"role": "user", "content": "caf\u00e9: yes\n\tno"}]}`),
		},
		Response: interaction.Response{
			Status: 200, Proto: "HTTP/2.0",
			Headers: interaction.Headers{
				{Name: "content-type", Values: []string{"text/event-stream; charset=utf-8"}},
				{Name: "request-id", Values: []string{"req_011CdTdZcBCtMG98h82iovem"}},
				{Name: "x-many", Values: []string{"a", "b c"}},
				{Name: "x-should-retry", Values: []string{"false"}},
			},
			Trailers: interaction.Headers{{Name: "grpc-status", Values: []string{"0"}}},
			Stream:   "sse",
			Events: []interaction.Event{
				{{Name: "event", Value: "message_start"}, {Name: "data", Value: `{"type":"message_start","message":{"content":[],"id":"msg_1"}}`}},
				{{Name: "comment", Value: " ping"}},
				{{Name: "event", Value: "content_block_delta"}, {Name: "data", Value: `{"type":"content_block_delta","index":0,"delta":{"text":"Hi, you"}       }`}},
				{{Name: "data", Value: "one"}, {Name: "data", Value: "two: 2"}},
				{{Name: "data", Value: "[DONE]"}},
				{{Name: "data", Value: "\xff"}},
			},
			Delays: []interaction.Delay{{MS: 412}, {MS: 13, Rest: "~9+2~1+0"}, {Together: true, Rest: "~1+7"}, {MS: 12}, {}, {}},
			Text:   "Hi, you\n",
			End:    interaction.EndError, Error: "unexpected EOF",
		},
	}, {
		Kind:     "http",
		Request:  interaction.Request{Method: "PUT", URL: "https://example.com/files/1", Body: []byte{0xff, 0xfe, 0}},
		Response: interaction.Response{Status: 404, Body: []byte("Not Found")},
	}, {
		Kind:     "http",
		Request:  interaction.Request{Method: "GET", URL: "https://example.com/v1/models"},
		Response: interaction.Response{Status: 200, Body: []byte("{\n  \"data\": [\n    [\n      1,\n      2.50\n    ],\n    [\n      \"x\"\n    ]\n  ],\n  \"$ref\": \"\\u003cb\\u003e\",\n  \"no\": null\n}\n")},
	}, {
		Kind: "retrieval", Boundary: "docs", MatchKey: "2345678901234567",
		Request:   interaction.Request{Function: "retrieval/docs", Body: []byte(`"how do I return shoes?"`)},
		Response:  interaction.Response{Body: []byte(`[{"text":"Within 30 days.","score":0.87}]`)},
		LatencyMS: 12,
	}, {
		Kind:     "http",
		Request:  interaction.Request{Method: "GET", URL: "http://index/docs?q=shoes", Within: "retrieval/docs"},
		Response: interaction.Response{Status: 200, Body: []byte(`["30 days"]`)},
	}, {
		Kind: "memory_read", Boundary: "user",
		Request:  interaction.Request{Function: "memory_read/user", Body: []byte(`7`)},
		Response: interaction.Response{Body: []byte(`null`)},
	}, {
		Kind: "tool", Boundary: "charge_card", Concurrent: &interaction.Moments{},
		Request:  interaction.Request{Function: "tool/charge_card", Body: []byte(`{"amount":12.5,"note":"{\"order\":\"A-1\"}"}`)},
		Response: interaction.Response{Body: []byte(`{"tries":3}`), Error: "charge: the card was declined", ErrorIs: []string{"the card was declined"}},
	}, {
		Kind: "memory_write", Boundary: "user",
		Request:  interaction.Request{Function: "memory_write/user", Body: []byte(`{"id":7,"texts":["one\ntwo","three"]}`)},
		Response: interaction.Response{Body: []byte(`true`)},
	}}}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	got := checkRoundTrip(t, goldenFile())
	const name = "testdata/golden.yaml"
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s\nrewrite it with: go test ./internal/cassette -run TestGolden -update", got, want)
	}
	f, err := Parse(name, want, nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(want, []byte("\n"))
	for i, it := range f.Interactions {
		if l := string(lines[it.Line-1]); !strings.HasPrefix(l, "- kind: ") {
			t.Errorf("interaction %d: line %d is %q", i+1, it.Line, l)
		}
	}
}

// difference returns where two files differ in what a cassette holds, or "".
func difference(a, b *File) string {
	switch {
	case a.Pinned != b.Pinned:
		return "pinned"
	case a.Partial != b.Partial:
		return "partial"
	case !a.RecordedValues.Equal(&b.RecordedValues):
		return "time, seed or env"
	case len(a.Interactions) != len(b.Interactions):
		return fmt.Sprintf("the number of interactions (%d and %d)", len(a.Interactions), len(b.Interactions))
	}
	for i, it := range a.Interactions {
		if d := it.Difference(b.Interactions[i]); d != "" {
			return fmt.Sprintf("%s of interaction %d", d, i+1)
		}
	}
	return ""
}

// checkRoundTrip fails the test unless Parse(Format(f)) is f and formatting
// that gives the same bytes.
func checkRoundTrip(t testing.TB, f *File) []byte {
	t.Helper()
	data, assets, err := Format(f)
	if err != nil {
		t.Errorf("Format: %v", err)
		return nil
	}
	g, err := Parse("x.yaml", data, func(name string) ([]byte, error) { return assets[name], nil })
	if err != nil {
		t.Errorf("Parse: %v\n%.2000s", err, data)
		return nil
	}
	if d := difference(f, g); d != "" {
		t.Errorf("%s changed\n%.2000s", d, data)
		return nil
	}
	g.Revision = f.Revision
	for i, it := range g.Interactions { // what is computed when it is saved
		if valid := f.Interactions[i].MatchKey; it.MatchKey != valid && len(valid) == 16 && strings.Trim(valid, "0123456789abcdef") == "" && strings.Trim(valid, "0") != "" {
			t.Errorf("match key %q changed to %q", valid, it.MatchKey)
		}
		it.MatchKey, it.Response.Text = f.Interactions[i].MatchKey, f.Interactions[i].Response.Text
	}
	again, assets2, err := Format(g)
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("formatting again gives something else (%v)", err)
	}
	if len(assets2) != len(assets) {
		t.Errorf("%d assets, then %d", len(assets), len(assets2))
	}
	return data
}

// Format returns the file that Save writes, and its assets by their names.
func Format(f *File) (data []byte, assets map[string][]byte, err error) {
	c, err := ContentsOf(f)
	if err != nil {
		return nil, nil, fmt.Errorf("cassette: %w", err)
	}
	pieces, assets, err := c.Pieces()
	return bytes.Join(pieces, nil), assets, err
}

// Save is what package rewrite has for the command.
func Save(path string, f *File) error {
	c, err := ContentsOf(f)
	if err != nil {
		return fmt.Errorf("%s: not saved: cassette: %w", path, err)
	}
	return c.Save(path)
}

// ContentsOf returns f as it is to be saved.
func ContentsOf(f *File) (*Contents, error) {
	c := &Contents{Pinned: f.Pinned, Partial: f.Partial}
	var err error
	if c.RecordedValues, err = EncodeRecordedValues(&f.RecordedValues); err != nil {
		return nil, err
	}
	for i, it := range f.Interactions {
		item, err := Encode(it, f.Revision)
		if err != nil {
			return nil, fmt.Errorf("interaction %d: %w", i+1, err)
		}
		c.Items = append(c.Items, item)
	}
	return c, nil
}
