package foreign

import (
	"strings"

	"github.com/promptecho/promptecho/internal/yaml"
)

// rubyVCR reads a cassette of the VCR of Ruby, or of R, which has its format with a few
// other keys.
func (r *reader) rubyVCR(root *yaml.Node) {
	for _, n := range r.list(root, "http_interactions") {
		req, resp := r.part(n, "request"), r.part(n, "response")
		x := &exchange{
			line:   r.line(n),
			method: r.string(member(req, "method"), "request.method"),
			url:    r.string(member(req, "uri"), "request.uri"),
			asked:  r.rubyMessage(req, "request"),
			status: r.status(resp),
			answer: r.rubyMessage(resp, "response"),
			proto:  protoOf(r.string(member(resp, "http_version"), "response.http_version")),
		}
		if strings.Contains(x.url, "<%") {
			r.failf(req, "request.uri", "it is made by a template of ERB (<%% ... %%>): only Ruby can expand it")
		}
		r.add(n, x)
	}
}

func (r *reader) rubyMessage(n *yaml.Node, field string) message {
	m := message{headers: r.headers(member(n, "headers"), field+".headers")}
	body := member(n, "body")
	if body == nil || body.Kind == yaml.Scalar {
		m.body = []byte(r.string(body, field+".body"))
		return m
	}
	switch encoding := strings.ToUpper(r.string(member(body, "encoding"), field+".body.encoding")); encoding {
	case "", "UTF-8", "US-ASCII", "ASCII-8BIT", "BINARY":
	default:
		r.cassette.lose("the encoding of a body was %s, but the file has it in UTF-8, and so has the new cassette", encoding)
	}
	if coded := member(body, "base64_string"); coded != nil {
		m.body = r.base64(coded, field+".body.base64_string")
		return m
	}
	m.body = []byte(r.string(member(body, "string"), field+".body.string"))
	return m
}
