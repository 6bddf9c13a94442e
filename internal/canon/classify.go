package canon

import (
	"cmp"
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/coding"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// call is a classified request.
type call struct {
	family   *Family
	endpoint string
	model    string
	wire     string
	origin   string
	local    bool // the origin is one of those that count as one
	encoding encoding
	parser   *exactjson.Parser // of the body and of JSON in it
	body     exactjson.Value
	lines    []fieldLine // of host, path, headers and query
	spelling uint64      // see spelled
	sources  []string    // see walker; nil if nobody asks
}

// A fieldLine is a field outside of the body. Its value is plain text.
type fieldLine struct {
	Line
	level level
	trait string // what chooses, if that is more than the value
}

// classify finds the family of a request by its decoded path and brings its body to
// the family's one spelling.
func (o *Options) classify(req *interaction.Request, parser *exactjson.Parser, trace bool) call {
	c := call{wire: "whole", parser: parser, lines: make([]fieldLine, 0, 8)}
	to := addresses.Get(req.URL)
	c.body, c.encoding = decode(req, parser)
	if trace && len(req.Body) > 0 {
		c.sources = sources(&c.body)
	}
	if i := slices.IndexFunc(to.served, func(s served) bool { return s.family.accepts(req.Method, &c) }); i >= 0 {
		c.family = to.served[i].family
		c.spelled(req, to.url.EscapedPath())
		c.known(req, to, &to.served[i], o)
	} else {
		c.spelled(req, to.url.EscapedPath())
		c.unknown(req, to, o)
	}
	if o.SortTools {
		sortTools(&c.body)
	}
	if c.encoding == multipartBody || c.encoding == formBody {
		c.add(identity, "encoding", string(c.encoding))
	}
	return c
}

// add adds a field outside of the body.
func (c *call) add(l level, path, value string) {
	c.lines = append(c.lines, fieldLine{Line{path, value}, l, value})
}

// addHost adds the origin of a URL. Which of the local hosts it is only chooses:
// their names and ports change from machine to machine.
func (c *call) addHost(l level, to *address, o *Options) {
	c.origin = to.origin
	line := fieldLine{Line{"host", to.origin}, l, to.origin}
	if to.local && !slices.Contains(o.Aliases, to.origin) {
		line.Value = localHosts
		c.local = true
	}
	c.lines = append(c.lines, line)
}

// An address is what a URL alone tells. It is shared and must not change.
type address struct {
	url    *url.URL
	origin string   // see Origin
	local  bool     // see isLocal
	served []served // the families that know the path, in the order of the table
}

// A served is a family that knows a path.
type served struct {
	family *Family
	prefix string // the segments before those that it knows
	names  []named
	stream bool // its answers stream
}

// addresses remembers them: most programs call few.
var addresses = memo.Strings[*address]{Func: func(s string) *address {
	u, err := url.Parse(s)
	if err != nil {
		// Unreachable for requests that net/http sent; a hand-edited cassette can have it.
		u = &url.URL{Path: s}
	}
	to, path := &address{url: u, origin: Origin(u), local: isLocal(u.Hostname())}, segments(u)
	for _, f := range families {
		if s, ok := f.match(path); ok {
			to.served = append(to.served, s)
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
func (c *call) known(req *interaction.Request, to *address, s *served, o *Options) {
	f := s.family
	c.endpoint = f.Name
	b := Body{Value: &c.body, req: req, url: to.url, call: c}
	hostLevel, prefixLevel, queryLevel := host, prefix, query
	if !b.named(f, s.names) || f.Server {
		hostLevel, prefixLevel, queryLevel = identity, identity, identity
	}
	c.addHost(hostLevel, to, o)
	if f.anywhere() {
		c.add(identity, "path/server", plainPath(to.url))
		queryLevel = identity
	} else {
		c.add(prefixLevel, "path/prefix", s.prefix)
	}
	c.query(to.url, queryLevel, f.Query)
	for _, h := range req.Headers {
		switch name := strings.ToLower(h.Name); {
		case slices.Contains(f.Headers, name), isBeta(name):
			b.addHeader(name, strings.Split(strings.Join(h.Values, ","), ",")...)
		default:
			c.header(header, h)
		}
	}
	if s.stream {
		c.wire = f.streamWire()
	}
	// What a member means that stands twice is for the server to say.
	if !repeated(&c.body) {
		dropNull(&c.body)
		if b.takeStream(f) {
			c.wire = f.streamWire()
		}
		for _, rule := range f.Rewrites {
			rule(&b)
		}
	}
	for _, l := range b.headerLines() {
		c.add(identity, l.Path, l.Value)
	}
	c.model = cmp.Or(c.model, modelOf(&c.body))
}

// modelOf returns the model that a body names: a member, or a field of a form.
func modelOf(body *exactjson.Value) string {
	m := member(body, "model")
	if list := elems(m); len(list) == 1 {
		m = &list[0]
	}
	if m == nil || m.Kind != exactjson.String {
		return ""
	}
	return exactjson.UnescapeText(m.Text)
}

// unknown describes a request that no family knows: method, origin, path, query,
// the headers that select content and the whole body decide.
func (c *call) unknown(req *interaction.Request, to *address, o *Options) {
	c.endpoint = req.Method + " " + o.mask("/"+strings.TrimPrefix(plainPath(to.url), "/"))
	c.addHost(identity, to, o)
	c.query(to.url, identity, nil)
	for _, h := range req.Headers {
		l := header
		if name := strings.ToLower(h.Name); slices.Contains(contentHeaders, name) || isBeta(name) || name == "content-type" && c.encoding == opaqueBody {
			l = identity
		}
		c.header(l, h)
	}
	if c.encoding != jsonBody {
		return
	}
	if s := member(&c.body, "stream"); s != nil && s.Kind == exactjson.Bool && s.Text == "true" {
		c.wire = "stream"
	}
	c.model = modelOf(&c.body)
}

// plainPath returns the path of a URL with every segment escaped in one way (RFC
// 3986, section 6.2.2): "%7E" is "~", and "%2F" is no slash.
func plainPath(u *url.URL) string {
	segments := strings.Split(u.EscapedPath(), "/")
	for i, s := range segments {
		if plain, err := url.PathUnescape(s); err == nil {
			segments[i] = url.PathEscape(plain)
		}
	}
	return strings.Join(segments, "/")
}

// query adds the parameters of a query to the lines: the listed ones match, the
// others are of the given level. It takes what is escaped wrongly, or separated by
// ";", as it stands: [url.URL.Query] drops it, and two requests that differ in it
// would be one.
func (c *call) query(u *url.URL, unlisted level, listed []string) {
	count := map[string]int{}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if pair == "" {
			continue
		}
		name = coding.UnescapeQuery(name)
		l := unlisted
		if slices.Contains(listed, name) {
			l = identity
		}
		path := appendName([]byte("query/"), name)
		path = appendIndex(append(path, '/'), count[name])
		count[name]++
		c.add(l, string(path), coding.UnescapeQuery(value))
	}
}

// contentHeaders select what a server answers (RFC 9110, RFC 7240, and what the
// vendors named have instead of a parameter), or name what is called at a path that
// many operations share: AWS JSON
// (https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html) and SOAP 1.1,
// section 6.1.1. They match where no family knows the request.
var contentHeaders = []string{
	"accept", "accept-language", "content-range", "depth", "dropbox-api-arg", "if-match", "if-modified-since", "if-none-match", "if-range",
	"if-unmodified-since", "last-event-id", "mcp-protocol-version", "notion-version", "prefer", "range", "soapaction",
	"stripe-version", "upload-offset", "x-amz-copy-source", "x-amz-target", "x-github-api-version", "x-goog-fieldmask",
	"x-goog-upload-command", "x-goog-upload-offset", "x-http-method-override", "x-ms-continuation", "x-ms-range",
}

// isBeta reports whether a header asks for features that are not for everybody yet.
// It changes the answer of whatever endpoint it is sent to.
func isBeta(name string) bool { return strings.HasSuffix(name, "-beta") }

// header adds the values of a request header to the lines.
func (c *call) header(l level, h interaction.Header) {
	name := strings.ToLower(h.Name)
	for i, v := range h.Values {
		if name == "content-type" {
			v = withoutBoundary(v)
		}
		c.add(l, string(appendIndex([]byte("header/"+name+"/"), i)), v)
	}
}

// withoutBoundary returns a media type without the boundary of its parts, which is
// drawn for every body.
func withoutBoundary(contentType string) string {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["boundary"] == "" {
		return contentType
	}
	delete(params, "boundary")
	return mime.FormatMediaType(media, params)
}
