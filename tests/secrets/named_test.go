package secrets_test

import (
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A secret under its name in a request is in no file, and the recording replays for any secret. This holds for every
// shape, and for the same value without a name in requests before and after.
func TestNamedSecretOfARequestIsNotWritten(t *testing.T) {
	t.Parallel()
	eachNamedSecret(t, func(t *testing.T, s namedSecret) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		runs := []struct {
			mode  promptecho.Mode
			value string
		}{
			{mode: promptecho.ModeAll, value: s.value},
			{mode: promptecho.ModeNone, value: s.value},
			{mode: promptecho.ModeNone, value: "a-dummy"},
		}
		for _, run := range runs {
			body := s.body(run.value)
			answer := provider.Says(`{"said":` + jsonOf(t, body) + `}`)
			r := must.Open(t, file, promptecho.InMode(run.mode), promptecho.Upstream(answer))
			for _, call := range requestsWith(run.value, body, s.shape.media) {
				status, text := call.send(t, r)
				if status != http.StatusOK {
					t.Errorf("mode %s: %s %s: status %d: %s", run.mode, call.method, call.path, status, text)
				}
				if run.mode == promptecho.ModeNone && strings.Contains(text, run.value) {
					t.Errorf("a replayed answer has the secret: %s %s: %s", call.method, call.path, text)
				}
			}
			if run.mode == promptecho.ModeAll {
				if text := must.Read(t, file+must.JournalSuffix); strings.Contains(text, s.value) {
					t.Errorf("the journal has the secret:\n%s", text)
				}
			}
			must.Close(t, r)
		}
		if text := must.Read(t, file); strings.Contains(text, s.value) {
			t.Errorf("the cassette has the secret:\n%s", text)
		}
	})
}

// A sentRequest is a request to http://h.
type sentRequest struct{ method, path, body, media string }

// requestsWith returns a request with a body, which has a secret under its name, between others that have the secret
// without a name.
func requestsWith(secret, body, media string) []sentRequest {
	const inJSON = "application/json"
	return []sentRequest{
		{method: "POST", path: "/before", body: `{"note":"` + secret + `"}`, media: inJSON},
		{method: "GET", path: "/before/" + url.PathEscape(secret) + "/x"},
		{method: "POST", path: "/x", body: body, media: media},
		{method: "POST", path: "/after", body: `{"arguments":"{\"note\":\"` + secret + `\"}"}`, media: inJSON},
		{method: "GET", path: "/after?x=" + url.QueryEscape(secret)},
	}
}

// send sends the request, and returns the answer.
func (s sentRequest) send(t *testing.T, r *promptecho.Recorder) (status int, body string) {
	t.Helper()
	req := must.NewRequest(t, t.Context(), s.method, "http://h"+s.path, s.body)
	req.Header.Set("Content-Type", s.media)
	resp, err := r.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, must.Body(t, resp)
}

// A secret named by an answer or event is in no file, and a program that sends it back replays. It is not even in calls
// before that answer, nor in the request that got it.
func TestNamedSecretOfAnAnswerIsNotWritten(t *testing.T) {
	t.Parallel()
	eachNamedSecret(t, func(t *testing.T, s namedSecret) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(givesSecret(s)))
			received := s.value
			if mode == promptecho.ModeNone {
				received = "[REDACTED]" // or what the program reads from the answer
			}
			calls := []struct{ path, note string }{
				{path: "/before", note: s.value},
				{path: "/give", note: s.value},
				{path: "/after", note: received},
				{path: "/after/" + url.PathEscape(received), note: "x"},
			}
			for _, call := range calls {
				status, text := must.Post(t, r, "http://h"+call.path, `{"note":"`+call.note+`"}`)
				if status != http.StatusOK {
					t.Errorf("mode %s: %s: status %d: %s", mode, call.path, status, text)
				}
				if mode == promptecho.ModeNone && strings.Contains(text, s.value) {
					t.Errorf("a replayed answer has the secret: %s: %s", call.path, text)
				}
			}
			if mode == promptecho.ModeAll {
				text := must.Read(t, file+must.JournalSuffix)
				if strings.Contains(text, s.value) || strings.Count(text, "url:") != len(calls) {
					t.Errorf("want a journal of all calls without the secret:\n%s", text)
				}
			}
			must.Close(t, r)
		}
		if text := must.Read(t, file); strings.Contains(text, s.value) {
			t.Errorf("the cassette has the secret:\n%s", text)
		}
	})
}

// givesSecret is a server whose answers have a secret without its name, and with it at /give. There every other one
// in JSON is in a stream of events.
func givesSecret(s namedSecret) http.RoundTripper {
	return provider.Func(func(req *http.Request) (*http.Response, error) {
		mediaType, text := "application/json", `{"echo":"`+s.value+`"}`
		if req.URL.Path == "/give" {
			mediaType, text = s.shape.media, s.body(s.value)
			isEvent := mediaType == "application/json" && s.number%2 == 1
			if isEvent {
				mediaType = "text/event-stream"
				text = "data: {\"n\":1}\n\nevent: x\ndata: " + text + "\n\n"
			}
		}
		return &http.Response{
			StatusCode:    http.StatusOK,
			Header:        http.Header{"Content-Type": {mediaType}},
			Body:          io.NopCloser(strings.NewReader(text)),
			ContentLength: int64(len(text)),
		}, nil
	})
}
