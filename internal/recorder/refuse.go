// What the program gets in place of a response that is not recorded.

package recorder

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/answer"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// MissHeader is the header that marks a refusal; see promptecho.MissHeader.
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

// refuse answers a request that is not sent because of err.
func (r *Recorder) refuse(req *http.Request, err error) (*http.Response, error) {
	err = r.told(r.nameOf(req), err)
	if refused := refusedError(""); errors.As(err, &refused) {
		return refusal(req, err.Error(), err.Error()), nil
	}
	return nil, err
}

// nameOf returns what a request asks, for messages.
func (r *Recorder) nameOf(req *http.Request) string {
	return cmp.Or(req.Method, http.MethodGet) + " " + r.redact.Message(req.URL.Redacted())
}

// tooLate returns the error of a request or call that came after the recorder was closed. A
// cleanup is told on standard error as well: SDKs hide the body of the answer, and the report of
// the test is written.
func (r *Recorder) tooLate(what string) error {
	if !stack.Current().Cleanup {
		return refusedError(fmt.Sprintf("%s: %s came after the recorder was closed: "+
			"work that the test started was still running; wait for it before the test ends", r.file, what))
	}
	text := fmt.Sprintf("%s: %s came after the recorder was closed: it is sent by a cleanup "+
		"that was registered before the recorder was made, and cleanups run in reverse order; "+
		"make the recorder first, or register the cleanup after it", r.file, what)
	fmt.Fprintf(os.Stderr, "promptecho: %s\n", redact.Printable(text))
	return refusedError(text)
}

// told returns an error in the words for who asked for what. If that came after Close,
// nobody else can be told.
func (r *Recorder) told(what string, err error) error {
	switch refused := refusedError(""); {
	case errors.As(err, &refused):
		return err
	case errors.Is(err, tape.ErrClosed), errors.Is(err, answer.ErrClosed):
		return r.tooLate(what)
	}
	return fmt.Errorf("promptecho: %w", err)
}

// failHere fails the run because of what the goroutine that calls it asked.
func (r *Recorder) failHere(text string) {
	if line := stack.Caller(); line != "" {
		text += "\n  caller: " + line
	}
	r.log.Error(errors.New(text))
}
