package sessions_test

import (
	"net/http"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/socket"
)

// A session is one of the requests of the program: the one that opens it. If a fake answers, the
// recording is marked.
func TestSessionIsOneRequest(t *testing.T) {
	t.Parallel()
	server := &socket.Server{
		Header: http.Header{"X-Promptecho-Provider": {"fake"}},
		Serve: func(end *socket.End) {
			defer end.Close()
			m, err := end.Receive()
			if err == nil {
				_ = end.Send(m)
			}
		},
	}
	file := newCassette(t)
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(server))
		end, header, refusal := socket.Open(t, rec, "https://api.openai.com/v1/realtime?model=m", nil)
		if refusal != "" {
			t.Fatal(refusal)
		}
		_ = end.Send(socket.Text(`{"type":"response.create"}`))
		if _, err := end.Receive(); err != nil {
			t.Errorf("mode %s: %v", mode, err)
		}
		end.Close()

		requests := rec.Requests()
		if len(requests) != 1 || requests[0].Endpoint != "openai.realtime" || requests[0].Model != "m" {
			t.Errorf("mode %s: %d requests: %+v", mode, len(requests), requests)
		}
		if got := header.Get("X-Promptecho-Provider"); got != "" {
			t.Errorf("mode %s: the program gets the header of the fake: %s", mode, got)
		}
		must.Close(t, rec)
	}
	if !must.Load(t, file).Interactions[0].Fake {
		t.Error("the recording is not marked")
	}
}
