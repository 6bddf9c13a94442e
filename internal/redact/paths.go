package redact

import (
	"bytes"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// harmlessNames are members of an object in whose other members secrets stand.
var harmlessNames = strings.Fields("type managed_identity_resource_id content-type accept user-agent")

// redactPaths returns JSON text with the secrets at known places replaced, and what the
// user names. It works on the text, so that everything else keeps its bytes, and stops at
// what is not JSON. There may be one value, or one a line.
func (p *Policy) redactPaths(b []byte, in side) []byte {
	var holders []holder
	for _, h := range in.holders {
		if bytes.Contains(b, []byte(h.mark)) {
			holders = append(holders, h)
		}
	}
	if len(p.Names) == 0 && holders == nil {
		return b
	}
	hide := p.learning(in)
	return editScalars(b, func(path []string, kind exactjson.Kind, value string) string {
		last := path[len(path)-1]
		switch {
		case isHidden([]byte(value)):
			return value
		case p.isNamed(last) && kind == exactjson.Number:
			return "0" // it stays one
		case p.isNamed(last) && kind == exactjson.String:
			return Placeholder
		case kind != exactjson.String || slices.ContainsFunc(harmlessNames, func(name string) bool { return strings.EqualFold(name, last) }):
			return value
		}
		for _, h := range holders {
			switch i := slices.IndexFunc(h.places, func(place []string) bool { return endsIn(path, place) }); {
			case i < 0:
			case h.mixed && h.places[i][len(h.places[i])-1] == "*" && !isSecret(last) && !strings.EqualFold(last, "connection_string"):
				return hashed(value) // two requests that differ in one are not the same
			default:
				return hide([]byte(value))
			}
		}
		return value
	})
}

// endsIn reports whether the last names of a path are these.
func endsIn(path, names []string) bool {
	isSame := func(name, wanted string) bool { return wanted == "*" || wanted == name }
	skip := len(path) - len(names)
	return skip >= 0 && slices.EqualFunc(path[skip:], names, isSame)
}
