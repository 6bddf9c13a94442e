package foreign

import (
	"fmt"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/finding"
)

// rubyVCR reads a cassette of the VCR of Ruby, or of the VCR of R or of betamax (Python), whose formats
// differ from that in a few keys.
func (r *reader) rubyVCR(root *yaml.Node) {
	for _, n := range r.list(root, "http_interactions") {
		req, resp := r.part(n, "request"), r.part(n, "response")
		if why := r.unknownBody(req, "request"); why != "" {
			r.leaveOut(n, finding.RequestMissing, why)
			continue
		}
		if why := r.unknownBody(resp, "answer"); why != "" {
			r.leaveOut(n, finding.AnswerMissing, why)
			continue
		}
		x := &exchange{
			line:     r.line(n),
			method:   r.string(member(req, "method"), "request.method"),
			url:      r.string(member(req, "uri"), "request.uri"),
			request:  r.rubyMessage(req, "request"),
			status:   r.status(resp),
			response: r.rubyMessage(resp, "response"),
			proto:    protoOf(r.string(member(resp, "http_version"), "response.http_version")),
			answered: rubyTime(r.string(member(n, "recorded_at"), "recorded_at")),
		}
		if strings.Contains(x.url, "<%") {
			r.failf(req, "request.uri", "it is made by a template of ERB (<%% ... %%>): only Ruby can expand it")
		}
		r.add(n, x)
	}
}

// rubyTimes are the forms in which the time of a recording is written: by the VCR of Ruby, by that of
// R, and by betamax, which writes UTC.
var rubyTimes = []string{httpTime, "2006-01-02 15:04:05 MST", "2006-01-02T15:04:05"}

// rubyTime returns the time at which an answer was recorded; the zero time if text has another form.
func rubyTime(text string) time.Time {
	for _, layout := range rubyTimes {
		at, err := time.Parse(layout, text)
		if err == nil {
			return at
		}
	}
	return time.Time{}
}

// rubyMessage reads the headers and the body of a request or a response. The body is text, or a
// mapping that says how it is encoded.
func (r *reader) rubyMessage(n *yaml.Node, field string) message {
	m := message{headers: r.headers(member(n, "headers"), field+".headers")}
	body := member(n, "body")
	if body == nil || body.Kind == yaml.Scalar {
		m.body = []byte(r.string(body, field+".body"))
		return m
	}
	encoding := strings.ToUpper(r.string(member(body, "encoding"), field+".body.encoding"))
	switch encoding {
	case "", "UTF-8", "US-ASCII", "ASCII-8BIT", "BINARY":
	default:
		r.cassette.lose("the encoding of a body was %s, but the file "+
			"has it in UTF-8, and so has the new cassette",
			encoding)
	}
	if encoded := member(body, "base64_string"); encoded != nil {
		m.body = r.base64(encoded, field+".body.base64_string")
		return m
	}
	if encoded := member(body, "raw_gzip"); encoded != nil { // of R, whose memCompress writes zlib
		b := r.base64(encoded, field+".body.raw_gzip")
		plain, ok := plainOf("deflate", b)
		if !ok {
			plain, ok = plainOf("gzip", b)
		}
		if !ok {
			r.failf(encoded, field+".body.raw_gzip", "want compressed bytes in base64")
		}
		m.body = plain
		return m
	}
	m.body = []byte(r.string(member(body, "string"), field+".body.string"))
	return m
}

// unknownBody says why the file of a VCR of R does not have the bytes of a body; "" if it has them.
func (r *reader) unknownBody(n *yaml.Node, of string) string {
	body := member(n, "body")
	onDisk := member(body, "on_disk")
	if isFile := member(body, "file"); isFile != nil && pyTrue(isFile.Text) {
		onDisk = member(body, "string")
	}
	switch {
	case onDisk != nil:
		return fmt.Sprintf("the body of the %s is in a file of its own, %.60q, which import does not read",
			of, onDisk.Text)
	case member(body, "fields") != nil:
		return fmt.Sprintf("the body of the %s is a list of fields, and not what was sent", of)
	}
	return ""
}
