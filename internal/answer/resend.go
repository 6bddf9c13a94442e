package answer

import (
	"net/http"
	"slices"
	"strings"
	"sync"
)

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
