package answer

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"
)

// now is what clients take from the headers of an answer as the time to wait, before they try
// again after a failure or ask again how far something is: no time, or the shortest. With each
// header stands the code that reads it.
var now = []struct {
	header, value string
	added         func(req *http.Request, failed bool) bool // nil: only a recorded one is replaced
}{
	// RFC 9110, section 10.2.3. Read by parseRetryAfterHeader in internal/requestconfig/requestconfig.go
	// of openai-go v3.96.0 and anthropic-sdk-go v1.84.0, and by DefaultBackoff of go-retryablehttp.
	{"Retry-After", "0", nil},
	{"Retry-After", "0", func(_ *http.Request, failed bool) bool { return failed }},

	// Read by the same function before Retry-After. In the Python and Node SDKs of that family
	// (_calculate_retry_timeout, retryRequest) 0 is none.
	{"Retry-After-Ms", "0", nil},
	{"Retry-After-Ms", "1", func(req *http.Request, failed bool) bool {
		return failed && req.Header.Get("X-Stainless-Lang") != "" && req.Header.Get("X-Stainless-Lang") != "go"
	}},

	// Read by adjustForRetryAfterHeader in aws/retry/middleware.go of aws-sdk-go-v2 v1.47.8 if
	// AWS_NEW_RETRIES_2026 is set. That never waits less than its own time; see Resends.
	{"X-Amz-Retry-After", "0", nil},

	// Read by RetryAfter in internal/shared/shared.go of azcore v1.24.0, for retries and
	// pollers, before Retry-After. 0 is none.
	{"X-Ms-Retry-After-Ms", "1", nil},
	{"X-Ms-Retry-After-Ms", "1", func(req *http.Request, _ bool) bool { return strings.Contains(req.UserAgent(), "azsdk-go-") }},

	// Read by getPollInterval in polling.go of openai-go v3.96.0. 0 is none, which is a second.
	{"Openai-Poll-After-Ms", "1", nil},
	{"Openai-Poll-After-Ms", "1", func(req *http.Request, _ bool) bool { return req.Header.Get("X-Stainless-Poll-Helper") != "" }},
}

// SayNow makes the headers of an answer to a request say that nobody need wait. failed says
// that the answer is a failure, after which clients try again.
func SayNow(req *http.Request, h http.Header, failed bool) {
	for _, n := range now {
		if n.added == nil && h[n.header] != nil || n.added != nil && n.added(req, failed) {
			h.Set(n.header, n.value)
		}
	}
}

// atOnce makes an answer say that nobody need wait, in its headers and its body.
func atOnce(req *http.Request, h http.Header, rec *Playable) {
	failed := rec.Passing() || h.Get("X-Should-Retry") == "true"
	SayNow(req, h, failed)
	switch {
	case failed && rec.Ends == nil && bytes.Contains(rec.Body, []byte("RetryInfo")):
		rec.Body = retryInfo.ReplaceAll(rec.Body, []byte("${1}0s"))
	case strings.HasPrefix(h.Get("Content-Type"), "text/event-stream"):
		reconnectAtOnce(req, rec)
	}
}

// retryInfo is the delay in the details of an error of Google's (google.rpc.RetryInfo).
var retryInfo = regexp.MustCompile(`("retryDelay":\s*")[0-9.]+s`)

// reconnection is the time that a server-sent event gives to wait before the client connects again.
var reconnection = regexp.MustCompile(`(?:^|[\r\n])retry: *[0-9]+`)

// reconnectAtOnce makes a stream of server-sent events ask for the shortest time before its
// client connects again. That is a millisecond, since 0 is none to MCP's go-sdk v1.8.0
// (connectSSE in mcp/streamable.go). MCP's clients wait a second where no event gives a time,
// and so the first one does. Memory is shared with other replays: nothing is changed in place.
func reconnectAtOnce(req *http.Request, rec *Playable) {
	if bytes.Contains(rec.Body, []byte("retry:")) {
		rec.Body = reconnection.ReplaceAllFunc(rec.Body, func(field []byte) []byte {
			digits := bytes.IndexByte(field, ':') + 1 // as many bytes as before, so that the events end where they did
			return append(append([]byte(nil), field[:digits]...), append(bytes.Repeat([]byte("0"), len(field)-digits-1), '1')...)
		})
	} else if h := req.Header; h.Get("Mcp-Protocol-Version") != "" || h.Get("Mcp-Session-Id") != "" || h.Get("Last-Event-ID") != "" {
		const field = "retry: 1\n"
		rec.Body = append([]byte(field), rec.Body...)
		moved := make([]int, len(rec.Ends))
		for i, end := range rec.Ends {
			moved[i] = end + len(field)
		}
		rec.Ends = moved
	}
}
