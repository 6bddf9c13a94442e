package fakeprovider

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// harness is a server under test and a client with both vendors' keys.
type harness struct {
	*Server
	t      *testing.T
	client *http.Client
}

func start(t *testing.T) *harness {
	t.Helper()
	tr := &http.Transport{MaxIdleConnsPerHost: 8}
	h := &harness{New(), t, &http.Client{Transport: tr}}
	t.Cleanup(func() {
		h.Close()
		tr.CloseIdleConnections()
	})
	return h
}

// send posts a body; the caller closes the response's.
func (h *harness) send(ctx context.Context, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer sk-test")
	return h.client.Do(req)
}

type result struct {
	*http.Response
	text string
}

// post posts a body and reads the whole answer.
func (h *harness) post(path, body string) result {
	h.t.Helper()
	resp, err := h.send(context.Background(), path, body)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return result{resp, string(data)}
}

// ask posts a body and reads the answer as JSON.
func (h *harness) ask(path, body string) object {
	h.t.Helper()
	r := h.post(path, body)
	if r.StatusCode != http.StatusOK {
		h.t.Fatalf("POST %s: status %d: %s", path, r.StatusCode, r.text)
	}
	return parse(h.t, r.text)
}

func parse(t *testing.T, text string) object {
	t.Helper()
	v, err := decode([]byte(text))
	o, ok := v.(object)
	if err != nil || !ok {
		t.Fatalf("not a JSON object (%v): %s", err, text)
	}
	return o
}

// at walks into a value by member names and list indices.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			o, _ := v.(object)
			v = o.get(p)
		case int:
			list, _ := v.([]any)
			if p >= len(list) {
				return nil
			}
			v = list[p]
		}
	}
	return v
}

// event is a server-sent event, as it stood on the wire.
type event struct {
	name string
	data string
}

func (e event) json(t *testing.T) object { t.Helper(); return parse(t, e.data) }

// nextEvent reads one event; it fails on anything the real ones don't send.
func nextEvent(r *bufio.Reader) (event, error) {
	var e event
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return e, err
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
			return e, nil
		case strings.HasPrefix(line, "event: "):
			e.name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			e.data = line[len("data: "):]
		default:
			return e, io.ErrNoProgress
		}
	}
}

// stream posts a body and reads all events.
func (h *harness) streamed(path, body string) []event {
	h.t.Helper()
	resp, err := h.send(context.Background(), path, body)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	var events []event
	next := frames(resp)
	for {
		e, err := next()
		if err == io.EOF && e == (event{}) {
			return events
		}
		if err != nil {
			h.t.Fatalf("after %d events: %v", len(events), err)
		}
		events = append(events, e)
	}
}

// order is the kinds of events, each run of equal ones as one with a +.
func order(events []event, kind func(event) string) string {
	var out []string
	for _, e := range events {
		k := kind(e)
		if n := len(out); n > 0 && strings.TrimSuffix(out[n-1], "+") == k {
			out[n-1] = k + "+"
			continue
		}
		out = append(out, k)
	}
	return strings.Join(out, " ")
}

// withStream adds the stream flag to a request.
func withStream(body string) string { return `{"stream":true,` + body[1:] }

// quote is a JSON string.
func quote(s string) string { return string(encode(s)) }

var volatile = regexp.MustCompile(`(standin0-0000-4000-8000-|standin-?)\d+|1767\d{6}|2026-01-01T[\d:.]+Z`)

// scrub replaces what counts up in an answer.
func scrub(text string) string { return volatile.ReplaceAllString(text, "$1#") }
