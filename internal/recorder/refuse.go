package recorder

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// MissHeader is the header that marks a refusal; see promptecho.MissHeader.
const MissHeader = "X-Promptecho-Miss"

// A refusedError is the error that the program gets for a request that is not sent.
type refusedError struct{ reason *finding.Error }

func (e refusedError) Error() string { return "promptecho: " + e.reason.Error() }

// Finding returns the error for the report.
func (e refusedError) Finding() *finding.Error { return e.reason }

// RetryableError reports false: asking again cannot help. The AWS SDK looks for this method.
func (e refusedError) RetryableError() bool { return false }

// refusedf returns the error of a request that is not sent.
func (r *Recorder) refusedf(code finding.Code, format string, args ...any) refusedError {
	return refusedError{r.errorf(code, format, args...)}
}

// refusal returns the response to a request that is not sent. Every SDK can print
// it and none retries it, while an SDK retries a transport error for seconds. No
// application acts on its status, 418. The reason phrase is for clients that print
// it instead of the body.
func refusal(req *http.Request, short, text string) *http.Response {
	body, _ := json.Marshal(errorBody(req, redact.Printable(text))) // strings always marshal
	resp := exchange.Whole(req, http.StatusTeapot, http.Header{
		"Content-Type":   {"application/json"},
		"X-Should-Retry": {"false"},
		MissHeader:       {"not recorded"},
	}, body)
	resp.Status = "418 " + phrase(redact.Printable(short))
	return resp
}

// A missBody is the body of the answer to a request that is not recorded.
type missBody struct {
	io.ReadCloser
	miss *report.Miss
}

// MissOf returns why a recorder of this process did not answer a request. It returns nil if the
// response is another one.
func MissOf(resp *http.Response) *report.Miss {
	body, isMiss := resp.Body.(missBody)
	if !isMiss {
		return nil
	}
	return body.miss
}

// errorBody returns the body of an error in the format of the provider of a request.
// It has the text once, in the field that the SDK of the provider reads, since some
// SDKs print the whole body.
func errorBody(req *http.Request, text string) any {
	const kind = "promptecho_miss"
	if req.URL.Scheme == interaction.GRPCScheme {
		// google.rpc.Status. No client retries FAILED_PRECONDITION (google/rpc/code.proto).
		return map[string]any{"code": grpcFailedPrecondition, "message": text}
	}
	host := req.URL.Hostname()
	path := req.URL.Path
	header := req.Header

	isAWS := header.Get("X-Amz-Date") != "" || strings.Contains(host, "bedrock")
	if isAWS {
		return map[string]string{"__type": kind, "message": text}
	}

	hasGoogleHeader := header.Get("X-Goog-Api-Client") != "" || header.Get("X-Goog-Api-Key") != ""
	if hasGoogleHeader || strings.Contains(path, "/models/") {
		status := strings.ToUpper(kind)
		return map[string]any{
			"error": map[string]any{"code": http.StatusTeapot, "status": status, "message": text},
		}
	}

	if strings.Contains(host, "mistral") {
		return map[string]any{
			"object": "error", "type": kind, "param": nil, "code": kind, "message": text,
		}
	}
	if slices.Contains(ollama, path) {
		return map[string]string{"error": text}
	}

	// OpenAI, Anthropic, and most others.
	return map[string]any{
		"type":  "error",
		"error": map[string]string{"type": kind, "code": kind, "message": text},
	}
}

// grpcFailedPrecondition is the number of FAILED_PRECONDITION in google/rpc/code.proto.
const grpcFailedPrecondition = 9

// ollama has the paths of Ollama's API, in which an error is a string
// (https://docs.ollama.com/api).
var ollama = []string{
	"/api/chat", "/api/generate", "/api/embed", "/api/embeddings", "/api/show", "/api/tags",
}

// phrase returns the beginning of a text as a reason phrase (RFC 9112, section 4),
// which is printable ASCII.
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
	if errors.As(err, new(refusedError)) {
		return refusal(req, err.Error(), err.Error()), nil
	}
	return nil, err
}

// nameOf returns the method and the URL of a request, for messages.
func (r *Recorder) nameOf(req *http.Request) string {
	return cmp.Or(req.Method, http.MethodGet) + " " + r.redact.Message(req.URL.Redacted())
}

// fail fails the run with an error that the program gets, too, and may swallow.
func (r *Recorder) fail(err refusedError) error {
	r.log.Error(err)
	return err
}

// tooLate returns the error of a request or call that came after the recorder was
// closed. If a cleanup of the test sent it, the error is also written to standard
// error: SDKs hide the body of a response, and the report of the test is already
// written.
func (r *Recorder) tooLate(what string) error {
	if !stack.Current().Cleanup {
		return r.refusedf(finding.TooLate, "%s came after the recorder was closed: "+
			"work that the test started was still running; wait for it before the test ends", what)
	}
	err := r.refusedf(finding.TooLate, "%s came after the recorder was closed: it is sent by a cleanup "+
		"that was registered before the recorder was made, and cleanups run in reverse order; "+
		"make the recorder first, or register the cleanup after it", what)
	fmt.Fprintln(os.Stderr, redact.Printable(err.Error()))
	return err
}

// told returns an error in the form for the program. what is the request or call.
func (r *Recorder) told(what string, err error) error {
	switch {
	case errors.As(err, new(refusedError)):
		return err
	case errors.Is(err, tape.ErrClosed), errors.Is(err, exchange.ErrClosed):
		return r.tooLate(what)
	}
	return fmt.Errorf("promptecho: %w", err)
}

// failHere fails the run because of a request that this goroutine sent.
// ctx is that of the request.
func (r *Recorder) failHere(ctx context.Context, err *finding.Error) {
	caller := cmp.Or(request.ServedBy(ctx).By, stack.Caller())
	if caller != "" {
		err = finding.Errorf(err.Code, err.Place, "%w\n  caller: %s", err.Err, caller)
	}
	r.log.Error(err)
}
