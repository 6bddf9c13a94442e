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
			line:     r.line(n),
			method:   r.string(member(req, "method"), "request.method"),
			url:      r.string(member(req, "uri"), "request.uri"),
			response: r.pyResponse(resp),
			status:   r.status(resp),
			proto:    protoOf(r.string(member(resp, "http_version"), "response.http_version")),
		}
		m, err := r.pyRequest(req)
		if err != nil {
			r.leaveOut(n, finding.RequestMissing, err.Error())
			continue
		}
		x.request = m
		r.add(n, x)
	}
}

// pyRequest reads the headers and the body of a request. The body is a text, the object of Python that
// was sent, or a JSON value, as body or as parsed_body. It is an error if the file does not have the
// bytes of such an object.
func (r *reader) pyRequest(n *yaml.Node) (message, error) {
	m := message{headers: r.headers(member(n, "headers"), "request.headers")}
	body := member(n, "body")
	parsed := member(n, "parsed_body")
	if body != nil && strings.HasPrefix(body.Tag, pyObject) {
		b, ok := r.pyBytes(body, "request.body")
		if !ok {
			return m, fmt.Errorf("the body of the request is an object of Python, %s, and not what was sent",
				className(body.Tag))
		}
		m.body = b
		return m, nil
	}
	isJSONValue := body != nil && body.Kind != yaml.Scalar
	if isJSONValue {
		parsed = body
		body = nil
	}
	r.pyBody(&m, body, parsed, "request")
	return m, nil
}

// pyResponse reads the headers and the body of an answer. The text is in one of these members:
//
//	body.string         written by vcrpy
//	body.base64_string  the same in base64
//	body                the text itself
//	content             written by vcrpy before version 6, for httpx
//	parsed_body         the value of a JSON body, if there is no text
func (r *reader) pyResponse(n *yaml.Node) message {
	m := message{headers: r.headers(member(n, "headers"), "response.headers")}
	body := member(n, "body")
	if body != nil && body.Kind == yaml.Mapping {
		text := member(body, "string")
		encoded := member(body, "base64_string")
		if text == nil && encoded != nil {
			m.body = r.base64(encoded, "response.body.base64_string")
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

// pyBody sets the body of a message: the text in body or, without one, the value in parsed as JSON.
func (r *reader) pyBody(m *message, body, parsed *yaml.Node, field string) {
	if body == nil && parsed != nil {
		m.body = r.json(parsed, field+".parsed_body")
		m.rebuilt = true
		return
	}
	m.body = []byte(r.string(body, field+".body"))
}
