package recorder

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// A request whose recording was canceled, and that nobody cancels, ends with an
// error that has the line, long before the test would time out.
func TestNoLongerCanceled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	open := func(mode Mode, upstream http.RoundTripper) *Recorder {
		t.Helper()
		r, err := Open(file, func(c *Config) {
			c.InMode(mode)
			c.Upstream(upstream)
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	post := func(ctx context.Context, r *Recorder) error {
		body := strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"x"}]}`)
		req, err := http.NewRequestWithContext(ctx, "POST", "http://h/v1/chat/completions", body)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.RoundTrip(req)
		return err
	}

	ctx, cancel := context.WithCancel(t.Context())
	recording := open(ModeAll, roundTripFunc(func(req *http.Request) (*http.Response, error) {
		cancel()
		<-req.Context().Done()
		return nil, req.Context().Err()
	}))
	if err := post(ctx, recording); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if problems := recording.Close(); len(problems) > 0 {
		t.Fatal(problems)
	}

	replay := open(ModeNone, nil)
	replay.player.CancelWait = 1
	err := post(t.Context(), replay)
	text := strings.Join(replay.Close(), "\n")
	if err == nil || !strings.Contains(err.Error(), "this time the caller has not canceled it") {
		t.Errorf("the caller got %v", err)
	}
	for _, want := range []string{
		file + ":4: when this was recorded, its caller canceled it",
		"caller: play_test.go:",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nwant %s", text, want)
		}
	}
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
