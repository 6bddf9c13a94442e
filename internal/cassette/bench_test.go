package cassette

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// benchBody returns a chat request of about 8 KB.
func benchBody() []byte {
	var b strings.Builder
	b.WriteString(`{"model":"claude-opus-4-8","max_tokens":1024,"temperature":0.7,"messages":[`)
	for i := range 24 {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"role":"user","content":[{"type":"text","text":"Turn %d: %s","index":%d}]}`, i, strings.Repeat("the cat sat on the mat. ", 10), i)
	}
	b.WriteString(`],"tools":[{"name":"f","input_schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}]}`)
	return []byte(b.String())
}

func benchFile(n int) *File {
	f := &File{}
	for i := range n {
		it := &interaction.Interaction{
			Kind: "llm", Boundary: "anthropic.messages", MatchKey: "7d206bed48a0bc0c",
			Request: interaction.Request{Method: "POST", URL: "https://api.anthropic.com/v1/messages", Body: []byte(fmt.Sprintf(
				`{"model":"claude-opus-4-8","max_tokens":100,"messages":[{"role":"user","content":"Summarize:\nthe cat %d sat on the mat."}]}`, i))},
			Response: interaction.Response{Status: 200, Headers: interaction.Headers{{Name: "content-type", Values: []string{"text/event-stream"}}}, Stream: "sse", Text: "Hello there"},
		}
		for j := range 20 {
			it.Response.Events = append(it.Response.Events, interaction.Event{
				{Name: "event", Value: "content_block_delta"},
				{Name: "data", Value: fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello there %d"}}`, j)},
			})
			it.Response.Delays = append(it.Response.Delays, interaction.Delay{MS: 12})
		}
		f.Interactions = append(f.Interactions, it)
	}
	return f
}

func BenchmarkParseJSON(b *testing.B) {
	body := benchBody()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := exactjson.Parse(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDetectLayout(b *testing.B) {
	body := benchBody()
	v, err := exactjson.Parse(body)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, ok := exactjson.DetectLayout(body, v); !ok {
			b.Fatal("no layout")
		}
	}
}

func BenchmarkFormat(b *testing.B) {
	f := benchFile(100)
	b.ReportAllocs()
	for b.Loop() {
		data, _, err := Format(f)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(data)))
	}
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{100, 1000} {
		data, _, err := Format(benchFile(n))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse("x.yaml", data, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen finds the interactions of a cassette.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			data, _, err := Format(withKeys(benchFile(n)))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				s, unparsed, _ := openBytes(b, data)
				if !unparsed {
					b.Fatal("not unparsed")
				}
				s.Close()
			}
		})
	}
}

// BenchmarkResponse reads an answer: a stream of 200 events that are like one another, one
// of 200 that are not, and JSON of 8 KB.
func BenchmarkResponse(b *testing.B) {
	stream := benchFile(1).Interactions[0]
	for len(stream.Response.Events) < 200 {
		stream.Response.Events = append(stream.Response.Events, stream.Response.Events...)[:min(200, 2*len(stream.Response.Events))]
	}
	// As many events of the same length, of which no two begin or end alike.
	other := *stream
	other.Response.Events = nil
	r := rand.New(rand.NewPCG(7, 8))
	for range stream.Response.Events {
		word := func(n int) string { return strings.Repeat(string(rune('a'+r.IntN(26))), n) }
		other.Response.Events = append(other.Response.Events, interaction.Event{
			{Name: "event", Value: "content_block_delta"},
			{Name: "data", Value: fmt.Sprintf(`{"%s":"%s","%s":%d,"%s":{"%s":"%s","%s":"%s %s %d"}}`, word(4), word(19), word(5), r.IntN(9), word(5), word(4), word(10), word(4), word(5), word(5), r.IntN(9))},
		})
	}
	plain := &interaction.Interaction{Request: interaction.Request{Method: "POST", URL: "/"}, Response: interaction.Response{Status: 200, Body: benchBody()}}
	for name, it := range map[string]*interaction.Interaction{"stream": stream, "stream of unlike events": &other, "plain": plain} {
		b.Run(name, func(b *testing.B) {
			data, _, err := Format(withKeys(&File{Interactions: []*interaction.Interaction{it}}))
			if err != nil {
				b.Fatal(err)
			}
			s, _, _ := openBytes(b, data)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Answer(0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
