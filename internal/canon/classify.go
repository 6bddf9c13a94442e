package canon

import (
	"net/url"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/memo"
)

// call is a classified request.
type call struct {
	family   *Family
	endpoint string
	model    string
	wire     string
	encoding encoding
	parser   *cassette.JSONParser // of the body and of JSON in it
	body     cassette.Value
	lines    []Line   // of path, headers and query; values are plain text
	sources  []string // see walker; nil if nobody asks
}

// classify finds the family of a request by its decoded path, never by its
// host, and brings its body to the family's one spelling.
func (r *Rules) classify(req *cassette.Request, parser *cassette.JSONParser, trace bool) call {
	c := call{wire: "whole", parser: parser}
	to := addresses.Get(req.URL)
	u := to.url
	c.body, c.encoding = decode(req, parser)
	if trace && len(req.Body) > 0 {
		c.sources = sources(&c.body)
	}
	i := slices.IndexFunc(to.served, func(s served) bool { return s.family.accepts(req.Method, &c) })
	if i < 0 {
		c.generic(req, u)
	} else {
		c.known(req, u, &to.served[i])
	}
	if r.Host {
		c.lines = append(c.lines, Line{"host", strings.ToLower(u.Host)})
	}
	c.headers(req, r.Headers)
	if r.SortTools {
		sortTools(&c.body)
	}
	if c.encoding == multipartBody || c.encoding == formBody {
		c.lines = append(c.lines, Line{"encoding", string(c.encoding)})
	}
	return c
}

// An address is what a URL alone tells. It is shared and must not change.
type address struct {
	url    *url.URL
	served []served // the families that know the path, in the order of the table
}

type served struct {
	family *Family
	names  []named
	stream bool // its answers stream
}

// addresses remembers them: most programs call few.
var addresses = memo.Strings[address]{Func: func(s string) address {
	u, err := url.Parse(s)
	if err != nil {
		// Unreachable for requests that net/http sent; a hand-edited cassette can have it.
		u = &url.URL{Path: s}
	}
	to, path := address{url: u}, segments(u)
	for _, f := range families {
		if names, stream, ok := f.match(path); ok {
			to.served = append(to.served, served{f, names, stream})
		}
	}
	return to
}}

// segments returns the segments of a path, each decoded: a model's name can
// hold an escaped slash.
func segments(u *url.URL) []string {
	parts := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	for i, p := range parts {
		if plain, err := url.PathUnescape(p); err == nil {
			parts[i] = plain
		}
	}
	return parts
}

// known brings the request of a family to its one spelling.
func (c *call) known(req *cassette.Request, u *url.URL, s *served) {
	f := s.family
	c.family, c.endpoint = f, f.Name
	b := Body{Value: &c.body, req: req, url: u, call: c}
	b.prepare(f, s.names)
	for _, h := range f.Headers {
		b.header(h)
	}
	if len(f.Query) > 0 {
		c.query(u, f.Query)
	}
	if b.takeStream(f) || s.stream {
		c.wire = "stream"
		if f.StreamWire != "" {
			c.wire = f.StreamWire
		}
	}
	for _, rule := range f.Rules {
		rule(&b)
	}
	c.lines = append(c.lines, b.headerLines()...)
	c.model = modelOf(&c.body)
}

// modelOf returns the model that a body names: a member, or a field of a form.
func modelOf(body *cassette.Value) string {
	m := member(body, "model")
	if list := elems(m); len(list) == 1 {
		m = &list[0]
	}
	if m == nil || m.Kind != cassette.String {
		return ""
	}
	return cassette.UnescapeText(m.Text)
}

// generic describes a request that no family knows: method, path, query and
// the whole body decide.
func (c *call) generic(req *cassette.Request, u *url.URL) {
	c.endpoint = req.Method + " /" + strings.TrimPrefix(u.EscapedPath(), "/")
	c.query(u, nil)
	c.headers(req, operationHeaders)
	if c.encoding != jsonBody {
		return
	}
	if s := member(&c.body, "stream"); s != nil && s.Kind == cassette.Bool && s.Text == "true" {
		c.wire = "stream"
	}
	c.model = modelOf(&c.body)
}

// query adds the named parameters of a query to the lines, all if names is nil.
// It takes what is escaped wrongly, or separated by ";", as it stands:
// [url.URL.Query] drops it, and two requests that differ in it would be one.
func (c *call) query(u *url.URL, names []string) {
	count := map[string]int{}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if pair == "" {
			continue
		}
		name = unescape(name)
		if names != nil && !slices.Contains(names, name) {
			continue
		}
		path := appendName([]byte("query/"), name)
		path = appendIndex(append(path, '/'), count[name])
		count[name]++
		c.lines = append(c.lines, Line{string(path), unescape(value)})
	}
}

// operationHeaders name what is called at a path that many operations share: AWS
// JSON (https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html) and SOAP
// 1.1, section 6.1.1.
var operationHeaders = []string{"x-amz-target", "soapaction"}

// headers adds the named request headers to the lines.
func (c *call) headers(req *cassette.Request, names []string) {
	for _, name := range names {
		name = strings.ToLower(name)
		for _, h := range req.Headers {
			if strings.ToLower(h.Name) != name {
				continue
			}
			for i, v := range h.Values {
				c.lines = append(c.lines, Line{string(appendIndex([]byte("header/"+name+"/"), i)), v})
			}
		}
	}
}
