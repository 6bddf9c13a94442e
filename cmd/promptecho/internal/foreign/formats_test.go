package foreign

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
)

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

// pyFile is a cassette of vcrpy with these lines in the request and the answer.
func pyFile(request, response string) string {
	indent := func(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ") }
	return "interactions:\n- request:\n    method: POST\n    uri: https://h.example/v1/x\n    " + indent(request) +
		"\n  response:\n    status: {code: 200, message: OK}\n    " + indent(response) + "\nversion: 1\n"
}

func wire(messages ...string) string {
	text := "httprr trace v1\n"
	for i := 0; i < len(messages); i += 2 {
		req, resp := strings.ReplaceAll(messages[i], "\n", "\r\n"), strings.ReplaceAll(messages[i+1], "\n", "\r\n")
		text += fmt.Sprintf("%d %d\n%s%s", len(req), len(resp), req, resp)
	}
	return text
}

// describe writes what decides: request, headers, both bodies, and what was not kept.
func describe(t *testing.T, c *Cassette) string {
	t.Helper()
	var b strings.Builder
	headers := func(name string, hs interaction.Headers) {
		for _, h := range hs {
			fmt.Fprintf(&b, "%s %s: %s\n", name, h.Name, strings.Join(h.Values, " | "))
		}
	}
	for _, it := range c.Interactions {
		fmt.Fprintf(&b, "%s %q\n", it.Request.String(), it.Request.Body)
		headers("asked", it.Request.Headers)
		if it.Request.UnknownHeaders {
			b.WriteString("asked ?\n")
		}
		if it.Response.Error != "" {
			fmt.Fprintf(&b, "failed: %s\n", it.Response.Error)
		}
		fmt.Fprintf(&b, "%d %s%q %s\n", it.Response.Status, it.Response.Proto, bodyOf(t, it), it.Response.Stream)
		headers("answered", it.Response.Headers)
		headers("trailer", it.Response.Trailers)
		if it.LatencyMS > 0 {
			fmt.Fprintf(&b, "%d ms\n", it.LatencyMS)
		}
	}
	for _, l := range c.Losses {
		fmt.Fprintf(&b, "%d: %s\n", l.Times, l.Text)
	}
	for _, l := range c.LeftOut {
		fmt.Fprintf(&b, "line %d: %s\n", l.Line, l.Why)
	}
	return b.String()
}

const (
	unknownLoss = "the other tool did not keep all request headers; a header that it left out matches any value"
	streamLoss  = "the times of the stream's events are not known: they are replayed at once"
	typeLoss    = "the answer has no Content-Type: one was added that fits the body"
)

// promptecho import reads cassettes of go-vcr, VCR, vcrpy, httprr and other tools as these write
// them.
func TestFormats(t *testing.T) {
	t.Parallel()
	hello := base64.StdEncoding.EncodeToString([]byte(gzipped(`{"a":"hello"}`)))
	for _, tt := range []struct{ name, text, want string }{
		{"go-vcr: HTTP/2, trailers, duration, a length that is not the body's", `---
version: 2
interactions:
    - id: 0
      request:
        proto: HTTP/1.1
        content_length: 9
        headers: {X-Stainless-Lang: [go], Anthropic-Beta: ["a,b"], Content-Type: [application/json]}
        body: '{"a":1}'
        url: https://h.example/v1/x
        method: POST
      response:
        proto: HTTP/2.0
        content_length: -1
        trailer: {X-Sum: ["1"]}
        body: '{"b":2}'
        headers: {Content-Type: [application/json], Content-Length: ["7"]}
        code: 201
        duration: 1.2345s
`, `POST https://h.example/v1/x "{\"a\":1}"
asked anthropic-beta: a,b
asked x-stainless-lang: go
201 HTTP/2.0"{\"b\":2}" ` + `
answered content-type: application/json
trailer x-sum: 1
1234 ms
1: the body of the request differs in length from its Content-Length, so it was changed after it was sent: it is kept as it is
`},
		{"go-vcr 1: a form that was read before its body, and no method", `---
version: 1
interactions:
- request:
    body: ""
    form: {b: ["2 3"], a: ["1"]}
    headers: {}
    url: https://h.example/token
    method: POST
  response:
    body: ""
    headers: {}
    status: 204 No Content
    code: 204
    duration: ""
- request:
    body: ""
    form: {}
    headers: {}
    url: https://h.example/x
    method: ""
  response:
    body: "ok"
    headers: {Content-Type: [text/plain]}
    status: 200 OK
    code: 200
    duration: 1500000000
`, `POST https://h.example/token "a=1&b=2+3"
asked content-type: application/x-www-form-urlencoded
asked ?
204 "" ` + `
GET https://h.example/x ""
asked ?
200 "ok" ` + `
answered content-type: text/plain
1500 ms
2: ` + unknownLoss + "\n"},
		{"vcrpy: compressed, and the header that says so", pyFile("body: null\nheaders: {x-request-id: [a]}",
			"headers: {content-encoding: [gzip], content-length: ['99'], content-type: [application/json]}\nbody: {string: !!binary '"+hello+"'}"),
			`POST https://h.example/v1/x ""
asked x-request-id: a
200 "{\"a\":\"hello\"}" ` + `
answered content-type: application/json
`},
		{"vcrpy: not compressed, and a header that says so", pyFile("body: x\nheaders: {x-request-id: a}",
			"headers: {Content-Encoding: [gzip, br], Content-Type: text/plain}\nbody: {string: hello}"),
			`POST https://h.example/v1/x "x"
asked x-request-id: a
200 "hello" ` + `
answered content-type: text/plain
`},
		{"vcrpy: compressed by what nobody here can read", pyFile("body: ''\nheaders: {x-request-id: [a]}",
			"headers: {content-encoding: [zstd], content-type: [application/json]}\nbody: {string: !!binary /w==}"),
			`POST https://h.example/v1/x ""
asked x-request-id: a
200 "\xff" ` + `
answered content-encoding: zstd
answered content-type: application/json
1: the answer is compressed with zstd: it stays compressed, and keeps its Content-Encoding header
`},
		{"vcrpy: all headers stripped, a stream with CRLF, status over 400 is an answer too", strings.Replace(pyFile("body: '{\"stream\": true}'\nheaders: {}",
			"headers: {}\nbody: {string: \"data: 1\\r\\n\\r\\ndata: 2\\r\\n\\r\\n\"}"), "code: 200", "code: 529", 1),
			`POST https://h.example/v1/x "{\"stream\": true}"
asked ?
529 "data: 1\r\n\r\ndata: 2\r\n\r\n" sse-crlf
answered content-type: text/event-stream
1: ` + unknownLoss + "\n1: " + streamLoss + "\n1: " + typeLoss + "\n"},
		{"vcrpy: a form of several parts without its type", pyFile("body: \"--b1\\r\\nContent-Disposition: form-data; name=\\\"a\\\"\\r\\n\\r\\n1\\r\\n--b1--\\r\\n\"\nheaders: {user-agent: [x]}",
			"headers: {content-type: [text/plain]}\nbody: {string: ok}"),
			"POST https://h.example/v1/x \"--b1\\r\\nContent-Disposition: form-data; name=\\\"a\\\"\\r\\n\\r\\n1\\r\\n--b1--\\r\\n\"\n" +
				"asked content-type: multipart/form-data; boundary=\"b1\"\nasked user-agent: x\nasked ?\n200 \"ok\" \nanswered content-type: text/plain\n1: " + unknownLoss + "\n"},
		{"vcrpy: parsed_body in place of the body", pyFile(`
parsed_body:
  t: a "b"
  n: [1, 0x1F, 0o17, 1_000, -2.50, 1.0e-05, .5, 1e5, null, ~, yes, 'no', "true", false]
  é: {}
headers: {content-type: [application/json], content-length: ['7']}`, `
headers: {content-type: [application/json]}
parsed_body: []`),
			`POST https://h.example/v1/x "{\"t\":\"a \\\"b\\\"\",\"n\":[1,31,\"0o17\",1000,-2.50,1.0e-05,0.5,\"1e5\",null,null,true,\"no\",\"true\",false],\"é\":{}}"
asked content-length: 7
asked ?
200 "[]" ` + `
answered content-type: application/json
1: the body of the request is not known byte for byte: only its content was kept, and it is rebuilt
1: ` + unknownLoss + `
1: the body of the answer is not known byte for byte: only its content was kept, and it is rebuilt
`},
		{"vcrpy: parsed_body beside the body", pyFile("parsed_body: {a: 1}\nbody: '{ \"a\": 1 }'\nheaders: {x-a: [b]}", "headers: {content-type: [text/plain]}\nbody: {string: ''}"),
			"POST https://h.example/v1/x \"{ \\\"a\\\": 1 }\"\nasked x-a: b\n200 \"\" \nanswered content-type: text/plain\n"},
		{"vcrpy as JSON", `{"version": 1, "interactions": [{"request": {"method": "GET", "uri": "https://h.example/\u00e9", "body": null, "headers": {"X-A": ["\ud83d\ude00"]}}, "response": {"status": {"code": 200, "message": "OK"}, "headers": {"Content-Type": ["text/plain"]}, "body": {"string": "a\/b\n"}}}]}`,
			"GET https://h.example/é \"\"\nasked x-a: 😀\n200 \"a/b\\n\" \nanswered content-type: text/plain\n"},
		{"vcrpy: headers that are anchored", "interactions:\n- request:\n    body: null\n    headers: &id001\n      x-a:\n      - b\n    method: GET\n    uri: https://h.example/1\n  response:\n    body:\n      string: !!python/str 'a'\n    headers: &id002\n      content-type:\n      - text/plain\n    status:\n      code: 200\n" +
			"- request:\n    body: null\n    headers: *id001\n    method: GET\n    uri: https://h.example/2\n  response:\n    body: {string: b}\n    headers: *id002\n    status: {code: 200}\nversion: 1\n",
			"GET https://h.example/1 \"\"\nasked x-a: b\n200 \"a\" \nanswered content-type: text/plain\nGET https://h.example/2 \"\"\nasked x-a: b\n200 \"b\" \nanswered content-type: text/plain\n"},
		{"ruby VCR: base64, HTTP/2, a beta header", `---
http_interactions:
- request:
    method: post
    uri: https://h.example/v1/x
    body:
      encoding: UTF-8
      base64_string: |
        eyJhIjoxfQ==
    headers:
      Openai-Beta:
      - assistants=v2
      Accept:
      - "*/*"
  response:
    status:
      code: 200
      message: ''
    headers:
      Content-Type:
      - application/json
    body:
      encoding: ASCII-8BIT
      string: !binary |-
        eyJi
        IjoyfQ==
    http_version: '2'
  recorded_at: Wed, 01 Jan 2025 10:00:00 GMT
recorded_with: VCR 6.3.1
`, `POST https://h.example/v1/x "{\"a\":1}"
asked openai-beta: assistants=v2
200 HTTP/2.0"{\"b\":2}" ` + `
answered content-type: application/json
`},
		{"the VCR of R", "http_interactions:\n- request:\n    method: get\n    uri: https://h.example/v1/models\n    body:\n      encoding: ''\n      string: ''\n    headers: {}\n  response:\n    status:\n      status_code: 200\n      message: OK\n    headers:\n      content-type: application/json\n    body:\n      encoding: UTF-16\n      file: no\n      string: '[]'\n  recorded_at: 2025-01-01 10:00:00 GMT\nrecorded_with: vcr/1.2.0, webmockr/0.9.0\n",
			"GET https://h.example/v1/models \"\"\nasked ?\n200 \"[]\" \nanswered content-type: application/json\n1: the encoding of a body was UTF-16, but the file has it in UTF-8, and so has the new cassette\n1: " + unknownLoss + "\n"},
		{"httprr: chunks, trailers, HTTP/2, and the last of the same requests", wire(
			"POST https://h.example/a HTTP/1.1\nHost: h.example\nUser-Agent: x\nContent-Length: 2\n\n{}",
			"HTTP/1.1 500 Internal Server Error\nContent-Length: 2\nContent-Type: text/plain\n\nno",
			"GET http://h.example/b HTTP/1.1\nHost: h.example\nUser-Agent: x\n\n",
			"HTTP/2.0 200 OK\nContent-Type: text/plain\nConnection: close\n\nto the end",
			"POST https://h.example/a HTTP/1.1\nHost: h.example\nUser-Agent: x\nContent-Length: 2\n\n{}",
			"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nTrailer: X-Sum\nContent-Type: text/plain\n\n3\nyes\n2\n, \n6;x=y\nreally\n0\nX-Sum: 1\n\n"),
			`POST https://h.example/a "{}"
asked content-length: 2
asked host: h.example
asked user-agent: x
asked ?
200 "yes, really" ` + `
answered content-type: text/plain
answered trailer: X-Sum
answered transfer-encoding: chunked
trailer x-sum: 1
GET http://h.example/b ""
asked host: h.example
asked user-agent: x
asked ?
200 HTTP/2.0"to the end" ` + `
answered connection: close
answered content-type: text/plain
1: the same request was recorded before: only the last answer is kept, which is the one that httprr plays (AllowRepeats plays it again)
2: ` + unknownLoss + "\n"},
		{"httprr: lengths that a scrubber forgot", wire(
			"GET https://h.example/a HTTP/1.1\nX-A: b\n\n", "HTTP/1.1 200 OK\nContent-Length: 9\nContent-Type: text/plain\n\n[gone]",
			"GET https://h.example/b HTTP/1.1\nX-A: b\n\n", "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nContent-Type: text/plain\n\n9\n[gone]\n0\n\n"),
			`GET https://h.example/a ""
asked x-a: b
200 "[gone]" ` + `
answered content-type: text/plain
GET https://h.example/b ""
asked x-a: b
200 "[gone]" ` + `
answered content-type: text/plain
answered transfer-encoding: chunked
1: the answer differs in length from its chunk, so it was changed after it was sent: it is kept as it is
1: the body of the answer differs in length from its Content-Length, so it was changed after it was sent: it is kept as it is
`},
		{"httprr, compressed", gzipped(wire("GET https://h.example/a HTTP/1.1\nX-A: b\n\n", "HTTP/1.1 404 Not Found\nContent-Length: 0\n\n")),
			"GET https://h.example/a \"\"\nasked x-a: b\n404 \"\" \nanswered content-length: 0\n"},
		{"AgentTape: calls of the openai SDK and of tools", agentFile(agentTrip), `POST https://api.openai.com/v1/chat/completions "{\"model\":\"gpt-x\",\"messages\":[{\"role\":\"user\",\"content\":\"What is the weather in Paris?\"}],\"temperature\":0.0,\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"parameters\":{\"type\":\"object\"}}}]}"
asked ?
200 "{\"id\":\"chatcmpl-1\",\"choices\":[{\"finish_reason\":\"tool_calls\",\"index\":0,\"logprobs\":null,\"message\":{\"content\":null,\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"call_1\",\"function\":{\"arguments\":\"{\\\"city\\\": \\\"Paris\\\"}\",\"name\":\"get_weather\"},\"type\":\"function\"}]}}],\"model\":\"gpt-x\",\"usage\":{\"completion_tokens\":7,\"prompt_tokens\":50,\"total_tokens\":57}}" ` + `
answered content-type: application/json
1200 ms
tool/get_weather "{\"city\":\"Paris\"}"
0 "{\"temp\":15,\"condition\":\"rainy\"}" ` + `
88 ms
tool/charge_card "{\"amount\":4200}"
failed: payment gateway timed out
0 "" ` + `
1: a call of the openai SDK was recorded, but not its request: the request is rebuilt from the arguments, for api.openai.com, and without extra_body, if there was one
1: ` + unknownLoss + `
1: the Python type of an error is not kept: "TimeoutError"
`},
		{"AgentTape: bodies in all its ways, plain texts that look like numbers, and what it redacted", agentFile(`  - index: 0
    kind: http
    boundary: h.example
    request:
      method: POST
      url: 'https://h.example/token'
      headers:
        content-type: application/x-www-form-urlencoded
      form:
        user: 'a b'
        password: '***REDACTED***'
    response:
      status_code: 201
      headers: {}
      http_version: HTTP/2
      json:
        n:
          - 1
          - '1'
          - 0x1F
          - 1_000
          - 2001-12-14
          - 1e-05
          - 1.5e+16
          - '***REDACTED***'
          - null
          - 'null'
          - true
          - ''
    latency_ms: 0.4
  - index: 1
    kind: http
    request:
      method: GET
      url: 'https://h.example/file'
      headers: {}
    response:
      status_code: 200
      headers:
        content-type: application/octet-stream
      body_b64: '/w=='
  - index: 2
    kind: retrieval
    boundary: docs/search
    request:
      query: rain
      top: 3
    response: null
`), `POST https://h.example/token "user=a+b&password=%2A%2A%2AREDACTED%2A%2A%2A"
asked content-type: application/x-www-form-urlencoded
201 HTTP/2.0"{\"n\":[1,\"1\",\"0x1F\",\"1_000\",\"2001-12-14\",1e-05,1.5e+16,\"***REDACTED***\",null,\"null\",true,\"\"]}" ` + `
answered content-type: application/json
GET https://h.example/file ""
asked ?
200 "\xff" ` + `
answered content-type: application/octet-stream
retrieval/docs/search "{\"query\":\"rain\",\"top\":3}"
0 "null" ` + `
1: AgentTape replaced texts in the request with ***REDACTED*** (e-mail addresses, for example), so the real texts do not match, unless Mask or Ignore covers them
1: AgentTape replaced texts in the answer with ***REDACTED***
1: the body of the request is not known byte for byte: only its content was kept, and it is rebuilt
1: the body of the answer is not known byte for byte: only its content was kept, and it is rebuilt
1: the answer has no Content-Type: one was added that fits the body
1: ` + unknownLoss + `
`},
		{"AgentTape: what cannot be kept", agentFile(`  - {index: 0, kind: llm, boundary: llm, request: {prompts: <via-callback>}, response: {}}
  - {index: 1, kind: llm, request: {endpoint: messages}, response: {}}
  - {index: 2, kind: llm, request: {endpoint: responses}, response: text}
  - {index: 3, kind: llm, request: {endpoint: responses}, error: {type: RateLimitError, message: slower}}
  - {index: 4, kind: http, request: {method: GET, url: 'https://h/'}, error: {type: ConnectError}}
  - {index: 5, kind: tool, boundary: "a b", request: {name: "a b", args: {}}, response: 1}
  - {index: 6, kind: tool, boundary: lookup, request: {name: lookup}, response: 1}
  - {index: 7, kind: retrieval, boundary: retrieval, request: {query: <via-callback>}, response: []}
  - {index: 8, kind: memory_write, boundary: notes, request: {name: notes, args: {}}, error: {type: Stop}}
  - {index: 9, kind: llm, request: {endpoint: chat.completions, model: m, messages: [], stream: true}, response: {id: x}}
`), `memory_write/notes "{}"
failed: Stop without a message
0 "" ` + `
1: the Python type of an error is not kept: "Stop"
line 7: a framework reported a model call, but not what was sent, or to which provider
line 8: the model call is not a known one of the openai SDK: "messages"
line 9: the model call returned no object, so the answer is not known
line 10: the model call failed with a Python error, so there is no answer
line 11: the request failed with a Python error, so there is no answer
line 12: no function can be wrapped under the name "tool/a b"
line 13: a framework reported a call of tool/lookup, but not its argument
line 14: a framework reported a call of retrieval/retrieval, but not its argument
line 16: the model call was streamed, and the events are not known
`},
		{"AgentTape as JSON", `{"version": "1", "run_id": "a", "meta": {"agenttape_version": "0.1.5"}, "interactions": [{"index": 0, "kind": "http", "request": {"method": "GET", "url": "https://h.example/\u00e9", "headers": {"X-A": "b"}}, "response": {"status_code": 200, "headers": {"Content-Type": "text/plain"}, "content": "a\n"}}]}`,
			"GET https://h.example/é \"\"\nasked x-a: b\n200 \"a\\n\" \nanswered content-type: text/plain\n"},
		{"nothing recorded by AgentTape", agentFile(""), ""},
		{"nothing recorded", "---\nversion: 2\ninteractions: []\n", "none"},
		{"nothing recorded by httprr", "httprr trace v1\n", ""},
		{"nothing recorded by ruby VCR", "---\nhttp_interactions: []\nrecorded_with: VCR 6.3.1\n", ""},
		{"other YAML", "services:\n  web:\n    request: {uri: x}\n", "none"},
		{"other YAML with interactions", "interactions:\n- request: {a: b}\n  response: {c: d}\n", "none"},
		{"a cassette of promptecho", "version: 1\ninteractions:\n  - request:\n      method: GET\n      url: https://h/\n      body:\n        uri: a\n    response:\n      status: 200\n      body:\n        code: 3\n", "none"},
		{"a file", "\x1f\x8b\x08nonsense", "none"},
		{"another compressed file", gzipped("http_interactions:\n"), "none"},
		{"nothing", "", "none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := Read("c", []byte(tt.text), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := "none"
			if c != nil {
				got = describe(t, c)
			}
			if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// agentWrong is the name of a file that does not hold what its name says.
var agentWrong = strings.Repeat("1", 64)

func init() { agentAssets.Store("sha256-"+agentWrong, []byte("changed")) }

// What cannot be read is refused with its place, field and reason.
func TestRefused(t *testing.T) {
	t.Parallel()
	py := func(old, with string) string {
		text := pyFile("body: x\nheaders: {a: b}", "headers: {}\nbody: {string: y}")
		if !strings.Contains(text, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(text, old, with, 1)
	}
	for _, tt := range []struct{ text, want string }{
		{py("body: x", "body: \"x"), "c:5:11: a quote ('\"') without its end"},
		{py("body: x", "body: !!binary '?'"), "c:5:11: request.body: invalid base64: illegal base64 data at input byte 0"},
		{py("body: x", "body: |\n      a\u2028b"), "c:6:8: U+2028, which only some readers take for a line break; write it as \"\\u2028\" in double quotes"},
		{py("https://h.example", ""), "c:2:3: the URL of the request names no host: \"/v1/x\""},
		{py("https://h", "https://[h"), "c:2:3: the request has no valid URL: missing ']' in host"},
		{py("code: 200", "code: 20"), "c:2:3: the answer has no valid status: 20"},
		{py("code: 200", "code: OK"), "c:8:20: response.status: want an integer, found \"OK\""},
		{py("{string: y}", "{string: [y]}"), "c:10:20: response.body: want text"},
		{py("{a: b}", "[a]"), "c:6:14: request.headers: want a mapping of names to values"},
		{py("version: 1", "version: 2"), "c:11:10: version: this is format 2 of vcrpy; only format 1 can be imported"},
		{py("body: x", "parsed_body: {a: .inf}"), "c:5:22: request.parsed_body: .inf is a number that JSON cannot write; put it in quotes if it is text"},
		{py("body: x", "? - a\n    : b"), "c:5:5: explicit keys (\"? \") are not supported; write \"key: value\""},
		{"---\nversion: 3\ninteractions:\n- request:\n    url: x\n  response:\n    code: 200\n", "c:2:1: version: this is format 3 of go-vcr; only formats 1 and 2 can be imported"},
		{"---\nversion: 1\ninteractions:\n- response:\n    code: 200\n", "c:4:3: request: want a mapping; is this an interaction?"},
		{"http_interactions: {}\n", "c:1:20: http_interactions: want a list"},
		{"http_interactions:\n- request: {uri: 'https://h/<%= id %>'}\n  response: {status: {code: 200}}\n", "c:2:12: request.uri: it is made by a template of ERB (<% ... %>): only Ruby can expand it"},
		{"httprr trace v1\n10 10\nshort", "c:2:1: want a line with two lengths, and after it a request and an answer of these lengths; the file was cut, or its line ends were changed (git config core.autocrlf)"},
		{"httprr trace v1\nten\n", "c:2:1: want a line with two lengths"},
		{wire("GET\n\n", "HTTP/1.1 200 OK\n\n"), "c:2:1: no request starts with \"GET\""},
		{wire("GET https://h/ HTTP/1.1\n\n", "nonsense\n\n"), "c:2:1: no answer starts with \"nonsense\""},
		{wire("GET https://h/ HTTP/1.1\nno header\n\n", "HTTP/1.1 200 OK\n\n"), "c:2:1: the request: malformed MIME header: missing colon: \"no header\""},
		{wire("GET https://h/ HTTP/1.1\n\n", "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n3\nab"), "c:2:1: the answer: its chunks: unexpected EOF"},
		{wire("GET https://h/ HTTP/1.1\n\n", "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nabc\n1\nd\n0\n\n"), "c:2:1: the answer: its chunks: malformed chunked encoding"},
		{wire("GET /only HTTP/1.1\n\n", "HTTP/1.1 200 OK\n\n"), "c:2:1: the URL of the request names no host: \"/only\""},
		{strings.Replace(agentFile(""), "'1'", "'2'", 1), "c:1:1: version: this is format \"2\" of AgentTape; only format 1 can be imported"},
		{agentFile("  - {kind: dream, request: {}}\n"), "c:7:5: kind: \"dream\" is none of http, llm, tool, retrieval, memory_read, memory_write"},
		{agentFile("  - {kind: tool, boundary: x, response: 1}\n"), "c:7:5: request: want a mapping; is this an interaction?"},
		{agentFile("  - {kind: tool, latency_ms: fast, request: {name: x, args: {}}, response: 1}\n"), "c:7:30: latency_ms: want milliseconds, found \"fast\""},
		{agentFile("  - {kind: http, request: {url: 'https://h/', form: [a]}, response: {status_code: 200}}\n"), "c:7:53: request.form: want a mapping of names to values"},
		{agentFile("  - {kind: http, request: {url: 'https://h/', body_b64: '?'}, response: {status_code: 200}}\n"), "c:7:57: request.body_b64: invalid base64: illegal base64 data at input byte 0"},
		{agentFile("  - {kind: tool, boundary: x, request: {name: x, args: {}}, response: {__agenttape_asset__: '../x', preview: a}}\n"), "c:7:93: __agenttape_asset__: want sha256: and 64 digits"},
		{agentFile("  - {kind: tool, boundary: x, request: {name: x, args: {}}, response: {__agenttape_asset__: 'sha256:" + strings.Repeat("0", 64) + "', preview: a}}\n"), "c:7:93: __agenttape_asset__: a long text is in a file of its own, which cannot be read: file does not exist"},
		{agentFile("  - {kind: tool, boundary: x, request: {name: x, args: {}}, response: {__agenttape_asset__: 'sha256:" + agentWrong + "', preview: a}}\n"), "c:7:93: __agenttape_asset__: the file of this text was changed: its SHA-256 is not its name"},
		{gzipped(strings.Repeat("httprr trace v1\n", 100))[:40], "c:1:1: it is compressed, and damaged: unexpected EOF"},
	} {
		c, err := Read("c", []byte(tt.text), readAgentAsset)
		var syntax *codec.SyntaxError
		if c != nil || err == nil || !strings.HasPrefix(err.Error(), tt.want) || !errors.As(err, &syntax) {
			t.Errorf("%.200q\ngot  %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// Whatever a file holds, it is refused, or read as requests and answers that a cassette can
// have.
func FuzzRead(f *testing.F) {
	for _, w := range writers {
		f.Add([]byte(w.write(f, []*sample{sampleOf(`{"a": [1, "b\n"]}`, "data: 1\n\ndata: 2\n\n"), sampleOf("a\nb", "\xff")})))
	}
	f.Add([]byte(agentFile(agentTrip)))
	f.Add([]byte("%YAML 1.1\n---\ninteractions:\n- request: &a {uri: !x 'https://h/', body: &b c}\n  response: {status: {code: 200}, body: *b}\n"))
	f.Add([]byte(pyFile("body: !!python/object/new:_io.BytesIO\n  state: !!python/tuple\n  - !!binary |\n    /w==\n  - 0\n  - null\nheaders:\n  ? !!python/object/new:m.istr\n  - X-A\n  : - b", "headers: []\nbody: {raw_gzip: eA==}")))
	f.Add([]byte("interactions:\n- request: {uri: 'https://h/', body: !!python/object/apply:builtins.iter {args: [[a]], state: 0}}\n  response: {status_code: 200, content: b, http_version: HTTP/2}\n"))
	f.Add([]byte(rubyFile(`"<BASE>/x?a=<ID>"`, "hi")))
	f.Add([]byte(`{"request": {"method": "GET", "url": "https://h.example/x", "headers": {}, "body": "base64:b2s="}, "response": {"status": {"code": 200}, "headers": {}, "body": "{}\n{}"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Read("c", data, readAgentAsset)
		if err != nil || c == nil {
			if c != nil {
				t.Error("an error and a cassette")
			}
			return
		}
		for _, it := range c.Interactions {
			if it.Request.Function == "" && (it.Request.URL == "" || it.Request.Method == "" || it.Response.Status < 100) {
				t.Errorf("no request or answer: %+v", it)
			}
			bodyOf(t, it)
		}
		if slices.ContainsFunc(c.Losses, func(l Loss) bool { return l.Times < 1 || l.Times > 2*len(c.Interactions) && c.Tool != "httprr" }) {
			t.Errorf("%+v", c.Losses)
		}
	})
}
