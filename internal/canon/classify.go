package canon

import (
	"cmp"
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
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
	for _, f := range families() {
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

// classify finds the family of a request by its decoded path and brings its body to
// the family's one spelling. It fills in what the form tells of the request.
func (r *request) classify(o *Options, req *interaction.Request, traced bool) {
	if req.Within != "" {
		r.trait(within, "within", req.Within)
	}
	if req.Name != "" {
		r.trait(within, "name", req.Name)
	}
	r.body, r.encoding = decode(req)
	if traced && r.encoding != noBody {
		r.sources = pathsByID(&r.body)
	}
	if req.Function != "" { // its name and its argument decide
		r.Function, r.Endpoint, r.Wire = true, req.Function, "whole"
		return
	}
	to := addresses.Get(req.URL)
	r.url, r.Wire, r.Origin, r.Unknown = to.url, "whole", to.origin, req.UnknownHeaders
	r.local = to.local && !slices.Contains(o.Aliases, to.origin)
	r.query = decodeForm(to.url.RawQuery)
	if ts := elems(member(&r.query, "ts")); len(ts) == 1 && ollamaCall().MatchString(to.url.Path) && chance.IsUnixTime(ts[0].Text) {
		drop(&r.query, "ts")
	}
	if r.encoding == opaqueBody {
		r.numberBlocks(req.Body)
	}
	i := slices.IndexFunc(to.candidates, func(f candidate) bool {
		return !o.AnyService && f.family.accepts(req.Method, &r.body, r.encoding)
	})
	if i >= 0 {
		r.family = to.candidates[i].family
	}
	r.addHeaders(req.Headers)
	keepsBooks := func(member string) bool {
		return r.family != nil && slices.ContainsFunc(r.family.Bookkeeping, func(p string) bool { return startsWith(p, member) })
	}
	r.Traits = append(slices.Grow(r.Traits, 8), Trait{"spelling/path", hash(0, to.url.EscapedPath()), spelling},
		spellingOf(req.Body, r.encoding, &r.body, keepsBooks))
	if i >= 0 {
		r.known(&to.candidates[i])
	} else {
		r.unknown(req.Method, o)
	}
	isOfModel := func(tool exactjson.Value) bool { // and not of a workshop
		return slices.ContainsFunc(toolMembers, func(name string) bool { return member(&tool, name) != nil })
	}
	if !o.AsSent && (i >= 0 || slices.ContainsFunc(elems(member(&r.body, "tools")), isOfModel) || len(elems(member(&r.body, "messages"))) > 0) {
		sortTools(&r.body)
	}
}

// toolMembers are what tools of models have, of which one is there at least.
var toolMembers = strings.Fields("function functionDeclarations toolSpec input_schema inputSchema parameters")

// addHeaders takes the values of the request's headers. Those of a header that a family
// lists are a set, however they were sent.
func (r *request) addHeaders(headers interaction.Headers) {
	for _, h := range headers {
		name := strings.ToLower(h.Name)
		if r.family != nil && r.headerDecides(name) {
			r.addToSet(name, strings.Split(strings.Join(h.Values, ","), ",")...)
			continue
		}
		for _, v := range h.Values {
			switch name {
			case "content-type":
				v = withoutBoundary(v)
			case "destination", "x-ms-copy-source":
				if u, err := url.Parse(v); err == nil && urls.IsLocal(u.Hostname()) {
					v = urls.LocalHosts + u.RequestURI()
				}
			}
			appendTo(&r.header, name, stringValue(v))
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
func (r *request) known(to *candidate) {
	f := r.family
	r.Known, r.Endpoint, r.Wire = true, f.Name, f.wire(to.stream)
	r.of, r.acts = f, slices.ContainsFunc(f.Acts, func(name string) bool { return name == "*" || hasNeed(&r.body, name) })
	if f.anywhere() {
		r.addPath("server", urls.PlainPath(r.url))
	} else {
		r.addPath("prefix", to.prefix)
	}
	r.serverDecides = !r.addNames(to.names) || f.Server
	// What a member means that stands twice is for the server to say.
	if !repeats(&r.body) {
		dropNull(r, &r.body)
		if r.takesStream() {
			r.Wire = f.wire(true)
		}
		r.rewrite(&r.body, f.Rewrites)
		dropDefaults(f.Defaults)(r, &r.body)
	}
	r.Model = strings.Clone(cmp.Or(r.Model, modelOf(&r.body)))
}

// addNames adds who is asked by path and host, and reports whether anybody is, there
// or in the body. No name takes the place of another.
func (r *request) addNames(names []urls.Named) bool {
	org := ""
	for _, n := range names {
		switch n.Name {
		case "org":
			org += n.Value + "/"
		case "model":
			model := org + n.Value
			org = ""
			if r.nameModel(model) {
				r.addPath("model", model)
				r.Model = model
			}
		default:
			r.addPath(n.Name, n.Value)
		}
	}
	if r.family.NoModel || r.family.Server {
		return true
	}
	if model := urls.HostModel.Get(r.url.Hostname()); model != "" && r.nameModel(model) {
		r.hostModel = stringValue(model)
		r.Model = model
	}
	return modelOf(&r.body) != ""
}

// takesStream removes the member that asks for a stream and tells its value:
// it is part of the form as Wire, and false is the same as absent.
func (r *request) takesStream() bool {
	f := r.family
	s := member(&r.body, f.Stream)
	if f.Stream == "" || s == nil || s.Kind == exactjson.Null {
		return f.Streams
	}
	kind := exactjson.Bool
	if list := elems(s); r.encoding != jsonBody && len(list) == 1 {
		s, kind = &list[0], exactjson.String // a field of a form
	}
	if s.Kind != kind || s.Text != "true" && s.Text != "false" {
		return f.Streams
	}
	stream := s.Text == "true"
	if !stream && r.Wire != "whole" {
		return false // a path that streams and a body that asks for none: it stays
	}
	drop(&r.body, f.Stream)
	return stream
}

// repeats reports whether an object in v has a member twice.
func repeats(v *exactjson.Value) bool {
	return v.Kind == exactjson.Object && exactjson.Twice(v.Elems) != nil ||
		slices.ContainsFunc(v.Elems, func(v exactjson.Value) bool { return repeats(&v) })
}

// unknown describes a request that no family knows: method, origin, path, query,
// the headers that select content and the whole body decide.
func (r *request) unknown(method string, o *Options) {
	r.Endpoint = method + " " + o.Masked("path", "/"+strings.TrimPrefix(urls.PlainPath(r.url), "/"))
	if r.encoding != jsonBody {
		return
	}
	if s := member(&r.body, "stream"); isKind(s, exactjson.Bool) && s.Text == "true" {
		r.Wire = "stream"
	}
	r.Model = strings.Clone(modelOf(&r.body))
}

// level returns the level of a field outside of the body: of what stands in the named
// part of the request under a name.
func (r *request) level(part, name string) level {
	f := r.family
	switch {
	case part == "header" && !r.headerDecides(name):
		return header
	case part == "header" || f == nil:
		return identity
	case part == "host" && (r.anyHost || !r.serverDecides):
		return host
	case r.serverDecides:
		return identity
	case part == "path" && name == "prefix":
		return prefix
	case part == "query" && f.Method == "" && !slices.Contains(f.Query, name):
		return query
	}
	return identity
}

// headerDecides reports whether a request header changes the answer.
func (r *request) headerDecides(name string) bool {
	switch {
	case isBeta(name) || slices.Contains(chance.DeploymentHeaders, name) || name == "content-type" && r.encoding == opaqueBody:
		return true
	case r.family != nil:
		return slices.Contains(r.family.Headers, name)
	}
	return slices.Contains(chance.ContentHeaders, name)
}
