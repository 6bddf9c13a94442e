package report

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// A Run describes a run to those who read its report.
type Run struct {
	File string // the cassette, as the user named it
	Path string // the same, absolute

	Mode   string // the record mode: "once"
	ModeBy string // who chose it: "the default"
	AtMost string // the record mode that the code allows at most; "" if it sets none

	Exists       bool // there was a cassette when the run began
	Pinned       bool // it says that it must not be recorded again
	CheckUnused  bool // a recording that answers nothing is an error
	AllowUnused  bool // unless the user allows it,
	AllowRaced   bool // or allows it for those that raced with others
	MayAskNone   bool // a run without any request is fine if there is no cassette
	KeepFailures bool // recorded failures are what the test is about

	Rules *canon.Options // how requests are matched; nil if they are not
}

// mode names the record mode and who chose it.
func (r *Run) mode() string { return fmt.Sprintf("mode %s (%s)", r.Mode, r.ModeBy) }

// A Recording is an interaction of the cassette. Recordings are compared by identity.
type Recording interface {
	Line() int          // where it starts in the cassette
	Form() *canon.Form  // the form of its request
	Trace() *canon.Form // that form with the paths of the request as it was sent
	Concurrent() bool   // whether it was recorded while another request was open
}

// An Entry is a recording and what the run has made of it so far.
type Entry struct {
	Recording
	Used    bool // it answered a request
	Excused bool // the test may pass without asking for it
}

// A Log collects what a run has to tell. Its methods may be called concurrently, but Run
// must not change once requests come.
type Log struct {
	Run

	mu       sync.Mutex // guards what follows; no recording is asked while it is held
	reached  bool       // a request arrived
	notes    []string
	errors   []string
	refused  []string // why requests were not sent, each once
	failures []FailedCall
	replayed []string // the recorded failures that were played
	misses   []*Miss
	missed   map[string]*Miss   // the same by the keys of their forms
	compared map[Recording]bool // those that a miss was compared with
	selected map[string]bool    // patterns of options that selected a field
	drifted  map[string]bool    // differences that were noted
}

// A FailedCall is a request that got no answer when it was to be recorded.
type FailedCall struct {
	Text  string // the request and why
	Count int    // how often that happened: SDKs try again
	Form  string // the key of its form
}

// Reach notes that a request arrived.
func (l *Log) Reach() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reached = true
}

// Quiet reports whether requests arrived and all went well with them, so far.
func (l *Log) Quiet() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reached && len(l.misses)+len(l.replayed) == 0
}

// Notef adds a note, as [fmt.Sprintf] formats it.
func (l *Log) Notef(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, fmt.Sprintf(format, args...))
}

// Error adds an error that fails the run.
func (l *Log) Error(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errors = append(l.errors, strings.TrimPrefix(err.Error(), "promptecho: "))
}

// Refused keeps why a request was not sent, in case that its client swallows the answer.
func (l *Log) Refused(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if text := strings.TrimPrefix(err.Error(), "promptecho: "); !slices.Contains(l.refused, text) {
		l.refused = append(l.refused, text)
	}
}

// Unanswered keeps a request that got no answer when it was to be recorded; form is the
// key of its form.
func (l *Log) Unanswered(text, form string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.failures {
		if l.failures[i].Text == text {
			l.failures[i].Count++
			return
		}
	}
	l.failures = append(l.failures, FailedCall{text, 1, form})
}

// FailedCalls returns the requests that got no answer.
func (l *Log) FailedCalls() []FailedCall {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.failures)
}

// String says what failed, and how often.
func (c FailedCall) String() string {
	if c.Count > 1 {
		return fmt.Sprintf("%s (%s)", c.Text, times(c.Count))
	}
	return c.Text
}

// Replayed keeps that a request was answered with a recorded failure: whoever looks for
// the reason of a test that fails must know that nothing was sent.
func (l *Log) Replayed(line int, resp *interaction.Response) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.replayed = append(l.replayed, fmt.Sprintf("nothing was sent: this is a recording, %s:%d: %s", l.File, line, Failure(resp)))
}

// Failure says in words how a request failed that has this recorded answer.
func Failure(resp *interaction.Response) string {
	switch {
	case resp.End == interaction.EndCanceled:
		return "no answer came before its deadline"
	case resp.Status == 0:
		return "no answer came: " + resp.Error
	case resp.End == interaction.EndError:
		return "the answer broke off: " + resp.Error
	}
	return fmt.Sprintf("status %d", resp.Status)
}

// Selected keeps which patterns of options selected a field of a form.
func (l *Log) Selected(form *canon.Form) {
	if len(form.Selected) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.selected == nil {
		l.selected = map[string]bool{}
	}
	for _, pattern := range form.Selected {
		l.selected[pattern] = true
	}
}

// Drift notes, once for each field, that a replayed request differs from its recording
// in what does not match.
func (l *Log) Drift(recording Recording, asked *canon.Form) {
	recorded := recording.Form()
	if slices.Equal(recorded.Drift, asked.Drift) {
		return
	}
	edits, line := diff.Drift(recorded, asked), recording.Line()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.drifted == nil {
		l.drifted = map[string]bool{}
	}
	for _, e := range edits {
		if canon.OfOneCall(e.Path) {
			continue // it is another one every time
		}
		text := strings.TrimRight(diff.Write([]diff.Edit{e}, "  ", 1), "\n")
		if !l.drifted[text] {
			l.drifted[text] = true
			l.notes = append(l.notes, fmt.Sprintf("%s:%d: replayed although a field that does not match has changed (promptecho.Match(%q) makes it match):\n%s", l.File, line, canon.Selector(e.Path), text))
		}
	}
}

// Count returns "1 thing", "2 things".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// times returns "once", "2 times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// printable makes a report safe to be shown: it has texts of requests and cassettes.
func (rep *Report) printable() {
	for _, texts := range [][]string{rep.Errors, rep.Notes} {
		for i := range texts {
			texts[i] = redact.Printable(texts[i])
		}
	}
	for i := range rep.Annotations {
		rep.Annotations[i].Text = redact.Printable(rep.Annotations[i].Text)
	}
}
