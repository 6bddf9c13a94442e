package canon

import "github.com/promptecho/promptecho/internal/exactjson"

// JSON-RPC 2.0 (https://www.jsonrpc.org/specification), which MCP speaks over
// HTTP (https://modelcontextprotocol.io/specification). Any path: what tells is
// the body. The id only links an answer to its request; it does not match, and
// the answer that is replayed gets the request's own.
func jsonrpcFamilies() []*Family {
	return []*Family{
		rpc(Family{Name: "jsonrpc", Needs: []string{"jsonrpc"}, Headers: []string{"mcp-protocol-version"}}),
	}
}

// rpc is a protocol that speaks JSON-RPC.
func rpc(f Family) *Family {
	f.Paths, f.Acts = []string{""}, []string{"*"}
	f.TakesLists, f.Server, f.Linked = true, true, true
	f.Bookkeeping = []string{"params/_meta", "batch/*/params/_meta"}
	f.Rewrites = append([]Rewrite{jsonrpcCall}, f.Rewrites...)
	return &f
}

// jsonrpcCall makes the method part of the endpoint. A batch gets a name for its calls,
// by which its fields are listed.
func jsonrpcCall(r *request, body *exactjson.Value) {
	if body.Kind == exactjson.Array {
		body.Each("*", func(call *exactjson.Value) { plainCall(r, call) })
		r.Endpoint += ".batch"
		replace(body, r.object(field("batch", *body)))
		return
	}
	plainCall(r, body)
	if m := member(body, "method"); isKind(m, exactjson.String) {
		r.Endpoint += "." + exactjson.UnescapeText(m.Text)
	}
}

// plainCall makes all ids one: that a call has one matters, since it is answered, and a
// notification is not. Parameters that are none may be left out (section 4.2).
func plainCall(r *request, call *exactjson.Value) {
	noParams(r, call)
	switch id := member(call, "id"); {
	case isKind(id, exactjson.Null):
		drop(call, "id")
	case id != nil:
		replace(id, stringValue("#"))
	}
}

var noParams = dropDefault(`{}`, "params")
