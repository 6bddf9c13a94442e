package main

import (
	"iter"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
)

// tokens are token counts, as -json prints them.
type tokens struct {
	InputTokens     int64 `json:"input_tokens"`
	OutputTokens    int64 `json:"output_tokens"`
	CachedTokens    int64 `json:"cached_tokens,omitempty"`    // of the input
	ReasoningTokens int64 `json:"reasoning_tokens,omitempty"` // of the output
}

func (t *tokens) add(o tokens) {
	_, counts := (*interaction.Usage)(t).Fields()
	_, others := (*interaction.Usage)(&o).Fields()
	for i := range counts {
		*counts[i] += *others[i]
	}
}

// tokensOf returns the tokens of some interactions. An answer that is fetched again, by its ID, counts
// once.
func tokensOf(its []*interaction.Interaction) (sum tokens) {
	for it := range withUsage(its) {
		sum.add(tokens(*it.Usage))
	}
	return sum
}

// withUsage yields the interactions that count tokens, but no answer twice.
func withUsage(its []*interaction.Interaction) iter.Seq[*interaction.Interaction] {
	return func(yield func(*interaction.Interaction) bool) {
		for i, it := range its {
			counts := it.Usage != nil && !isRepeated(its[:i], its[i+1:], it)
			if counts && !yield(it) {
				return
			}
		}
	}
}

// isRepeated reports whether an interaction fetches an answer that an earlier interaction has got, or
// that a later one fetches again.
func isRepeated(earlier, later []*interaction.Interaction, it *interaction.Interaction) bool {
	u, err := url.Parse(it.Request.URL)
	// Each WebSocket is opened by a GET, and its messages are answered by a model.
	mayFetch := it.Request.Method == http.MethodGet && !it.Response.IsSession()
	if err != nil || !mayFetch {
		return false
	}
	isSameGet := func(l *interaction.Interaction) bool {
		return l.Usage != nil && l.Request.Method == http.MethodGet && l.Request.URL == it.Request.URL
	}
	if slices.ContainsFunc(later, isSameGet) {
		return true
	}
	id := path.Base(u.Path)
	for _, e := range earlier {
		hasSameUsage := e.Usage != nil && *e.Usage == *it.Usage
		if !hasSameUsage || e.Request.URL == it.Request.URL {
			continue
		}
		for payload := range e.Response.Payloads() {
			if strings.Contains(payload, id) {
				return true
			}
		}
	}
	return false
}
