package promptecho

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/answer"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
)

// A MissError says that a request was not recorded, and why the nearest
// recording was not used.
type MissError struct {
	File string // the cassette
	Line int    // where the nearest recording starts in it; 0 if there is none
	// Call is what selectors call it: "llm/anthropic.messages", "http/api.example.com",
	// "tool/search".
	Call    string
	Request string // method and path, if the server is not a known model API: "GET /v1/models"; else empty
	Model   string // empty if the request names none
	// Caller is the line of the user's code, and after " < " the line of the test that called it:
	// "agent.go:10 < agent_test.go:20". For another process, it is its User-Agent and the address that
	// it called. It is empty if nothing was found.
	Caller string
	Asked  string // the beginning of the last message or input, quoted; empty if there is none
	Count  int    // how often the request was asked, retries included
	Reason string // in one line
	Change string // the first field that differs, both values cut to one line; may be empty
	Diff   string // the fields that differ from the nearest recording; several lines, may be empty
	Hint   string // the option, as code, that would make the request match; empty if there is none
}

// Error returns the report in several lines: where the nearest recording is,
// what was asked by whom, and each differing field with both values.
func (e *MissError) Error() string { return (*report.Miss)(e).Error() }

// MissHeader is a header of the answer to a request that is not recorded: a program that must tell
// a miss from a provider's answer can look for it. A recorder looks for it in answers of
// another recorder, too. Its value has no meaning. The status of such an answer is 418, and its
// body is JSON as the providers' errors are.
const MissHeader = "X-Promptecho-Miss"

// A refusedError says why a request was not sent.
type refusedError string

func (e refusedError) Error() string { return "promptecho: " + string(e) }

// RetryableError reports false: asking again cannot help. The AWS SDK looks for this method.
func (e refusedError) RetryableError() bool { return false }

// refusal returns the answer to a request that is not sent. Every SDK can print it and
// none retries it, while a transport error would be retried for seconds. No application
// acts on its status.
// Its reason phrase is for those that print that and not the body. The text stands once in the
// body, where the SDK looks for it: some print all of the body.
func refusal(req *http.Request, short, text string) *http.Response {
	text = redact.Printable(text)
	const kind = "promptecho_miss"
	said := any(map[string]any{"type": "error", "error": map[string]string{"type": kind, "code": kind, "message": text}})
	switch path := req.URL.Path; {
	case req.Header.Get("X-Amz-Date") != "" || strings.Contains(req.URL.Hostname(), "bedrock"): // AWS
		said = map[string]string{"__type": kind, "message": text}
	case req.Header.Get("X-Goog-Api-Client") != "" || req.Header.Get("X-Goog-Api-Key") != "" || strings.Contains(path, "/models/"): // Google
		said = map[string]any{"error": map[string]any{"code": http.StatusTeapot, "status": strings.ToUpper(kind), "message": text}}
	case strings.Contains(req.URL.Hostname(), "mistral"): // whose clients want all of these
		said = map[string]any{"object": "error", "type": kind, "param": nil, "code": kind, "message": text}
	case slices.Contains(ollama, path):
		said = map[string]string{"error": text}
	}
	body, _ := json.Marshal(said) // strings always marshal
	resp := answer.Whole(req, http.StatusTeapot, http.Header{
		"Content-Type":   {"application/json"},
		"X-Should-Retry": {"false"},
		MissHeader:       {"not recorded"},
	}, body)
	resp.Status = "418 " + phrase(redact.Printable(short))
	return resp
}

// ollama has the paths of Ollama at which its clients ask for answers: they take an error that is
// a text.
var ollama = []string{"/api/chat", "/api/generate", "/api/embed", "/api/embeddings", "/api/show", "/api/tags"}

// phrase returns the beginning of a text as a reason phrase (RFC 9112, section 4), which
// is printable ASCII.
func phrase(text string) string {
	const most = 200
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
	if len(text) > most {
		text = text[:most] + "..."
	}
	return text
}
