package fakeprovider

import (
	"cmp"
	"net/http"
	"strings"
)

// A Request is a request to a model API, as the fake provider has read it.
type Request struct {
	// Problem is why the provider refuses the request; nil if it does not.
	Problem *Problem

	family *family // nil for an unknown endpoint
	vendor *vendor
	call   *call
	prompt prompt
}

// A Response is a response of the fake provider.
type Response struct {
	Status int
	Header http.Header
	Body   []byte   // without a stream
	Events [][]byte // of a stream, each with its frame; nil if there is none
}

// Read reads a request whose body is read. State is what the provider remembers
// of earlier requests.
func Read(r *http.Request, body []byte, state *State) *Request {
	family, vendor := familyOf(r, body)
	return readAs(family, vendor, r, body, state)
}

// readAs reads a request as one to a family.
func readAs(f *family, v *vendor, r *http.Request, body []byte, state *State) *Request {
	req := &Request{family: f, vendor: v, call: &call{
		method: r.Method,
		path:   r.URL.Path,
		query:  r.URL.Query(),
		raw:    body,
		recall: &state.recall,
	}}
	req.Problem = req.read(r, state)
	return req
}

// State is what a provider remembers of earlier requests. The zero State is
// empty. It may be used concurrently.
type State struct {
	// NeedsNoKey lets requests without a key pass.
	NeedsNoKey bool

	recall memory
}

// read checks a request as every provider does, and lets the family read it.
func (r *Request) read(req *http.Request, state *State) *Problem {
	if r.family == nil {
		return &Problem{Status: http.StatusNotFound}
	}
	if r.call.method != cmp.Or(r.family.method, http.MethodPost) {
		return &Problem{Status: http.StatusMethodNotAllowed}
	}
	if r.vendor.key(req.Header) == "" && !state.NeedsNoKey {
		return &r.vendor.keyless
	}
	body, p := r.decode(req.Header.Get("Content-Type"))
	if p != nil {
		return p
	}
	r.call.body = body
	r.prompt, p = r.family.read(r.call)
	if p != nil {
		return p
	}
	return checkRules(r.family, r.call, req)
}

// decode reads the body, as JSON if the family does not read it itself.
func (r *Request) decode(contentType string) (object, *Problem) {
	if r.family.decode != nil {
		return r.family.decode(contentType, r.call.raw)
	}
	v, err := decode(r.call.raw)
	body, ok := v.(object)
	if err != nil || !ok {
		p := r.vendor.badJSON(err)
		return nil, &p
	}
	return body, nil
}

// Endpoint returns the name of the endpoint, such as "openai.chat", or "" if it
// is not known.
func (r *Request) Endpoint() string {
	if r.family == nil {
		return ""
	}
	return r.family.name
}

// IsReadable reports whether the request can be answered: its endpoint is known, its
// body has the format of the endpoint, and the texts are there whose vectors are
// wanted.
func (r *Request) IsReadable() bool {
	if r.family == nil {
		return false
	}
	hasNoInputs := r.family.vectors && r.prompt.inputs == nil
	isRead := r.call.body != nil && !hasNoInputs
	return isRead || r.Problem == nil
}

// Body returns the body of the request. In a session it is the body that the same
// request has over HTTP.
func (r *Request) Body() []byte { return r.call.raw }

// TakesTurn reports whether an answer of a model is asked for.
func (r *Request) TakesTurn() bool { return !r.prompt.free }

// Improvise answers the request by the words of its prompt, in responses that
// are number n of the provider.
func (r *Request) Improvise(n int) *Response {
	replies := make([]Reply, max(1, r.prompt.choices))
	for i := range replies {
		replies[i] = r.prompt.reply(i, r.family.plans)
	}
	return r.respond(n, replies)
}

// Answer answers the request with a reply of a script, which has number n: the
// IDs and times of the response count up with it. Each choice that the request
// asks for has the same reply. A reply that is broken is an error where there is
// no stream that can break.
func (r *Request) Answer(n int, reply Reply) *Response {
	r.prompt.complete(&reply)
	replies := make([]Reply, max(1, r.prompt.choices))
	for i := range replies {
		replies[i] = reply
	}
	resp := r.respond(n, replies)
	streamed := resp.Events != nil
	if reply.Broken != nil && !streamed {
		return r.Refuse(n, *reply.Broken)
	}
	return resp
}

func (r *Request) respond(n int, replies []Reply) *Response {
	r.call.n = n
	h := http.Header{}
	ans := r.family.write(r.call, r.prompt, replies)
	r.vendor.headers(r.call, h, http.StatusOK)
	for name, values := range ans.header {
		h[name] = values
	}
	if ans.events == nil {
		h.Set("Content-Type", cmp.Or(ans.kind, "application/json"))
		return &Response{Status: http.StatusOK, Header: h, Body: ans.body}
	}
	h.Set("Content-Type", cmp.Or(ans.kind, "text/event-stream; charset=utf-8"))
	h.Set("Cache-Control", "no-cache")
	return &Response{Status: http.StatusOK, Header: h, Events: ans.events}
}

// Refuse answers the request with an error of its provider. Response number and
// IDs are those of [Request.Answer].
func (r *Request) Refuse(n int, p Problem) *Response {
	r.call.n = n
	p.Status = cmp.Or(p.Status, http.StatusInternalServerError)
	h := http.Header{}
	r.vendor.headers(r.call, h, p.Status)
	h.Set("Content-Type", "application/json")
	body := r.vendor.refuse(r.call, h, p)
	return &Response{Status: p.Status, Header: h, Body: body}
}

// complete fills in the finish reason and the usage of a reply of a script.
func (p prompt) complete(r *Reply) {
	if r.Pieces != nil {
		r.Text = strings.Join(r.Pieces, "")
	}
	if r.Finish == "" {
		switch {
		case len(r.Calls) > 0:
			r.Finish = FinishCalls
		case r.Refusal != "":
			r.Finish = FinishRefusal
		default:
			r.Finish = FinishStop
		}
	}
	u := &r.Usage
	if u.Input == 0 {
		u.Input = p.size()
	}
	if u.Reasoning == 0 {
		u.Reasoning = len(tokens(r.Reasoning))
	}
	if u.Output == 0 {
		u.Output = u.Reasoning + len(tokens(r.Text)) + len(tokens(r.Refusal)) + callTokens(r.Calls)
	}
}
