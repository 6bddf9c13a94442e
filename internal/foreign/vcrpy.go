package foreign

import (
	"github.com/promptecho/promptecho/internal/yaml"
)

// vcrpy reads a cassette of vcrpy, in YAML or JSON. Some projects write what a JSON body
// says beside it or in its place (parsed_body, of pydantic-ai's serializer).
func (r *reader) vcrpy(root *yaml.Node) {
	if v := member(root, "version"); v != nil && r.int(v, "version") != 1 {
		r.failf(v, "version", "this is format %s of vcrpy; only format 1 can be imported", v.Text)
	}
	for _, n := range r.list(root, "interactions") {
		req, resp := r.part(n, "request"), r.part(n, "response")
		status := member(resp, "status")
		if status != nil && status.Kind == yaml.Mapping {
			status = member(status, "code")
		}
		r.add(n, &exchange{
			line:   r.line(n),
			method: r.string(member(req, "method"), "request.method"),
			url:    r.string(member(req, "uri"), "request.uri"),
			asked:  r.pyMessage(req, "request"),
			status: r.int(status, "response.status"),
			answer: r.pyMessage(resp, "response"),
		})
	}
}

func (r *reader) pyMessage(n *yaml.Node, field string) message {
	m := message{headers: r.headers(member(n, "headers"), field+".headers")}
	body := member(n, "body")
	if field == "response" && body != nil && body.Kind == yaml.Mapping {
		body = member(body, "string")
	}
	parsed := member(n, "parsed_body")
	if field == "request" && body != nil && body.Kind != yaml.Scalar {
		parsed, body = body, nil
	}
	if body == nil && parsed != nil {
		m.body, m.remade = r.json(parsed, field+".parsed_body"), true
		return m
	}
	m.body = []byte(r.string(body, field+".body"))
	return m
}
