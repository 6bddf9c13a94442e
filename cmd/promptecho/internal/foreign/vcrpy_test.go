package foreign

import (
	"testing"
)

// What PyYAML writes for the body of a request that was a file, an iterator or another object:
// the bytes that were sent are the body, and an object that does not have them is left out.
func TestVCRPyBodiesThatWereObjects(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body, want string }{
		{"a file of bytes", "!!python/object/new:_io.BytesIO\n  state: !!python/tuple\n  - !!binary |\n    /2hp\n  - 0\n  - null", "\xffhi"},
		{"a file that was read", "!!python/object/new:_io.BytesIO\n  state: !!python/tuple\n  - !!binary |\n    aGk=\n  - 2\n  - null", "hi"},
		{"a file of text", "!!python/object/new:_io.StringIO\n  state: !!python/tuple\n  - hi\n  - '\n\n    '\n  - 0\n  - null", "hi"},
		{"a file of Python 2", "!!python/object:StringIO.StringIO\n  buf: h\n  buflist: [i, '!']\n  len: 3", "hi!"},
		{"chunks", "!!python/object/apply:builtins.iter\n  args:\n  - - !!binary |\n      /w==\n    - hi\n  state: 0", "\xffhi"},
		{"chunks in a tuple", "!!python/object/apply:__builtin__.iter\n  args:\n  - !!python/tuple\n    - h\n    - i\n  state: 0", "hi"},
		{"a bytearray", "!!python/object/apply:builtins.bytearray\n- \"hi\\xFF\"\n- latin-1", "hi\xff"},
		{"a subclass of str", "!!python/object/new:app.Secret\n- hi", "hi"},
		{"a dictionary that keeps its order", "!!python/object/apply:collections.OrderedDict\n- - - b\n    - 1\n  - - a\n    - - x", `{"b":1,"a":["x"]}`},
		{"a form of aiohttp", "!!python/object:aiohttp.formdata.FormData\n  _fields: []", "left out: the body of the request is an object of Python, aiohttp.formdata.FormData, and not what was sent"},
		{"a file without its state", "!!python/object/new:_io.BytesIO\n  state: !!python/tuple []", "left out: the body of the request is an object of Python, _io.BytesIO, and not what was sent"},
		{"numbers", "!!python/object/apply:builtins.range\n- 0\n- 3\n- 1", "left out: the body of the request is an object of Python, builtins.range, and not what was sent"},
	} {
		text := pyFile("body: "+tt.body+"\nheaders: {}", "headers: {content-type: [text/plain]}\nbody: {string: ok}")
		c, err := Read("c", []byte(text), nil)
		if err != nil {
			t.Errorf("%s: %v\n%s", tt.name, err, text)
			continue
		}
		got := ""
		for _, l := range c.LeftOut {
			got += "left out: " + l.Why
		}
		for _, it := range c.Interactions {
			got += string(it.Request.Body)
		}
		if got != tt.want {
			t.Errorf("%s: read as %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Answers to httpx as vcrpy before version 6 wrote them: content, http_version and status_code
// in the places of body and status.
func TestVCRPyAnswersToOldHTTPX(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, content, want string }{
		{"text", "content: '{\"a\": 1}'", `{"a": 1}`},
		{"bytes", "content: !!binary |\n      eyJhIjogMX0=", `{"a": 1}`},
		{"text of several lines", "content: \"{\\\"a\\\":\\n 1}\"", "{\"a\":\n 1}"},
		{"nothing", "content: ''", ""},
	} {
		text := "interactions:\n- request:\n    body: hi\n    headers: {x-a: [b]}\n    method: POST\n    uri: https://h.example/x\n  response:\n    " + tt.content +
			"\n    headers:\n      content-encoding: [gzip]\n      content-type: [application/json]\n    http_version: HTTP/2\n    status_code: 429\nversion: 1\n"
		it, c := readOne(t, text)
		resp := it.Response
		if got := string(bodyOf(t, it)); got != tt.want || resp.Status != 429 || resp.Proto != "HTTP/2.0" {
			t.Errorf("%s: status %d, %s, %q, want 429, HTTP/2.0, %q", tt.name, resp.Status, resp.Proto, got, tt.want)
		}
		if tt.want != "" && resp.Headers.Get("content-encoding") != "" {
			t.Errorf("%s: the body is not compressed, and the header says that it is", tt.name)
		}
		if len(c.Losses) > 0 {
			t.Errorf("%s: %+v", tt.name, c.Losses)
		}
	}
}

// Headers of aiohttp have names that are objects, tornado's are pairs, and R writes an empty list.
func TestHeadersInAllTheirForms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, headers, want string }{
		{"objects as names", "headers:\n  ? !!python/object/new:multidict._multidict.istr\n  - X-Kind\n  : - a\n  x-other: [b]", "a"},
		{"objects as names and values", "headers:\n  ? !!python/object/new:multidict._istr.istr\n  - X-Kind\n  : - !!python/object/new:multidict._istr.istr\n      - a", "a"},
		{"pairs", "headers:\n- !!python/tuple\n  - X-Kind\n  - [a]\n- !!python/tuple\n  - X-Other\n  - [b]", "a"},
		{"pairs of texts", "headers:\n- [X-Kind, a]", "a"},
		{"a dictionary with defaults", "headers: !!python/object/apply:collections.defaultdict\n  args:\n  - !!python/name:builtins.list ''\n  dictitems:\n    X-Kind: [a]", "a"},
		{"none, of R", "headers: []", ""},
	} {
		it, _ := readOne(t, pyFile("body: x\n"+tt.headers, "headers: {content-type: [text/plain]}\nbody: {string: ok}"))
		if got := it.Request.Headers.Get("x-kind"); got != tt.want {
			t.Errorf("%s: x-kind is %q, want %q", tt.name, got, tt.want)
		}
	}
}
