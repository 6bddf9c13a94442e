package interaction

import (
	"bytes"
	"slices"
)

// Difference returns where two interactions differ in what a cassette holds, or "".
// Nil and empty are the same, MatchKey, Text and Line do not count, nor do trailing
// delays that say nothing.
func (it *Interaction) Difference(o *Interaction) string {
	p, q, r, s := &it.Request, &o.Request, &it.Response, &o.Response
	for _, f := range []struct {
		name string
		same bool
	}{
		{"kind", it.Kind == o.Kind},
		{"boundary", it.Boundary == o.Boundary},
		{"function", p.Function == q.Function},
		{"within", p.Within == q.Within},
		{"name", p.Name == q.Name},
		{"request.method", p.Method == q.Method},
		{"request.url", p.URL == q.URL},
		{"request.headers", sameHeaders(p.Headers, q.Headers)},
		{"request.unknown_headers", p.UnknownHeaders == q.UnknownHeaders},
		{"request.body", bytes.Equal(p.Body, q.Body)},
		{"response.status", r.Status == s.Status},
		{"response.status_line", r.Line == s.Line},
		{"response.proto", r.Proto == s.Proto},
		{"response.transfer", r.Transfer == s.Transfer},
		{"response.headers", sameHeaders(r.Headers, s.Headers)},
		{"response.trailers", sameHeaders(r.Trailers, s.Trailers)},
		{"response.body", bytes.Equal(r.Body, s.Body)},
		{"response.stream", r.Stream == s.Stream},
		{"response.events", slices.EqualFunc(r.Events, s.Events, func(a, b Event) bool { return slices.Equal(a, b) })},
		{"response.chunks", slices.Equal(r.Chunks, s.Chunks)},
		{"response.delays_ms", slices.Equal(TrimDelays(r.Delays), TrimDelays(s.Delays))},
		{"response.end", r.End == s.End},
		{"response.error", r.Error == s.Error},
		{"response.error_is", slices.Equal(r.ErrorIs, s.ErrorIs)},
		{"usage", it.Usage == nil && o.Usage == nil || it.Usage != nil && o.Usage != nil && *it.Usage == *o.Usage},
		{"latency_ms", it.LatencyMS == o.LatencyMS},
		{"concurrent", it.Concurrent.String() == o.Concurrent.String()},
		{"again", it.Again == o.Again},
		{"accepted", it.Accepted == o.Accepted},
	} {
		if !f.same {
			return f.name
		}
	}
	return ""
}

func sameHeaders(a, b Headers) bool {
	return slices.EqualFunc(a, b, func(a, b Header) bool {
		return a.Name == b.Name && slices.Equal(a.Values, b.Values)
	})
}

// TrimDelays drops zero delays from the end.
func TrimDelays(ds []Delay) []Delay {
	for len(ds) > 0 && ds[len(ds)-1] == (Delay{}) {
		ds = ds[:len(ds)-1]
	}
	return ds
}
