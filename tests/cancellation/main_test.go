// How canceled requests, passed deadlines and streams that end early are recorded and replayed. A
// program sees the same in replay as in the recording: it cancels the request again, and gets the
// same error. docs/MATCHING.md and docs/CASSETTE.md (end: canceled) have the rules.
package cancellation_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

func TestMain(m *testing.M) { must.Main(m) }

// canceledAfter returns a context that is canceled after a time.
func canceledAfter(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(d, cancel)
	return ctx
}

// recordCanceled records, in a bubble, the prompt "hi" that is canceled after a minute. Then it
// records the same prompt once for each answer.
func recordCanceled(t *testing.T, file string, answers ...string) {
	t.Helper()
	asked := 0
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		asked++
		if asked == 1 {
			return provider.Hangs(req)
		}
		return provider.Says(answers[asked-2]).RoundTrip(req)
	})
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(upstream))
	if _, err := must.Send(canceledAfter(t, time.Minute), rec, "hi"); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for range answers {
		must.Post(t, rec, must.ChatURL, must.ChatBody("hi"))
	}
	must.Close(t, rec)
}

// hangsOn is a provider that answers each prompt after a second, except for one: it gives no
// answer to that before the request is canceled.
func hangsOn(prompt string) promptecho.Option {
	return promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		if strings.Contains(string(body), prompt) {
			return provider.Hangs(req)
		}
		time.Sleep(time.Second)
		return provider.Says(`"answer"`).RoundTrip(req)
	}))
}
