package foreign

import (
	"strings"
	"testing"
)

// A file is of the tool whose keys it has, wherever the keys of another tool stand in it.
func TestToolOfAFile(t *testing.T) {
	t.Parallel()
	const (
		pyRequest  = "- request:\n    body: hi\n    headers: {}\n    method: POST\n    uri: https://h.example/x\n"
		pyResponse = "  response:\n    body: {string: ok}\n    headers: {}\n    status: {code: 200, message: OK}\n"
	)
	for _, tt := range []struct{ name, text, tool string }{
		{"vcrpy with a comment in front of the list", "interactions:\n\n# first\n" + pyRequest + pyResponse + "version: 1\n", "vcrpy"},
		{"vcrpy as JSON behind an empty line", "\n{\"interactions\": [{\"request\": {\"method\": \"GET\", \"uri\": \"https://h.example/x\", \"body\": null, \"headers\": {}}, \"response\": {\"status\": {\"code\": 200}, \"headers\": {}, \"body\": {\"string\": \"ok\"}}}], \"version\": 1}", "vcrpy"},
		{"go-vcr as JSON, and a body with the keys of vcrpy", `{"version": 2, "interactions": [{"id": 0, "request": {"method": "POST", "url": "https://h.example/x", "body": "{\"uri\":1}", "headers": {"uri": ["a"]}}, "response": {"code": 200, "headers": {}, "body": "ok"}}]}`, "go-vcr (format 2)"},
		{"dd-apm-test-agent", `{"request": {"method": "POST", "url": "https://h.example/x", "headers": {"A": "b"}, "body": "hi"}, "response": {"status": {"code": 200, "message": "OK"}, "headers": {"Content-Type": "text/plain"}, "body": "base64:b2s="}}`, "dd-apm-test-agent"},

		{"a contract of Pact", `{"consumer": {"name": "a"}, "provider": {"name": "b"}, "interactions": [{"description": "x", "request": {"method": "GET", "path": "/x"}, "response": {"status": 200, "body": {"code": 1, "uri": "u"}}}]}`, ""},
		{"a description of an API", `{"openapi": "3.1.0", "paths": {"/interactions": {}}, "components": {"interactions": {"uri": "x", "code": 3}}}`, ""},
		{"a log", `{"interactions": ["hi", "there"], "code": 4}`, ""},
		{"a game", "interactions:\n- name: door\n  request:\n    code: 4\n", ""},
		{"a game that nobody can read", "interactions:\n- name: door\n  request:\n    <<: *code\n    code: 4\n", ""},
		{"a stub of WireMock", `{"request": {"method": "GET", "url": "/x"}, "response": {"status": 200, "body": "ok"}}`, ""},
		{"one of ours without its first line", "version: 1\ninteractions:\n- kind: http\n  request:\n    method: GET\n    uri: https://h.example/x\n  response:\n    status: 200\n", ""},
	} {
		c, err := Read("c", []byte(tt.text), nil)
		switch {
		case err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.tool == "" && c != nil:
			t.Errorf("%s: read as %s, want none", tt.name, c.Tool)
		case tt.tool != "" && (c == nil || c.Tool != tt.tool || len(c.Interactions) != 1):
			t.Errorf("%s: read as %+v, want one interaction of %s", tt.name, c, tt.tool)
		case tt.tool != "" && string(bodyOf(t, c.Interactions[0])) != "ok":
			t.Errorf("%s: the answer is %q, want ok", tt.name, bodyOf(t, c.Interactions[0]))
		}
	}
}

// promptecho import refuses a broken cassette of another tool with its line and field, and does not skip it.
func TestBrokenCassetteIsNotLeftAlone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"a file that was cut", "interactions:\n- request:\n    body: '{\"a\":", "c:3:11: a quote"},
		{"a merge that was not resolved", "---\nversion: 2\ninteractions:\n    - id: 0\n<<<<<<< HEAD\n      request: {}\n", "c:5:1: "},
		{"JSON that was cut", `{"version": 1, "interactions": [{"request": {"method": "GET"`, "c:1:"},
		{"vcrpy before 1.0", "- request: !!python/object:vcr.request.Request\n    host: h.example\n    method: GET\n    path: /x\n    port: 443\n    protocol: https\n  response:\n    status: {code: 200}\n",
			"c:1:1: this is a cassette of vcrpy before 1.0; let vcrpy convert it first: python -m vcr.migration c"},
		{"vcrpy before 1.0, as JSON", `[{"request": {"host": "h.example", "path": "/x", "port": 443, "protocol": "https", "method": "GET"}, "response": {"status": {"code": 200}}}]`,
			"c:1:1: this is a cassette of vcrpy before 1.0"},
		{"bytes that are not base64", `{"request": {"method": "GET", "url": "https://h.example/x", "headers": {}, "body": ""}, "response": {"status": {"code": 200}, "headers": {}, "body": "base64:?"}}`,
			"c:1:150: response.body: invalid base64"},
	} {
		c, err := Read("c", []byte(tt.text), nil)
		if c != nil || err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %+v, %v, want %s", tt.name, c, err, tt.want)
		}
	}
}

// A file of a format that import does not read is named.
func TestUnsupportedFormatsAreNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{`[{"scope": "https://h.example:443", "method": "POST", "path": "/x", "status": 200, "response": "ok"}]`, "nock"},
		{`{"mappings": [{"request": {"urlPath": "/x"}, "response": {"status": 200}}]}`, "WireMock"},
		{`{"consumer": {}, "provider": {}, "interactions": []}`, "Pact"},
		{`{"log": {"level": "debug", "entries": []}}`, ""},
		{"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "git lfs pull"},
		{"services:\n  web: {}\n", ""},
		{`{"request": 1, "response": 2}`, ""},
		{"", ""},
	} {
		got := Unsupported([]byte(tt.text))
		if !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s is named %q, want %q", tt.text, got, tt.want)
		}
	}
}
