// Permits: under promptecho record, a request waits for its turn among those of all tests.

package recorder

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/quota"
	"github.com/promptecho/promptecho/internal/tape"
)

// acquire waits until a request may be sent, and returns its permit.
func (r *Recorder) acquire(req *http.Request, call quota.Call) (*quota.Permit, error) {
	call.Host = req.URL.Host
	return r.quota.Acquire(req.Context(), call)
}

// callOf returns what the command needs to know of a request with a place on the tape.
func (r *Recorder) callOf(rec *tape.Recording) (call quota.Call) {
	if asksModel(rec.Form()) {
		call.AsksModel = true
		call.Model = rec.Form().Model
	}
	old := r.tape.SucceededBefore(rec)
	if old != nil {
		call.Recorded = old.Head().Usage
	}
	return call
}

// asksModel reports whether a model answers the requests of a form.
func asksModel(form *canon.Form) bool {
	kind, _ := form.Kind()
	return kind == "llm" && form.Model != ""
}

// retried are the statuses with which a server asks for a pause: too many requests, and no capacity.
// 529 is that of Anthropic (https://docs.claude.com/en/api/errors).
var retried = []int{http.StatusTooManyRequests, http.StatusServiceUnavailable, 529}

// headOf returns what the command needs of the header of a response.
func headOf(resp *http.Response) quota.Head {
	head := quota.Head{Status: resp.StatusCode}
	if slices.Contains(retried, resp.StatusCode) {
		head.RetryAfterMS = retryAfter(resp.Header).Milliseconds()
	}
	return head
}

// retryAfter returns the pause that a server asks for, or 0. SDKs read these headers in this order; see
// noDelays in package exchange.
func retryAfter(h http.Header) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		ms, err := strconv.ParseFloat(h.Get(name), 64)
		if err == nil {
			return time.Duration(ms * float64(time.Millisecond))
		}
	}
	text := h.Get("Retry-After")
	seconds, err := strconv.ParseFloat(text, 64)
	if err == nil {
		return time.Duration(seconds * float64(time.Second))
	}
	date, err := http.ParseTime(text)
	if err == nil {
		return time.Until(date)
	}
	return 0
}

// endOf returns how a request ended, for the command. it has the response before it is redacted.
func endOf(form *canon.Form, it *interaction.Interaction, says *said.Answer) quota.End {
	resp := &it.Response
	isSuccess := resp.Status < 400 && resp.End != interaction.EndError && !says.Failed
	end := quota.End{Whole: isSuccess, Exhausted: isExhausted(resp)}
	if !asksModel(form) || resp.Status >= 400 {
		return end
	}
	end.Model = form.Model
	end.Usage = it.Usage
	if end.Usage == nil {
		end.Usage = estimate(&it.Request, resp)
		end.Estimated = true
	}
	return end
}

// bytesPerToken is the mean of English text
// (https://help.openai.com/en/articles/4936856-what-are-tokens-and-how-to-count-them).
const bytesPerToken = 4

// estimate returns the likely usage of an answer that does not report it.
func estimate(req *interaction.Request, resp *interaction.Response) *interaction.Usage {
	out := len(resp.Body)
	if resp.Text != "" {
		out = len(resp.Text) // of a stream, without its frames
	}
	return &interaction.Usage{
		InputTokens:  int64(len(req.Body) / bytesPerToken),
		OutputTokens: int64(out / bytesPerToken),
	}
}

// isExhausted reports whether a server says that the account has no quota left, so that no request of
// the run can succeed: by status 402, or by the code of OpenAI's API
// (https://platform.openai.com/docs/guides/error-codes).
func isExhausted(resp *interaction.Response) bool {
	switch resp.Status {
	case http.StatusPaymentRequired:
		return true
	case http.StatusTooManyRequests:
		return bytes.Contains(resp.Body, []byte(`"insufficient_quota"`))
	}
	return false
}
