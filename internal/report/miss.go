package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// maxEdits is how many differing fields a report lists.
const maxEdits = 12

// A Miss is a request that was not recorded, as *promptecho.MissError shows it to users.
type Miss struct {
	File     string
	Line     int
	Endpoint string
	Model    string
	Caller   string
	Count    int
	Reason   string
	Diff     string
	Hint     string
}

// Error returns the report in several lines: where the nearest recording is, what was
// asked by whom, and each differing field with both values.
func (m *Miss) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", m.at(), m.Reason)
	fmt.Fprintf(&b, "\n  asked:  %s", m.asked())
	if m.Caller != "" {
		fmt.Fprintf(&b, "\n  caller: %s", m.Caller)
	}
	if m.Diff != "" {
		fmt.Fprintf(&b, "\n%s", strings.TrimRight(m.Diff, "\n"))
	}
	if m.Hint != "" {
		fmt.Fprintf(&b, "\n  if that decides no answer: %s", m.Hint)
	}
	return redact.Printable(b.String())
}

// at returns where the nearest recording is.
func (m *Miss) at() string {
	if m.Line > 0 {
		return fmt.Sprintf("%s:%d", m.File, m.Line)
	}
	return m.File
}

// asked returns what was asked, in a line.
func (m *Miss) asked() string {
	s := m.Endpoint
	if m.Model != "" {
		s += ", model " + m.Model
	}
	if m.Count > 1 {
		s += ", " + times(m.Count)
	}
	return s
}

// brief returns the miss in a line, without the reason if that is known.
func (m *Miss) brief(known string) string {
	s := m.asked()
	if m.Caller != "" {
		s += ", " + m.Caller
	}
	if m.Reason != known {
		s = m.at() + ": " + m.Reason + " (" + s + ")"
	}
	return s
}

// unrecordable reports whether recording again cannot help.
func (m *Miss) unrecordable() bool { return m.Reason == socketReason }

const socketReason = "it opens a WebSocket, and what passes through one is not recorded: ask over HTTP, or give this connection a client without the recorder"

// A Call is a request that is not recorded.
type Call struct {
	Request *interaction.Request // as it is matched
	Form    *canon.Form          // of it
	Socket  bool                 // it opens a WebSocket
	Spent   *Spent               // its recordings, which were all played; nil if it has none
}

// Spent describes the recordings of a request of which none is left.
type Spent struct {
	Line     int      // of the last of them
	Recorded int      // how many there are
	Asked    int      // how often the request was asked
	Taken    *Contest // by which another request took the one that is missing now; nil if none did
}

// Miss keeps a request that is not recorded, once for each form, and returns what is
// known of it now. Of the entries it names the nearest recording and what differs.
func (l *Log) Miss(c *Call, entries []Entry) Miss {
	l.mu.Lock()
	m := l.missed[c.Form.Key()]
	first := m == nil
	if first {
		m = &Miss{File: l.File, Endpoint: c.Form.Endpoint, Model: c.Form.Model, Caller: caller(), Reason: "not recorded"}
		if l.missed == nil {
			l.missed, l.compared = map[string]*Miss{}, map[Recording]bool{}
		}
		l.missed[c.Form.Key()] = m
		l.misses = append(l.misses, m)
	}
	m.Count++
	switch {
	case c.Socket:
		m.Reason = socketReason
	case c.Spent != nil:
		m.spent(c.Spent)
	case first:
		candidates := make([]diff.Candidate, len(entries))
		for i, e := range entries {
			candidates[i].Used = e.Used || l.compared[e.Recording]
		}
		l.mu.Unlock()
		// The comparison can take a while and needs no lock: forms do not change.
		found, nearest := l.explain(c, entries, candidates)
		l.mu.Lock()
		m.Line, m.Reason, m.Diff, m.Hint = found.Line, found.Reason, found.Diff, found.Hint
		if nearest != nil {
			l.compared[nearest] = true
		}
	}
	defer l.mu.Unlock()
	return *m
}

// Misses returns the requests that were not recorded so far, in the order they were first
// asked.
func (l *Log) Misses() []*Miss {
	l.mu.Lock()
	defer l.mu.Unlock()
	misses := make([]*Miss, len(l.misses))
	for i, m := range l.misses {
		c := *m
		misses[i] = &c
	}
	return misses
}

// spent says that a request has no recording left.
func (m *Miss) spent(s *Spent) {
	m.Count, m.Line = max(m.Count, s.Asked), s.Line
	m.Reason = fmt.Sprintf("asked more often than recorded: %s, recorded %s (AllowRepeats replays the last again)", times(s.Asked), times(s.Recorded))
	if s.Taken != nil {
		words, _ := s.Taken.inWhat()
		m.Line = s.Taken.Line
		m.Reason = fmt.Sprintf("the recording of this very request was played before, for one that differs in %s and is not recorded", words)
	}
}

// explain finds the nearest recording, nil if there is none, and says what differs from
// it. The candidates are the entries, without their forms.
func (l *Log) explain(c *Call, entries []Entry, candidates []diff.Candidate) (m Miss, nearest Recording) {
	for i, e := range entries {
		candidates[i].Form = e.Form()
	}
	i := sameBodyElsewhere(c.Form, candidates)
	if i < 0 {
		i = diff.Nearest(c.Form, candidates)
	}
	if i < 0 {
		m.Reason = fmt.Sprintf("nothing is recorded, and %s does not record", l.mode())
		if !l.Exists {
			m.Reason = fmt.Sprintf("the file does not exist, and %s does not record: was it committed?", l.mode())
		}
		return m, nil
	}
	nearest = entries[i].Recording
	form := nearest.Form()
	m.Line = nearest.Line()
	if form.Endpoint != c.Form.Endpoint && !slices.Equal(form.Lines(), c.Form.Lines()) {
		m.Reason = fmt.Sprintf("nothing of %s is recorded; this is of %s", c.Form.Endpoint, form.Endpoint)
		return m, nearest
	}
	recorded, asked := nearest.Trace(), l.Rules.Trace(c.Request)
	edits := diff.Forms(recorded, asked)
	m.Reason = reason(form, c.Form, edits)
	m.Diff = diff.Write(edits, "  ", maxEdits)
	if drift := diff.Drift(recorded, asked); len(drift) > 0 {
		m.Diff += "  different too, but it does not match:\n" + diff.Write(drift, "    ", 3)
	}
	m.Hint = hint(edits)
	return m, nearest
}

// sameBodyElsewhere returns the index of a recording of the very same body for another
// endpoint, -1 if there is none: a gateway or a provider has changed.
func sameBodyElsewhere(form *canon.Form, candidates []diff.Candidate) int {
	return slices.IndexFunc(candidates, func(c diff.Candidate) bool {
		return c.Form.Endpoint != form.Endpoint && slices.Equal(c.Form.Lines(), form.Lines())
	})
}

// reason says in a line how a request differs from the nearest recording.
func reason(recorded, asked *canon.Form, edits []diff.Edit) string {
	switch {
	case recorded.Endpoint != asked.Endpoint:
		return "recorded for another endpoint, " + recorded.Endpoint
	case len(edits) != 1:
		return "the nearest recording differs"
	case recorded.Wire != asked.Wire:
		return fmt.Sprintf("recorded only with a %s answer", delivery(recorded.Wire))
	case recorded.Model != asked.Model:
		return "recorded for another model, " + recorded.Model
	case edits[0].Note == diff.ToolOrder:
		return "the nearest recording differs only in the order of its tools (SortTools makes it not match)"
	}
	return "the nearest recording differs in " + canon.Short(edits[0].Path)
}

// delivery names the way in which an answer comes.
func delivery(wire string) string {
	switch wire {
	case "whole":
		return "plain"
	case "stream":
		return "streamed"
	}
	return "streamed (" + wire + ")"
}
