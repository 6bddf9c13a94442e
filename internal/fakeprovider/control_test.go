package fakeprovider

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestFail(t *testing.T) {
	h := start(t)
	for _, c := range []struct {
		endpoint, status int
		want             string
		retry            string
	}{
		{0, 429, `"code": "rate_limit_exceeded"`, ""},
		{0, 500, `"type": "server_error"`, ""},
		{0, 503, `"type": "service_unavailable_error"`, ""},
		{0, 401, `"code": "invalid_api_key"`, ""},
		{1, 403, `"type": "invalid_request_error"`, ""},
		{2, 404, "Invalid URL", ""},
		{3, 429, `"rate_limit_error"`, "true"},
		{3, 500, `"api_error"`, "true"},
		{3, 529, `"overloaded_error"`, "true"},
		{3, 401, `"authentication_error"`, "false"},
		{3, 403, `"permission_error"`, "false"},
		{3, 413, `"request_too_large"`, "false"},
		{3, 418, `"invalid_request_error"`, "false"},
	} {
		e := endpoints[c.endpoint]
		h.Fail(1, c.status, http.Header{"retry-after": {"7"}})
		r := h.post(e.path, withStream(e.body))
		if r.StatusCode != c.status || !strings.Contains(r.text, c.want) || r.Header.Get("Retry-After") != "7" {
			t.Errorf("%s %d: got %d %v %s", e.name, c.status, r.StatusCode, r.Header, r.text)
		}
		if r.Header.Get("X-Should-Retry") != c.retry || r.ContentLength != int64(len(r.text)) {
			t.Errorf("%s %d: headers %v", e.name, c.status, r.Header)
		}
	}
}

func TestFailQueues(t *testing.T) {
	h := start(t)
	h.Fail(2, 429, nil)
	h.Fail(1, 500, nil)
	var got []int
	for range 4 {
		got = append(got, h.post(chatPath, endpoints[0].body).StatusCode)
	}
	if want := [...]int{429, 429, 500, 200}; [4]int(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if h.Requests() != 4 {
		t.Errorf("%d requests", h.Requests())
	}
}

// follow opens a stream and reports its events as they arrive, then its error.
func (h *harness) follow(ctx context.Context, path, body string) (<-chan event, <-chan error) {
	h.t.Helper()
	resp, err := h.send(ctx, path, body)
	if err != nil {
		h.t.Fatal(err)
	}
	events, end := make(chan event), make(chan error, 1)
	go func() {
		defer resp.Body.Close()
		defer close(events)
		next := frames(resp)
		for {
			e, err := next()
			if err != nil {
				end <- err
				return
			}
			events <- e
		}
	}()
	return events, end
}

func TestHold(t *testing.T) {
	for _, e := range streams() {
		t.Run(e.path, func(t *testing.T) {
			h := start(t)
			total := len(h.streamed(e.path, e.body))
			g := h.Hold()
			events, end := h.follow(context.Background(), e.path, e.body)
			<-events // the first comes by itself
			for range total - 2 {
				select {
				case e := <-events:
					t.Fatalf("%v came without a step", e)
				default:
				}
				g.Step()
				<-events
			}
			g.Open()
			g.Open()
			if _, ok := <-events; !ok {
				t.Fatal("no last event")
			}
			if err := <-end; err != io.EOF {
				t.Fatalf("ended with %v", err)
			}
			if n := len(h.streamed(e.path, e.body)); n != total {
				t.Errorf("an open gate let %d of %d events go", n, total)
			}
		})
	}
}

func TestHoldTwoStreams(t *testing.T) {
	h := start(t)
	g := h.Hold()
	a, _ := h.follow(context.Background(), chatPath, withStream(endpoints[0].body))
	b, _ := h.follow(context.Background(), messagesPath, withStream(endpoints[3].body))
	<-a
	<-b
	g.Step()
	select { // one step, one event, of either
	case <-a:
	case <-b:
	}
	g.Open()
	for range a {
	}
	for range b {
	}
	h.Wait()
}

func TestClientGoesAway(t *testing.T) {
	h := start(t)
	h.Hold()
	ctx, cancel := context.WithCancel(context.Background())
	events, end := h.follow(ctx, responsesPath, withStream(endpoints[1].body))
	<-events
	cancel()
	if err := <-end; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	h.Wait() // returns only if the handler ended although nothing was stepped
}

func TestCut(t *testing.T) {
	h := start(t)
	for _, e := range streams() {
		all := len(h.streamed(e.path, e.body))
		for _, n := range []int{0, 1, 3, all} {
			h.Cut(n)
			h.post(embeddingsPath, endpoints[2].body) // plain answers are not cut
			events, end := h.follow(context.Background(), e.path, e.body)
			got := 0
			for range events {
				got++
			}
			if err := <-end; got != n || err != io.ErrUnexpectedEOF {
				t.Errorf("%s cut at %d: %d events, %v", e.name, n, got, err)
			}
		}
		if n := len(h.streamed(e.path, e.body)); n != all {
			t.Errorf("%s: %d events after the cut streams", e.name, n)
		}
	}
}

func TestDelay(t *testing.T) {
	h := start(t)
	h.Delay(time.Millisecond)
	for _, e := range streams() {
		began := time.Now()
		events := h.streamed(e.path, e.body)
		if took, least := time.Since(began), time.Duration(len(events)-1)*time.Millisecond; took < least {
			t.Errorf("%s: %d events in %v", e.path, len(events), took)
		}
	}
	h.Delay(time.Hour)
	ctx, cancel := context.WithCancel(context.Background())
	got, end := h.follow(ctx, chatPath, withStream(endpoints[0].body))
	<-got
	cancel()
	<-end
	h.Wait()
	got, end = h.follow(context.Background(), chatPath, withStream(endpoints[0].body))
	<-got
	h.Close()
	if err := <-end; err == io.EOF {
		t.Error("Close let a delayed stream end well")
	}
}
