package canon

import (
	"cmp"
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/chance"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/urls"
)

// An address is what a URL alone tells. It is shared and must not change.
type address struct {
	url        *url.URL
	origin     string      // see Origin
	local      bool        // see isLocal
	candidates []candidate // the families that know the path, in the order of the table
}

// A candidate is a family that knows a path.
type candidate struct {
	family *Family
	prefix string // the segments before those that it knows
	names  []urls.Named
	stream bool // its answers stream
}

// addresses remembers them: most programs call few.
var addresses = memo.Strings[*address]{Func: func(s string) *address {
	u, err := url.Parse(s)
	if err != nil {
		// Unreachable for requests that net/http sent; a hand-edited cassette can have it.
		u = &url.URL{Path: s}
	}
	to, path := &address{url: u, origin: urls.Origin(u), local: urls.IsLocal(u.Hostname())}, urls.Segments(u)
	for _, f := range families {
		for i, pattern := range slices.Concat(f.Paths, f.StreamPaths) {
			names, start, ok := urls.MatchSuffix(pattern, path)
			if !ok {
				continue
			}
			if !f.anywhere() {
				names = append(urls.PrefixNames(path[:start]), names...)
			}
			to.candidates = append(to.candidates, candidate{f, strings.Join(path[:start], "/"), names, i >= len(f.Paths)})
			break
		}
	}
	return to
}}

// A call is a classified request.
type call struct {
	request
	url           *url.URL
	family        *Family // nil if none knows the request
	serverDecides bool    // nobody is named, or anybody can have such an endpoint
	local         bool    // the origin is one of those that count as one
}

// classify finds the family of a request by its decoded path and brings its body to
// the family's one spelling. It fills in what the form tells of the request.
func (c *call) classify(o *Options, req *interaction.Request, traced bool) {
	if req.Within != "" {
		c.trait(within, "within", req.Within)
	}
	if req.Name != "" {
		c.trait(within, "name", req.Name)
	}
	if req.Function != "" {
		c.describeFunction(req, traced)
		return
	}
	to := addresses.Get(req.URL)
	c.url, c.Wire, c.Origin, c.Unknown = to.url, "whole", to.origin, req.UnknownHeaders
	c.local = to.local && !slices.Contains(o.Aliases, to.origin)
	c.body, c.encoding = decode(req, c.parser)
	if traced && c.encoding != noBody {
		c.sources = pathsByID(&c.body)
	}
	c.query = decodeForm(to.url.RawQuery)
	if ts := elems(member(&c.query, "ts")); len(ts) == 1 && ollamaCall().MatchString(to.url.Path) && chance.IsUnixTime(ts[0].Text) {
		drop(&c.query, "ts")
	}
	if c.encoding == opaqueBody {
		c.numberBlocks(req.Body)
	}
	i := slices.IndexFunc(to.candidates, func(f candidate) bool { return f.family.accepts(req.Method, &c.body, c.encoding) })
	if i >= 0 {
		c.family = to.candidates[i].family
	}
	c.addHeaders(req.Headers)
	c.Drift = make([]Line, 0, 8)
	c.Traits = append(slices.Grow(c.Traits, 8), spellingOf(to.url.EscapedPath(), req.Body, c.encoding, &c.body, c.keepsBooks))
	if i >= 0 {
		c.known(&to.candidates[i])
	} else {
		c.unknown(req.Method, o)
	}
	if !o.AsSent {
		sortTools(&c.body)
	}
}

// keepsBooks reports whether a member of the body holds bookkeeping.
func (c *call) keepsBooks(member string) bool {
	return c.family != nil && slices.ContainsFunc(c.family.Bookkeeping, func(p string) bool { return startsWith(p, member) })
}

// addHeaders takes the values of the request's headers. Those of a header that a family
// lists are a set, however they were sent.
func (c *call) addHeaders(headers interaction.Headers) {
	for _, h := range headers {
		name := strings.ToLower(h.Name)
		if c.family != nil && c.family.decides(name) {
			c.addToSet(name, strings.Split(strings.Join(h.Values, ","), ",")...)
			continue
		}
		for _, v := range h.Values {
			if name == "content-type" {
				v = withoutBoundary(v)
			}
			appendTo(&c.header, name, stringValue(v))
		}
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

// known brings the request of a family to its one spelling.
func (c *call) known(to *candidate) {
	f := c.family
	c.Known, c.Endpoint, c.Wire = true, f.Name, f.wire(to.stream)
	c.of, c.acts = f, f.actsFor(&c.body)
	if f.anywhere() {
		c.addPath("server", urls.PlainPath(c.url))
	} else {
		c.addPath("prefix", to.prefix)
	}
	c.serverDecides = !c.addNames(to.names) || f.Server
	// What a member means that stands twice is for the server to say.
	if !repeats(&c.body) {
		dropNull(&c.request, &c.body)
		if c.takesStream() {
			c.Wire = f.wire(true)
		}
		c.rewrite(&c.body, f.Rewrites)
	}
	c.Model = strings.Clone(cmp.Or(c.Model, modelOf(&c.body)))
}

// addNames adds who is asked by path and host, and reports whether anybody is, there
// or in the body. No name takes the place of another.
func (c *call) addNames(names []urls.Named) bool {
	org := ""
	for _, n := range names {
		switch n.Name {
		case "org":
			org += n.Value + "/"
		case "model":
			model := org + n.Value
			if org = ""; c.nameModel(model) {
				c.addPath("model", model)
				c.Model = model
			}
		default:
			c.addPath(n.Name, n.Value)
		}
	}
	if c.family.NoModel || c.family.Server {
		return true
	}
	if model := urls.HostModel.Get(c.url.Hostname()); model != "" && c.nameModel(model) {
		c.hostModel = stringValue(model)
		c.Model = model
	}
	return modelOf(&c.body) != ""
}

// takesStream removes the member that asks for a stream and tells its value:
// it is part of the form as Wire, and false is the same as absent.
func (c *call) takesStream() bool {
	f := c.family
	s := member(&c.body, f.Stream)
	if f.Stream == "" || s == nil || s.Kind == exactjson.Null {
		return f.Streams
	}
	kind := exactjson.Bool
	if list := elems(s); c.encoding != jsonBody && len(list) == 1 {
		s, kind = &list[0], exactjson.String // a field of a form
	}
	if s.Kind != kind || s.Text != "true" && s.Text != "false" {
		return f.Streams
	}
	stream := s.Text == "true"
	if !stream && c.Wire != "whole" {
		return false // a path that streams and a body that asks for none: it stays
	}
	drop(&c.body, f.Stream)
	return stream
}

// repeats reports whether an object in v has a member twice.
func repeats(v *exactjson.Value) bool {
	return v.Kind == exactjson.Object && !exactjson.Unique(v.Elems) ||
		slices.ContainsFunc(v.Elems, func(v exactjson.Value) bool { return repeats(&v) })
}

// unknown describes a request that no family knows: method, origin, path, query,
// the headers that select content and the whole body decide.
func (c *call) unknown(method string, o *Options) {
	c.Endpoint = method + " " + o.Masked("/"+strings.TrimPrefix(urls.PlainPath(c.url), "/"))
	if c.encoding != jsonBody {
		return
	}
	if s := member(&c.body, "stream"); isKind(s, exactjson.Bool) && s.Text == "true" {
		c.Wire = "stream"
	}
	c.Model = strings.Clone(modelOf(&c.body))
}

// level returns the level of a field outside of the body: of what stands in the named
// part of the request under a name.
func (c *call) level(part, name string) level {
	f := c.family
	switch {
	case part == "header" && !c.headerDecides(name):
		return header
	case part == "header" || f == nil:
		return identity
	case part == "host" && (c.anyHost || !c.serverDecides):
		return host
	case c.serverDecides:
		return identity
	case part == "path" && name == "prefix":
		return prefix
	case part == "query" && f.Method != "GET" && !slices.Contains(f.Query, name):
		return query
	}
	return identity
}

// headerDecides reports whether a request header changes the answer.
func (c *call) headerDecides(name string) bool {
	if c.family != nil {
		return c.family.decides(name)
	}
	return slices.Contains(chance.ContentHeaders, name) || isBeta(name) || name == "content-type" && c.encoding == opaqueBody
}
