package promptecho

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// miss notes that a request is not recorded, and returns the answer to it.
func (r *Recorder) miss(req *http.Request, c *tape.Call) *http.Response {
	r.log.Selected(c.Form)
	call := &report.Call{Request: &c.Request, Form: c.Form}
	asked, recorded := r.tape.AskedFor(c.Form)
	switch {
	case strings.EqualFold(req.Header.Get("Upgrade"), "websocket"): // RFC 6455, section 4.1
		call.Why = report.Socket
	case recorded && asked.Lent != nil:
		call.Why, call.Line, call.Count = contestOf(asked.Lent).Taken(), asked.Lent.Lent.Line(), asked.Times
	case recorded:
		call.Why, call.Line, call.Count = report.TooOften(asked.Times, asked.Recorded), asked.Last.Line(), asked.Times
	}
	m := r.log.Miss(call, r.entries())
	return refusal(req, fmt.Sprintf("promptecho: not recorded: %s: %s", strings.TrimSpace(m.Endpoint+" "+m.Model), m.Reason))
}

// entries returns the recordings of the cassette and what this run has made of them. A
// recording that has no answer need not be asked for: it depends on how long other
// requests take whether one that is given up is sent at all.
func (r *Recorder) entries() (entries []report.Entry) {
	for _, e := range r.tape.Entries() {
		entries = append(entries, report.Entry{Recording: e.Recording, Used: e.Used, Excused: e.Recording.Resumed() || e.Recording.Canceled()})
	}
	return entries
}

// contestOf returns a contest of the tape in the form in which package report words it.
func contestOf(c *tape.Contest) report.Contest {
	told := report.Contest{Line: c.Lent.Line(), Field: c.Field, Local: c.Lent.Form().Local}
	if c.Given != nil {
		told.Got = c.Given.Line()
	}
	if c.Late != nil {
		told.Late = c.Late.Line()
	}
	return told
}
