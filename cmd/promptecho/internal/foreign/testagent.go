package foreign

import (
	"encoding/base64"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
)

// testAgent reads a file of DataDog's dd-apm-test-agent, which has one request and its answer.
func (r *reader) testAgent(root *yaml.Node) {
	req, resp := r.part(root, "request"), r.part(root, "response")
	r.add(root, &exchange{
		line:     r.line(root),
		method:   r.string(member(req, "method"), "request.method"),
		url:      r.string(member(req, "url"), "request.url"),
		request:  r.testAgentMessage(req, "request"),
		status:   r.status(resp),
		response: r.testAgentMessage(resp, "response"),
	})
}

// testAgentMessage reads the headers and the body of a request or an answer. A binary body is in
// base64, behind the prefix "base64:".
func (r *reader) testAgentMessage(n *yaml.Node, field string) message {
	m := message{headers: r.headers(member(n, "headers"), field+".headers")}
	body := member(n, "body")
	text := r.string(body, field+".body")
	encoded, isEncoded := strings.CutPrefix(text, "base64:")
	if !isEncoded {
		m.body = []byte(text)
		return m
	}
	b, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		r.failf(body, field+".body", "invalid base64: %v", err)
	}
	m.body = b
	return m
}
