package echofault

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/report"
)

// A Transport is an [http.RoundTripper] with faults. [New] makes one; the zero
// Transport cannot be used. All methods may be called concurrently. It starts
// no goroutines.
//
// If it sends its requests directly to the recorder, the cassette has the whole
// answer, also where [Cut] or [Garble] damages it. The transport reads such an
// answer to its end. A session (a WebSocket) is recorded as far as Cut lets it
// go, since it goes on only while its client does. A request whose body is sent
// while its response streams, as to Bedrock's Nova Sonic, meets no fault.
//
// If the test was recorded without faults, a program that retries after Cut or
// Garble needs the recording twice: see
// [github.com/promptecho/promptecho.AllowRepeats].
type Transport struct {
	next      http.RoundTripper
	recording bool // next leads to a recorder whose run may record
	faults    []*tally

	mu    sync.Mutex     // guards what follows; no other lock is taken under it
	asked map[string]int // requests by name
}

// New returns a transport that sends requests to next, usually a recorder, with
// these faults. A request meets one fault at most: the first one that selects it
// and is not used up. So this list fails the first request, and cuts the answer
// to the second one:
//
//	faulty := echofault.New(t, rec, echofault.FailFirst(1, 500), echofault.Cut(3))
//
// For a slow answer that is also cut, put one transport in front of another.
//
// When the test ends, New's cleanup logs what each fault struck, and fails the
// test if one never struck. It does not fail a test that failed, was skipped,
// or of which -run or -skip filtered parts away. If there is no transport, or a
// fault has an argument it cannot have, New ends the test with t.Fatal.
func New(t testing.TB, next http.RoundTripper, faults ...Fault) *Transport {
	t.Helper()
	if next == nil {
		t.Fatal("echofault: New: the transport is nil: pass the recorder")
	}
	tr := &Transport{next: next, asked: map[string]int{}}
	switch below := next.(type) {
	case *Transport:
		tr.recording = below.recording
	case interface{ Online() bool }: // a recorder
		tr.recording = below.Online()
	}
	for _, f := range faults {
		if err := f.check(); err != nil {
			t.Fatal(err)
		}
		tr.faults = append(tr.faults, &tally{Fault: f, struck: map[string]int{}})
	}
	t.Cleanup(func() {
		t.Helper()
		tr.judge(t)
	})
	return tr
}

// Client returns an [http.Client] that goes through the transport.
func (t *Transport) Client() *http.Client { return &http.Client{Transport: t} }

// RoundTrip answers a request with a fault, or sends it on. It does not change the
// request, other than reading and closing its body.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL == nil {
		return t.next.RoundTrip(req) // which says what is wrong
	}
	if exchange.IsTwoWay(req) {
		return t.next.RoundTrip(req)
	}
	var body request.Body
	if err := body.Read(req, request.ReadOptions{Whole: true, MaySend: true}); err != nil {
		return nil, fmt.Errorf("echofault: reading the request: %w", err)
	}
	if ctx := req.Context(); ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	send := func() (*http.Response, error) {
		out, err := body.Clone(req)
		if err != nil {
			return nil, err
		}
		resp, err := t.next.RoundTrip(out)
		if resp != nil {
			resp.Request = req
		}
		return resp, err
	}
	h := t.meet(nameOf(req, body.Kept(true)))
	if h == nil {
		return send()
	}
	return h.strike(h, req, send)
}

// nameOf returns what selectors call a request.
func nameOf(req *http.Request, body []byte) string {
	u := request.URL(req)
	return new(canon.Options).Form(&interaction.Request{
		Method:  cmp.Or(req.Method, http.MethodGet),
		URL:     u.String(),
		Headers: interaction.HeadersOf(req.Header),
		Body:    body,
	}).Name()
}

// meet returns the fault that a request of this name meets, or nil if it meets none.
func (t *Transport) meet(name string) *hit {
	t.mu.Lock()
	t.asked[name]++
	t.mu.Unlock()
	for _, f := range t.faults {
		if h := f.take(name); h != nil {
			h.recorded = t.recording
			return h
		}
	}
	return nil
}

// judge logs which faults have struck, and fails the test for the others.
func (t *Transport) judge(tb testing.TB) {
	tb.Helper()
	t.mu.Lock()
	defer t.mu.Unlock()
	whole := !tb.Failed() && !tb.Skipped() && !report.Filtered(tb.Name())
	for _, f := range t.faults {
		why := f.neverStruck(t.asked)
		switch {
		case why == "":
			tb.Logf("echofault: %s struck %s", f.code, counted(f.struck))
		case whole:
			tb.Errorf("echofault: %s never struck: %s", f.code, why)
		default:
			tb.Logf("echofault: %s never struck: %s", f.code, why)
		}
	}
}

// neverStruck returns why the fault never struck, or "" if it did. asked has the requests
// by name.
func (f *tally) neverStruck(asked map[string]int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	selected := slices.ContainsFunc(slices.Collect(maps.Keys(asked)), f.selects)
	switch {
	case len(f.struck) > 0:
		return ""
	case f.spared != "":
		return f.spared
	case f.taken > 0:
		return "the client did not read the answer that far"
	case len(asked) == 0:
		return "no request came"
	case !selected:
		return "it selects none of the requests, which were " + counted(asked)
	}
	return "earlier faults struck every request that it selects"
}

// counted lists names: "llm/openai.chat (2), http/127.0.0.1:80 (1)".
func counted(names map[string]int) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list = append(list, fmt.Sprintf("%s (%d)", name, names[name]))
	}
	return strings.Join(list, ", ")
}
