package redact

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/nethttp/coding"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// signingParameters returns the names in lower case of the parameters of a query that sign it: none
// if it is not signed.
func signingParameters(pairs []string) []string {
	var names []string
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, strings.ToLower(coding.UnescapeQuery(name)))
	}
	isMissing := func(name string) bool { return !slices.Contains(names, name) }
	for _, s := range schemes {
		if has := strings.Fields(s.has); !slices.ContainsFunc(has, isMissing) {
			return append(has, strings.Fields(s.names)...)
		}
	}
	return nil
}

// isSigningParameter reports whether a leaf is a parameter that signs a URL. In a request, that
// is not only the signature itself: a URL that is signed again for the same picture is the
// same. In an answer everything but the signature stays.
func (f *finder) isSigningParameter(l *carrier.Leaf) bool {
	if l.In != carrier.Query && l.In != carrier.Form {
		return false
	}
	name := strings.ToLower(l.Name)
	isWanted := !f.scope.isResponse || name == "sig" || strings.HasSuffix(name, "signature")
	if !isWanted || !signingNames()[name] || l.Text == "" || isRedacted(l.Text) || isTypedPlaceholder(l.Text) {
		return false
	}
	if len(l.Members) == 0 {
		return false
	}
	if f.lastQuery != &l.Members[0] {
		var pairs []string
		for _, m := range l.Members {
			pairs = append(pairs, m.Name)
		}
		f.lastQuery, f.signingParams = &l.Members[0], signingParameters(pairs)
	}
	return slices.Contains(f.signingParams, name)
}
