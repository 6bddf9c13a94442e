package redact

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/nethttp/coding"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// signingParameters returns the names of the parameters that sign a query, in lower case,
// or nil if the query is not signed. A pair may be a name without a value.
func signingParameters(pairs []string) []string {
	var names []string
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, strings.ToLower(coding.UnescapeQuery(name)))
	}
	isMissing := func(name string) bool { return !slices.Contains(names, name) }
	for _, s := range signatureSchemes {
		required := strings.Fields(s.required)
		isSigned := !slices.ContainsFunc(required, isMissing)
		if isSigned {
			return append(required, strings.Fields(s.others)...)
		}
	}
	return nil
}

// isSigningParameter reports whether a leaf is a parameter that signs a URL and that must
// be replaced. In a request, all signing parameters are: a URL that is signed again for
// the same object must match. In a response, only the signature itself is.
func (f *finder) isSigningParameter(l *carrier.Leaf) bool {
	if l.In != carrier.Query && l.In != carrier.Form {
		return false
	}
	name := strings.ToLower(l.Name)
	if !signingNames()[name] {
		return false
	}
	isSignature := name == "sig" || strings.HasSuffix(name, "signature")
	if f.scope.isResponse && !isSignature {
		return false
	}
	if l.Text == "" || isRedacted(l.Text) || isTypedPlaceholder(l.Text) {
		return false
	}
	if len(l.Members) == 0 {
		return false
	}

	if f.lastQuery != &l.Members[0] {
		var names []string
		for _, m := range l.Members {
			names = append(names, m.Name)
		}
		f.lastQuery = &l.Members[0]
		f.signingParams = signingParameters(names)
	}
	return slices.Contains(f.signingParams, name)
}
