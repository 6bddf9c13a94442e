package canon

import "github.com/promptecho/promptecho/internal/cassette"

// JSON-RPC 2.0 (https://www.jsonrpc.org/specification), which MCP speaks over
// HTTP (https://modelcontextprotocol.io/specification). Any path: what tells is
// the body. The id only links an answer to its request; it does not match, and
// the answer that is replayed gets the request's own.
var jsonrpcFamilies = []*Family{{
	Name:        "jsonrpc",
	Paths:       []string{""},
	Has:         []string{"jsonrpc"},
	NoModel:     true,
	Bookkeeping: []string{"params/_meta"},
	Headers:     []string{"mcp-protocol-version"},
	Rules:       []Rule{jsonrpcCall, matchPath},
}}

// matchPath makes path and query match, for families that are known at any: two
// servers must not answer for each other.
func matchPath(b *Body) {
	b.call.lines = append(b.call.lines, Line{"path/server", b.url.Path})
	b.call.query(b.url, nil)
}

// jsonrpcCall makes the method part of the endpoint.
func jsonrpcCall(b *Body) {
	drop(b.Value, "id")
	if m := b.Get("method"); m != nil && m.Kind == cassette.String {
		b.call.endpoint = "jsonrpc." + cassette.UnescapeText(m.Text)
	}
}

// Linked reports whether answers hold an id of their request; see Relink.
func (f *Form) Linked() bool { return f.family != nil && f.family.Name == "jsonrpc" }

// Relink gives the JSON-RPC answers in a recorded payload the id of the request
// that is answered now. It returns the payload itself if there is nothing to
// change.
func (f *Form) Relink(payload []byte, recorded, asked *cassette.Request) []byte {
	from, to := requestID(recorded), requestID(asked)
	if from == nil || to == nil || *from == *to {
		return payload
	}
	v, err := cassette.ParseJSON(payload)
	if err != nil {
		return payload
	}
	layout, ok := cassette.DetectLayout(payload, v)
	id := member(&v, "id")
	if !ok || id == nil || member(&v, "method") != nil || rpcID(id) != *from {
		return payload // a request or notification of the server, or an answer to another
	}
	*id = (*to).value()
	return v.AppendJSON(nil, layout)
}

// An rpcid is a JSON-RPC id: a number and a text are different ids.
type rpcid struct {
	kind cassette.Kind
	text string
}

func (id rpcid) value() cassette.Value { return cassette.Value{Kind: id.kind, Text: id.text} }

func rpcID(v *cassette.Value) rpcid { return rpcid{v.Kind, v.Text} }

func requestID(req *cassette.Request) *rpcid {
	v, err := cassette.ParseJSON(req.Body)
	if err != nil {
		return nil
	}
	id := member(&v, "id")
	if id == nil || id.Kind != cassette.Number && id.Kind != cassette.String {
		return nil
	}
	rid := rpcID(id)
	return &rid
}
