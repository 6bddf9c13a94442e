package promptecho

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/diff"
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
func (r *Recorder) miss(req *http.Request, clean *cassette.Request, form *canon.Form) *http.Response {
	m, candidates, slots := r.noteMiss(form)
	if candidates != nil {
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

// noteMiss counts a miss. The candidates for the nearest recording, whose forms
// have to be filled in, are nil if the miss is known already.
func (r *Recorder) noteMiss(form *canon.Form) (*MissError, []diff.Candidate, []*slot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := r.tape.queues.get(keyOf(form))
	if m := r.missed[form.Key()]; m != nil {
		m.Count++
		m.exhausted(q)
		return m, nil, nil
	}
	m := &MissError{File: r.file, Endpoint: form.Endpoint, Model: form.Model, Caller: caller(), Count: 1, Reason: "not recorded"}
	if r.missed == nil {
		r.missed = map[string]*MissError{}
	}
	r.missed[form.Key()] = m
	r.misses = append(r.misses, m)
	if q != nil {
		m.exhausted(q)
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
func (e *MissError) exhausted(q *queue) {
	if q == nil {
		return
	}
	recorded := 0
	for s := q.first; s != nil; s = s.next {
		recorded++
	}
	e.Count = q.asked
	e.Line = q.last.line()
	e.Reason = fmt.Sprintf("asked more often than recorded: %s, recorded %s (AllowRepeats replays the last again)", times(q.asked), times(recorded))
}

// missResponse is the answer to a request that is not recorded: one that every
// SDK can print and none retries. A transport error would be retried for
// seconds; the status is one that no application acts on.
func missResponse(req *http.Request, m *MissError) *http.Response {
	text := redact.Printable(fmt.Sprintf("promptecho: not recorded: %s: %s", strings.TrimSpace(m.Endpoint+" "+m.Model), m.Reason))
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
		},
		Body:          io.NopCloser(strings.NewReader(string(body))),
		ContentLength: int64(len(body)),
		Request:       req,
	}
}

// A lateError is the answer to a request after the recorder was closed.
type lateError struct{ file, method, url string }

func (e *lateError) Error() string {
	return fmt.Sprintf("promptecho: %s: %s %s came after the recorder was closed: wait for the work a test started before it ends", e.file, e.method, e.url)
}
func (e *lateError) RetryableError() bool { return false }

// A secretError refuses to go upstream without a key.
type secretError struct {
	file, env string
	mode      chosen
}

func (e *secretError) Error() string {
	return fmt.Sprintf("promptecho: %s: %s goes upstream, but the environment variable %s is empty: set it, or replay with PROMPTECHO_MODE=none", e.file, e.mode, e.env)
}
func (e *secretError) RetryableError() bool { return false }

// A closedError says that a client read past the point where the recorded
// client stopped.
type closedError struct {
	file string
	line int
}

func (e *closedError) Error() string {
	return fmt.Sprintf("promptecho: %s:%d: the recording ends here: its client closed the body before the end; record again to have the rest", e.file, e.line)
}
func (e *closedError) RetryableError() bool { return false }
