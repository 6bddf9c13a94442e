package fakeprovider

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// anthropic is the vendor of the Anthropic endpoints.
var anthropic = &vendor{
	speaks: func(r *http.Request) bool {
		return r.Header.Get("Anthropic-Version") != "" || r.Header.Get("X-Api-Key") != "" ||
			strings.Contains(r.URL.Path, "/v1/messages/")
	},
	key: func(h http.Header) string {
		if key, ok := bearer(h); ok {
			return key
		}
		return h.Get("X-Api-Key")
	},
	keyless: Problem{
		Status:  http.StatusUnauthorized,
		Kind:    "authentication_error",
		Message: "x-api-key header is required",
	},
	badJSON: func(err error) Problem {
		why := "expected an object"
		if err != nil {
			why = err.Error()
		}
		return invalidMessages("The request body is not valid JSON: " + why)
	},
	headers: anthropicHeaders,
	refuse:  refuseAnthropic,
}

func invalidMessages(message string) Problem {
	return Problem{Status: http.StatusBadRequest, Kind: "invalid_request_error", Message: message}
}

func anthropicHeaders(c *call, h http.Header, status int) {
	h.Set("Request-Id", anthropicRequest(c))
	h.Set("Anthropic-Organization-Id", "standin0-0000-4000-8000-000000000000")
	h.Set("X-Robots-Tag", "none")
	cookie := "_cfuvid=standin%06d; path=/; HttpOnly; Secure; SameSite=None"
	h.Set("Set-Cookie", fmt.Sprintf(cookie, c.n))
	if status != http.StatusOK {
		retry := status == http.StatusRequestTimeout || status == http.StatusConflict ||
			status == http.StatusTooManyRequests || status >= 500
		h.Set("X-Should-Retry", strconv.FormatBool(retry))
		return
	}
	reset := c.created().Format(time.RFC3339)
	for _, l := range []struct {
		name  string
		limit int
		used  int
	}{
		{"Requests", 4000, c.n},
		{"Input-Tokens", 4000000, len(c.raw) / 4},
		{"Output-Tokens", 800000, 0},
		{"Tokens", 4800000, len(c.raw) / 4},
	} {
		prefix := "Anthropic-Ratelimit-" + l.name
		h.Set(prefix+"-Limit", strconv.Itoa(l.limit))
		h.Set(prefix+"-Remaining", strconv.Itoa(max(0, l.limit-l.used)))
		h.Set(prefix+"-Reset", reset)
	}
}

func anthropicRequest(c *call) string { return fmt.Sprintf("req_standin%06d", c.n) }

func refuseAnthropic(c *call, _ http.Header, p Problem) []byte {
	return encode(anthropicError(c, p))
}

// anthropicError is the body of an error, and the data of one in a stream.
func anthropicError(c *call, p Problem) object {
	if p.Status == 0 {
		p.Status = cmp.Or(anthropicStatuses[p.Kind], http.StatusInternalServerError)
	}
	kind, message := anthropicProblem(p.Status)
	return object{
		{"type", "error"},
		{"error", object{
			{"type", cmp.Or(p.Kind, kind)}, {"message", cmp.Or(p.Message, message)},
		}},
		{"request_id", anthropicRequest(c)},
	}
}

// anthropicStatuses are the statuses of the kinds of errors
// (https://platform.claude.com/docs/en/api/errors).
var anthropicStatuses = map[string]int{
	"invalid_request_error": http.StatusBadRequest,
	"authentication_error":  http.StatusUnauthorized,
	"billing_error":         http.StatusPaymentRequired,
	"permission_error":      http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"rate_limit_error":      http.StatusTooManyRequests,
	"api_error":             http.StatusInternalServerError,
	"timeout_error":         http.StatusGatewayTimeout,
	"overloaded_error":      529,
}

// anthropicProblem is what is said with a status if nothing else is.
func anthropicProblem(status int) (kind, message string) {
	switch {
	case status == http.StatusNotFound:
		return "not_found_error", "Not found"
	case status == http.StatusMethodNotAllowed:
		return "invalid_request_error", "Method Not Allowed"
	case status == http.StatusUnauthorized:
		return "authentication_error", "invalid x-api-key (stand-in, on demand)"
	case status == http.StatusForbidden:
		return "permission_error", "Request not allowed (stand-in, on demand)"
	case status == http.StatusRequestEntityTooLarge:
		return "request_too_large", "Request exceeds the maximum size (stand-in, on demand)"
	case status == http.StatusTooManyRequests:
		return "rate_limit_error", "This request would exceed your rate limit (stand-in, on demand)"
	case status == 529:
		return "overloaded_error", "Overloaded (stand-in, on demand)"
	case status >= 500:
		return "api_error", "Internal server error (stand-in, on demand)"
	}
	return "invalid_request_error", fmt.Sprintf("Refused with status %d (stand-in, on demand)", status)
}
