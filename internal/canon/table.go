package canon

import (
	"net/url"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
)

// A Family is one endpoint of one kind of model API: how it is recognised and
// which of its fields decide the answer. Everything in the body matches but
// the two lists; a field nobody has heard of matches.
type Family struct {
	Name  string   // "openai.chat": family and operation
	Paths []string // path suffixes; "{model}" stands for one segment, the model

	// Stream names the member of the body that asks for a stream.
	Stream string

	// Bookkeeping lists what cannot change the answer, Sampling what changes
	// only how it is drawn. Neither matches; both are reported as drift.
	Bookkeeping []string
	Sampling    []string

	// Headers lists the request headers that change the answer.
	Headers []string

	// Rules bring equal spellings to one; they run in order on the body.
	Rules []Rule

	// Ends lists what the last event of a complete stream holds, so that a
	// client that stops reading there has missed nothing.
	Ends []string

	// Delta adds what one event of a stream says to the transcript.
	Delta func(t *transcript, event *cassette.Value)
}

// A Rule rewrites a body, or a header line made from it, to its one spelling.
type Rule func(b *Body)

// families is the table of everything that is known. The first family whose
// path matches has the request, so a longer suffix stands before a shorter.
var families = []*Family{
	&anthropicMessages,
	&openaiChat,
	&openaiResponses,
	&openaiEmbeddings,
}

// call is a classified request.
type call struct {
	family   *Family
	endpoint string
	model    string
	stream   bool
	json     bool
	body     cassette.Value
	lines    []Line // of headers and query
}

// classify finds the family of a request by its decoded path, never by its
// host, and brings its body to the family's one spelling.
func classify(req *cassette.Request) call {
	var c call
	u, err := url.Parse(req.URL)
	if err != nil {
		// Unreachable for requests that net/http sent; a hand-edited cassette can have it.
		u = &url.URL{Path: req.URL}
	}
	if v, err := cassette.ParseJSON(req.Body); err == nil && (v.Kind == cassette.Object || v.Kind == cassette.Array) {
		c.body, c.json = v, true
	}
	for _, f := range families {
		if model, ok := f.match(req.Method, u.Path); ok && c.json && c.body.Kind == cassette.Object {
			c.family, c.endpoint, c.model = f, f.Name, model
			break
		}
	}
	if c.family == nil {
		c.generic(req, u)
		return c
	}
	b := Body{Value: &c.body, req: req}
	if c.model != "" {
		b.Set("model", cassette.Value{Kind: cassette.String, Text: c.model})
	}
	for _, h := range c.family.Headers {
		b.header(h)
	}
	c.stream = b.takeStream(c.family.Stream)
	for _, rule := range c.family.Rules {
		rule(&b)
	}
	c.lines = b.headerLines()
	if m := b.Get("model"); m != nil {
		c.model = m.Text
	}
	return c
}

// generic describes a request that no family knows: method, path, query and
// the whole body decide.
func (c *call) generic(req *cassette.Request, u *url.URL) {
	c.endpoint = req.Method + " " + u.EscapedPath()
	query := u.Query()
	names := make([]string, 0, len(query))
	for name := range query {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for i, v := range query[name] {
			path := appendName([]byte("query/"), name)
			path = appendIndex(append(path, '/'), i)
			c.lines = append(c.lines, Line{string(path), quote(v)})
		}
	}
	if c.json && c.body.Kind == cassette.Object {
		b := Body{Value: &c.body}
		if s := b.Get("stream"); s != nil && s.Kind == cassette.Bool {
			c.stream = s.Text == "true"
		}
		if m := b.Get("model"); m != nil && m.Kind == cassette.String {
			c.model = m.Text
		}
	}
}

// match reports whether the family knows the path, and the model in it.
func (f *Family) match(method, path string) (model string, ok bool) {
	if method != "POST" {
		return "", false
	}
	for _, pattern := range f.Paths {
		if model, ok = matchSuffix(pattern, path); ok {
			return model, true
		}
	}
	return "", false
}

// matchSuffix compares the last segments of path with those of pattern.
func matchSuffix(pattern, path string) (model string, ok bool) {
	for {
		pi, si := strings.LastIndexByte(pattern, '/'), strings.LastIndexByte(path, '/')
		if pi < 0 {
			return model, true
		}
		if si < 0 {
			return "", false
		}
		switch p, s := pattern[pi+1:], path[si+1:]; {
		case p == "{model}" && s != "":
			model = s
		case p != s:
			return "", false
		}
		pattern, path = pattern[:pi], path[:si]
	}
}

// Complete reports whether a stream whose last event is last is whole although
// the client closed it before its end (openai-go closes at [DONE]).
func (f *Form) Complete(last []byte) bool {
	for _, fam := range families {
		if fam.Name != f.Endpoint {
			continue
		}
		for _, end := range fam.Ends {
			if strings.Contains(string(last), end) {
				return true
			}
		}
	}
	return false
}
