package canon

import (
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
)

// Selects reports whether a selector selects a request with this [Form.Name]. A
// selector is one of:
//
//	tool/search                    a kind of calls and a name
//	tool, tool/*                   all names of a kind
//	*/search                       a name, whatever the kind
//	openai.chat                    an endpoint of a model: a name of the kind llm
//	api.example.com:8443           a server; see [urls.Server]
//	https://api.example.com
func Selects(selector, name string) bool {
	if fieldpath.MatchSegments(selector, name) || "llm/"+selector == name {
		return true
	}
	origin, isHTTP := strings.CutPrefix(name, "http/")
	if !isHTTP {
		return false
	}
	// "tool/search" names a tool, and not the path /search of a server "tool".
	isForOtherKind := hasKind(selector) && !strings.HasPrefix(selector, "http/")
	if isForOtherKind {
		return false
	}
	server, err := urls.ParseServer(selector)
	return err == nil && server.NamesOrigin(origin)
}

// hasKind reports whether a selector begins with a kind of calls, or with "*"
// in its place.
func hasKind(selector string) bool {
	kind, _, _ := strings.Cut(selector, "/")
	return kind == "*" || slices.Contains(interaction.Kinds, kind)
}

// CheckSelector returns an error if a selector can select no request.
func CheckSelector(selector string) error {
	_, name, hasName := strings.Cut(selector, "/")
	isPlainName := name != "" && !strings.Contains(name, "*")
	isServer := strings.HasPrefix(selector, "http/")
	isValidName := !hasName || name == "*" || isPlainName && !isServer
	if hasKind(selector) && isValidName {
		return nil
	}
	if server, err := urls.ParseServer(selector); err == nil {
		if server.Path == "" {
			return nil
		}
		return fmt.Errorf("%q selects nothing: a selector names a server, and not a path of it",
			selector)
	}
	return fmt.Errorf("%q selects nothing: a selector is a kind (%s), or a kind, a slash and a "+
		"name, as in the report of a miss and in the output of promptecho show "+
		"(\"llm/openai.chat\", \"http/api.example.com\", \"tool/search\"); "+
		"\"*\" stands for any kind or name",
		selector, strings.Join(interaction.Kinds, ", "))
}

// Selectors select the requests that one of them selects; see [Selects].
type Selectors []string

// Select reports whether one of the selectors names a request.
func (s Selectors) Select(name string) bool {
	return slices.ContainsFunc(s, func(selector string) bool { return Selects(selector, name) })
}
