package foreign

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/finding"
)

// vcrpy reads a cassette of vcrpy, in YAML or JSON. Some projects write the value of a JSON body next to
// the body or in place of it, such as parsed_body of pydantic-ai's serializer. python.go has the objects
// of Python.
func (r *reader) vcrpy(root *yaml.Node) {
	if v := member(root, "version"); v != nil && r.int(v, "version") != 1 {
		r.failf(v, "version", "this is format %s of vcrpy; only format 1 can be imported", v.Text)
	}
	for _, n := range r.list(root, "interactions") {
		plainObjects(n)
		req, resp := r.part(n, "request"), r.part(n, "response")
		x := &exchange{
			line:   r.line(n),
			method: r.string(member(req, "method"), "request.method"),
			url:    r.string(member(req, "uri"), "request.uri"),
			answer: r.pyResponse(resp),
			status: r.status(resp),
			proto:  protoOf(r.string(member(resp, "http_version"), "response.http_version")),
		}
		asked, err := r.pyRequest(req)
		if err != nil {
			r.leaveOut(n, finding.RequestMissing, err.Error())
			continue
		}
		x.asked = asked
		r.add(n, x)
	}
}

// pyRequest reads the headers and the body of a request. It is an error if the file does not have the
// bytes of the body.
func (r *reader) pyRequest(n *yaml.Node) (message, error) {
	m := message{headers: r.headers(member(n, "headers"), "request.headers")}
	body, parsed := member(n, "body"), member(n, "parsed_body")
	if body != nil && strings.HasPrefix(body.Tag, pyObject) {
		b, ok := r.pyBytes(body, "request.body")
		if !ok {
			return m, fmt.Errorf("the body of the request is an object of Python, %s, and not what was sent",
				className(body.Tag))
		}
		m.body = b
		return m, nil
	}
	if body != nil && body.Kind != yaml.Scalar {
		parsed = body
		body = nil
	}
	r.pyBody(&m, body, parsed, "request")
	return m, nil
}

// pyResponse reads the headers and the body of an answer. For httpx, vcrpy before version 6 wrote a
// member content in place of body, with the text.
func (r *reader) pyResponse(n *yaml.Node) message {
	m := message{headers: r.headers(member(n, "headers"), "response.headers")}
	body := member(n, "body")
	if body != nil && body.Kind == yaml.Mapping {
		text := member(body, "string")
		if coded := member(body, "base64_string"); text == nil && coded != nil {
			m.body = r.base64(coded, "response.body.base64_string")
			return m
		}
		body = text
	}
	if body == nil {
		body = member(n, "content")
	}
	r.pyBody(&m, body, member(n, "parsed_body"), "response")
	return m
}

// pyBody sets the body of a message: a text, or JSON where there is none.
func (r *reader) pyBody(m *message, body, parsed *yaml.Node, field string) {
	if body == nil && parsed != nil {
		m.body = r.json(parsed, field+".parsed_body")
		m.remade = true
		return
	}
	m.body = []byte(r.string(body, field+".body"))
}
