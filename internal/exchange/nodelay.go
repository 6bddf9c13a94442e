package exchange

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/memo"
)

// noDelays has the headers from which SDKs read how long to wait before they retry or
// poll, with the value for no delay or the shortest one. Every client gets the value in
// place of a recorded one. An SDK that names itself in its requests gets it also where
// nothing was recorded. Each row names the code that reads the header.
var noDelays = []struct {
	header, value string

	client    string // a header that the SDK sends; "" in a row that replaces a recorded value
	has       string // a part of the value of that header
	onSuccess bool   // for every response, and not only for failures
}{
	// RFC 9110, section 10.2.3. Read by parseRetryAfterHeader in internal/requestconfig/requestconfig.go
	// of openai-go v3.96.0, anthropic-sdk-go v1.84.0 and others made by Stainless.
	{header: "Retry-After", value: "0"},
	{header: "Retry-After", value: "0", client: "X-Stainless-Lang"},

	// Read by the same function before Retry-After, and by getRetryDelayInMs in retry.go of
	// fantasy v0.30.0, which retries for these SDKs. To that, and to the Python and Node SDKs of the
	// family (_calculate_retry_timeout, retryRequest), 0 is none.
	{header: "Retry-After-Ms", value: "1"},
	{header: "Retry-After-Ms", value: "1", client: "X-Stainless-Lang"},

	// Read by adjustForRetryAfterHeader in aws/retry/middleware.go of aws-sdk-go-v2 v1.47.8 if
	// AWS_NEW_RETRIES_2026 is set. The SDK never waits less than its own time; see Retries.
	{header: "X-Amz-Retry-After", value: "0"},

	// Read by RetryAfter in internal/shared/shared.go of azcore v1.24.0, for retries and
	// pollers, before Retry-After. 0 is none.
	{header: "X-Ms-Retry-After-Ms", value: "1"},
	{header: "X-Ms-Retry-After-Ms", value: "1", client: "User-Agent", has: "azsdk-go-", onSuccess: true},

	// Read by getPollInterval in polling.go of openai-go v3.96.0. 0 is none, which is a second.
	{header: "Openai-Poll-After-Ms", value: "1"},
	{header: "Openai-Poll-After-Ms", value: "1", client: "X-Stainless-Poll-Helper", onSuccess: true},
}

// SetNoDelay sets the headers of a response to a request so that the client does not
// wait before it retries or polls. isFailure says that clients retry after the response.
// asksAgain reports whether the recorded client retried or polled: if it did not, it may
// have been stopped while it waited, and a replay must not send a request that it did
// not send. It is called only where a header would change.
func SetNoDelay(req *http.Request, h http.Header, isFailure bool, asksAgain func() bool) {
	for _, row := range noDelays {
		applies := h[row.header] != nil
		if row.client != "" {
			name := req.Header.Get(row.client)
			isClient := name != "" && strings.Contains(name, row.has)
			applies = isClient && (isFailure || row.onSuccess)
		}
		if applies && asksAgain() {
			h.Set(row.header, row.value)
		}
	}
}

// withoutDelays returns a recording whose body tells the client not to wait, and sets
// the headers h of its response so. It leaves rec and its memory as they are: other
// replays share them.
func (p *Player) withoutDelays(req *http.Request, h http.Header, rec *Playable) *Playable {
	isFailure := rec.IsTransientFailure() || h.Get("X-Should-Retry") == "true"
	SetNoDelay(req, h, isFailure, func() bool {
		return rec.IsRetried() || rec.Status < 300 && p.isPolled(req, h)
	})

	fast := *rec
	isGoogle := req.Header.Get("X-Goog-Api-Client") != ""
	isEventStream := strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
	switch {
	case isFailure && isGoogle && rec.Ends == nil && rec.IsRetried():
		fast.Body = retryInfo().ReplaceAll(rec.Body, []byte("${1}0s"))
	case !isEventStream || !p.reconnects(req, rec):
	case bytes.Contains(rec.Body, []byte("retry:")):
		fast.Body = reconnectionTime().ReplaceAllFunc(rec.Body, shortestTime)
	default:
		const field = "retry: 1\n"
		fast.Body = append([]byte(field), rec.Body...)
		fast.Ends = slices.Clone(rec.Ends)
		for i := range fast.Ends {
			fast.Ends[i] += len(field)
		}
	}
	return &fast
}

// reconnects reports whether the recorded client opened its event stream again, after
// a time that the stream gave or that clients of MCP have by default.
func (p *Player) reconnects(req *http.Request, rec *Playable) bool {
	waits := bytes.Contains(rec.Body, []byte("retry:")) || isMCP(req)
	return waits && p.HasLater(http.MethodGet, req)
}

// pollHeaders have the URL at which clients poll: pollerhelpers in azcore's
// internal/pollers, and RFC 9110, section 15.3.3.
var pollHeaders = [...]string{"Operation-Location", "Azure-Asyncoperation", "Location"}

// isPolled reports whether the recorded client polled the operation that a response with
// these headers has started. Where no header names a URL, the body may, so that any
// request but a GET counts as polled.
func (p *Player) isPolled(req *http.Request, h http.Header) bool {
	hasURL := false
	for _, name := range pollHeaders {
		value := h.Get(name)
		url, err := req.URL.Parse(value)
		if value == "" || err != nil {
			continue
		}
		hasURL = true
		poll := &http.Request{URL: url, Host: url.Host, Header: req.Header}
		if p.HasLater(http.MethodGet, poll) {
			return true
		}
	}
	return !hasURL && req.Method != http.MethodGet
}

// retryInfo matches the delay in the details of an error of Google
// (google.rpc.RetryInfo).
var retryInfo = memo.Regexp(`("retryDelay"\s*:\s*")[0-9.]+s`)

// reconnectionTime matches the field of an event stream that says when its client may
// connect again.
var reconnectionTime = memo.Regexp(`(?:^|[\r\n])retry: *[0-9]+`)

// shortestTime returns a field of an event stream with a time of one millisecond: MCP's
// go-sdk v1.8.0 takes 0 for no time, and then waits a second (connectSSE in
// mcp/streamable.go). The field keeps its length, so that all events end where they did.
func shortestTime(field []byte) []byte {
	name, digits, _ := bytes.Cut(field, []byte(":"))
	zeros := bytes.Repeat([]byte("0"), len(digits)-1)
	return slices.Concat(name, []byte(":"), zeros, []byte("1"))
}

// fixedDelaySDKs are the SDKs whose retries wait for a time of their own, whatever a
// response says, by a part of their User-Agent. Each is followed by the code that waits.
var fixedDelaySDKs = [...]string{
	"google-genai-sdk/",               // retryDelay in common.go of genai v1.77.0
	"aws-sdk-go-v2/",                  // BackoffDelay in aws/retry/jitter_backoff.go of v1.47.8
	"github.com/cohere-ai/cohere-go/", // retryDelay in internal/retrier.go of v2.15.3
}

// Retries tells the retries of these SDKs from their first attempts. The zero value is
// ready for use. Its methods may be called concurrently.
type Retries struct {
	sent sync.Map // the URLs of first attempts: all attempts of a call share a *url.URL
}

// IsRetry reports whether a request is a retry of such an SDK. It remembers the
// request.
func (r *Retries) IsRetry(req *http.Request) bool {
	isSDK := func(name string) bool { return strings.Contains(req.UserAgent(), name) }
	if !slices.ContainsFunc(fixedDelaySDKs[:], isSDK) {
		return false
	}
	attempt, _, _ := strings.Cut(req.Header.Get("Amz-Sdk-Request"), ";")
	if attempt != "" {
		return attempt != "attempt=1"
	}
	_, isKnown := r.sent.LoadOrStore(req.URL, true)
	return isKnown
}
