package interaction

import (
	"bytes"
	"slices"
)

// Difference returns the name of the first field in which two interactions differ, or "". It
// compares what a cassette stores. MatchKey, Text and Line are not compared, nor are zero delays
// at the end. Nil and empty are the same.
func (it *Interaction) Difference(other *Interaction) string {
	req, resp := &it.Request, &it.Response
	otherReq, otherResp := &other.Request, &other.Response
	for _, field := range []struct {
		name string
		same bool
	}{
		{"kind", it.Kind == other.Kind},
		{"boundary", it.Boundary == other.Boundary},
		{"function", req.Function == otherReq.Function},
		{"within", req.Within == otherReq.Within},
		{"name", req.Name == otherReq.Name},
		{"request.method", req.Method == otherReq.Method},
		{"request.url", req.URL == otherReq.URL},
		{"request.headers", sameHeaders(req.Headers, otherReq.Headers)},
		{"request.unknown_headers", req.UnknownHeaders == otherReq.UnknownHeaders},
		{"request.body", bytes.Equal(req.Body, otherReq.Body)},
		{"response.status", resp.Status == otherResp.Status},
		{"response.status_line", resp.Line == otherResp.Line},
		{"response.proto", resp.Proto == otherResp.Proto},
		{"response.transfer", resp.Transfer == otherResp.Transfer},
		{"response.headers", sameHeaders(resp.Headers, otherResp.Headers)},
		{"response.trailers", sameHeaders(resp.Trailers, otherResp.Trailers)},
		{"response.body", bytes.Equal(resp.Body, otherResp.Body)},
		{"response.stream", resp.Stream == otherResp.Stream},
		{"response.events", slices.EqualFunc(resp.Events, otherResp.Events, slices.Equal[Event])},
		{"response.chunks", slices.Equal(resp.Chunks, otherResp.Chunks)},
		{"response.delays_ms", slices.Equal(TrimDelays(resp.Delays), TrimDelays(otherResp.Delays))},
		{"response.end", resp.End == otherResp.End},
		{"response.error", resp.Error == otherResp.Error},
		{"response.error_is", slices.Equal(resp.ErrorIs, otherResp.ErrorIs)},
		{"usage", sameUsage(it.Usage, other.Usage)},
		{"latency_ms", it.LatencyMS == other.LatencyMS},
		{"concurrent", it.Concurrent.String() == other.Concurrent.String()},
		{"again", it.Again == other.Again},
		{"accepted", it.Accepted == other.Accepted},
		{"fake", it.Fake == other.Fake},
		{"recorded", it.Recorded == other.Recorded},
	} {
		if !field.same {
			return field.name
		}
	}
	return ""
}

// SameExceptDate reports whether two interactions differ at most in the day on which they were
// recorded.
func (it *Interaction) SameExceptDate(other *Interaction) bool {
	onSameDay := *other
	onSameDay.Recorded = it.Recorded
	return it.Difference(&onSameDay) == ""
}

func sameUsage(a, b *Usage) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func sameHeaders(a, b Headers) bool {
	return slices.EqualFunc(a, b, func(a, b Header) bool {
		return a.Name == b.Name && slices.Equal(a.Values, b.Values)
	})
}

// TrimDelays returns the delays without the zero delays at the end.
func TrimDelays(delays []Delay) []Delay {
	for len(delays) > 0 && delays[len(delays)-1] == (Delay{}) {
		delays = delays[:len(delays)-1]
	}
	return delays
}
