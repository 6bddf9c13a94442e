package promptecho

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
)

// describe tells the log what this run is.
func (r *Recorder) describe() {
	r.log.Run = report.Run{
		File:         r.file,
		Path:         r.path,
		Mode:         string(r.mode.mode),
		ModeBy:       r.mode.by,
		AtMost:       string(r.cfg.mode),
		Exists:       r.old != nil,
		Pinned:       r.old != nil && r.old.Pinned,
		CheckUnused:  r.plan.checkUnused,
		AllowUnused:  r.cfg.allowUnused,
		AllowRaced:   r.cfg.allowRaced,
		MayAskNone:   r.mode.mode != ModeAll && r.mode.mode != ModeNewEpisodes,
		KeepFailures: r.cfg.onRecordError == Keep,
	}
	if !r.plan.passThrough {
		r.log.Rules = &r.cfg.rules
	}
}

// A recording shows a slot to package report.
type recording struct{ *slot }

func (r recording) Line() int         { return r.line() }
func (r recording) Form() *canon.Form { return r.form() }
func (r recording) Concurrent() bool  { return r.it().Concurrent }

func (r recording) Trace() *canon.Form {
	req := r.in.asked(r.it(), r.sealed)
	return r.in.cfg.rules.Trace(&req)
}

// entries returns the recordings of the cassette and what this run has made of them. One
// that has no answer need not be asked for: whether a request is sent that is given up
// depends on how long others take.
func (r *Recorder) entries() (entries []report.Entry) {
	for _, s := range r.tape.slots {
		if !s.fresh {
			entries = append(entries, report.Entry{Recording: recording{s}, Used: s.used, Excused: s.resumed || s.canceled()})
		}
	}
	return entries
}

// judge says what is wrong with the run.
func (r *Recorder) judge(o *report.Outcome) report.Report {
	ev := report.Evidence{Entries: r.entries()}
	for _, c := range r.contests {
		if c.matters() {
			ev.Contests = append(ev.Contests, c.told())
		}
	}
	for _, a := range r.cfg.aliases {
		if !a.asked.Load() {
			ev.Unasked = append(ev.Unasked, fmt.Sprintf("Alias(%q, %q)", a.address, a.name))
		}
	}
	return r.log.Judge(o, ev)
}

// miss keeps a miss, once per form, and returns the answer to it.
func (r *Recorder) miss(req *http.Request, clean *interaction.Request, form *canon.Form) *http.Response {
	call := &report.Call{Request: clean, Form: form, Socket: strings.EqualFold(req.Header.Get("Upgrade"), "websocket")} // RFC 6455, section 4.1
	r.mu.Lock()
	if q := r.tape.queues.get(keyOf(form)); q != nil {
		call.Spent = r.spent(q)
	}
	entries := r.entries()
	r.mu.Unlock()
	m := r.log.Miss(call, entries)
	return refusal(req, fmt.Sprintf("promptecho: not recorded: %s: %s", strings.TrimSpace(m.Endpoint+" "+m.Model), m.Reason))
}

// spent describes a queue of which no recording is left.
func (r *Recorder) spent(q *queue) *report.Spent {
	s := &report.Spent{Asked: q.asked, Recorded: len(q.canceled)}
	for range q.all {
		s.Recorded++
	}
	last := q.last
	if last == nil {
		last = q.canceled[len(q.canceled)-1]
	}
	s.Line = last.line()
	if i := slices.IndexFunc(r.contests, func(c *contest) bool { return c.given == nil && c.lent.key == last.key }); i >= 0 {
		taken := r.contests[i].told()
		s.Taken = &taken
	}
	return s
}
