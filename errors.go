package promptecho

import (
	"encoding/json"
	"net/http"

	"github.com/promptecho/promptecho/internal/answer"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
)

// A MissError says that a request was not recorded, and why the nearest
// recording was not used.
type MissError struct {
	File     string // the cassette
	Line     int    // where the nearest recording starts in it; 0 if there is none
	Endpoint string // what was asked: "anthropic.messages", "GET /v1/models"
	Model    string // empty if the request names none
	Caller   string // "file.go:line" of the user's code, or for another process its User-Agent and what it asked; empty if not found
	Count    int    // how often the request was asked, retries included
	Reason   string // in one line
	Diff     string // the fields that differ from the nearest recording; several lines, may be empty
	Hint     string // the option, as code, that would make the request match; empty if there is none
}

// Error returns the report in several lines: where the nearest recording is,
// what was asked by whom, and each differing field with both values.
func (e *MissError) Error() string { return (*report.Miss)(e).Error() }

// RetryableError reports false: asking again cannot help. The AWS SDK looks
// for this method.
func (e *MissError) RetryableError() bool { return false }

// missHeader marks the answer to a request that is not recorded, so that no other
// recorder records it or compares with it.
const missHeader = "X-Promptecho-Miss"

// A refusedError says why a request was not sent.
type refusedError string

func (e refusedError) Error() string { return "promptecho: " + string(e) }

// RetryableError reports false; see [MissError.RetryableError].
func (e refusedError) RetryableError() bool { return false }

// refusal returns the answer to a request that is not sent. Every SDK can print it and
// none retries it, while a transport error would be retried for seconds. No application
// acts on its status.
func refusal(req *http.Request, text string) *http.Response {
	text = redact.Printable(text)
	body, _ := json.Marshal(map[string]any{ // strings always marshal
		"type":    "error",
		"message": text,
		"error":   map[string]any{"type": "promptecho_miss", "code": "promptecho_miss", "message": text},
	})
	return answer.Whole(req, http.StatusTeapot, http.Header{
		"Content-Type":   {"application/json"},
		"X-Should-Retry": {"false"},
		missHeader:       {"not recorded"},
	}, body)
}
