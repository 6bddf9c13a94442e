package promptecho

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/answer"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/stream"
	"github.com/promptecho/promptecho/internal/tape"
)

// play answers a request with a recording.
func (r *Recorder) play(req *http.Request, in *incoming, rec *tape.Recording) (*http.Response, error) {
	r.noteUnsaid(req, in, rec)
	exact := in.Form == nil
	if !exact {
		r.log.Selected(in.Form)
		r.log.Drift(rec, in.Form)
	}
	if !rec.Sealed() && r.tape.FirstScan(rec) {
		if found := redact.Findings(rec.Interaction()); len(found) > 0 {
			r.log.Notef("%s:%d: %s: looks like a secret; promptecho verify names all", r.file, rec.Line(), found[0])
		}
	}
	var recorded *answer.Recording
	var err error
	if !exact && rec.Form().Linked() {
		recorded, err = r.linked(rec, &in.Request)
	} else {
		recorded, err = r.recorded(rec)
	}
	if exact {
		in.free()
	}
	if err != nil {
		return nil, r.told(req, err)
	}
	if recorded.End != interaction.EndCanceled && (recorded.Status >= 400 || recorded.Status == 0) {
		r.log.Replayed(recorded.Line, &recorded.Response)
	}
	player := answer.Player{Pace: r.config.pace, Note: r.log.Note, Pending: &r.pending}
	resp, err := player.Play(req, recorded)
	if errors.Is(err, answer.ErrClosed) {
		return nil, r.told(req, err)
	}
	if err != nil {
		return nil, err
	}
	r.config.addressServers(resp.Header)
	return resp, nil
}

// A playable is a recorded answer in memory that the next one can use when it was played.
type playable struct {
	answer.Recording
	in     cassette.Scratch
	framer stream.Framer
}

var playables = sync.Pool{New: func() any { return new(playable) }}

func (p *playable) free() {
	if cap(p.Body) > 1<<20 {
		return
	}
	p.Recording = answer.Recording{}
	playables.Put(p)
}

// recorded returns the answer of a recording, ready to be played.
func (r *Recorder) recorded(rec *tape.Recording) (a *answer.Recording, err error) {
	p := playables.Get().(*playable)
	p.in.Framer = &p.framer
	p.Release = p.free
	if p.LatencyMS, err = rec.Response(&p.Response, &p.in); err != nil {
		return nil, err
	}
	p.Ends = p.in.Ends
	return &p.Recording, r.prepare(&p.Recording, rec)
}

// linked returns the answer of a recording with the ids that link it to its request
// replaced by those of req.
func (r *Recorder) linked(rec *tape.Recording, req *interaction.Request) (*answer.Recording, error) {
	a := &answer.Recording{Response: *rec.ResponseTo(req), LatencyMS: rec.Interaction().LatencyMS}
	return a, r.prepare(a, rec)
}

// prepare completes an answer whose response was read.
func (r *Recorder) prepare(a *answer.Recording, rec *tape.Recording) (err error) {
	a.File, a.Line = r.file, rec.Line()
	a.Error = redact.Printable(a.Error)
	if a.Ends != nil {
		return nil // a stream that was put together while it was read
	}
	if a.Body, a.Ends, err = answer.Join(&a.Response); err != nil {
		return fmt.Errorf("%s:%d: response: %w", r.file, a.Line, err)
	}
	return nil
}

// record sends a request upstream and returns its answer, which is recorded while the
// caller reads it. If no answer comes, there may be nothing to replay.
func (r *Recorder) record(req *http.Request, in *incoming) (*http.Response, error) {
	r.log.Selected(in.Form)
	if err := r.admit(); err != nil {
		return r.refuse(req, err)
	}
	rec, err := r.tape.Reserve(&in.Call) // before it goes out: the file has the order asked
	if err != nil {
		return r.refuse(req, err)
	}
	r.noteUnsaid(req, in, rec)
	sent := time.Now()
	resp, err := r.send(req, in, rec)
	if resp == nil && err == nil {
		err = fmt.Errorf("promptecho: %s: the transport given with Upstream returned neither a response nor an error", r.file)
	}
	if err != nil {
		r.unanswered(req, rec, err, time.Since(sent))
		return nil, err
	}
	resp.Request = req
	what := in.Request.Method + " " + in.Request.URL
	if resp.Header.Get(missHeader) != "" {
		r.tape.GiveUp(rec)
		r.log.Unanswered(what+": the answer is the miss of another recorder, which stands where the network should be (http.DefaultTransport, or the transport given with Upstream)", in.Form.Key())
		return resp, nil
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		// The body is a connection; a wrapper would break the WebSocket dial.
		r.tape.GiveUp(rec)
		r.log.Notef("%s switched protocols (WebSocket): passed through, not recorded", what)
		return resp, nil
	}
	answer.Capture(resp, sent, answer.Keeper{
		Pending:   &r.pending,
		Completes: func(event string) bool { return in.Form.Complete([]byte(event)) },
		Settle:    func(resp *interaction.Response, latencyMS int64) { r.settle(rec, resp, latencyMS) },
	})
	return resp, nil
}

// send sends a request upstream. The recording is open until the headers of the answer
// are there, also if the upstream panics.
func (r *Recorder) send(req *http.Request, in *incoming, rec *tape.Recording) (*http.Response, error) {
	defer r.tape.Answered(rec)
	return r.upstream.Send(req, in.body.Bytes())
}

// settle keeps what answered a request.
func (r *Recorder) settle(rec *tape.Recording, resp *interaction.Response, latencyMS int64) {
	r.config.nameServers(resp.Headers)
	said := rec.Form().Read(canon.Payloads(resp))
	resp.Text = said.Text
	it := *rec.Interaction()
	it.Response, it.Usage, it.LatencyMS = *resp, said.Usage, latencyMS
	r.tape.Settle(rec, &it)
}

// unanswered records that a request got no answer, if a replay can play that: the caller
// gave up, or failures are kept. Otherwise its place on the tape is given up.
func (r *Recorder) unanswered(req *http.Request, rec *tape.Recording, err error, after time.Duration) {
	it := *rec.Interaction()
	it.LatencyMS = after.Milliseconds()
	switch cause := req.Context().Err(); {
	case cause != nil:
		it.Response = interaction.Response{End: interaction.EndCanceled, Error: cause.Error()}
	case r.config.onRecordError == Keep:
		it.Response = interaction.Response{End: interaction.EndError, Error: err.Error()}
	default:
		r.tape.GiveUp(rec)
		text := fmt.Sprintf("%s %s: %v", it.Request.Method, it.Request.URL, r.redact.Message(err.Error()))
		r.log.Unanswered(text, rec.Form().Key())
		return
	}
	r.tape.Settle(rec, &it)
}

// noteUnsaid keeps what a request has that its recording does not say, in a run that
// saves. Model APIs are left out: their answers differ by chance.
func (r *Recorder) noteUnsaid(req *http.Request, in *incoming, rec *tape.Recording) {
	if !r.plan.record {
		return
	}
	if f := rec.Form(); !f.Known || f.Linked() {
		r.tape.Ask(rec, r.config.unsaidOf(req, &in.Request))
	}
}

// miss keeps that a request is not recorded, and returns the answer to it.
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

// entries returns the recordings of the cassette and what this run has made of them. One
// that has no answer need not be asked for: whether a request is sent that is given up
// depends on how long others take.
func (r *Recorder) entries() (entries []report.Entry) {
	for _, e := range r.tape.Entries() {
		entries = append(entries, report.Entry{Recording: e.Recording, Used: e.Used, Excused: e.Recording.Resumed() || e.Recording.Canceled()})
	}
	return entries
}

// contestOf returns a contest as the report words it.
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
