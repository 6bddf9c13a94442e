package exchange

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// now is what SDKs take from the headers of an answer as the time to wait, before they try
// again after a failure or ask again how far something is: no time, or the shortest. A recorded
// one is replaced for whoever asks. One is added for SDKs that say who they are; others see
// what was recorded. Each has the code that reads it.
var now = []struct {
	header, value string
	by, says      string // the SDK's own header and what is in it; none if a recorded one is replaced
	always        bool   // added to all answers, and not only to failures
}{
	// RFC 9110, section 10.2.3. Read by parseRetryAfterHeader in internal/requestconfig/requestconfig.go
	// of openai-go v3.96.0, anthropic-sdk-go v1.84.0 and others made by Stainless.
	{header: "Retry-After", value: "0"},
	{header: "Retry-After", value: "0", by: "X-Stainless-Lang"},

	// Read by the same function before Retry-After, and by getRetryDelayInMs in retry.go of
	// fantasy v0.30.0, which retries for these SDKs. To that, and to the Python and Node SDKs of the
	// family (_calculate_retry_timeout, retryRequest), 0 is none.
	{header: "Retry-After-Ms", value: "1"},
	{header: "Retry-After-Ms", value: "1", by: "X-Stainless-Lang"},

	// Read by adjustForRetryAfterHeader in aws/retry/middleware.go of aws-sdk-go-v2 v1.47.8 if
	// AWS_NEW_RETRIES_2026 is set. That never waits less than its own time; see Resends.
	{header: "X-Amz-Retry-After", value: "0"},

	// Read by RetryAfter in internal/shared/shared.go of azcore v1.24.0, for retries and
	// pollers, before Retry-After. 0 is none.
	{header: "X-Ms-Retry-After-Ms", value: "1"},
	{header: "X-Ms-Retry-After-Ms", value: "1", by: "User-Agent", says: "azsdk-go-", always: true},

	// Read by getPollInterval in polling.go of openai-go v3.96.0. 0 is none, which is a second.
	{header: "Openai-Poll-After-Ms", value: "1"},
	{header: "Openai-Poll-After-Ms", value: "1", by: "X-Stainless-Poll-Helper", always: true},
}

// GoesOn reports whether the recording goes on after an answer to a request: whether it has another
// request of this method to the same URL. If it does not, the client did not wait to the end, and
// must not ask in replay.
type GoesOn func(method string, req *http.Request) bool

// SayNow makes the headers of an answer to a request say that nobody need wait. failed says
// that the answer is a failure after which clients try again. again tells whether this one asked again:
// if it did not, it may have been stopped while it waited, and must not ask in replay.
func SayNow(req *http.Request, h http.Header, failed bool, again func() bool) {
	for _, n := range now {
		by := req.Header.Get(n.by)
		if (n.by == "" && h[n.header] != nil || by != "" && strings.Contains(by, n.says) && (failed || n.always)) && again() {
			h.Set(n.header, n.value)
		}
	}
}

// atOnce makes an answer say that nobody need wait, in its headers and its body; ends are those
// of the pieces of that, and it returns what becomes of them. Memory may be shared with other
// replays: nothing is changed in place.
func atOnce(req *http.Request, h http.Header, resp *interaction.Response, ends []int, again func() bool, goesOn GoesOn) []int {
	failed := resp.Passing() || h.Get("X-Should-Retry") == "true"
	SayNow(req, h, failed, func() bool { return again() || resp.Status < 300 && isFollowed(req, h, goesOn) })
	switch {
	case failed && ends == nil && req.Header.Get("X-Goog-Api-Client") != "" && again():
		resp.Body = retryInfo().ReplaceAll(resp.Body, []byte("${1}0s"))
	case !strings.HasPrefix(h.Get("Content-Type"), "text/event-stream"):
	case bytes.Contains(resp.Body, []byte("retry:")) && goesOn(http.MethodGet, req):
		resp.Body = reconnection().ReplaceAllFunc(resp.Body, func(field []byte) []byte {
			name, digits, _ := bytes.Cut(field, []byte(":")) // as many bytes as before, so that the events end where they did
			return slices.Concat(name, []byte(":"), bytes.Repeat([]byte("0"), len(digits)-1), []byte("1"))
		})
	case isMCP(req) && goesOn(http.MethodGet, req):
		const field = "retry: 1\n"
		resp.Body, ends = append([]byte(field), resp.Body...), slices.Clone(ends)
		for i := range ends {
			ends[i] += len(field)
		}
	}
	return ends
}

// isMCP reports whether a client of the Model Context Protocol asks, once it has begun
// (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports).
func isMCP(req *http.Request) bool {
	return req.Header.Get("Mcp-Protocol-Version") != "" || req.Header.Get(sessionHeader) != ""
}

// followed are the headers with the URL at which clients ask how far something is: pollerhelpers in azcore's
// internal/pollers, and RFC 9110, section 15.3.3.
var followed = [...]string{"Operation-Location", "Azure-Asyncoperation", "Location"}

// isFollowed reports whether a client asks how far something is that it has begun. If no header says where
// it asks, it does.
func isFollowed(req *http.Request, h http.Header, goesOn GoesOn) bool {
	isNamed := false
	for _, name := range followed {
		url, err := req.URL.Parse(h.Get(name))
		if h.Get(name) == "" || err != nil {
			continue
		}
		isNamed = true
		if goesOn(http.MethodGet, &http.Request{URL: url, Host: url.Host, Header: req.Header}) {
			return true
		}
	}
	return !isNamed && req.Method != http.MethodGet
}

// retryInfo is the delay in the details of an error of Google's (google.rpc.RetryInfo).
var retryInfo = memo.Regexp(`("retryDelay"\s*:\s*")[0-9.]+s`)

// reconnection is the time that an event gives to wait before its client connects again. The
// shortest is a millisecond, since 0 is none to MCP's go-sdk v1.8.0 (connectSSE in
// mcp/streamable.go). MCP's clients wait a second where no event gives a time, and so the first
// one does.
var reconnection = memo.Regexp(`(?:^|[\r\n])retry: *[0-9]+`)

// waiting are the SDKs whose retries wait for their own time, whatever an answer says, by what
// their User-Agent has. With each stands the code that waits.
var waiting = [...]string{
	"google-genai-sdk/",               // retryDelay in common.go of genai v1.77.0
	"aws-sdk-go-v2/",                  // BackoffDelay in aws/retry/jitter_backoff.go of v1.47.8
	"github.com/cohere-ai/cohere-go/", // retryDelay in internal/retrier.go of v2.15.3
}

// Resends tells which requests such an SDK sends again by itself. The zero value is ready for
// use. Its methods may be called concurrently.
type Resends struct{ sent sync.Map } // by the URL, which all attempts of a call share

// IsAgain reports whether a request is sent again by such an SDK.
func (s *Resends) IsAgain(req *http.Request) bool {
	if !slices.ContainsFunc(waiting[:], func(sdk string) bool { return strings.Contains(req.UserAgent(), sdk) }) {
		return false
	}
	if attempt, _, _ := strings.Cut(req.Header.Get("Amz-Sdk-Request"), ";"); attempt != "" {
		return attempt != "attempt=1"
	}
	_, again := s.sent.LoadOrStore(req.URL, true)
	return again
}
