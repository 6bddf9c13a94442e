package echofault

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/canon"
)

// A Fault is something that goes wrong with a request or its answer.
// [FailFirst], [Slow], [Cut] and [Garble] make one, and [New] puts it into
// effect. A Fault does not change, so several transports can have it; each of
// them counts for itself. New refuses the zero Fault.
//
// The selectors of a fault name the requests that it may strike, as a cassette
// does:
//
//	llm/openai.chat         an endpoint of a known model API
//	llm                     all known model APIs
//	http/api.example.com    another server, with the port if that is not the usual one
//	http/*                  "*" stands for either part
type Fault struct {
	code      string   // the call that made it, for messages
	err       error    // an invalid argument of that call
	times     int      // how many requests it strikes
	selectors []string // of requests; without any, it selects all requests

	strike strikeFunc
}

// A strikeFunc answers a request with a fault, and calls h.done or h.spare. send sends the
// request to the next transport.
type strikeFunc func(h *hit, req *http.Request, send sendFunc) (*http.Response, error)

type sendFunc func() (*http.Response, error)

// newFault returns a fault without strike. what and args are the call that made it.
func newFault(times int, selectors []string, what string, args ...any) Fault {
	var list []string
	for _, a := range args {
		list = append(list, fmt.Sprint(a))
	}
	for _, s := range selectors {
		list = append(list, fmt.Sprintf("%q", s))
	}
	f := Fault{times: times, selectors: selectors, code: what + "(" + strings.Join(list, ", ") + ")"}
	for _, s := range selectors {
		f.err = cmp.Or(f.err, canon.CheckSelector(s))
	}
	return f
}

// check returns an error if the fault is not valid.
func (f *Fault) check() error {
	switch {
	case f.code == "":
		return errors.New("echofault: this Fault is empty: make it with FailFirst, Slow, Cut or Garble")
	case f.err != nil:
		return fmt.Errorf("echofault: %s: %w", f.code, f.err)
	}
	return nil
}

// selects reports whether the fault selects the requests of a name.
func (f *Fault) selects(name string) bool {
	selects := func(selector string) bool { return canon.Selects(selector, name) }
	return len(f.selectors) == 0 || slices.ContainsFunc(f.selectors, selects)
}

// A tally is a fault in a transport, and what it has done there.
type tally struct {
	Fault

	mu     sync.Mutex     // guards what follows; no other lock is taken under it
	taken  int            // requests that it has struck or may strike
	struck map[string]int // requests that it has struck, by name
	spared string         // why it could not strike the last request that it has spared
}

// A hit is a fault and the request that it may strike.
type hit struct {
	*tally
	name     string // of the request
	number   int    // which of the requests of the fault it is, from 1
	recorded bool   // a recorder may record the answer to the request
	over     bool   // the fault has struck or spared the request; tally.mu guards it
}

// take returns the hit for a request of this name, or nil if the fault does not apply.
func (f *tally) take(name string) *hit {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.taken == f.times || !f.selects(name) {
		return nil
	}
	f.taken++
	return &hit{tally: f, name: name, number: f.taken}
}

// done notes that the fault struck the request.
func (h *hit) done() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.over {
		h.over = true
		h.struck[h.name]++
	}
}

// spare notes why the fault could not strike the request. It will strike another one. If
// it has struck already, spare does nothing.
func (h *hit) spare(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.over {
		h.over = true
		h.taken--
		h.spared = fmt.Sprintf(format, args...)
	}
}
