package promptecho

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// A MissError says that a request was not recorded, and why the nearest
// recording was not used.
type MissError struct {
	File     string // the cassette
	Line     int    // where the nearest recording starts in it; 0 if there is none
	Endpoint string // what was asked: "anthropic.messages", "GET /v1/models"
	Model    string // empty if the request names none
	Caller   string // "file.go:line" of the user's code; empty if not found
	Count    int    // how often the request was asked, retries included
	Reason   string // in one line
	Diff     string // the fields that differ from the nearest recording; several lines, may be empty
	Hint     string // the option, as code, that would make the request match; empty if none can be told

	unrecordable bool // recording again cannot help
}

// Error returns the report in several lines: where the nearest recording is,
// what was asked by whom, and each differing field with both values.
func (e *MissError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.at(), e.Reason)
	fmt.Fprintf(&b, "\n  asked:  %s", e.asked())
	if e.Caller != "" {
		fmt.Fprintf(&b, "\n  caller: %s", e.Caller)
	}
	if e.Diff != "" {
		fmt.Fprintf(&b, "\n%s", strings.TrimRight(e.Diff, "\n"))
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "\n  if that decides no answer: %s", e.Hint)
	}
	return redact.Printable(b.String())
}

// at returns where the nearest recording is.
func (e *MissError) at() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	return e.File
}

// brief returns the miss in a line, without the reason if that is known.
func (e *MissError) brief(known string) string {
	s := e.asked()
	if e.Caller != "" {
		s += ", " + e.Caller
	}
	if e.Reason != known {
		s = e.at() + ": " + e.Reason + " (" + s + ")"
	}
	return s
}

// asked returns what was asked, in a line.
func (e *MissError) asked() string {
	s := e.Endpoint
	if e.Model != "" {
		s += ", model " + e.Model
	}
	if e.Count > 1 {
		s += fmt.Sprintf(", %d times", e.Count)
	}
	return s
}

// RetryableError reports false: asking again cannot help. The AWS SDK looks
// for this method.
func (e *MissError) RetryableError() bool { return false }

// maxEdits is how many differing fields a report lists.
const maxEdits = 12

// miss keeps a miss, once per form, and returns the answer to it.
func (r *Recorder) miss(req *http.Request, clean *interaction.Request, form *canon.Form) *http.Response {
	m, candidates, slots := r.noteMiss(form)
	if asksForSocket(req) {
		r.mu.Lock()
		m.Reason, m.Line, m.unrecordable = socketReason, 0, true
		r.mu.Unlock()
	} else if candidates != nil {
		// The comparison can take a while and needs no lock: forms do not change.
		for i, s := range slots {
			candidates[i].Form = s.form()
		}
		found, near := r.explain(clean, form, candidates, slots)
		r.mu.Lock()
		m.Line, m.Reason, m.Diff, m.Hint = found.Line, found.Reason, found.Diff, found.Hint
		if near != nil {
			near.near = true
		}
		r.mu.Unlock()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return missResponse(req, m)
}

// asksForSocket reports whether a request opens a WebSocket (RFC 6455, section 4.1).
func asksForSocket(req *http.Request) bool {
	return strings.EqualFold(req.Header.Get("Upgrade"), "websocket")
}

const socketReason = "it opens a WebSocket, and what passes through one is not recorded: ask over HTTP, or give this connection a client without the recorder"

// noteMiss counts a miss. The candidates for the nearest recording, whose forms
// have to be filled in, are nil if the miss is known already.
func (r *Recorder) noteMiss(form *canon.Form) (*MissError, []diff.Candidate, []*slot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := r.tape.queues.get(keyOf(form))
	if m := r.missed[form.Key()]; m != nil {
		m.Count++
		r.exhausted(m, q)
		return m, nil, nil
	}
	m := &MissError{File: r.file, Endpoint: form.Endpoint, Model: form.Model, Caller: caller(), Count: 1, Reason: "not recorded"}
	if r.missed == nil {
		r.missed = map[string]*MissError{}
	}
	r.missed[form.Key()] = m
	r.misses = append(r.misses, m)
	if q != nil {
		r.exhausted(m, q)
		return m, nil, nil
	}
	candidates := make([]diff.Candidate, 0, len(r.tape.slots))
	slots := make([]*slot, 0, len(r.tape.slots))
	for _, s := range r.tape.slots {
		if !s.fresh {
			candidates = append(candidates, diff.Candidate{Used: s.used || s.near})
			slots = append(slots, s)
		}
	}
	return m, candidates, slots
}

// exhausted says that a request has no recording left; q is nil if it never
// had one.
func (r *Recorder) exhausted(m *MissError, q *queue) {
	if q == nil {
		return
	}
	recorded := len(q.canceled)
	for range q.all {
		recorded++
	}
	m.Count = q.asked
	last := q.last
	if last == nil {
		last = q.canceled[len(q.canceled)-1]
	}
	m.Line = last.line()
	m.Reason = fmt.Sprintf("asked more often than recorded: %s, recorded %s (AllowRepeats replays the last again)", times(q.asked), times(recorded))
	if i := slices.IndexFunc(r.contests, func(c *contest) bool { return c.given == nil && c.lent.key == last.key }); i >= 0 {
		words, _ := r.contests[i].inWhat()
		m.Line = r.contests[i].lent.line()
		m.Reason = fmt.Sprintf("the recording of this very request was played before, for one that differs in %s and is not recorded", words)
	}
}

// missHeader marks the answer to a request that is not recorded, so that no other
// recorder records it.
const missHeader = "X-Promptecho-Miss"

// missResponse is the answer to a request that is not recorded.
func missResponse(req *http.Request, m *MissError) *http.Response {
	return refusal(req, fmt.Sprintf("promptecho: not recorded: %s: %s", strings.TrimSpace(m.Endpoint+" "+m.Model), m.Reason))
}

// refuse answers a request that is not sent because of err. Of a missing key Close says
// so, too, if the client swallows the answer; what comes after Close nobody can be told.
func (r *Recorder) refuse(req *http.Request, err error) (*http.Response, error) {
	var late *lateError
	var missing *secretError
	switch {
	case errors.As(err, &missing):
		r.mu.Lock()
		defer r.mu.Unlock()
		if text := strings.TrimPrefix(err.Error(), "promptecho: "); !slices.Contains(r.refused, text) {
			r.refused = append(r.refused, text)
		}
	case !errors.As(err, &late):
		return nil, err
	}
	return refusal(req, err.Error()), nil
}

// refusal is the answer to a request that is not sent: one that every SDK can print and
// none retries. A transport error would be retried for seconds; the status is one that
// no application acts on.
func refusal(req *http.Request, text string) *http.Response {
	text = redact.Printable(text)
	body, err := json.Marshal(map[string]any{
		"type":    "error",
		"message": text,
		"error":   map[string]any{"type": "promptecho_miss", "code": "promptecho_miss", "message": text},
	})
	if err != nil {
		body = []byte(`{"message":"promptecho: not recorded"}`) // unreachable: strings marshal
	}
	return &http.Response{
		StatusCode: http.StatusTeapot,
		Status:     "418 I'm a teapot",
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{
			"Content-Type":   {"application/json"},
			"X-Should-Retry": {"false"},
			missHeader:       {"not recorded"},
		},
		Body:          io.NopCloser(strings.NewReader(string(body))),
		ContentLength: int64(len(body)),
		Request:       req,
	}
}

// A lateError is the answer to a request after the recorder was closed.
type lateError struct{ file, method, url string }

func (e *lateError) Error() string {
	return fmt.Sprintf("promptecho: %s: %s %s came after the recorder was closed: work that the test had started raced with its end; wait for it before the test ends", e.file, e.method, e.url)
}
func (e *lateError) RetryableError() bool { return false }

// tooLate returns the error of a request that came after the recorder was closed, or that
// was not answered when it was.
func (r *Recorder) tooLate(method, url string) error {
	return &lateError{r.file, method, r.redact.Message(url)}
}

// A secretError refuses to go upstream without a key.
type secretError struct {
	file, env string
	mode      chosen
}

func (e *secretError) Error() string {
	return fmt.Sprintf("promptecho: %s: %s goes upstream, but the environment variable %s is empty: set it, or replay with PROMPTECHO_MODE=none", e.file, e.mode, e.env)
}
