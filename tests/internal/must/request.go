package must

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
)

// ChatURL is where OpenAI's chat completions are asked for.
const ChatURL = "https://api.openai.com/v1/chat/completions"

// ChatBody returns the body of a chat completion with one message of the user.
func ChatBody(text string) string {
	return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}]}`, text)
}

// Ask asks a server for a chat completion, and returns the status and the body of the answer.
func Ask(t testing.TB, r *promptecho.Recorder, base, text string) (status int, body string) {
	t.Helper()
	return Post(t, r, base+"/v1/chat/completions", ChatBody(text))
}

// WantMiss asks a server for a chat completion, which must not be recorded.
func WantMiss(t testing.TB, r *promptecho.Recorder, base, text string) {
	t.Helper()
	if status, body := Ask(t, r, base, text); status != http.StatusTeapot {
		t.Fatalf("%q is not a miss: status %d: %s", text, status, body)
	}
}

// Post posts a body as JSON, and returns the status and the body of the answer. The headers
// are pairs of name and value.
func Post(t testing.TB, r *promptecho.Recorder, url, body string, headers ...string) (status int, answer string) {
	t.Helper()
	return PostIn(t, t.Context(), r, url, body, headers...)
}

// PostIn is Post with a context.
func PostIn(
	t testing.TB, ctx context.Context, r *promptecho.Recorder, url, body string, headers ...string,
) (status int, answer string) {
	t.Helper()
	req := NewRequest(t, ctx, "POST", url, body)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := r.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, Body(t, resp)
}

// Get returns the body of the answer to a GET request.
func Get(t testing.TB, r *promptecho.Recorder, url string) string {
	t.Helper()
	resp, err := r.Client().Get(url)
	if err != nil {
		t.Fatal(err)
	}
	return Body(t, resp)
}

// Body reads the body of an answer to its end, and closes it.
func Body(t testing.TB, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Complete asks ChatURL for a chat completion. It returns an error instead of ending the test,
// for requests that are canceled.
func Complete(ctx context.Context, c *http.Client, text string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, "POST", ChatURL, strings.NewReader(ChatBody(text)))
	if err != nil {
		return nil, err
	}
	return c.Do(req)
}

// Send is Complete for a caller that closes the body of the answer without reading it.
func Send(ctx context.Context, r *promptecho.Recorder, text string) (status int, err error) {
	resp, err := Complete(ctx, r.Client(), text)
	if err != nil {
		return 0, err
	}
	resp.Body.Close()
	return resp.StatusCode, nil
}

// ReadToEnd reads a body to its end. It returns what ended it, nil for io.EOF.
func ReadToEnd(b io.ReadCloser) error {
	_, err := io.Copy(io.Discard, b)
	return err
}

// A Request is what a test asks with POST.
type Request struct {
	URL, Body string
	Headers   []string // pairs of name and value
}

// Chat returns a request for a chat completion. Its body has the further members, each after a
// comma.
func Chat(members string) Request {
	return Request{URL: ChatURL, Body: `{"model":"m","messages":[{"role":"user","content":"hi"}]` + members + `}`}
}

// RPC returns a call of a JSON-RPC server, with these members beside the version.
func RPC(url, members string) Request {
	return Request{URL: url, Body: `{"jsonrpc":"2.0",` + members + `}`}
}

// Ask sends the request, and returns the body of the answer, or a text with its status if that
// is not 200.
func (req Request) Ask(t testing.TB, r *promptecho.Recorder) string {
	t.Helper()
	status, body := Post(t, r, req.URL, req.Body, req.Headers...)
	if status != http.StatusOK {
		return fmt.Sprintf("status %d: %s", status, body)
	}
	return body
}
