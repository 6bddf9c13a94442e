package canon

import (
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
)

// Selects reports whether a selector names a request, by the [Form.Name] of its form:
//
//	tool/search               the name in full
//	tool, tool/*, */search    a kind, or "*" in place of the kind or of the rest
//	openai.chat               an endpoint without its kind
//	api.example.com:8443, https://api.example.com
//	                          a server; see [urls.Server]
func Selects(selector, name string) bool {
	if fieldpath.MatchSegments(selector, name) || "llm/"+selector == name {
		return true
	}
	origin, isOfServer := strings.CutPrefix(name, "http/")
	if !isOfServer || isOfKind(selector) && !strings.HasPrefix(selector, "http/") {
		return false
	}
	server, err := urls.ParseServer(selector)
	return err == nil && server.NamesOrigin(origin)
}

// isOfKind reports whether a selector begins with a kind of calls, or with "*" in its place.
func isOfKind(selector string) bool {
	kind, _, _ := strings.Cut(selector, "/")
	return kind == "*" || slices.Contains(interaction.Kinds, kind)
}

// CheckSelector returns why a selector of calls can select nothing, or nil.
func CheckSelector(selector string) error {
	_, name, isNamed := strings.Cut(selector, "/")
	isName := name != "" && !strings.Contains(name, "*") && !strings.HasPrefix(selector, "http/")
	if isOfKind(selector) && (!isNamed || name == "*" || isName) {
		return nil
	}
	if server, err := urls.ParseServer(selector); err == nil {
		if server.Path == "" {
			return nil
		}
		return fmt.Errorf("%q selects nothing: a selector names a server, and not a path of it", selector)
	}
	return fmt.Errorf("%q selects nothing: a selector is a kind (%s), or a kind, a slash and a name, "+
		"as in the report of a miss and in the output of promptecho show (\"llm/openai.chat\", "+
		"\"http/api.example.com\", \"tool/search\"); \"*\" stands for any kind or name",
		selector, strings.Join(interaction.Kinds, ", "))
}

// Selectors select what one of them selects; see [Selects].
type Selectors []string

// Select reports whether one of the selectors names a request.
func (s Selectors) Select(name string) bool {
	return slices.ContainsFunc(s, func(selector string) bool { return Selects(selector, name) })
}
