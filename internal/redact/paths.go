package redact

import (
	"bytes"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// secretPaths are where secrets stand in JSON: the names that lead to one, the last ones
// of a path, "*" for any one name or index. They are the fields of model APIs that carry
// a secret for somebody else's server.
var secretPaths = [][]string{
	{"mcp_servers", "*", "authorization_token"},                // Anthropic, MCP connector
	{"tools", "*", "authorization"},                            // OpenAI, Responses' MCP tool
	{"tools", "*", "headers", "*"},                             // the same; and vendors' HTTP tools
	{"mcp_servers", "*", "headers", "*"},                       // xAI, Mistral
	{"data_sources", "*", "parameters", "authentication", "*"}, // Azure OpenAI, on your data
	{"dataSources", "*", "parameters", "authentication", "*"},  // its older spelling
	{"parameters", "embedding_dependency", "authentication", "*"},
	{"client_secret", "value"},                     // OpenAI, realtime sessions
	{"apiAuth", "apiKeyConfig", "apiKeyString"},    // Vertex AI, external grounding
	{"authConfig", "apiKeyConfig", "apiKeyString"}, // Gemini, Google Maps and others
	{"pushNotificationConfig", "token"},            // A2A, where an agent is to tell of a task
	{"taskPushNotificationConfig", "token"},
	{"config", "token"},
	{"params", "token"},
	{"authentication", "credentials"},
}

// pathParts are the ends of names of which every secret path has one; nearly no body does. Most
// begin with a byte that is rare, since these are found faster.
var pathParts = strings.Fields(`uthorization_token" uthorization" "headers" uthentication" _secret" KeyString"
	NotificationConfig`)

// harmlessNames are members of an object in whose other members secrets stand.
var harmlessNames = strings.Fields("type managed_identity_resource_id content-type accept user-agent")

// redactPaths returns JSON text with the secrets at known paths replaced, and what the
// user names. It works on the text, so that everything else keeps its bytes, and stops at
// what is not JSON. There may be one value, or one a line.
func (p *Policy) redactPaths(b []byte, in side) []byte {
	var paths [][]string
	for _, s := range in.services {
		if bytes.Contains(b, []byte(s.mark)) {
			paths = append(paths, s.places...)
		}
	}
	if len(p.Names) == 0 && paths == nil && !mayHavePath(b) {
		return b
	}
	hide := p.learning(in)
	return editScalars(b, func(path []string, kind exactjson.Kind, value string) string {
		if isHidden([]byte(value)) {
			return value
		}
		return p.valueAt(path, kind, value, paths, hide)
	})
}

func mayHavePath(b []byte) bool {
	return slices.ContainsFunc(pathParts, func(part string) bool { return bytes.Contains(b, []byte(part)) })
}

// valueAt returns what is written for a value at a path. A number that the user named
// stays one. Values of headers that need not be secret become a hash: two requests that
// differ in one are not the same.
func (p *Policy) valueAt(path []string, kind exactjson.Kind, value string, also [][]string, hide hider) string {
	last := path[len(path)-1]
	switch {
	case p.isNamed(last) && kind == exactjson.Number:
		return "0"
	case p.isNamed(last) && kind == exactjson.String:
		return Placeholder
	case kind != exactjson.String:
		return value
	}
	isHere := func(ends []string) bool { return endsIn(path, ends) }
	i := slices.IndexFunc(secretPaths, isHere)
	isSame := func(name string) bool { return strings.EqualFold(last, name) }
	switch {
	case i < 0 && slices.ContainsFunc(also, isHere) && !slices.ContainsFunc(harmlessNames, isSame):
		return hide([]byte(value))
	case i < 0:
		return value
	case secretPaths[i][len(secretPaths[i])-1] != "*", isSecret(last), isSame("connection_string"):
		return hide([]byte(value))
	case slices.ContainsFunc(harmlessNames, isSame):
		return value
	}
	return hashed(value)
}

// endsIn reports whether the last names of a path are these.
func endsIn(path, names []string) bool {
	isSame := func(name, wanted string) bool { return wanted == "*" || wanted == name }
	skip := len(path) - len(names)
	return skip >= 0 && slices.EqualFunc(path[skip:], names, isSame)
}
