package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// quoted is a text as JSON, without escapes that nobody needs.
func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// streams are how providers send the pieces of a text; %s is a piece as JSON, %d its
// number. Between the pieces other servers send other texts.
var streams = []struct{ name, format, between string }{
	{"OpenAI", `{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":%s}}]}`, ""},
	{"OpenAI, two at once", `{"choices":[{"index":0,"delta":{"content":%s}}]}`, `{"choices":[{"index":1,"delta":{"content":"other"}}]}`},
	{"a tool's arguments", `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":%s}}]}}]}`, ""},
	{"Responses", `{"type":"response.output_text.delta","item_id":"msg_1","sequence_number":%[2]d,"delta":%[1]s}`, `{"type":"response.function_call_arguments.delta","item_id":"fc_1","delta":"{}"}`},
	{"Anthropic", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%s}}`, `{"type":"ping"}`},
	{"Anthropic, arguments", `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":%s}}`, ""},
	{"Gemini", `{"candidates": [ {"content": {"parts": [ {"text": %s} ]}} ]}`, ""},
	{"Bedrock", `{"contentBlockIndex":0,"delta":{"text":%s}}`, ""},
	{"Ollama", `{"message":{"role":"assistant","content":%s},"done":false}`, ""},
	{"TGI, which counts", `{"index":%[2]d,"token":{"id":5,"text":%[1]s}}`, ""},
	{"logprobs", `{"choices":[{"index":0,"logprobs":{"content":[{"token":%s,"logprob":-1.5}]}}]}`, ""},
}

// eventsOf returns the events of a stream that says the pieces.
func eventsOf(format, between string, pieces []string) []interaction.Event {
	var events []interaction.Event
	add := func(value string) { events = append(events, interaction.Event{{Name: "data", Value: value}}) }
	for i, piece := range pieces {
		if strings.Contains(format, "[2]") {
			add(fmt.Sprintf(format, quoted(piece), i))
		} else {
			add(fmt.Sprintf(format, quoted(piece)))
		}
		if between != "" {
			add(between)
		}
	}
	return append(events, interaction.Event{{Name: "data", Value: "[DONE]"}})
}

// said is what the events say, every string of the JSON one behind the other.
func said(t *testing.T, events []interaction.Event, format string) string {
	t.Helper()
	keys := regexp.MustCompile(`"(content|arguments|delta|text|partial_json|token)":\s*("(?:[^"\\]|\\.)*")`)
	var b strings.Builder
	for _, e := range events {
		m := keys.FindAllStringSubmatch(e[0].Value, -1)
		if len(m) == 0 {
			continue
		}
		var s string
		if err := json.Unmarshal([]byte(m[len(m)-1][2]), &s); err != nil {
			t.Fatalf("%s: %v", e[0].Value, err)
		}
		if s != "other" && s != "{}" {
			b.WriteString(s)
		}
	}
	return b.String()
}

// A credential that a model streams in pieces is replaced, wherever it is cut; all else stays in
// its event.
func TestStreamedCredentials(t *testing.T) {
	t.Parallel()
	d := drawer{rand.New(rand.NewPCG(11, 12))}
	secrets := d.secrets()
	cuts, written := 0, 0
	for i, stream := range streams {
		for k, s := range secrets {
			if k%len(streams) != i && !full.Set() {
				continue // each secret is in one stream
			}
			text := "The key is " + s.text + " for\tyou."
			want := redactedRequest(redactedAnswer(text))
			var ways [][]string
			from := strings.Index(text, s.text)
			step, sizes := 1, []int{1, 3}
			if stream.name != "OpenAI" || !full.Set() {
				step, sizes = max(1, len(s.text)/3), []int{9}
			}
			for at := from; at <= from+len(s.text); at += step {
				ways = append(ways, []string{text[:at], text[at:]})
			}
			for _, n := range sizes {
				ways = append(ways, slices.Collect(func(yield func(string) bool) {
					for i := 0; i < len(text); i += n {
						if !yield(text[i:min(len(text), i+n)]) {
							return
						}
					}
				}))
			}
			for _, pieces := range ways {
				cuts++
				it := &interaction.Interaction{Response: interaction.Response{Stream: "sse", Events: eventsOf(stream.format, stream.between, pieces)}}
				untouched := slices.Clone(it.Response.Events)
				var p Policy
				p.Response(&it.Request, &it.Response)
				if err := p.CheckInteraction("f.yaml", it, Result{}); err != nil {
					t.Fatalf("%s, %s: %v", stream.name, s.name, err)
				}
				if got := redactedRequest(said(t, it.Response.Events, stream.format)); got != want {
					if written++; written < 10 {
						t.Errorf("%s, %s in %d pieces:\n got %s\nwant %s", stream.name, s.name, len(pieces), got, want)
					}
				}
				if len(it.Response.Events) != len(untouched) {
					t.Fatalf("%d events, want %d", len(it.Response.Events), len(untouched))
				}
			}
		}
	}
	t.Logf("%d kinds in %d kinds of streams, %d ways of cutting them: %d written", len(secrets), len(streams), cuts, written)
}

// Texts that the user names, and known values, are replaced across the events of a stream.
func TestStreamedPatterns(t *testing.T) {
	t.Parallel()
	const value = "hollow-word-list"
	before := []string{"Write to ", "a", "da@ho", "me.example", ", say \u00e9 hollow", "-word", "-list \"twice\"", " hollow-wo", "rd-list", " and ", "go."}
	after := []string{"Write to ", "[REDACTED]", "", "", ", say \u00e9 [REDACTED]", "", " \"twice\"", " [REDACTED]", "", " and ", "go."}
	for _, stream := range streams {
		p := &Policy{Patterns: []*regexp.Regexp{regexp.MustCompile(`[a-z]+@home\.example`)}}
		p.AddSecret(value)
		it := &interaction.Interaction{Response: interaction.Response{Stream: "sse", Events: eventsOf(stream.format, stream.between, before)}}
		p.Response(&it.Request, &it.Response)
		if want := eventsOf(stream.format, stream.between, after); !reflect.DeepEqual(it.Response.Events, want) {
			t.Errorf("%s:\n got %q\nwant %q", stream.name, it.Response.Events, want)
		}
		if err := p.CheckInteraction("f.yaml", it, Result{}); err != nil {
			t.Error(err)
		}
		again := slices.Clone(it.Response.Events)
		if p.Response(&it.Request, &it.Response); !reflect.DeepEqual(it.Response.Events, again) {
			t.Errorf("%s: cleaned twice: %q", stream.name, it.Response.Events)
		}
	}

	// Fields that the user names, in the arguments of a tool.
	p := &Policy{Names: []string{"email", "age"}}
	events := eventsOf(streams[2].format, "", []string{`{"em`, `ail": "a`, `da@home", "a`, `ge": 3`, `6, "n": 1}`})
	p.Response(&interaction.Request{}, &interaction.Response{Events: events})
	if got := said(t, events, ""); got != `{"email": "[REDACTED]", "age": 0, "n": 1}` {
		t.Errorf("arguments are %s", got)
	}
}

// TestStreamedTokens: several pieces can come in one event, and two answers at once.
func TestStreamedTokens(t *testing.T) {
	t.Parallel()
	d := drawer{rand.New(rand.NewPCG(23, 24))}
	key, other := "ghp_"+d.from(alnums, 36), "ghp_"+d.from(alnums, 36)
	events := []interaction.Event{
		{{Name: "data", Value: `{"choices":[{"index":0,"logprobs":{"content":[{"token":"is "},{"token":"` + key[:7] + `"}]}},{"index":1,"delta":{"content":"` + other[:20] + `"}}]}`}},
		{{Name: "data", Value: `{"choices":[{"index":1,"delta":{"content":"` + other[20:] + `."}},{"index":0,"logprobs":{"content":[{"token":"` + key[7:12] + `"},{"token":"` + key[12:] + `"},{"token":"!"}]}}]}`}},
	}
	var p Policy
	p.Response(&interaction.Request{}, &interaction.Response{Events: events})
	want := []string{
		`{"choices":[{"index":0,"logprobs":{"content":[{"token":"is "},{"token":"[REDACTED]"}]}},{"index":1,"delta":{"content":"[REDACTED]"}}]}`,
		`{"choices":[{"index":1,"delta":{"content":"."}},{"index":0,"logprobs":{"content":[{"token":""},{"token":""},{"token":"!"}]}}]}`,
	}
	for i := range want {
		if got := events[i][0].Value; got != want[i] {
			t.Errorf("%s\nwant %s", got, want[i])
		}
	}
}

// TestStreamedTextStays: what only looks like a credential when it is put together
// wrongly stays as it is, byte for byte.
func TestStreamedTextStays(t *testing.T) {
	t.Parallel()
	d := drawer{rand.New(rand.NewPCG(13, 14))}
	key := "ghp_" + d.from(alnums, 36)
	event := func(values ...string) (events []interaction.Event) {
		for _, v := range values {
			events = append(events, interaction.Event{{Name: "event", Value: "x"}, {Name: "data", Value: v}})
		}
		return events
	}
	for name, events := range map[string][]interaction.Event{
		"two places":         event(`{"a":"`+key[:9]+`"}`, `{"b":"`+key[9:]+`"}`),
		"ids":                event(`{"id":"gh"}`, `{"id":"gh"}`, `{"id":"gh"}`),
		"odd but not secret": event(`{"text": "\u0061\/" , "n":1.50}`, `{"text":"\ud83d"}`, `{"text":"b"`, `text`),
		"one event":          event(`{"text":"hi"}`),
	} {
		var p Policy
		resp := interaction.Response{Events: slices.Clone(events)}
		for i := range events {
			resp.Events[i] = slices.Clone(events[i])
		}
		if p.Response(&interaction.Request{}, &resp); !reflect.DeepEqual(resp.Events, events) {
			t.Errorf("%s: %q\nwant %q", name, resp.Events, events)
		}
	}
}

// A credential left in several events of a stream is refused, and is replaced however deep it is
// nested.
func TestStreamThatIsNotRedacted(t *testing.T) {
	t.Parallel()
	d := drawer{rand.New(rand.NewPCG(15, 16))}
	key := "ghp_" + d.from(alnums, 36)
	deep := strings.Repeat(`[`, 80) + `%s` + strings.Repeat(`]`, 80)
	it := &interaction.Interaction{Response: interaction.Response{Stream: "sse", Events: eventsOf(deep, "", []string{"a " + key[:9], key[9:] + " b"})}}
	var p Policy
	err := p.CheckInteraction("f.yaml", it, Result{})
	if err == nil || !strings.HasPrefix(err.Error(), "f.yaml: a text in response.events (split over several events) looks like a secret") || strings.Contains(err.Error(), key[:9]) {
		t.Errorf("%v", err)
	}
	p.Response(&it.Request, &it.Response)
	if err := p.CheckInteraction("f.yaml", it, Result{}); err != nil {
		t.Error(err)
	}
	if want := eventsOf(deep, "", []string{"a [REDACTED]", " b"}); !reflect.DeepEqual(it.Response.Events, want) {
		t.Errorf("%q\nwant %q", it.Response.Events, want)
	}
}

// However a streamed text is cut, its events together make the clean text, and cleaning it again
// changes nothing.
func TestStreamedAnything(t *testing.T) {
	t.Parallel()
	d := drawer{rand.New(rand.NewPCG(21, 22))}
	secrets := d.secrets()
	words := []string{" ", "the ", "\n", `"`, `\`, "é", "日本", "[REDACTED]", "[REDACTED-0123abcd]", "=", ":", "-", "hollow-word-list", "hollow-word", "ada@home.example", "sk-", "eyJ", `{"client_secret": "x"}`, `"next": "`}
	for range full.Cases(100, 600) {
		p := &Policy{Patterns: []*regexp.Regexp{regexp.MustCompile(`[a-z]+@home\.example`)}}
		p.AddSecret("hollow-word-list")
		var text string
		for range 1 + d.IntN(8) {
			if d.IntN(3) == 0 {
				text += secrets[d.IntN(len(secrets))].text
			} else {
				text += words[d.IntN(len(words))]
			}
		}
		var pieces []string
		for rest := []rune(text); len(rest) > 0; {
			n := 1 + d.IntN(min(len(rest), 30))
			pieces = append(pieces, string(rest[:n]))
			rest = rest[n:]
		}
		if len(pieces) < 2 {
			continue
		}
		stream := streams[d.IntN(len(streams))]
		it := &interaction.Interaction{Response: interaction.Response{Stream: "sse", Events: eventsOf(stream.format, stream.between, pieces)}}
		p.Response(&it.Request, &it.Response)
		if err := p.CheckInteraction("f.yaml", it, Result{}); err != nil {
			t.Fatalf("%q: %v", pieces, err)
		}
		got, want := said(t, it.Response.Events, stream.format), answerBy(t, p, text)
		if got != want && answerBy(t, p, got) != got {
			t.Fatalf("%s: %q\n says %q\nwant %q", stream.name, pieces, got, want)
		}
		if strings.Contains(got, "hollow-word-list") || strings.Contains(got, "ada@home") {
			t.Fatalf("%s: %q\n says %q", stream.name, pieces, got)
		}
		again := make([]interaction.Event, len(it.Response.Events))
		for i, e := range it.Response.Events {
			again[i] = slices.Clone(e)
		}
		if p.Response(&it.Request, &it.Response); !reflect.DeepEqual(it.Response.Events, again) {
			t.Fatalf("%s: %q\nagain\n %q\nwas\n %q", stream.name, pieces, it.Response.Events, again)
		}
	}
}
