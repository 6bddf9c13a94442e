package conversation

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// rpcPaths are the paths in messages of JSON-RPC that one protocol has.
type rpcPaths struct {
	details       []string // of a text that, with the method, makes up the kind of a message
	conversations []string // of the ID of a conversation
}

// parse returns what a message of JSON-RPC is. Codex leaves out the member "jsonrpc", so nothing
// here depends on it.
func (paths *rpcPaths) parse(r *reader, v *exactjson.Value) parsed {
	p := parsed{conversation: textAt(v, paths.conversations...)}
	id := v.Member("id")
	method := textOf(v, "method")
	if method == "" {
		p.setAnswered(r.requestFor(compact(id)))
		p.failed = v.Member("error") != nil
		p.content = member(v, "result", "error")
		p.parts = partsOfRPC(v)
		return p
	}

	p.kind = kind{method, textAt(v, paths.details...)}
	p.title = strings.TrimSpace(titleOf(v) + " " + p.kind.detail)
	p.content = v.Member("params")
	if id != nil {
		p.requestID = compact(id)
	}
	hidden := append([]string{"_meta"}, titled[method]...)
	p.parts = jsonPart(without(p.content, hidden...))
	if p.parts == nil {
		p.parts = []Part{}
	}
	return p
}

// plainRPC is JSON-RPC with methods that no other protocol here has.
var plainRPC = protocol{
	name:          JSONRPC,
	peer:          "server",
	isOwn:         func(v *exactjson.Value) bool { return v.Member("jsonrpc") != nil },
	parse:         (&rpcPaths{}).parse,
	callsAreTurns: true,
}

// isOwnMethod returns a function that reports whether the method of a message is one of names. A
// name with a slash at its end is a prefix.
func isOwnMethod(names ...string) func(v *exactjson.Value) bool {
	return func(v *exactjson.Value) bool { return isMethodOf(names, textOf(v, "method")) }
}
