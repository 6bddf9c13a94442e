package foreign

import (
	"fmt"
	"net/url"
	"time"

	"github.com/promptecho/promptecho/internal/yaml"
)

// goVCR reads a cassette of github.com/dnaeon/go-vcr: format 1 is that of its versions 1
// and 2, format 2 that of its versions 3 and 4. What its hooks and matchers do at replay is
// code, and no cassette has it.
func (r *reader) goVCR(root *yaml.Node) {
	version := r.int(member(root, "version"), "version")
	if version != 1 && version != 2 {
		r.failf(root, "version", "this is format %d of go-vcr; only formats 1 and 2 can be imported", version)
	}
	r.cassette.Tool = fmt.Sprintf("go-vcr (format %d)", version)
	for _, n := range r.list(root, "interactions") {
		req, resp := r.part(n, "request"), r.part(n, "response")
		x := &exchange{
			line:   r.line(n),
			method: r.string(member(req, "method"), "request.method"),
			url:    r.string(member(req, "url"), "request.url"),
			asked:  r.goMessage(req, "request"),
			status: r.int(member(resp, "code"), "response.code"),
			proto:  r.string(member(resp, "proto"), "response.proto"),
			answer: r.goMessage(resp, "response"),
		}
		if len(x.asked.body) == 0 { // it was read when the form was parsed
			x.asked.body = []byte(url.Values(r.headers(member(req, "form"), "request.form")).Encode())
		}
		if text := r.string(member(resp, "duration"), "response.duration"); text != "" {
			d, err := time.ParseDuration(text)
			if ns := int64(0); err != nil {
				ns = r.int(member(resp, "duration"), "response.duration")
				d = time.Duration(ns)
			}
			x.latencyMS = d.Milliseconds()
		}
		r.add(n, x)
	}
}

func (r *reader) goMessage(n *yaml.Node, field string) message {
	return message{
		headers:  r.headers(member(n, "headers"), field+".headers"),
		trailers: r.headers(member(n, "trailer"), field+".trailer"),
		body:     []byte(r.string(member(n, "body"), field+".body")),
		length:   r.int(member(n, "content_length"), field+".content_length"),
	}
}
