package canon

import "github.com/promptecho/promptecho/internal/exactjson"

// jsonrpcFamilies returns the family of JSON-RPC 2.0
// (https://www.jsonrpc.org/specification), the protocol of MCP over HTTP
// (https://modelcontextprotocol.io/specification). A request is known by its
// body, at any path. Its ID only links the answer to it, and does not match. A
// replayed answer gets the ID of the request.
func jsonrpcFamilies() []*Family {
	return []*Family{
		rpc(Family{
			Name:    "jsonrpc",
			Needs:   []string{"jsonrpc"},
			Headers: []string{"mcp-protocol-version"},
		}),
	}
}

// rpc returns the family of a protocol that uses JSON-RPC.
func rpc(f Family) *Family {
	f.Paths = []string{""}
	f.TakesLists = true
	f.Server = true
	f.Linked = true
	f.SideEffects = []string{"*"}
	f.Bookkeeping = []string{"params/_meta", "batch/*/params/_meta"}
	f.Rewrites = append([]Rewrite{normalizeRPC}, f.Rewrites...)
	return &f
}

// normalizeRPC normalizes a call, or each call of a batch, and adds the method
// to the endpoint. A batch becomes an object with the list of calls as its
// member "batch", so that its fields have paths of their own.
func normalizeRPC(r *request, body *exactjson.Value) {
	if body.Kind == exactjson.Array {
		body.Each("*", func(call *exactjson.Value) { normalizeRPCCall(r, call) })
		r.Endpoint += ".batch"
		replace(body, objectOf(field("batch", *body)))
		return
	}
	normalizeRPCCall(r, body)
	method := member(body, "method")
	if isKind(method, exactjson.String) {
		r.Endpoint += "." + exactjson.UnescapeText(method.Text)
	}
}

// normalizeRPCCall replaces the ID of a call by "#". Only its presence matters:
// without an ID, a call is a notification, which gets no answer. It also
// removes empty params, which may be omitted (section 4.2 of the
// specification).
func normalizeRPCCall(r *request, call *exactjson.Value) {
	dropEmptyParams(r, call)
	id := member(call, "id")
	switch {
	case isKind(id, exactjson.Null):
		drop(call, "id")
	case id != nil:
		replace(id, stringValue("#"))
	}
}

var dropEmptyParams = dropDefault(`{}`, "params")
