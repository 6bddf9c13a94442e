package foreign

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/recorder/function"
)

// AgentTape (https://pypi.org/project/agenttape, docs/format.md) records calls in Python: of
// functions, of methods of the openai SDK, and of httpx and requests. Each is read as the interaction
// that promptecho would have recorded. A call without its request or its result is left out.

// openAIPaths has the paths of the methods of the openai SDK that AgentTape records.
var openAIPaths = map[string]string{
	"chat.completions": "chat/completions",
	"responses":        "responses",
	"embeddings":       "embeddings",
}

const (
	viaCallback   = "<via-callback>" // in place of an argument that a callback of a framework did not get
	agentRedacted = "***REDACTED***"
	agentAsset    = "__agenttape_asset__"
	agentBoundary = "boundary=AGENTTAPE_BOUNDARY"
)

// agentTape reads a cassette of AgentTape, in YAML or JSON.
func (r *reader) agentTape(root *yaml.Node) {
	version := r.string(member(root, "version"), "version")
	if version != "1" {
		r.failf(root, "version", "this is format %q of AgentTape; only format 1 can be imported", version)
	}
	r.isNumber = agentNumber.MatchString
	for _, n := range r.list(root, "interactions") {
		r.inline(n)
		kind := r.string(member(n, "kind"), "kind")
		switch {
		case kind == "http":
			r.agentHTTP(n)
		case kind == "llm":
			r.agentLLM(n)
		case slices.Contains(interaction.FunctionKinds, kind):
			r.agentFunction(n, kind)
		default:
			r.failf(n, "kind", "%q is none of http, llm, %s", kind, strings.Join(interaction.FunctionKinds, ", "))
		}
	}
}

// leaveOut notes an interaction that the file does not have enough information about.
func (r *reader) leaveOut(n *yaml.Node, code finding.Code, why string) {
	r.cassette.LeftOut = append(r.cassette.LeftOut, LeftOut{r.line(n), code, why})
}

// agentHTTP reads a request of httpx or requests.
func (r *reader) agentHTTP(n *yaml.Node) {
	if member(n, "error") != nil {
		r.leaveOut(n, finding.AnswerMissing, "the request failed with a Python error, so there is no answer")
		return
	}
	req, resp := r.part(n, "request"), r.part(n, "response")
	x := &exchange{
		line:      r.line(n),
		method:    r.string(member(req, "method"), "request.method"),
		url:       r.string(member(req, "url"), "request.url"),
		request:   r.agentMessage(req, "request"),
		status:    r.int(member(resp, "status_code"), "response.status_code"),
		response:  r.agentMessage(resp, "response"),
		latencyMS: r.milliseconds(n),
	}
	if r.string(member(resp, "http_version"), "response.http_version") == "HTTP/2" {
		x.proto = "HTTP/2.0"
	}
	r.addAgent(n, x)
}

// agentMessage reads a request or an answer. AgentTape keeps the content of forms and of JSON, not
// their bytes.
func (r *reader) agentMessage(n *yaml.Node, field string) message {
	m := message{headers: r.headers(member(n, "headers"), field+".headers")}
	// AgentTape drops only credentials and the headers that every client adds.
	m.hasAllHeaders = len(m.headers) > 0
	switch {
	case has(n, "json"):
		m.body = r.json(orNull(n, "json"), field+".json")
		m.rebuilt = true
	case has(n, "form"):
		m.body = r.form(orNull(n, "form"), field+".form")
		m.rebuilt = true
	case has(n, "body_b64"):
		encoded := member(n, "body_b64")
		b, err := base64.StdEncoding.DecodeString(r.string(encoded, field+".body_b64"))
		if err != nil {
			r.failf(encoded, field+".body_b64", "invalid base64: %v", err)
		}
		m.body = b
	case has(n, "content"): // of the first versions of AgentTape
		m.body = []byte(r.string(member(n, "content"), field+".content"))
	default:
		m.body = []byte(r.string(member(n, "text"), field+".text"))
	}
	if strings.Contains(interaction.HeadersOf(m.headers).Get("content-type"), agentBoundary) {
		r.cassette.lose("the boundary between the parts of "+
			"the form of the %s is not known: AgentTape replaces it",
			nameOf(field))
	}
	return m
}

// nameOf returns the word for a message in sentences.
func nameOf(field string) string {
	if field == "response" {
		return "answer"
	}
	return field
}

// form returns a urlencoded form with the fields of a mapping, in their order.
func (r *reader) form(n *yaml.Node, field string) (body []byte) {
	if n.Kind != yaml.Mapping {
		r.failf(n, field, "want a mapping of names to values")
		return nil
	}
	for i, e := range n.Elems {
		if i > 0 {
			body = append(body, '&')
		}
		body = append(body, url.QueryEscape(e.Key.Text)+"="+url.QueryEscape(r.string(e, field))...)
	}
	return body
}

// agentLLM reads a call of the openai SDK: its arguments are the members of the body of the request,
// and its result is the body of the answer.
func (r *reader) agentLLM(n *yaml.Node) {
	req := r.part(n, "request")
	endpoint := r.string(member(req, "endpoint"), "request.endpoint")
	path, isKnown := openAIPaths[endpoint]
	result := member(n, "response")
	switch {
	case member(n, "error") != nil:
		r.leaveOut(n, finding.AnswerMissing, "the model call failed with a Python error, so there is no answer")
		return
	case endpoint == "":
		r.leaveOut(n, finding.RequestMissing, "a framework reported "+
			"a model call, but not what was sent, or to which provider")
		return
	case !isKnown:
		r.leaveOut(n, finding.RequestMissing,
			"the model call is not a known one of the openai SDK: "+strconv.Quote(endpoint))
		return
	case r.string(member(req, "stream"), "request.stream") == "true":
		r.leaveOut(n, finding.AnswerMissing, "the model call was streamed, and the events are not known")
		return
	case result == nil || result.Kind != yaml.Mapping:
		r.leaveOut(n, finding.AnswerMissing, "the model call returned no object, so the answer is not known")
		return
	}
	isEndpoint := func(e *yaml.Node) bool { return e.Key.Text == "endpoint" }
	body := *req
	body.Elems = slices.DeleteFunc(slices.Clone(req.Elems), isEndpoint)
	r.cassette.lose("a call of the openai SDK was recorded, but not its request: the request is " +
		"rebuilt from the arguments, for api.openai.com, and without extra_body, if there was one")
	r.addAgent(n, &exchange{
		line:    r.line(n),
		method:  "POST",
		url:     "https://api.openai.com/v1/" + path,
		request: message{body: r.json(&body, "request")},
		status:  200,
		response: message{
			body:    r.json(result, "response"),
			headers: map[string][]string{"Content-Type": {"application/json"}},
		},
		latencyMS: r.milliseconds(n),
	})
}

// agentFunction reads the call of a function. Its argument is an object with the parameters, like a
// struct in Go.
func (r *reader) agentFunction(n *yaml.Node, kind string) {
	req := r.part(n, "request")
	name := r.string(member(req, "name"), "request.name")
	if b := member(n, "boundary"); b != nil {
		name = r.string(b, "boundary")
	}
	name = kind + "/" + name
	argument := orNull(req, "args")
	isUnknown := func(e *yaml.Node) bool { return e.Text == viaCallback }
	hasNoArgument := argument == nil && has(req, "name")
	switch {
	case !function.IsName(name):
		r.leaveOut(n, finding.NotWrappable, "no function can be wrapped under the name "+strconv.Quote(name))
		return
	case hasNoArgument || slices.ContainsFunc(req.Elems, isUnknown):
		r.leaveOut(n, finding.RequestMissing, "a framework reported a call of "+name+", but not its argument")
		return
	case argument == nil: // record_call writes its arguments as the request
		argument = req
	}
	it := &interaction.Interaction{
		Line:      r.line(n),
		LatencyMS: r.milliseconds(n),
		Request:   interaction.Request{Function: name, Body: r.json(argument, "request.args")},
	}
	if failure := member(n, "error"); failure != nil {
		typ := r.string(member(failure, "type"), "error.type")
		it.Response.Error = r.string(member(failure, "message"), "error.message")
		if it.Response.Error == "" {
			it.Response.Error = typ + " without a message"
		}
		r.cassette.lose("the Python type of an error is not kept: %.60q", typ)
	} else if result := orNull(n, "response"); result != nil {
		it.Response.Body = r.json(result, "response")
	} else {
		it.Response.Body = []byte("null")
	}
	r.noteRedacted(it.Request.Body, it.Response.Body)
	if r.err == nil {
		r.cassette.Interactions = append(r.cassette.Interactions, it)
	}
}

// addAgent adds an exchange.
func (r *reader) addAgent(n *yaml.Node, x *exchange) {
	r.noteRedacted(x.request.body, x.response.body)
	r.add(n, x)
}

// noteRedacted notes bodies in which AgentTape has redacted texts.
func (r *reader) noteRedacted(request, response []byte) {
	isRedacted := bytes.Contains(request, []byte(agentRedacted))
	isRedactedForm := bytes.Contains(request, []byte(url.QueryEscape(agentRedacted)))
	if isRedacted || isRedactedForm {
		r.cassette.lose("AgentTape replaced texts in the request with %s (e-mail addresses, for "+
			"example), so the real texts do not match, unless Mask or Ignore covers them", agentRedacted)
	}
	if bytes.Contains(response, []byte(agentRedacted)) {
		r.cassette.lose("AgentTape replaced texts in the answer with %s", agentRedacted)
	}
}

// milliseconds returns the duration of a call.
func (r *reader) milliseconds(n *yaml.Node) int64 {
	m := member(n, "latency_ms")
	if m == nil {
		return 0
	}
	ms, err := strconv.ParseFloat(r.string(m, "latency_ms"), 64)
	if err != nil || !(ms >= 0 && ms < 1e12) {
		r.failf(m, "latency_ms", "want milliseconds, found %q", yaml.Clip(m.Text))
		return 0
	}
	return int64(ms)
}

// agentNumber matches plain text that is a number. AgentTape quotes text that looks like one of these.
// It does not quote 0x1F and 1_000, which are text.
var agentNumber = regexp.MustCompile(`^[-+]?(?:[0-9]+|[0-9]*\.[0-9]+(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)$`)

var assetName = regexp.MustCompile(`^sha256:([0-9a-f]{64})$`)

// inline replaces references to files next to the cassette, which have long texts, by these texts.
func (r *reader) inline(n *yaml.Node) {
	digest := member(n, agentAsset)
	if digest == nil {
		for _, e := range n.Elems {
			r.inline(e)
		}
		return
	}
	m := assetName.FindStringSubmatch(digest.Text)
	if m == nil || r.asset == nil {
		r.failf(digest, agentAsset, "want sha256: and 64 digits")
		return
	}
	data, err := r.asset("sha256-" + m[1])
	if err != nil {
		r.failf(digest, agentAsset, "a long text is in a file of its own, which cannot be read: %v", err)
		return
	}
	sum := sha256.Sum256(data)
	if hex.EncodeToString(sum[:]) != m[1] {
		r.failf(digest, agentAsset, "the file of this text was changed: its SHA-256 is not its name")
		return
	}
	text := string(data)
	if r.string(member(n, "encoding"), "encoding") == "base64" { // short bytes are base64, too
		text = base64.StdEncoding.EncodeToString(data)
	}
	*n = yaml.Node{Kind: yaml.Scalar, Style: yaml.Quoted, Text: text, Pos: n.Pos, Key: n.Key}
}

// orNull returns the value of a key, even if it is null; nil if there is no such key.
func orNull(n *yaml.Node, key string) *yaml.Node {
	for _, e := range n.Elems {
		if e.Key != nil && e.Key.Text == key {
			return e
		}
	}
	return nil
}

func has(n *yaml.Node, key string) bool { return orNull(n, key) != nil }
