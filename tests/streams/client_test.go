package streams_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// openStream asks a fake provider for a chat completion that is streamed.
func openStream(t testing.TB, ctx context.Context, rec *promptecho.Recorder, base, text string) *http.Response {
	t.Helper()
	body := strings.Replace(must.ChatBody(text), "{", `{"stream":true,`, 1)
	req := must.NewRequest(t, ctx, "POST", base+"/v1/chat/completions", body)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer echo-secret-of-the-stream-tests")
	resp, err := rec.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 {
		b, _ := io.ReadAll(resp.Body)
		t.Fatalf("status %d: %s", resp.StatusCode, b)
	}
	return resp
}

// roundTrip sends a request without a body through a recorder, and does not follow redirects.
func roundTrip(t testing.TB, ctx context.Context, rec *promptecho.Recorder, method, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := rec.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// post posts JSON, and returns an answer whose body is not read.
func post(t testing.TB, rec *promptecho.Recorder, url, body string) *http.Response {
	t.Helper()
	resp, err := rec.Client().Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// readPieces returns what each Read of a body gave, and the error that ended them.
func readPieces(body io.Reader) (pieces []string, err error) {
	p := make([]byte, 64<<10)
	for {
		n, err := body.Read(p)
		if n > 0 {
			pieces = append(pieces, string(p[:n]))
		}
		if err != nil {
			return pieces, err
		}
	}
}

// readEvent reads one server-sent event, and no byte after it.
func readEvent(t testing.TB, body io.Reader) string {
	t.Helper()
	var event bytes.Buffer
	for p := make([]byte, 1); !bytes.HasSuffix(event.Bytes(), []byte("\n\n")); {
		n, err := body.Read(p)
		event.Write(p[:n])
		if err != nil && !bytes.HasSuffix(event.Bytes(), []byte("\n\n")) {
			t.Fatalf("after %q: %v", event.String(), err)
		}
	}
	return event.String()
}

// readOnce reads what is there, and closes the body.
func readOnce(body io.ReadCloser) error {
	_, err := body.Read(make([]byte, 64<<10))
	return errors.Join(err, body.Close())
}

// inPieces is an upstream that answers in pieces, each after a delay.
func inPieces(header http.Header, delay time.Duration, pieces ...string) http.RoundTripper {
	return provider.Func(func(*http.Request) (*http.Response, error) {
		pr, pw := io.Pipe()
		go func() {
			for _, p := range pieces {
				time.Sleep(delay)
				io.WriteString(pw, p)
			}
			pw.Close()
		}()
		return &http.Response{StatusCode: 200, Header: header, Body: pr, ContentLength: -1}, nil
	})
}

// recorded returns the answer of the only interaction of a cassette.
func recorded(t testing.TB, file string) interaction.Response {
	t.Helper()
	interactions := must.Load(t, file).Interactions
	if len(interactions) != 1 {
		t.Fatalf("%d interactions", len(interactions))
	}
	return interactions[0].Response
}
