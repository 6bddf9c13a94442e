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

// An address is what a URL says about a request. Requests share it, so it must
// not change.
type address struct {
	url        *url.URL
	origin     string      // host and port
	local      bool        // the host is a local one
	candidates []candidate // the families with a pattern for the path, in the order of families
	audio      []audioPath // where the messages of a session have audio; see Family.Audio
}

// A candidate is a family with a pattern for the path of a URL.
type candidate struct {
	family *Family
	prefix string       // the segments before those that the pattern matches
	start  int          // the number of these segments
	names  []urls.Named // the placeholders' names in the path, and their values
	stream bool         // the pattern is one of StreamPaths
}

// addresses caches the addresses of URLs: most programs use few URLs.
var addresses = memo.Strings[*address]{Func: newAddress}

// newAddress parses a URL, and matches its path with the patterns of all
// families.
func newAddress(rawURL string) *address {
	u, err := url.Parse(rawURL)
	if err != nil {
		// Never true of requests that net/http sent. A cassette may be edited
		// by hand.
		u = &url.URL{Path: rawURL}
	}
	addr := &address{url: u, origin: urls.Origin(u), local: urls.IsLocal(u.Hostname())}
	segments := urls.Segments(u)
	for _, f := range families() {
		if !f.hasScheme(u.Scheme) || !f.hasHost(u.Hostname()) {
			continue
		}
		if c, ok := f.matchPath(segments); ok {
			addr.candidates = append(addr.candidates, c)
			for _, path := range f.Audio {
				addr.audio = append(addr.audio, newAudioPath(path))
			}
		}
	}
	return addr
}

// hasScheme reports whether the requests of the family have URLs of a scheme.
func (f *Family) hasScheme(scheme string) bool {
	switch scheme {
	case interaction.ProcessScheme, interaction.GRPCScheme:
		return f.Scheme == scheme
	}
	return f.Scheme == ""
}

// hasHost reports whether a host is one of the family's.
func (f *Family) hasHost(host string) bool {
	isOf := func(domain string) bool { return strings.HasSuffix("."+host, "."+domain) }
	return len(f.Hosts) == 0 || slices.ContainsFunc(f.Hosts, isOf)
}

// matchPath matches a path with the family's patterns.
func (f *Family) matchPath(path []string) (c candidate, ok bool) {
	for i, pattern := range slices.Concat(f.Paths, f.StreamPaths) {
		names, start, ok := urls.MatchSuffix(pattern, path)
		if !ok {
			continue
		}
		prefix := path[:start]
		if !f.matchesAnyPath() {
			names = append(urls.PrefixNames(prefix), names...)
		}
		return candidate{
			family: f,
			prefix: strings.Join(prefix, "/"),
			start:  start,
			names:  names,
			stream: i >= len(f.Paths),
		}, true
	}
	return candidate{}, false
}

// classify reads the parts of a request, finds the family that knows it, and
// normalizes its body. It sets the fields of the form except those that walk
// finds. withSources makes it note where the values of the body were sent.
func (r *request) classify(req *interaction.Request, withSources bool) {
	if req.Within != "" {
		r.addTrait(levelCaller, "within", req.Within)
	}
	if req.Name != "" {
		r.addTrait(levelCaller, "name", req.Name)
	}
	r.Wire = "whole"
	r.body, r.encoding = decode(req)
	if withSources && r.encoding != noBody {
		r.sources = pathsByID(&r.body)
	}
	if req.Function != "" { // only its name and its argument match
		r.Function = true
		r.Endpoint = req.Function
		return
	}

	addr := addresses.Get(req.URL)
	r.url = addr.url
	r.Origin = addr.origin
	r.GRPC = addr.url.Scheme == interaction.GRPCScheme
	r.UnknownHeaders = req.UnknownHeaders
	r.local = addr.local && !slices.Contains(r.options.Aliases, addr.origin)
	r.isHandshake = req.OpensWebSocket()
	r.setQuery()
	if r.encoding == opaqueBody {
		r.numberBlocks(req.Body)
	}

	found := r.findFamily(addr.candidates, req.Method)
	if found != nil {
		r.family = found.family
	}
	r.addHeaders(req.Headers)
	r.addSpellingTraits(req.Body)
	if found != nil {
		r.normalize(found)
	} else {
		r.describeUnknown(req.Method)
	}
	if !r.options.AsSent && r.isForModel() {
		sortTools(&r.body)
	}
	if r.isHandshake {
		r.Wire = WebSocketWire
	}
}

// WebSocketWire is the [Form.Wire] of a handshake that opens a WebSocket.
const WebSocketWire = "websocket"

// subprotocols is the header with the subprotocols that a client offers for a
// WebSocket, and in browsers also its credentials, as they cannot set any other
// header.
const subprotocols = "sec-websocket-protocol"

// isOfHandshake reports whether a header is one that every client of WebSockets
// sends, with a random key or with what its implementation is able to do.
func isOfHandshake(name string) bool {
	isOfSocket := strings.HasPrefix(name, "sec-websocket-") && name != subprotocols
	return isOfSocket || name == "upgrade" || name == "connection"
}

// findFamily returns the first of the candidates whose family accepts the
// request, or nil.
func (r *request) findFamily(candidates []candidate, method string) *candidate {
	if r.options.AnyService {
		return nil
	}
	for i := range candidates {
		if candidates[i].family.accepts(method, r) {
			return &candidates[i]
		}
	}
	return nil
}

// setQuery reads the query. It drops the time at which a client of Ollama
// signed the request.
func (r *request) setQuery() {
	r.query = decodeForm(r.url.RawQuery)
	timestamps := elems(member(&r.query, "ts"))
	if len(timestamps) != 1 || !ollamaPath().MatchString(r.url.Path) {
		return
	}
	if chance.IsUnixTime(timestamps[0].Text) {
		drop(&r.query, "ts")
	}
}

// addSpellingTraits adds the traits of how the path and the body are written.
// Members of the body that are bookkeeping do not count: a client may send them
// in some requests only.
func (r *request) addSpellingTraits(body []byte) {
	isBookkeeping := func(member string) bool {
		if r.family == nil {
			return false
		}
		for _, pattern := range r.family.Bookkeeping {
			if startsWith(pattern, member) {
				return true
			}
		}
		return false
	}
	r.Traits = slices.Grow(r.Traits, 8)
	r.Traits = append(r.Traits,
		Trait{"spelling/path", hash(0, r.url.EscapedPath()), levelSpelling},
		spellingOf(body, r.encoding, &r.body, isBookkeeping))
}

// isForModel reports whether a request is one to a model: a family knows it, or
// its body has messages, or tools with members that tools of models have.
func (r *request) isForModel() bool {
	if r.family != nil || len(elems(member(&r.body, "messages"))) > 0 {
		return true
	}
	for _, tool := range elems(member(&r.body, "tools")) {
		for _, name := range toolMembers {
			if member(&tool, name) != nil {
				return true
			}
		}
	}
	return false
}

// toolMembers are members of tools. Every tool of a model has at least one of
// them.
var toolMembers = []string{
	"function", "functionDeclarations", "toolSpec", "input_schema", "inputSchema", "parameters",
}

// addHeaders adds the values of the request's headers. Headers that change the
// answer are sets, whether their values were sent in one line or in several.
func (r *request) addHeaders(headers interaction.Headers) {
	for _, h := range headers {
		name := strings.ToLower(h.Name)
		if r.isHandshake && isOfHandshake(name) {
			continue
		}
		isSet := r.family != nil || name == subprotocols
		if isSet && r.headerDecides(name) {
			r.addToSet(name, strings.Split(strings.Join(h.Values, ","), ",")...)
			continue
		}
		for _, v := range h.Values {
			switch name {
			case "content-type":
				v = withoutBoundary(v)
			case "destination", "x-ms-copy-source":
				v = withoutLocalHost(v)
			}
			appendTo(&r.header, name, stringValue(v))
		}
	}
}

// withoutLocalHost replaces the host of a URL if it is a local one: its port
// differs from run to run.
func withoutLocalHost(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil || !urls.IsLocal(u.Hostname()) {
		return rawURL
	}
	return urls.LocalHosts + u.RequestURI()
}

// withoutBoundary returns a media type without the boundary of its parts, which
// clients generate for each body.
func withoutBoundary(contentType string) string {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["boundary"] == "" {
		return contentType
	}
	delete(params, "boundary")
	return mime.FormatMediaType(media, params)
}

// normalize sets the form's fields for a request that the family of c accepts,
// and normalizes its body.
func (r *request) normalize(c *candidate) {
	f := c.family
	r.Known = !f.NoModelAPI
	r.Endpoint = f.Name
	r.Wire = f.wire(c.stream)
	r.hasSideEffects = slices.ContainsFunc(f.SideEffects, func(name string) bool {
		return name == "*" || hasNeed(&r.body, name)
	})
	r.cancels = slices.ContainsFunc(f.Cancel, func(need string) bool { return hasNeed(&r.body, need) })
	r.keepsAlive = f.KeepAlive != "" && hasNeed(&r.body, f.KeepAlive)
	if f.matchesAnyPath() {
		r.addPath("server", urls.PlainPath(r.url))
	} else {
		r.addPath("prefix", c.prefix)
	}
	namesModel := r.addNames(c.names)
	r.serverMatches = !namesModel || f.Server

	// A JSON object can have two members of the same name. Only the server knows
	// which of them it uses, so such a body stays as it is.
	if !hasDuplicates(&r.body) {
		dropNull(r, &r.body)
		asksForStream := r.takeStream()
		if asksForStream {
			r.Wire = f.wire(true)
		}
		r.rewrite(&r.body, f.Rewrites)
		dropDefaults(f.Defaults)(r, &r.body)
	}
	r.Model = strings.Clone(cmp.Or(r.Model, modelOf(&r.body)))
}

// addNames adds the values that the path has for the placeholders of the
// family's pattern, and the model that the host names. It reports whether the
// request names a model in any place, or does not need to. If the body names
// another model than the path or the host, both are compared.
func (r *request) addNames(names []urls.Named) bool {
	org := ""
	for _, n := range names {
		switch n.Name {
		case "org":
			org += n.Value + "/"
		case "model":
			model := org + n.Value
			org = ""
			if !r.setModel(model) {
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
	model := urls.HostModel.Get(r.url.Hostname())
	if model != "" && !r.setModel(model) {
		r.hostModel = stringValue(model)
		r.Model = model
	}
	return modelOf(&r.body) != ""
}

// takeStream removes the member of the body that asks for a stream, and reports
// whether the request asks for one. The form has the result in its Wire.
func (r *request) takeStream() bool {
	f := r.family
	if f.Stream == "" {
		return f.Streams
	}
	m := member(&r.body, f.Stream)
	kind := exactjson.Bool
	// In a multipart or URL-encoded body, every value is a list of strings.
	isListOfOne := r.encoding != jsonBody && len(elems(m)) == 1
	if isListOfOne {
		m = singleValue(m)
		kind = exactjson.String
	}
	if !isKind(m, kind) || m.Text != "true" && m.Text != "false" {
		return f.Streams
	}
	stream := m.Text == "true"
	if !stream && r.Wire != "whole" {
		return false // the path asks for a stream and the body for none: the member matches
	}
	drop(&r.body, f.Stream)
	return stream
}

// hasDuplicates reports whether v or a value in it is an object with two
// members of the same name.
func hasDuplicates(v *exactjson.Value) bool {
	if v.Kind == exactjson.Object && exactjson.Twice(v.Elems) != nil {
		return true
	}
	for i := range v.Elems {
		if hasDuplicates(&v.Elems[i]) {
			return true
		}
	}
	return false
}

// describeUnknown sets the form's fields for a request that no family knows.
// Method, host, path, query, the headers that select content, and the whole
// body match.
func (r *request) describeUnknown(method string) {
	if r.GRPC {
		r.Endpoint = methodOf(urls.PlainPath(r.url))
		return
	}
	path := "/" + strings.TrimPrefix(urls.PlainPath(r.url), "/")
	r.Endpoint = method + " " + r.options.Masked("path", path)
	if r.encoding != jsonBody {
		return
	}
	stream := member(&r.body, "stream")
	if isKind(stream, exactjson.Bool) && stream.Text == "true" {
		r.Wire = "stream"
	}
	r.Model = strings.Clone(modelOf(&r.body))
}

// levelOutsideBody returns how much a field outside the body counts when requests
// are matched. A field of levelIdentity must be equal. The other levels only help
// to choose among the recordings that match. The field "model" of the query of
// https://host/v1/chat?model=x has the part "query" and the name "model".
//
//	part    condition                                     level
//	header  headerDecides(name)                           levelIdentity
//	header  any other                                     levelHeader
//	any     no family knows the request                   levelIdentity
//	host    anyHost is set, or serverMatches is not       levelHost
//	any     serverMatches is set                          levelIdentity
//	path    name is "prefix" or apiVersion                levelPrefix
//	query   the API uses POST or WebSockets and does not  levelQuery
//	        list the name
//	any     any other                                     levelIdentity
//
// The first row that fits decides.
func (r *request) levelOutsideBody(part, name string) level {
	if part == "header" {
		if r.headerDecides(name) {
			return levelIdentity
		}
		return levelHeader
	}
	f := r.family
	if f == nil {
		return levelIdentity
	}
	isHostIgnored := r.anyHost || !r.serverMatches
	isOfStart := name == "prefix" || name == apiVersion
	usesPost := f.Method == "" || f.Handshake
	switch {
	case part == "host" && isHostIgnored:
		return levelHost
	case r.serverMatches:
		return levelIdentity
	case part == "path" && isOfStart:
		return levelPrefix
	case part == "query" && usesPost && !slices.Contains(f.Query, name):
		return levelQuery
	}
	return levelIdentity
}

// apiVersion is the placeholder for the version of an API in the pattern of a
// family. Most APIs have it before the pattern.
const apiVersion = "api_version"

// headerDecides reports whether a request header changes the answer.
func (r *request) headerDecides(name string) bool {
	switch {
	case isBeta(name):
		return true
	case name == subprotocols:
		return r.isHandshake
	case slices.Contains(chance.DeploymentHeaders, name):
		return true
	case name == "content-type" && r.encoding == opaqueBody:
		return true
	case r.family != nil:
		return slices.Contains(r.family.Headers, name)
	}
	return slices.Contains(chance.ContentHeaders, name)
}
