package cassette

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/yaml"
)

var update = flag.Bool("update", false, "rewrite testdata/golden.yaml")

// goldenFile is the example of the design, a stream, and most of what is rare.
func goldenFile() *File {
	return &File{Partial: true, Interactions: []*interaction.Interaction{{
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
		if l := string(lines[it.Line-1]); !strings.HasPrefix(l, "  - kind: ") {
			t.Errorf("interaction %d: line %d is %q", i+1, it.Line, l)
		}
	}
}

// TestBodies is how bodies are written.
func TestBodies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ body, want string }{
		{`{}`, "body: {}"},
		{`[]`, "body: []"},
		{`{ }`, "layout: {padding: 1}\nbody: {}"},
		{`null`, `body: "null"`},
		{`12`, `body: "12"`},
		{`"a"`, `body: "\"a\""`},
		{`Not Found`, `body: Not Found`},
		{"a\nb", "body: |-\n  a\n  b"},
		{"a\n\tb\n", "body: |\n  a\n  \tb"},
		{"a\r\nb", `body: "a\r\nb"`},
		{"\xff", `body_base64: "/w=="`},
		{"{\"a\":\"\xff\"}", `body_base64: "eyJhIjoi/yJ9"`},
		{`[1,2.50,null,true]`, "body: [1, 2.50, null, true]"},
		{`[1,"a"]`, "body:\n  - 1\n  - a"},
		{`[[1],[],["a"],[["b"]]]`, "body:\n  - [1]\n  - []\n  - - a\n  - - - b"},
		{`[{"a":"b","c":{"d":"e"}},{}]`, "body:\n  - a: b\n    c:\n      d: e\n  - {}"},
		{`{"a":1,"b":false}`, "body: {a: 1, b: false}"},
		{`{"a": 1}`, "layout: {space: both}\nbody: {a: 1}"},
		{`{"a": 1,"b": 2}`, "layout: {space: colon}\nbody: {a: 1, b: 2}"},
		{`[1, 2]`, "layout: {space: both}\nbody: [1, 2]"},
		{`{"a":1, "b":2}`, "layout: {space: comma}\nbody: {a: 1, b: 2}"},
		{"{\n\t\"a\": 1\n}\n", "layout: {indent: tab, after: \"\\n\"}\nbody: {a: 1}"},
		{"\n {\n    \"a\": []\n}", "layout: {before: \"\\n \", indent: 4}\nbody:\n  a: []"},
		{"{\n \t\"a\": 1\n}", "layout: {indent: \" \\t\"}\nbody: {a: 1}"},
		{"{\n\"a\": 1\n}", "body: |-\n  {\n  \"a\": 1\n  }"},
		{`{"a":1,"a":2}`, `body: "{\"a\":1,\"a\":2}"`},
		{`{"a":"\ud800"}`, `body: "{\"a\":\"\\ud800\"}"`},
		{`{"a":"é\u00e9"}`, `body: "{\"a\":\"é\\u00e9\"}"`},
		{`{"a":"\u00E9\/\u003C"}`, "layout: {escape: [ascii, upper, html, slash]}\nbody:\n  a: é/<"},
		{`{"a":"\u2028\u0027\u007f\b"}`, "layout: {escape: [separators, gson, delete]}\nbody:\n  a: \"\\u2028'\\u007f\\b\""},
		{`{"a":"\u000c"}`, "layout: {escape: [long]}\nbody:\n  a: \"\\f\""},
		{`{"$ref":"a","a b":"c","true":"d","1":"e","":"f","<<":"g"}`,
			"body:\n  $ref: a\n  \"a b\": c\n  \"true\": d\n  \"1\": e\n  \"\": f\n  \"<<\": g"},
		{`{"$ref":1,"y":2}`, `body: {"$ref": 1, "y": 2}`},
		{`{"` + strings.Repeat("a", 257) + `":1}`, `body: "{\"` + strings.Repeat("a", 257) + `\":1}"`},
		{`{"a":[` + strings.Repeat("0.123,", 50) + `1]}`, "body:\n  a: [" + strings.Repeat("0.123, ", 50) + "1]"},
		{`{"` + strings.Repeat("a", 40) + `":1,"` + strings.Repeat("b", 40) + `":2}`, "body:\n  " + strings.Repeat("a", 40) + ": 1\n  " + strings.Repeat("b", 40) + ": 2"},
		{strings.Repeat("[", 66) + strings.Repeat("]", 66), `body: "` + strings.Repeat("[", 66) + strings.Repeat("]", 66) + `"`},
	} {
		f := &File{Interactions: []*interaction.Interaction{{
			Request:  interaction.Request{Method: "POST", URL: "/", Body: []byte(test.body)},
			Response: interaction.Response{Status: 200},
		}}}
		data := string(checkRoundTrip(t, f))
		_, got, _ := strings.Cut(data, "url: /\n")
		got, _, _ = strings.Cut(got, "    response:")
		want := "      " + strings.ReplaceAll(test.want, "\n", "\n      ") + "\n"
		if got != want {
			t.Errorf("%q is written as\n%swant\n%s", test.body, got, want)
		}
	}
}

// TestScalars is how strings are written in block context.
func TestScalars(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"a", "a b", "gpt-4.1", "4o", "3 cats", "7d206bed48a0bc0c", "https://example.com/a?b=c#d", "a#b", "a: b"[:2] + "b", "(a)", "/a", "$a", "é", "“a”",
		"a, b", "a]b", "it's", `say "hi"`, "nullable", "no way", "a - b", "a\\n", "application/json; charset=utf-8",
	} {
		if !yaml.IsPlain(s) {
			t.Errorf("%q is not plain", s)
		}
	}
	for _, s := range []string{
		"", " a", "a ", "a: b", "a:", "a #b", "#a", "- a", "-a", "-", "? a", "?a", ":a", "'a", `"a`, "|", ">", "&a", "*a", "!a", "%a", "@a", "`a", "{", "[", ",a", "}", "]",
		"~", "=", "<<", "null", "Null", "NULL", "true", "False", "yes", "No", "on", "OFF", "y", "N", "NaN", "inf", "Infinity", ".inf", ".nan", "+1", "-1", ".5",
		"1", "1.5", "1e5", "12e4567890123456", "1_000", "1:30", "190:20:30.15", "0x1f", "0o17", "0b11", "2001-12-14", "2001-12-14 21:59:43.10 -5", "2001-12-14T21:59:43Z",
		"a\tb", "a\nb", "a\rb", "a\x00b", "a\x7fb", "a\u0085b", "a\u2028b", "a\ufeffb", "a\u202eb", "\u00a0a", "a\ufffe", "\xff",
	} {
		if yaml.IsPlain(s) {
			t.Errorf("%q is plain", s)
		}
	}
	for _, s := range []string{"a\nb", "a\nb\n", "a\n\nb", "a\n b", "a\n\tb", "# a\n- b: c", "a\n---\nb", "é\n日本"} {
		if !yaml.IsLiteral(s) {
			t.Errorf("%q is not literal", s)
		}
	}
	for _, s := range []string{"", "a", "\n", "\na", " a\nb", "\ta\nb", "a \nb", "a\t\nb", "a\n b ", "a\n\n", "a\n \nb", "a\r\nb", "a\n\x01", "a\n\u0085", "a\n\u2029", "a\n\ufeff"} {
		if yaml.IsLiteral(s) {
			t.Errorf("%q is literal", s)
		}
	}
}

// TestUnwritable is what Format refuses.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	ok := interaction.Request{Method: "GET", URL: "/"}
	for _, test := range []struct {
		it   *interaction.Interaction
		want string
	}{
		{nil, `is nil`},
		{&interaction.Interaction{Response: interaction.Response{Status: 200}}, `request: no method or no url (method "", url "")`},
		{&interaction.Interaction{Request: ok}, `response: invalid status 0`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 1000}}, `response: invalid status 1000`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, End: "x"}}, `response: invalid end "x"`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Events: []interaction.Event{{}}}}, `response: events without a stream`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Stream: "sse", Body: []byte("a")}}, `response: a body beside stream "sse"`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Stream: "sse", Delays: []interaction.Delay{{MS: -1}}}}, `response: invalid delay 1: {MS:-1 Together:false Rest:}`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Stream: "sse", Delays: []interaction.Delay{{}, {MS: 1, Together: true}}}}, `response: invalid delay 2: {MS:1 Together:true Rest:}`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Stream: "sse", Delays: []interaction.Delay{{Rest: "~1"}}}}, `response: invalid delay 1: {MS:0 Together:false Rest:~1}`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Body: []byte("a"), Chunks: []int{1, 0}}}, `response: invalid length 0 of chunk 2`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Chunks: []int{1}}}, `response: chunks are of a body that is no stream`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Headers: interaction.Headers{{Name: "a", Values: nil}, {Name: "a", Values: nil}}}}, `headers: "a" is there twice`},
	} {
		data, assets, err := Format(&File{Interactions: []*interaction.Interaction{test.it}})
		if want := "cassette: interaction 1: " + test.want; err == nil || err.Error() != want || data != nil || assets != nil {
			t.Errorf("got %q, %v, %v; want %q", data, assets, err, want)
		}
	}
	it := &interaction.Interaction{Request: ok, Response: interaction.Response{End: interaction.EndError, Error: "connection refused"}}
	checkRoundTrip(t, &File{Pinned: true, Interactions: []*interaction.Interaction{it}})
	checkRoundTrip(t, &File{})
	sound := interaction.Response{Status: 200, Body: []byte("\xff\xfb\x90"), Chunks: []int{2, 1}, Delays: []interaction.Delay{{MS: 7}, {MS: 5}}}
	if data := checkRoundTrip(t, &File{Interactions: []*interaction.Interaction{{Request: ok, Response: sound}}}); !strings.Contains(string(data), "chunks: [2, 1]\n      delays_ms: [7, 5]\n") {
		t.Errorf("%s", data)
	}
}

// TestAssets is what becomes an asset, and what it is called.
func TestAssets(t *testing.T) {
	t.Parallel()
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\xff", 1<<13)
	b64 := encodeBase64([]byte(png))
	for _, test := range []struct{ body, want, asset string }{
		{png, "body_file: 6bdb6a0c0a0a6e0e.png", png},
		{png[:1024], `body_base64: "` + encodeBase64([]byte(png[:1024])) + `"`, ""},
		{`{"url":"data:image/png;base64,` + b64 + `"}`, "body:\n  url: !asset data:image/png;base64,@6bdb6a0c0a0a6e0e.png", png},
		{`["` + b64 + `"]`, "body:\n  - !asset \"@6bdb6a0c0a0a6e0e.png\"", png},
		{`["` + b64 + `",{"a":"` + b64 + `"}]`, "body:\n  - !asset \"@6bdb6a0c0a0a6e0e.png\"\n  - a: !asset \"@6bdb6a0c0a0a6e0e.png\"", png},
		{`["` + b64[:1<<14] + `"]`, "body:\n  - " + b64[:1<<14], ""},
	} {
		name := nameAsset([]byte(png))
		want := "      " + strings.ReplaceAll(strings.ReplaceAll(test.want, "6bdb6a0c0a0a6e0e.png", name), "\n", "\n      ") + "\n"
		f := &File{Interactions: []*interaction.Interaction{{
			Request:  interaction.Request{Method: "POST", URL: "/", Body: []byte(test.body)},
			Response: interaction.Response{Status: 200},
		}}}
		_, got, _ := strings.Cut(string(checkRoundTrip(t, f)), "url: /\n")
		if got, _, _ = strings.Cut(got, "    response:"); got != want {
			t.Errorf("got\n%.300s\nwant\n%.300s", got, want)
		}
		if _, assets, _ := Format(f); test.asset != "" && string(assets[name]) != test.asset || test.asset == "" && len(assets) > 0 {
			t.Errorf("wrong assets for\n%.300s", want)
		}
	}
	long := strings.Repeat("QUJD", 5000)
	for _, s := range []string{
		long + "QR==", long + "QQ=", long + "QQ", long + "====", long + "QQ-_", long + "\nQQ=", long[:8000] + "\n\n\n\n" + long, "\n\n\n\n" + long,
		"data:image/png;base64," + long + "QR==", "data:image/png;base64 ," + long, "data:a@b;base64," + long, long + "@", long[:1<<14], "data:;base64," + long[:1<<14],
	} {
		if _, _, ok := cutBase64(s); ok {
			t.Errorf("%.30q...%q is an asset", s, s[len(s)-5:])
		}
		body := exactjson.Value{Kind: exactjson.Array, Elems: []exactjson.Value{{Kind: exactjson.String, Text: s}}}
		it := &interaction.Interaction{Request: interaction.Request{Method: "POST", URL: "/", Body: body.AppendJSON(nil, exactjson.Layout{})}, Response: interaction.Response{Status: 200}}
		checkRoundTrip(t, &File{Interactions: []*interaction.Interaction{it}})
	}
	for _, prefix := range []string{"", "data:;base64,", "data:image/svg+xml;charset=utf-8;base64,", "data:application/vnd.x-y_z.1;base64,"} {
		if got, content, ok := cutBase64(prefix + long + "QQ=="); !ok || got != prefix || encodeBase64(content) != long+"QQ==" {
			t.Errorf("%q: got %q, %v", prefix, got, ok)
		}
		data := `{"a":"` + prefix + long + `"}`
		it := &interaction.Interaction{Request: interaction.Request{Method: "POST", URL: "/"}, Response: interaction.Response{Status: 200, Stream: "sse", Events: []interaction.Event{{{Name: "data", Value: data}}}}}
		if text := checkRoundTrip(t, &File{Interactions: []*interaction.Interaction{it}}); !strings.Contains(string(text), `{data: {a: !asset "`+prefix+`@`) {
			t.Errorf("an event's %q is written as %.500s", prefix, text)
		}
	}
	for content, ext := range map[string]string{
		"\x89PNG\r\n\x1a\n": "png", "\xff\xd8\xff\xe0": "jpg", "RIFF1234WEBPVP8 ": "webp", "RIFF1234WAVEfmt ": "wav",
		"GIF89a": "gif", "%PDF-1.7": "pdf", "ID3\x04": "mp3", "\xff\xfb\x90": "mp3", "RIFF": "bin", "": "bin",
	} {
		if got := sniff([]byte(content)); got != ext {
			t.Errorf("%q is %s, want %s", content, got, ext)
		}
	}
}

// TestBrokenAssets is what Parse says about assets that are not as recorded.
func TestBrokenAssets(t *testing.T) {
	t.Parallel()
	const name = "0123456789abcdef.bin"
	read := func(content string, err error) func(string) ([]byte, error) {
		return func(string) ([]byte, error) { return []byte(content), err }
	}
	for _, test := range []struct {
		file  string
		asset func(string) ([]byte, error)
		want  string
	}{
		{name, nil, `asset "0123456789abcdef.bin" cannot be read: there are no assets here`},
		{name, read("", fs.ErrNotExist), `asset "0123456789abcdef.bin" cannot be read (file does not exist); restore it, or record again`},
		{name, read("x", nil), `asset "0123456789abcdef.bin" was changed (its content is 2d711642b726b044); restore it, or name the file for its content here and there`},
		{"../../etc/passwd", read("x", nil), `invalid asset name "../../etc/passwd"; want 16 hex digits and an extension`},
	} {
		text := strings.Replace(cassetteOf("x"), "body: x", "body_file: "+test.file, 1)
		_, err := Parse("x.yaml", []byte(text), test.asset)
		if want := "x.yaml:6:18: request.body_file: " + test.want; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		if errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: a missing asset is not a missing cassette", err)
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

// TestVector: an embedding is one line, which costs a blank for each number.
func TestVector(t *testing.T) {
	t.Parallel()
	vector := make([]string, 1536)
	for i := range vector {
		vector[i] = fmt.Sprintf("%.8f", math.Sin(float64(i)))
	}
	body := `{"data":[{"embedding":[` + strings.Join(vector, ",") + `],"index":0}],"model":"e"}`
	data, assets, err := Format(fileOf(body))
	if err != nil || len(assets) > 0 {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, ", ") && len(line) > len(body) {
			lines++
		}
	}
	if n := strings.Count(string(data), "\n"); lines != 1 || n > 20 || len(data) > len(body)+len(vector)+700 {
		t.Errorf("%d bytes in %d lines of JSON of %d bytes", len(data), n, len(body))
	}
}
