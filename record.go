package promptecho

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/answer"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// record sends a request upstream and returns its answer, which is recorded while the
// caller reads it. If no answer comes, there may be nothing to replay.
func (r *Recorder) record(req *http.Request, in *incoming) (*http.Response, error) {
	rec, err := r.reserve(req, in) // before it goes out, so that the file has the order asked
	if err != nil {
		return r.refuse(req, err)
	}
	r.tape.Mark(rec).Far(request.ServedBy(req.Context()).Far)
	r.noteUnsaid(req, in, rec)
	r.noteVolatile(in.Form)
	if what := report.Telemetry(&in.Request, in.Form); what != "" {
		r.log.Notef("%s: %s: %s", r.file, r.nameOf(req), what)
	}
	sent := cmp.Or(in.sent, time.Now())
	r.life.asked.Store(rec, req)
	defer r.life.asked.Delete(rec)
	resp, err := r.send(req, in, rec)
	if err == nil {
		if err = answer.GaveUp(req, ""); err != nil && resp.Body != nil { // while it was held: in replay, the context is asked then
			resp.Body.Close()
		}
	}
	if err != nil {
		request.Expired(req)
		r.unanswered(req, rec, err, time.Since(sent))
		return nil, err
	}
	resp.Request = req
	what := in.Request.String()
	if resp.Header.Get(MissHeader) != "" {
		r.tape.Abandon(rec)
		r.log.Unanswered(what+": it did not go to the network, but to another recorder, which has no recording of it (http.DefaultTransport, or the transport that Upstream sets, is that recorder): add promptecho.Upstream(new(http.Transport))", in.Form.Key())
		return resp, nil
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		// The body is a connection, which cannot be recorded and must not be wrapped.
		r.tape.Abandon(rec)
		r.log.Error(fmt.Errorf("%s: %s switched to another protocol (status 101), so its answer is not recorded: use a client without the recorder for this connection", r.file, what))
		return resp, nil
	}
	answer.Capture(resp, sent, answer.Keeper{
		Drops: func(name string) bool {
			name = strings.ToLower(name)
			// A client that dates what it signs corrects its clock by the answer.
			isTime := name == "date" && cmp.Or(req.Header.Get("X-Amz-Date"), req.Header.Get("X-Ms-Date"), req.Header.Get("Date")) != ""
			drops := r.redact.Drops(name, resp.StatusCode) && !isTime
			if drops {
				r.log.Headers.Add(name)
			}
			return drops
		},
		Pending:   &r.pending,
		Completes: in.Form.Completes,
		Now:       r.tape.Mark(rec).Now,
		Settle: func(resp *interaction.Response, latencyMS int64, pieces []int) {
			r.settle(rec, resp, latencyMS, pieces)
		},
	})
	return resp, nil
}

// awaitGivenUp waits a little for the requests that their callers have given up and do not wait for, such as the slower
// of two: they are recorded as given up.
func (r *Recorder) awaitGivenUp() {
	for range 100 {
		isOpen := false
		r.life.asked.Range(func(_, req any) bool {
			isOpen = request.GaveUp(req.(*http.Request)) != nil
			return !isOpen
		})
		if !isOpen {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// reserve takes the place of a request on the tape, if it can go upstream.
func (r *Recorder) reserve(req *http.Request, in *incoming) (*tape.Recording, error) {
	err := r.missingKey()
	if where := r.standIn(req); err == nil && where != "" {
		err = refusedError(fmt.Sprintf("%s: %s: %s has to be sent, but its %s has %s. To record everything again: PROMPTECHO_MODE=all", r.file, r.mode, r.nameOf(req), where, standsIn))
	}
	if err := r.admit(req, err); err != nil {
		return nil, err
	}
	if opensSocket(req) {
		err := refusedError(fmt.Sprintf("%s: %s: %s", r.file, r.nameOf(req), report.Socket))
		r.log.Error(err)
		return nil, err
	}
	in.Retried = r.resends.IsAgain(req)
	rec, err := r.tape.Reserve(in.Match)
	if err != nil && err != tape.ErrClosed {
		r.log.Error(err) // the client may swallow it
	}
	return rec, err
}

// opensSocket reports whether a request opens a WebSocket (RFC 6455, section 4.1).
func opensSocket(req *http.Request) bool {
	return strings.EqualFold(req.Header.Get("Upgrade"), "websocket")
}

// send sends a request upstream. The recording counts as open until the headers of the
// answer arrive or the upstream panics.
func (r *Recorder) send(req *http.Request, in *incoming, rec *tape.Recording) (resp *http.Response, err error) {
	defer func() { r.tape.Mark(rec).Answered(err != nil && request.GaveUp(req) != nil) }()
	if !in.sent.IsZero() {
		resp = in.early
		in.early = nil
		return resp, in.failed
	}
	out, err := in.body.Clone(req)
	if err != nil {
		return nil, err
	}
	return r.upstream.Send(out)
}

// settle keeps what answered a request.
func (r *Recorder) settle(rec *tape.Recording, resp *interaction.Response, latencyMS int64, pieces []int) {
	for _, h := range resp.Headers {
		request.Readdress(h.Values, r.config.aliases.nameOf)
	}
	says := said.Read(rec.Form(), resp)
	resp.Text = says.Transcript
	it := *rec.Interaction()
	it.Response, it.Usage, it.LatencyMS = *resp, says.Usage, latencyMS
	*resp = interaction.Response{} // its memory is given back as soon as its text is made
	r.tape.Finish(rec, &it, pieces, says.Failed)
}

// unanswered records that a request got no answer if replay can repeat that: if the
// caller gave up, or if failures are kept. Otherwise it gives up the place on the tape.
func (r *Recorder) unanswered(req *http.Request, rec *tape.Recording, err error, after time.Duration) {
	it := *rec.Interaction()
	it.LatencyMS = after.Milliseconds()
	stopped := request.Stopped(req)
	if stopped {
		err = request.ErrStopped
	}
	switch cause := request.GaveUp(req); {
	case cause != nil && !stopped:
		it.Response = interaction.Response{End: interaction.EndCanceled, Error: cause.Error()}
	case r.config.onRecordError == Keep && !stopped:
		it.Response = interaction.Response{End: interaction.EndError, Error: err.Error()}
	default:
		r.tape.Abandon(rec)
		r.log.Unanswered(fmt.Sprintf("%s: %v", it.Request.String(), r.redact.Message(err.Error())), rec.Form().Key())
		return
	}
	r.tape.Finish(rec, &it, nil, false)
}

// noteUnsaid keeps what a request has and its recording has not, in a run that saves. It
// leaves out model APIs, because their answers differ by chance.
func (r *Recorder) noteUnsaid(req *http.Request, in *incoming, rec *tape.Recording) {
	if !r.plan.record {
		return
	}
	if f := rec.Form(); !f.Known || f.Linked() {
		r.tape.KeepUnrecorded(rec, r.config.unsaidOf(req, &in.Request))
	}
}

// admit returns why a request cannot go upstream, which may be a key that is missing; nil if it can.
func (r *Recorder) admit(req *http.Request, err error) error {
	if err = r.barred(req, err); err != nil && err != tape.ErrClosed {
		r.log.Error(err) // the client may swallow the answer
	}
	return err
}

// barred is admit for a request that need not go upstream: nothing is said of it.
func (r *Recorder) barred(req *http.Request, err error) error {
	if r.life.closed.Load() {
		return tape.ErrClosed
	}
	if why := request.ServedBy(req.Context()).Unsendable; err == nil && why != "" {
		err = refusedError(fmt.Sprintf("%s: %s: %s has to be sent, but %s", r.file, r.mode, r.nameOf(req), why))
	}
	return err
}

const standsIn = "a placeholder for a secret, from an answer that was replayed"

// standIn returns where a request has what stands for a credential that a replayed answer gave, "" if nowhere.
func (r *Recorder) standIn(req *http.Request) string {
	if where := standInOf(req); where != "" && r.tape.HasPlayedPlaceholder() { // else the program made it
		return where
	}
	return ""
}

// standInOf returns where a request has what stands for a credential, "" if nowhere. Beside another credential, a cookie
// is hardly one.
func standInOf(req *http.Request) string {
	isCredential := func(name string, values []string) bool {
		return redact.MayHoldCredential(name) && slices.ContainsFunc(values, redact.StandsIn)
	}
	for _, name := range slices.Sorted(maps.Keys(req.Header)) {
		if name != "Cookie" && isCredential(name, req.Header[name]) {
			return "header " + strings.ToLower(name)
		}
	}
	query := req.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if isCredential(name, query[name]) {
			return "parameter " + name
		}
	}
	if req.Header.Get("Authorization") != "" {
		return ""
	}
	for _, c := range req.Cookies() {
		isLogin := saysWho().MatchString(strings.ToLower(c.Name)) || redact.MayHoldCredential(c.Name)
		if isLogin && !tellsNobody(c) && redact.StandsIn(c.Value) {
			return "cookie " + c.Name
		}
	}
	return ""
}

// missingKey returns an error if a key that a request upstream needs is empty.
func (r *Recorder) missingKey() error {
	if missing := r.life.missing.Load(); missing != nil {
		return refusedError(fmt.Sprintf("%s: %s has to send a request, but %s", r.file, r.mode, *missing))
	}
	return nil
}

// refuse answers a request that is not sent because of err.
func (r *Recorder) refuse(req *http.Request, err error) (*http.Response, error) {
	err = r.told(r.nameOf(req), err)
	if refused := refusedError(""); errors.As(err, &refused) {
		return refusal(req, err.Error(), err.Error()), nil
	}
	return nil, err
}

// nameOf returns what a request asks, for messages.
func (r *Recorder) nameOf(req *http.Request) string {
	return cmp.Or(req.Method, http.MethodGet) + " " + r.redact.Message(req.URL.Redacted())
}

// tooLate returns the error of a request or call that came after the recorder was closed. A
// cleanup is told on standard error as well: SDKs hide the body of the answer, and the report of
// the test is written.
func (r *Recorder) tooLate(what string) error {
	if !stack.Current().Cleanup {
		return refusedError(fmt.Sprintf("%s: %s came after the recorder was closed: "+
			"work that the test started was still running; wait for it before the test ends", r.file, what))
	}
	text := fmt.Sprintf("%s: %s came after the recorder was closed: it is sent by a cleanup "+
		"that was registered before the recorder was made, and cleanups run in reverse order; "+
		"make the recorder first, or register the cleanup after it", r.file, what)
	fmt.Fprintf(os.Stderr, "promptecho: %s\n", redact.Printable(text))
	return refusedError(text)
}

// told returns an error in the words for who asked for what. If that came after Close,
// nobody else can be told.
func (r *Recorder) told(what string, err error) error {
	switch refused := refusedError(""); {
	case errors.As(err, &refused):
		return err
	case errors.Is(err, tape.ErrClosed), errors.Is(err, answer.ErrClosed):
		return r.tooLate(what)
	}
	return fmt.Errorf("promptecho: %w", err)
}
