package provider

import (
	"fmt"
	"net/http"
	"strconv"
)

// mcpVendor is the vendor of the MCP endpoint. It asks for no key.
var mcpVendor = &vendor{
	key:     unasked,
	badJSON: func(error) problem { return problem{status: http.StatusBadRequest} },
	headers: func(*call, http.Header, int) {},
	refuse: func(_ *call, h http.Header, p problem) []byte {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		if p.message == "" {
			p.message = http.StatusText(p.status) + " (stand-in, on demand)"
		}
		return []byte(p.message + "\n")
	},
}

// mcp is a server of the Model Context Protocol over streamable HTTP, with one
// tool, "echo", which says its text again. It answers in JSON and sends nothing
// of itself.
var mcp = family{
	name:   "mcp.http",
	vendor: mcpVendor,
	owns:   suffix("/mcp"),
	answer: answerMCP,
	free:   true,
}

// mcpVersion is the newest version of the protocol that is spoken.
const mcpVersion = "2025-11-25"

const sessionHeader = "Mcp-Session-Id"

func answerMCP(c *call) (*answer, *problem) {
	switch c.method {
	case http.MethodDelete:
		return &answer{status: http.StatusNoContent}, nil
	case http.MethodPost:
	default:
		return nil, &problem{status: http.StatusMethodNotAllowed, message: "Method Not Allowed"}
	}
	v, err := decode(c.raw)
	request, ok := v.(object)
	if err != nil || !ok || request.text("jsonrpc") != "2.0" {
		return nil, &problem{status: http.StatusBadRequest, message: "malformed payload: no JSON-RPC request"}
	}
	id := request.get("id")
	if id == nil || request.get("method") == nil {
		return &answer{status: http.StatusAccepted}, nil // a notification, or an answer
	}
	params := request.sub("params")
	a := &answer{}
	reply := object{{"jsonrpc", "2.0"}, {"id", id}}
	switch method := request.text("method"); method {
	case "initialize":
		a.header = http.Header{sessionHeader: {fmt.Sprintf("standin%06d", c.n)}}
		reply = append(reply, field{"result", mcpWelcome(params)})
	case "ping":
		reply = append(reply, field{"result", object{}})
	case "tools/list":
		reply = append(reply, field{"result", object{{"tools", []object{echoTool}}}})
	case "tools/call":
		reply = append(reply, mcpCall(params))
	default:
		reply = append(reply, mcpError(-32601, "method not found: "+strconv.Quote(method)))
	}
	a.body = encode(reply)
	return a, nil
}

func mcpError(code int, message string) field {
	return field{"error", object{{"code", code}, {"message", message}}}
}

// mcpWelcome answers initialize, in the client's version if it is spoken.
func mcpWelcome(params object) object {
	version := mcpVersion
	switch wanted := params.text("protocolVersion"); wanted {
	case "2025-06-18", "2025-03-26":
		version = wanted
	}
	return object{
		{"protocolVersion", version},
		{"capabilities", object{{"tools", object{}}}},
		{"serverInfo", object{{"name", "promptecho stand-in"}, {"version", "1"}}},
	}
}

var echoTool = object{
	{"name", "echo"},
	{"description", "Says the text again."},
	{"inputSchema", object{
		{"type", "object"},
		{"properties", object{{"text", object{{"type", "string"}, {"description", "what to say"}}}}},
		{"required", []any{"text"}},
	}},
}

func mcpCall(params object) field {
	if name := params.text("name"); name != "echo" {
		return mcpError(-32602, "unknown tool "+strconv.Quote(name))
	}
	text, ok := params.sub("arguments").get("text").(string)
	if !ok {
		return field{"result", object{
			{"content", []object{{{"type", "text"}, {"text", "echo needs a text"}}}}, {"isError", true},
		}}
	}
	return field{"result", object{{"content", []object{{{"type", "text"}, {"text", "[stand-in] " + text}}}}}}
}
