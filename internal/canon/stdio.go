package canon

import (
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/canon/perrun"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// stdioFamilies returns the family of sessions with processes, and of the lines that they read. A
// line of JSON-RPC is compared as the call over HTTP would be, see jsonrpcFamilies. Values that are
// others in each run do not match; package session compares which of them are equal.
func stdioFamilies() []*Family {
	return []*Family{{
		Name:        "stdio",
		Scheme:      interaction.ProcessScheme,
		Paths:       []string{""},
		AnyBody:     true,
		Server:      true,
		NoModel:     true,
		SideEffects: []string{"*"},
		Bookkeeping: []string{"params/_meta", "batch/*/params/_meta"},
		Rewrites:    []Rewrite{normalizeLine},
		Cancel: []string{
			"method=notifications/cancelled", // MCP
			"method=session/cancel",          // ACP
			"method=$/cancel_request",        // ACP
			"method=$/cancelRequest",         // LSP
			"type=control_cancel_request",    // Claude Code
		},
	}}
}

// normalizeLine normalizes a line, and adds the name of the process and the method or the type of the
// message to the endpoint.
func normalizeLine(r *request, line *exactjson.Value) {
	r.Endpoint += "." + r.url.Host
	calls := elems(line)
	if len(calls) > 0 && member(&calls[0], "jsonrpc") != nil {
		normalizeRPC(r, line)
		return
	}
	for _, name := range []string{"method", "type"} {
		kind := member(line, name)
		if isKind(kind, exactjson.String) {
			r.Endpoint += "." + exactjson.UnescapeText(kind.Text)
			break
		}
	}
	if member(line, "method") != nil {
		dropEmptyParams(r, line)
	}
	// Whether there is a progress token decides what the process sends.
	if token := member(line, "params", "_meta", "progressToken"); token != nil {
		set(member(line, "params"), "progressToken", *token)
	}
}

// decodeLine reads a line that a process reads, or the request that stands for its start.
func decodeLine(req *interaction.Request) (exactjson.Value, encoding) {
	if len(req.Body) == 0 {
		return exactjson.Value{}, noBody
	}
	if !utf8.Valid(req.Body) {
		return digestOf(req.Body), opaqueBody
	}
	text := string(req.Body)
	text = perrun.Mask(text, perrun.OfSent(text, perrun.None))
	if v, ok := parseJSON(text); ok {
		return v, jsonBody
	}
	return stringValue(text), jsonBody
}
