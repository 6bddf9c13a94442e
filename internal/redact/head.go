package redact

import (
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A head is the URL and the headers of a request, before and after redaction.
type head struct {
	url     string
	headers interaction.Headers

	redactedURL     string
	redactedHeaders interaction.Headers

	known int // how many secrets were known when it was redacted
}

// matches reports whether redacting a request gives the redacted head: the request has
// this head, and no secret has become known since.
func (h *head) matches(req *interaction.Request, known int) bool {
	return h.known == known && h.url == req.URL &&
		slices.EqualFunc(h.headers, req.Headers, equalHeaders)
}

func equalHeaders(a, b interaction.Header) bool {
	return a.Name == b.Name && slices.Equal(a.Values, b.Values)
}

// cloneHeaders returns a copy of headers that shares no slice with them.
func cloneHeaders(in interaction.Headers) interaction.Headers {
	out := slices.Clone(in)
	for i := range out {
		out[i].Values = slices.Clone(out[i].Values)
	}
	return out
}
