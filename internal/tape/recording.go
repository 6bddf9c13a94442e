package tape

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/jsonrpc"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/order"
	"github.com/promptecho/promptecho/internal/redact"
)

// A Recording is the place of one interaction on the tape. Places are taken in the order
// asked, before anything goes upstream, so that concurrent calls are saved in a stable
// order.
//
// An interaction of the cassette is read when it is needed: its seal is enough to find
// it, and its answer is enough to replay it.
type Recording struct {
	of         *source
	number     int    // its number in the cassette, from 0, or that of the one in whose place it is recorded; a resumed one has a higher number, a new one -1
	sealed     bool   // it is in the cassette as it was written
	key        uint64 // the key of its form; until that is made, the one in its seal
	sealDigest uint64 // the digest of the request, as its seal says; 0 if that cannot be believed

	outcome  outcome // how the request ended
	unknown  bool    // the request may have had headers that it does not list
	from     place   // in another cassette; see CarryOver
	accepted bool    // its answer is that of an earlier request

	// Both are read once and do not change after that; see [Tape].
	interaction atomic.Pointer[interaction.Interaction]
	form        atomic.Pointer[canon.Form]
	whole       atomic.Pointer[cassette.Encoded] // what interaction is the head of, whose form is bare; nil if it is whole

	used atomic.Bool                             // it was played
	read atomic.Bool                             // its answer was read
	kept atomic.Pointer[interaction.Interaction] // its answer, if it was read twice

	// What follows is set by readRequests, if its candidates are not all one request.

	matchDigest uint64        // the digest of the request as it is matched
	issuedIDs   []canon.Trait // the IDs in the request that first appeared in a response

	// What follows is guarded by the lock of the tape. The methods that return it are for
	// the time after Close, when it does not change any more.

	kind          canon.Kind // its selecting traits; set by sortByTraits
	playedFor     *request   // the request it was played for, if that differs from its own
	conflictFound bool       // its own request came after that
	asked         int        // the number of the first call that it answered, from 1; 0 if none
	goroutine     uint64     // that made that call; see Config.Snapshots
	replaced      bool       // another one was recorded or played in its place
	resumed       bool       // a killed run recorded it, or it is carried over
	unsaid        Unsaid     // of the request that took it

	// What follows is set if this run records it.

	fresh     bool
	outer     *Recording  // the function that made the call
	mark      *order.Mark // when what happens of it
	abandoned bool        // there will be no answer
	complete  bool        // the answer is as complete as it will ever be
	failed    bool        // the answer says that it failed
	text      *cassette.Encoded
	known     int // how many secrets were known when text was made
}

// A place is an interaction of a cassette that this one takes recordings over
// from.
type place struct {
	path   string
	number int
}

// A Step is a call of this run: one that a recording of the cassette answered, each
// recording once, or one that nothing answered.
type Step struct {
	Recording *Recording
	Missed    *interaction.Interaction // the request, and an error in place of an answer

	asked int
}

// Unsaid is what a request has and its recording has not: headers that are not written,
// and what is replaced in its URL, each as a hash under its path. It never leaves the
// memory of the run.
type Unsaid map[string]uint64

// Interaction returns what was recorded. If that cannot be read, because its asset is
// gone, say, the result is empty, and Unreadable of the tape tells why.
func (rec *Recording) Interaction() *interaction.Interaction {
	it, err := rec.Load()
	if err != nil {
		return new(interaction.Interaction)
	}
	return it
}

// write makes an interaction what was recorded. The tape must be closed.
func (rec *Recording) write(it *interaction.Interaction) {
	rec.interaction.Store(it)
	rec.whole.Store(nil)
	rec.text = nil
}

// Head is Interaction for what the head of an interaction says: it need not be read again.
func (rec *Recording) Head() *interaction.Interaction {
	if it := rec.interaction.Load(); it != nil {
		return it
	}
	return rec.Interaction()
}

// Load returns what was recorded, or an error that says why that cannot be read.
func (rec *Recording) Load() (*interaction.Interaction, error) {
	it, err := rec.glance()
	if err != nil {
		return nil, rec.of.unreadable(err)
	}
	rec.interaction.CompareAndSwap(nil, it)
	return it, nil
}

// glance is Load, and keeps nothing that it reads, nor why that cannot be read.
func (rec *Recording) glance() (*interaction.Interaction, error) {
	it := rec.interaction.Load()
	if text := rec.whole.Load(); text != nil {
		return text.Interaction()
	}
	if it != nil {
		return it, nil
	}
	return rec.of.stored.Interaction(rec.number)
}

// Form returns the form of the request.
func (rec *Recording) Form() *canon.Form {
	if f := rec.form.Load(); f != nil {
		return f
	}
	req := rec.Request()
	rec.form.CompareAndSwap(nil, rec.of.Config.Options.Form(&req))
	return rec.form.Load()
}

// Peek returns the form of the request for a comparison with many recordings. A cassette can
// have more of them than fit into memory, so Peek keeps the first few forms that it makes, and
// nothing else that it reads. If the recording cannot be read, Unreadable of the tape tells why.
func (rec *Recording) Peek() *canon.Form {
	form := rec.form.Load()
	if form != nil && form.Text() != "" {
		return form
	}
	rec.look(func(req *interaction.Request, _ *interaction.Response) { form = rec.of.Config.Options.Form(req) })
	if form == nil {
		return rec.Form()
	}
	if rec.of.peeked.Add(int64(len(form.Text()))) <= maxPeeked {
		rec.form.CompareAndSwap(nil, form)
	}
	return form
}

// look calls f with what was recorded, unless that cannot be read, and keeps none of it. The
// request is as it is matched.
func (rec *Recording) look(f func(req *interaction.Request, resp *interaction.Response)) {
	if it, err := rec.glance(); err == nil { // else, whoever needs it says why
		req := rec.redacted(it)
		f(&req, &it.Response)
	}
}

// requestText returns the text of the form with all of the body.
func (rec *Recording) requestText() (text string) {
	rec.look(func(req *interaction.Request, _ *interaction.Response) {
		text = redact.WithBody(rec.Peek().Text(), req.Body)
	})
	return text
}

// A placeholderRecording is a recording whose request has placeholders, and its text as requestText returns it, which
// is only kept of the first.
type placeholderRecording struct {
	*Recording
	text string
}

// recordingsWithPlaceholders returns the recordings whose requests have placeholders.
func recordingsWithPlaceholders(recs []*Recording) (all []placeholderRecording) {
	kept := 0
	for _, rec := range recs {
		text := rec.requestText()
		if !redact.Hides(text) {
			continue
		}
		if kept += len(text); kept > maxPeeked {
			text = ""
		}
		all = append(all, placeholderRecording{rec, text})
	}
	return all
}

// asksOf returns recordings by the methods and URLs of their requests.
func asksOf(recs []*Recording) map[string][]*Recording {
	asks := map[string][]*Recording{}
	for _, rec := range recs {
		if !rec.fresh {
			rec.look(func(req *interaction.Request, _ *interaction.Response) {
				asks[req.String()] = append(asks[req.String()], rec)
			})
		}
	}
	return asks
}

// maxPeeked is the length in bytes of the texts of forms that Peek keeps.
const maxPeeked = 16 << 20

// Request returns the request as it is matched: redacted like an incoming one, no matter
// who wrote the file. A sealed one was redacted by today's rules.
func (rec *Recording) Request() interaction.Request { return rec.redacted(rec.Interaction()) }

// redacted returns the request of the recording, which is read, as it is matched.
func (rec *Recording) redacted(it *interaction.Interaction) interaction.Request {
	req := it.Request
	if rec.sealed && rec.of.Config.Plain {
		rec.of.redactNew(&req)
	} else {
		_ = rec.of.policy.Request(&req) // see redactNew
	}
	return req
}

// Answer reads the answer to a request; req is nil if the request is recorded byte for byte.
// The recorded request is not read unless its ids have to be replaced.
func (rec *Recording) Answer(req *interaction.Request) (*interaction.Interaction, error) {
	if req != nil && rec.Form().Linked() {
		return &interaction.Interaction{Response: *rec.responseTo(req), LatencyMS: rec.Interaction().LatencyMS}, nil
	}
	if it := cmp.Or(rec.interaction.Load(), rec.kept.Load()); it != nil {
		return it, nil
	}
	it, err := rec.of.stored.Answer(rec.number)
	if err != nil {
		return nil, rec.of.unreadable(err)
	}
	if rec.read.Swap(true) { // it may be read many times, as in a benchmark
		rec.kept.Store(it)
	}
	return it, nil
}

// IDs returns the ids of the calls of a request that link answers to it, where they are not the recorded
// ones.
func (rec *Recording) IDs(req *interaction.Request) jsonrpc.IDs {
	if !rec.Form().Linked() {
		return nil
	}
	return jsonrpc.IDsOf(&rec.Interaction().Request, req)
}

// responseTo returns the answer to req: the recorded one, with the ids that link it to
// its request replaced by those of req.
func (rec *Recording) responseTo(req *interaction.Request) *interaction.Response {
	ids := rec.IDs(req)
	if len(ids) == 0 {
		return &rec.Interaction().Response
	}
	resp := rec.Interaction().Response.Clone()
	resp.Body = ids.Relink(resp.Body)
	for _, event := range resp.Events {
		for j, f := range event {
			if interaction.IsPayload(f.Name) {
				event[j].Value = string(ids.Relink([]byte(f.Value)))
			}
		}
	}
	return resp
}

// isOf reports whether this is a recording of the request of another one, as far as its
// headers are known.
func (rec *Recording) isOf(other *Recording) bool {
	form := other.Form()
	if rec.unknown && !other.unknown {
		req, own := other.Request(), rec.Request()
		known := req.KnownAs(&own)
		form = rec.of.Config.Options.Form(&known)
	}
	return rec.Form().Key() == form.Key()
}

// Line returns the line of the cassette where the recording starts, counted from 1, or 0
// if the recording is not in the cassette.
func (rec *Recording) Line() int {
	if it := rec.interaction.Load(); it != nil {
		return it.Line
	}
	return rec.of.stored.Line(rec.number)
}

// isWithin reports whether a function, or one of those that called it, itself or through
// others, is such a one. It may be nil.
func (rec *Recording) isWithin(such func(function *Recording) bool) bool {
	for ; rec != nil; rec = rec.outer {
		if such(rec) {
			return true
		}
	}
	return false
}

// InVain reports whether a function made the call, itself or through others, that then
// returned nothing. No replay gets as far as that.
func (rec *Recording) InVain() bool {
	return rec.outer.isWithin(func(function *Recording) bool { return function.abandoned })
}

// Sealed reports whether the recording is in the cassette as it was written.
func (rec *Recording) Sealed() bool { return rec.sealed }

// Accepted reports whether promptecho accept has put another request in the place of the
// one that was answered.
func (rec *Recording) Accepted() bool { return rec.accepted }

// Number returns the number of the recording in the cassette, from 0; -1 if it is not in
// the cassette and not recorded in the place of one that is.
func (rec *Recording) Number() int { return rec.number }

// Fresh reports whether this run made the recording, or is making it.
func (rec *Recording) Fresh() bool { return rec.fresh }

// Resumed reports whether a killed run made the recording. Such a recording is not in the
// cassette.
func (rec *Recording) Resumed() bool { return rec.resumed }

// Carried reports whether the recording is one of [Tape.CarryOver].
func (rec *Recording) Carried() bool { return rec.from != place{} }

// Goroutine returns the ID of the goroutine whose call the recording answered
// first; 0 if there was none. It is noted only if [Config] says that snapshots
// read the tape. See [Tape.Made].
func (rec *Recording) Goroutine() uint64 { return rec.goroutine }

// Used reports whether the recording answered a request.
func (rec *Recording) Used() bool { return rec.used.Load() }

// Complete reports whether the answer is there, as far as it came.
func (rec *Recording) Complete() bool { return !rec.fresh || rec.complete }

// Failed reports whether the answer is a failure: a status of 400 or more, none, the
// error of a function, or what a model API says to be one.
func (rec *Recording) Failed() bool {
	resp := &rec.Head().Response
	if rec.failed || resp.End == "" && resp.Error != "" || resp.Status >= 400 || resp.End == interaction.EndError || resp.GivenUp() == context.DeadlineExceeded.Error() {
		return true
	}
	return !rec.fresh && rec.Form().Known && said.Read(rec.Form(), &rec.Interaction().Response).Failed
}

// Canceled reports whether the request was given up before there was an answer.
func (rec *Recording) Canceled() bool {
	return rec.outcome != answered || rec.fresh && rec.Head().Response.End == interaction.EndCanceled
}

// requestKey tells apart, by form and traits, all requests that can be told apart.
type requestKey struct {
	form uint64
	kind canon.Kind
}

func (rec *Recording) requestKey() requestKey {
	return requestKey{keyOf(rec.Form()), canon.KindOf(rec.Form().Traits)}
}

// traits returns the traits that tell the recording apart from other candidates.
func (rec *Recording) traits() []canon.Trait { return slices.Concat(rec.Form().Traits, rec.issuedIDs) }

// keyOf returns the fingerprint of a form as a number.
func keyOf(form *canon.Form) uint64 {
	key, _ := strconv.ParseUint(form.Key(), 16, 64)
	return key
}

// succeededLater returns the recordings whose request succeeded when it was sent again.
func succeededLater(list []*Recording) (all map[*Recording]bool) {
	if !slices.ContainsFunc(list, (*Recording).Failed) {
		return nil
	}
	all = map[*Recording]bool{}
	succeeded := map[string]bool{} // by the keys of forms
	for _, rec := range slices.Backward(list) {
		key := rec.Form().Key()
		all[rec] = succeeded[key]
		succeeded[key] = succeeded[key] || rec.Complete() && !rec.Failed()
	}
	return all
}
