package redact

import (
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A head is the URL and the headers of a request, and what became of them when
// they were redacted.
type head struct {
	url     string
	headers interaction.Headers

	redactedURL     string
	redactedHeaders interaction.Headers

	known int // how many secrets were known before it was redacted
}

// matches reports whether a request has this head, and no secret has become known
// since it was redacted: redacting it again would give the same.
func (h *head) matches(req *interaction.Request, known int) bool {
	return h.known == known && h.url == req.URL && slices.EqualFunc(h.headers, req.Headers, equalHeaders)
}

func equalHeaders(a, b interaction.Header) bool {
	return a.Name == b.Name && slices.Equal(a.Values, b.Values)
}

// cloneHeaders returns headers that share no slice with the given ones.
func cloneHeaders(in interaction.Headers) interaction.Headers {
	out := slices.Clone(in)
	for i := range out {
		out[i].Values = slices.Clone(out[i].Values)
	}
	return out
}
