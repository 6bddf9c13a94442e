package report

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testenv/bubble"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// A Log collects the facts of a run for its report. Its methods may be called concurrently, but
// Run must not be changed after the first request.
type Log struct {
	Run
	Comparisons Comparisons        // set after the last request
	Others      []attr.OtherAnswer // the same

	AskedOther atomic.Int64 // answers of a model in place of the one of the request

	Reached  atomic.Bool            // a request arrived
	Played   atomic.Int64           // the number of requests that recordings answered
	Kept     atomic.Int64           // the number of old recordings in the files written
	Dropped  atomic.Int64           // the number of recordings removed from the files written
	Accepted Tally[*tape.Recording] // played recordings whose request promptecho accept has changed
	Passed   Tally[string]          // selectors of requests that passed through
	Lacking  Tally[string]          // calls of the test whose values the cassette lacks: "rec.Now()"
	Headers  Tally[string]          // the names of response headers that are not recorded
	Failures Tally[*tape.Recording] // failures that were recorded
	Saved    Tally[string]          // the absolute paths of the files written

	notes    Tally[note]
	errors   Tally[failure]
	failed   Tally[FailedCall]
	replayed Tally[string]          // recorded failures that were replayed
	drifted  Tally[string]          // differences that were noted
	compared Tally[*tape.Recording] // recordings that a miss was compared with
	sending  sync.Map               // requests whose bodies have not ended, by the goroutines that send them

	mu          sync.Mutex // guards what follows; no recording is asked while it is held
	misses      []*missing
	missed      map[string]*missing // misses by the keys of their forms
	lastNearest *tape.Recording     // the nearest recording of the last miss that has one
}

// A Tally holds values in the order in which each came first. Its methods may be called
// concurrently.
type Tally[V comparable] struct {
	mu     sync.Mutex // guards what follows; no other lock is taken under it
	values []V
	times  map[V]int // how often each came
}

// Add adds a value, and reports whether it came for the first time.
func (t *Tally[V]) Add(v V) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.times == nil {
		t.times = map[V]int{}
	}
	t.times[v]++
	if t.times[v] == 1 {
		t.values = append(t.values, v)
	}
	return t.times[v] == 1
}

// all returns the values so far.
func (t *Tally[V]) all() []V {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.values)
}

// count returns how often a value came.
func (t *Tally[V]) count(v V) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.times[v]
}

// A FailedCall is a request that got no answer when it was to be recorded.
type FailedCall struct {
	Text string // the request and why
	Form string // the key of its form
}

// Sends notes that a request is sending its body, which may not end. The caller calls done when
// the body has ended. If that takes more than 5 seconds, a message on standard error says so. If
// the run ends before, it fails.
func (l *Log) Sends(what string) (done func()) {
	id := stack.ID()
	l.sending.Store(id, what)
	if bubble.In() {
		return func() { l.sending.Delete(id) }
	}
	timer := time.AfterFunc(5*time.Second, func() {
		_, text := l.stillSending(id, what)
		fmt.Fprintf(os.Stderr, "promptecho: %s\n", redact.Printable(text))
	})
	return func() {
		timer.Stop()
		l.sending.Delete(id)
	}
}

// stillSending returns the error of a request whose body has not ended, which the goroutine with
// this ID sends. text is the reason after the name of the cassette.
func (l *Log) stillSending(id uint64, what string) (reason, text string) {
	if caller := stack.CallerIn(stack.Ancestors(id)); caller != "" {
		what += " (" + caller + ")"
	}
	reason = what + " is still sending its body, and is answered when the body ends. " +
		"Traffic in both directions at once is not recorded: " +
		"use a client without the recorder, or add " + l.Words.Name(advice.PassThrough)
	return reason, l.File + ": " + reason
}

// Note adds a note, once.
func (l *Log) Note(code finding.Code, text string) { l.notes.Add(note{code, text}) }

// Notef adds a note, as [fmt.Sprintf] formats it.
func (l *Log) Notef(code finding.Code, format string, args ...any) {
	l.Note(code, fmt.Sprintf(format, args...))
}

// Error adds an error that fails the run, once. If it is a finding, which knows its
// place, the same error of several tests is told once.
func (l *Log) Error(err error) {
	if is, ok := err.(interface{ Finding() *finding.Error }); ok {
		f := is.Finding()
		l.errors.Add(failure{f.Code, f.Place, f.Err.Error()})
		return
	}
	l.errors.Add(failure{finding.CodeOf(err), "", err.Error()})
}

// HasErrors reports whether there is such an error.
func (l *Log) HasErrors() bool { return len(l.errors.all()) > 0 }

// Unanswered keeps a request that got no answer when it was to be recorded; form is the
// key of its form.
func (l *Log) Unanswered(text, form string) {
	l.failed.Add(FailedCall{text, form})
}

// FailedCalls returns the requests that got no answer, each with how often that happened:
// SDKs try again.
func (l *Log) FailedCalls() (calls []FailedCall) {
	for _, c := range l.failed.all() {
		if n := l.failed.count(c); n > 1 {
			c.Text += " (" + times(n) + ")"
		}
		calls = append(calls, c)
	}
	return calls
}

// Replayed notes that a request was answered with a recorded failure, and that nothing was sent,
// which may explain why the test failed.
func (l *Log) Replayed(line int, resp *interaction.Response) {
	l.replayed.Add(fmt.Sprintf("nothing was sent: this failure was replayed from %s:%d: %s",
		l.File, line, Failure(resp)))
}

// Failure says in words how the request with this recorded answer failed.
func Failure(resp *interaction.Response) string {
	switch {
	case resp.End == "" && resp.Error != "":
		return "the function returned the error: " + resp.Error
	case resp.End == interaction.EndCanceled:
		return "no answer came before its deadline"
	case resp.Status == 0:
		return "no answer came: " + resp.Error
	case resp.End == interaction.EndError:
		return "the answer broke off: " + resp.Error
	}
	text := fmt.Sprintf("status %d", resp.Status)
	if resp.Status < 400 {
		text += ", and an error in the answer"
	}
	return text
}

// Drift notes, once for each field, that a replayed request differs from its recording
// in what does not match.
func (l *Log) Drift(recording *tape.Recording, asked *canon.Form) {
	recorded := recording.Form()
	if slices.Equal(recorded.Drift, asked.Drift) && slices.Equal(recorded.Orders, asked.Orders) {
		return
	}
	for _, e := range diff.Drift(recorded, asked) {
		text := strings.TrimRight(diff.Write([]diff.Edit{e}, "  ", 1), "\n")
		path := fieldpath.Selector(e.Path)
		compareIt := l.Words.Code(advice.New(advice.Match, path))
		isToldForPackage := e.Path == "host" && l.OfTest
		switch {
		case slices.Contains(asked.Generated, e.Path): // the value is another one in each call
			if l.drifted.Add(path) {
				l.Notef(finding.FieldIgnored, "%s:%d: replayed although %s differs: clients make a new one "+
					"for each request, so matching ignores it (add %s to compare it)",
					l.File, recording.Line(), path, compareIt)
			}
		case isToldForPackage && l.drifted.Add(text) && !otherHosts.Add(text):
		case !canon.OfOneCall(e.Path) && l.drifted.Add(text):
			way := " (add " + compareIt + " to compare it)"
			if l.isUnordered(e.Path) {
				way = "" // the user said that the order means nothing
			}
			l.Notef(finding.FieldIgnored, "%s:%d: replayed; a field that matching ignores has changed%s:\n%s",
				l.File, recording.Line(), way, text)
		}
	}
}

// isUnordered reports whether a path is that of the order of a list of which the user said that
// its order means nothing.
func (l *Log) isUnordered(path string) bool {
	list, isOrder := strings.CutSuffix(path, "/order")
	isOfList := func(pattern string) bool { return fieldpath.Match(pattern, list) }
	return isOrder && slices.ContainsFunc(l.Tape.Config.Options.Unordered, isOfList)
}

// otherHosts has the hosts that were told to be others than those that were recorded. They are so
// for all tests alike.
var otherHosts Tally[string]

// Miss notes a request that is not recorded, once for each form, and explains it by the nearest
// recording. by names the process that sent the request; if it is empty, the caller is taken
// from the stack.
func (l *Log) Miss(c *tape.Match, by string) Told {
	m := l.miss(c, by)
	return m.told()
}

// miss is [Log.Miss], and returns all facts about the request.
func (l *Log) miss(c *tape.Match, by string) missing {
	recs := l.Tape.Stored()
	asked := l.Tape.AskedFor(c)
	code, why, line := l.unanswerable(c, asked)
	keys := l.Tape.Keys(c) // before the lock, since it makes a form

	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.missed[c.Form.Key()]
	isFirst := m == nil
	if isFirst {
		m = l.newMissing(c, by)
		m.keys = keys
		if l.missed == nil {
			l.missed = map[string]*missing{}
		}
		l.missed[c.Form.Key()] = m
		l.misses = append(l.misses, m)
	}
	m.Count = max(m.Count+1, asked.Times)
	switch {
	case why != "":
		m.Code = string(code)
		m.Reason = why
		m.plain = why
		m.frozen = ""
		m.Line = line
	case isFirst:
		searched := recordingsToSearch(recs, l.lastNearest, len(l.misses))
		compared := *m
		compared.call = c
		// The comparison can take a while and needs no lock: forms do not change.
		l.mu.Unlock()
		l.compare(&compared, searched)
		l.mu.Lock()
		compared.Count = m.Count // the request may have been sent again in the meantime
		*m = compared
		if m.nearest != nil {
			l.lastNearest = m.nearest
		}
	}
	if isFirst {
		m.completeReason(l.frozenReason(c.Form.Name()))
	}
	return *m
}

// newMissing returns a miss that is not explained yet.
func (l *Log) newMissing(c *tape.Match, by string) *missing {
	const reason = "not recorded"
	return &missing{plain: reason, Miss: Miss{
		Code:    string(finding.NotRecorded),
		File:    l.File,
		Call:    c.Form.Name(),
		Request: unnamed(c.Form),
		Model:   c.Form.Model,
		Asked:   lastText(c.Form),
		Caller:  cmp.Or(by, stack.Caller()),
		Reason:  reason,
	}}
}

// compare finds the recording among those to search that is most like a missed request, and
// says in m how the two differ.
func (l *Log) compare(m *missing, searched []*tape.Recording) {
	lacking := l.Lacking.all()
	m.lacksValue = len(lacking) > 0
	isTaken := func(rec *tape.Recording) bool { return !l.isFree(rec) }
	m.nearest = l.explain(m, m.call, l.Tape.Stored(), searched, isTaken)
	if m.nearest != nil {
		l.compared.Add(m.nearest)
		if m.nearest.Fake() {
			m.Diff += "  the recording is from a fake, not from a provider\n"
		}
	}
	if m.lacksValue {
		// A request made from a value that the cassette lacks cannot match.
		m.setHint(nil, l.Words)
		m.Diff += "  the cassette has no value for " +
			english.List(lacking, maxListed) + " yet, so a text made from it cannot match\n"
	}
}

// compareAgain compares a missed request again if the recording that it was compared with has
// answered another request since then. At the end of the run, most recordings have answered a
// request. The recording of the request before an edit is among the others.
//
// Only the first misses are compared again. A run with more of them has one cause in common.
func (l *Log) compareAgain() {
	const most = 50
	recs := l.Tape.Stored()
	misses := l.allMisses()
	for i, m := range misses[:min(most, len(misses))] {
		if m.nearest == nil || !m.nearest.Used() || !slices.ContainsFunc(recs, l.isFree) {
			continue
		}
		again := *m
		again.setHint(nil, l.Words)
		again.Diff = ""
		again.differs = ""
		again.edits = nil
		again.acceptable = false
		l.compare(&again, recs)
		if again.nearest.Used() {
			continue
		}
		again.completeReason(l.frozenReason(m.call.Form.Name()))
		l.mu.Lock()
		again.Count = l.misses[i].Count
		*l.misses[i] = again
		l.mu.Unlock()
	}
}

// isFree reports whether a recording has neither answered a request nor been compared with one.
func (l *Log) isFree(rec *tape.Recording) bool { return !rec.Used() && l.compared.count(rec) == 0 }

// recordingsToSearch returns the recordings among which the nearest one of a miss is: all of
// them, or, after many misses, those around the nearest recording of the last miss. The program
// mostly sends requests in the recorded order, and comparing each miss with all recordings
// takes minutes.
func recordingsToSearch(recs []*tape.Recording, last *tape.Recording, misses int) []*tape.Recording {
	const many, before, behind = 50, 50, 150
	if misses <= many || len(recs) <= before+behind {
		return recs
	}
	i := max(slices.Index(recs, last), 0)
	return recs[max(i-before, 0):min(i+behind, len(recs))]
}

// Misses returns the requests that were not recorded so far, in the order they were first
// asked.
func (l *Log) Misses() []*Miss {
	return group.Each(l.allMisses(), func(m *missing) *Miss { return &m.Miss })
}

// allMisses returns the misses so far, with what is known of them.
func (l *Log) allMisses() []*missing {
	l.mu.Lock()
	defer l.mu.Unlock()
	return group.Each(l.misses, func(m *missing) *missing {
		c := *m
		return &c
	})
}
