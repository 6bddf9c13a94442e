package foreign

import (
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/interaction"
)

// goVCR reads a cassette of github.com/dnaeon/go-vcr. Versions 1 and 2 of go-vcr write format 1,
// versions 3 and 4 write format 2. Hooks and matchers are code, which no cassette contains.
func (r *reader) goVCR(root *yaml.Node) {
	version := r.int(member(root, "version"), "version")
	if version != 1 && version != 2 {
		r.failf(root, "version", "this is format %d of go-vcr; only formats 1 and 2 can be imported", version)
	}
	r.cassette.Tool = fmt.Sprintf("go-vcr (format %d)", version)
	for _, n := range r.list(root, "interactions") {
		req, resp := r.part(n, "request"), r.part(n, "response")
		x := &exchange{
			line:     r.line(n),
			method:   r.string(member(req, "method"), "request.method"),
			url:      r.string(member(req, "url"), "request.url"),
			request:  r.goMessage(req, "request"),
			status:   r.int(member(resp, "code"), "response.code"),
			proto:    r.string(member(resp, "proto"), "response.proto"),
			response: r.goMessage(resp, "response"),
		}
		if len(x.request.body) == 0 {
			x.request.body = formBody(x, r.headers(member(req, "form"), "request.form"))
		}
		if text := r.string(member(resp, "duration"), "response.duration"); text != "" {
			d, err := time.ParseDuration(text)
			if err != nil { // a number of nanoseconds
				d = time.Duration(r.int(member(resp, "duration"), "response.duration"))
			}
			x.latencyMS = d.Milliseconds()
		}
		r.add(n, x)
	}
}

// formBody returns the body of a request that http.Request.ParseForm has read before go-vcr recorded
// it, so that the cassette has the body only as a form. ParseForm reads the body of POST, PUT and PATCH
// if it has the content type of a form, and appends the values of the query to those of the body.
// formBody removes these again.
func formBody(x *exchange, form url.Values) []byte {
	if !slices.Contains([]string{"POST", "PUT", "PATCH"}, strings.ToUpper(x.method)) {
		return nil
	}
	media, _, _ := mime.ParseMediaType(interaction.HeadersOf(x.request.headers).Get("content-type"))
	if media != "" && media != "application/x-www-form-urlencoded" {
		return nil
	}
	u, err := url.Parse(x.url)
	if err != nil {
		return nil // reported when the exchange is added
	}
	query := u.Query()
	for name, values := range query {
		if !hasSuffix(form[name], values) {
			query = nil // go-vcr before v4.0.2 wrote PostForm, which does not have the query
			break
		}
	}
	for name, values := range query {
		form[name] = form[name][:len(form[name])-len(values)]
	}
	return []byte(form.Encode())
}

func hasSuffix(list, end []string) bool {
	return len(list) >= len(end) && slices.Equal(list[len(list)-len(end):], end)
}

func (r *reader) goMessage(n *yaml.Node, field string) message {
	return message{
		headers:  r.headers(member(n, "headers"), field+".headers"),
		trailers: r.headers(member(n, "trailer"), field+".trailer"),
		body:     []byte(r.string(member(n, "body"), field+".body")),
		length:   r.int(member(n, "content_length"), field+".content_length"),
	}
}
