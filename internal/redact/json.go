package redact

import (
	"bytes"
	"strings"
)

// A place is where a credential stands in JSON: the names that lead to it, the
// last ones of a path, "*" for any one name or index. They are the fields of
// model APIs that carry a credential for somebody else's server.
var places = [][]string{
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
}

// harmlessNames are members of an object in whose other members secrets stand.
var harmlessNames = []string{"type", "managed_identity_resource_id", "content-type", "accept", "user-agent"}

// placed returns JSON text with the credentials in known places replaced. It
// works on the text, so that everything else keeps its bytes, and stops at
// what is not JSON. Values of headers that need not be secret become a hash:
// two requests that differ in one are not the same.
func (p *Policy) placed(b []byte) []byte {
	if !mayPlace(b) && len(p.Names) == 0 {
		return b
	}
	s := scanner{in: b, named: p.named}
	for s.value(0) { // one value, or one a line
	}
	if len(s.spans) == 0 {
		return b
	}
	var out []byte
	at := 0
	for _, span := range s.spans {
		out = append(out, b[at:span.start]...)
		out = append(out, p.placedValue(span.name, string(b[span.start:span.end]))...)
		at = span.end
	}
	return append(out, b[at:]...)
}

// number stands for a number that must not be written: the field keeps its type.
const number = "0"

func (p *Policy) placedValue(name, value string) string {
	if p.named(name) {
		if value[0] == '-' || '0' <= value[0] && value[0] <= '9' {
			return number
		}
		return Placeholder
	}
	if name != "" && !isSecret(name) && !strings.EqualFold(name, "connection_string") {
		return hashed(value)
	}
	return Placeholder
}

// mayPlace reports whether b holds a name of a place: nearly no body does.
func mayPlace(b []byte) bool {
	for _, part := range []string{`"authorization_token"`, `"authorization"`, `"headers"`, `"authentication"`, `"client_secret"`, `"apiKeyString"`} {
		if bytes.Contains(b, []byte(part)) {
			return true
		}
	}
	return false
}

// A span is the inside of a JSON string.
type span struct {
	start, end int
	name       string // of the member, if not its place but its name tells what it is
}

// A scanner walks JSON text and remembers where credentials stand.
type scanner struct {
	in    []byte
	at    int
	path  []string
	named func(name string) bool
	spans []span

	strings func(number, start, end int) // if set, it is called with the inside of every string but names
	number  int
}

// maxDepth is how deep the scanner follows: what is deeper is no field of an API.
const maxDepth = 64

// value passes one value; it reports false where the text is not JSON.
func (s *scanner) value(depth int) bool {
	s.blanks()
	if s.at >= len(s.in) || depth > maxDepth {
		return false
	}
	switch s.in[s.at] {
	case '{':
		return s.members(depth, '}', true)
	case '[':
		return s.members(depth, ']', false)
	case '"':
		start, end, ok := s.text()
		if s.strings != nil {
			s.strings(s.number, start, end)
			s.number++
		} else if ok && end > start {
			if name, placed := s.credential(); placed && !isHidden(s.in[start:end]) {
				s.spans = append(s.spans, span{start, end, name})
			}
		}
		return ok
	}
	start := s.at
	for s.at < len(s.in) && strings.IndexByte("+-.0123456789aeflnrstuE", s.in[s.at]) >= 0 {
		s.at++
	}
	if c := s.in[start]; s.strings == nil && len(s.path) > 0 && strings.IndexByte("-0123456789", c) >= 0 && s.named(s.path[len(s.path)-1]) {
		s.spans = append(s.spans, span{start, s.at, s.path[len(s.path)-1]})
	}
	return s.at > start
}

// members passes an object or a list.
func (s *scanner) members(depth int, end byte, named bool) bool {
	s.at++
	s.blanks()
	if s.at < len(s.in) && s.in[s.at] == end {
		s.at++
		return true
	}
	s.path = append(s.path, "")
	defer func() { s.path = s.path[:len(s.path)-1] }()
	for {
		if named {
			s.blanks()
			start, stop, ok := s.text()
			if s.blanks(); !ok || s.at >= len(s.in) || s.in[s.at] != ':' {
				return false
			}
			s.at++
			s.path[len(s.path)-1] = string(s.in[start:stop])
		}
		if !s.value(depth + 1) {
			return false
		}
		s.blanks()
		if s.at >= len(s.in) {
			return false
		}
		c := s.in[s.at]
		s.at++
		if c == end {
			return true
		}
		if c != ',' {
			return false
		}
	}
}

// text passes a string and returns where its inside is.
func (s *scanner) text() (start, end int, ok bool) {
	if s.at >= len(s.in) || s.in[s.at] != '"' {
		return 0, 0, false
	}
	s.at++
	start = s.at
	for s.at < len(s.in) {
		switch s.in[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return start, s.at - 1, true
		}
		s.at++
	}
	return 0, 0, false
}

func (s *scanner) blanks() {
	for s.at < len(s.in) && strings.IndexByte(" \t\r\n", s.in[s.at]) >= 0 {
		s.at++
	}
}

// credential reports whether the string at the path stands in a known place;
// name is that of a member whose place alone does not make it a secret.
func (s *scanner) credential() (name string, ok bool) {
	if len(s.path) > 0 && s.named(s.path[len(s.path)-1]) {
		return s.path[len(s.path)-1], true
	}
	for _, place := range places {
		if len(place) > len(s.path) {
			continue
		}
		fits := true
		for i, want := range place {
			got := s.path[len(s.path)-len(place)+i]
			fits = fits && (want == "*" || want == got)
		}
		if !fits {
			continue
		}
		if place[len(place)-1] != "*" {
			return "", true
		}
		last := s.path[len(s.path)-1]
		for _, harmless := range harmlessNames {
			if strings.EqualFold(last, harmless) {
				return "", false
			}
		}
		return last, true
	}
	return "", false
}
