package promptecho

import (
	"net/http"

	"github.com/promptecho/promptecho/internal/recorder"
)

// An Option changes what a recorder does. Options are applied in order; those
// that take several values add to earlier ones. A nil Option does nothing.
//
// [Open] returns an error if an option cannot mean anything: an unknown kind of
// call, an invalid expression, no value at all.
//
// An option has no effect if it selected nothing, is set twice, or is
// overridden by another option. Such an option is reported when the run is
// over. Package echotest reports it with the result of the test.
// [Recorder.Close] reports it to [Log], or else on standard error. [Ignore] of
// a header is not reported, since that header may never be written.
//
// Tests that share an option need not all use it. It is reported once: under
// echotest.Main if no test of the package needed it, otherwise after the first
// run in which it had no effect. The run fails if a call that was meant to be
// [Frozen] was not.
type Option func(*config)

type config = recorder.Config

// InMode sets the record mode in code. It replaces the default, and it is an
// upper limit: the flag and the environment cannot turn on sending or writing
// that this mode forbids. So InMode([ModeNone]) protects a cassette that was
// edited by hand from PROMPTECHO_MODE=all. In CI a mode other than none needs
// PROMPTECHO_MODE or the flag as well.
func InMode(m Mode) Option {
	return func(c *config) { c.InMode(recorder.Mode(m)) }
}

// Upstream sets the transport that sends a request that is not in the cassette.
// The default, also for nil, is a clone of [http.DefaultTransport] with
// connections of its own. [Open] returns an error if the transport is a
// recorder.
func Upstream(rt http.RoundTripper) Option {
	return func(c *config) { c.Upstream(rt) }
}

// MatchOnly compares only the named fields of the body, in the requests that
// the selector names. A selector is "llm" for requests to model APIs,
// "tool/search" for calls of a function, or "*" for all; see [Live]. A change
// of another field of the body is reported, and the request is still replayed.
//
// The rest of the request is compared as without MatchOnly: the endpoint,
// whether the answer streams, host, path, query and headers. Select only
// requests whose fields you know: in others, nothing of the body would be
// compared. If several MatchOnly select a request, the fields of all of them
// are compared.
//
// Paths are those of the request as it is sent, and of a miss report:
//
//	model                  this field, and everything below it
//	messages/0/content     the first element of a list
//	messages/*/content     "*" stands for one segment
//	**/id                  "**" stands for any number of segments
//
// If several options select a field, [Ignore] decides before [Match], [Match]
// before [MatchSampling], and that before MatchOnly. [Mask] changes values
// wherever they match.
func MatchOnly(selector string, paths ...string) Option {
	return func(c *config) { c.MatchOnly(selector, paths...) }
}

// Match compares fields that are otherwise ignored. The paths are as in
// [MatchOnly], and outside the body these:
//
//	host           of a known model API
//	path           of a known model API: the part before the one that identifies the API
//	query/NAME     of a known model API
//	header/NAME    of any API
//
// In the body, name a field whose changes are only reported, such as
// "temperature" or "metadata/tenant". A header that is named is written to the
// cassette, so it must not be secret. Of a query parameter that would be
// replaced as a secret, a short hash is written.
func Match(paths ...string) Option {
	return func(c *config) { c.Match(paths...) }
}

// MatchSampling compares the sampling parameters, too: temperature, top_p,
// max_tokens, seed and the like. Without it, a change of them is only reported.
func MatchSampling() Option {
	return func(c *config) { c.MatchSampling() }
}

// Ignore leaves fields out of matching and of reports. The paths are as in
// [MatchOnly]; outside the body they are "host", "path", "query/NAME" and
// "header/NAME".
func Ignore(paths ...string) Option {
	return func(c *config) { c.Ignore(paths...) }
}

// Mask replaces what a regular expression matches in the texts of a request
// before they are compared, in the recorded and in the incoming one. The texts
// are strings of the body, the host, the path, query values and headers. A text
// that is stored as a hash is not masked, nor is the content of a file. The
// placeholder may refer to groups as in [regexp.Regexp.ReplaceAllString].
//
// Mask changes neither what is sent nor what is written. [Open] returns an
// error if the expression is invalid.
func Mask(expr, placeholder string) Option {
	return func(c *config) { c.Mask(expr, placeholder) }
}

// MaskTimes masks dates and times in texts, as [Mask] does:
//
//   - as RFC 3339 and the layouts of package time have them
//   - as [time.Time.String] and people write them: "2 January 2026", "Monday",
//     "3:04 PM"
//   - Unix times of ten digits and more
//
// The name of a model, and the version of an API, stay as they are. A test that
// depends on a date is better off with [Recorder.Now], which does not change
// what is compared.
func MaskTimes() Option {
	return func(c *config) { c.MaskTimes() }
}

// MaskUUIDs masks UUIDs in texts, as [Mask] does, but not in the name of a
// model or a version.
func MaskUUIDs() Option {
	return func(c *config) { c.MaskUUIDs() }
}

// MaskTempDirs masks, as [Mask] does, the parts of a path that belong to one
// machine, so that a test replays on another one:
//
//   - the folder for temporary files
//   - the random digits that [testing.T.TempDir], [os.MkdirTemp] and
//     [os.CreateTemp] append to a name in it
//   - the folder of the checkout
//   - the home folder of the user
//
// It knows the paths of Linux, macOS and Windows. The other folders and the
// names of files are still compared, with any separators between them. The
// checkout of another machine is known by the name of its folder. This must be
// the name of the folder on this machine, or the last element of the module's
// path.
//
// A temporary name with a space, as os.MkdirTemp("", "my dir*") makes, keeps
// its digits. In a sentence the path may end at the space, so digits in the
// words after it are compared. Use a name without a space, or add a [Mask].
func MaskTempDirs() Option {
	return func(c *config) { c.MaskTempDirs() }
}

// Alias names a local server: a request to the origin is matched and written as
// a request to http://NAME. The origin is host and port, with or without the
// scheme http://:
//
//	server := httptest.NewServer(handler)
//	rec := echotest.New(t, promptecho.Alias(server.URL, "search"))
//
// All local hosts without a name count as one origin, since their names and
// ports change from machine to machine. So name those that must not answer for
// each other. Headers of answers that lead to the server (Location, Link) are
// written with the name, too, and replayed with the origin. [Open] returns an
// error if the origin or the name is invalid.
func Alias(origin, name string) Option {
	return func(c *config) { c.Alias(origin, name) }
}

// Unordered ignores the order of the elements in the lists at these paths:
// Unordered("params"). It is for a list that a program takes from a Go map, for
// example. In messages and in most other lists the order decides the answer.
//
// The paths are as in [MatchOnly], but a path selects only the list itself, and
// not the lists below it. A note reports an order that differs from the
// recording's. A list is sent and written as it is.
func Unordered(paths ...string) Option {
	return func(c *config) { c.Unordered(paths...) }
}

// KeepHeaders writes headers with these names to the cassette. Without it, only
// harmless headers of requests are written, and headers of responses that
// matter to programs: see "Headers of answers" in docs/SECURITY.md.
// "x-ratelimit-*" stands for all names that begin with "x-ratelimit-", and
// "*-limit" for all that end in "-limit". The headers are not compared.
//
// The program does not get a header that is not written, even in the recording
// run. The log of that run names the header if the run fails.
//
// What promptecho knows as a secret is replaced in these headers as elsewhere.
// The name of a header may say that it holds a credential, such as
// "x-session-token". Such a header is written only if names has its whole name:
// add it only if the header does not really hold one.
func KeepHeaders(names ...string) Option {
	return func(c *config) { c.KeepHeaders(names...) }
}

// KeepUploads stores uploads completely: to look at an upload, or to edit it.
// An upload is a part of a form, base64 in JSON, or a body that is not text.
// Without KeepUploads, an upload of more than 256 KB is stored as its length,
// SHA-256 and media type, and compared by them. The option does not change what
// matches. A stored upload is held in memory. Answers are always stored
// completely.
func KeepUploads() Option {
	return func(c *config) { c.KeepUploads() }
}

// Redact replaces more than promptecho does by itself, such as names of
// customers and other personal data. Whatever looks like a credential, or is
// known as one, is always replaced before it is written.
//
// An argument is a regular expression, as package regexp has them. What it
// matches is replaced by "[REDACTED]" wherever it occurs: Redact("Acme"). If
// the expression has a group, only what the first group matches is replaced.
// [RedactFields] replaces by the names of fields.
//
// Both apply to everything that is written, and before requests are compared.
// So two requests that differ only in what is redacted are the same. What is
// sent and received over HTTP does not change. [Open] returns an error if an
// expression is invalid.
func Redact(exprs ...string) Option {
	return func(c *config) { c.Redact(exprs...) }
}

// RedactFields replaces the values of fields, query parameters and written
// headers of these names. The letter case does not count, nor where they occur.
// A text becomes "[REDACTED]", a number 0. Otherwise it is like [Redact].
func RedactFields(names ...string) Option {
	return func(c *config) { c.RedactFields(names...) }
}

// Pace replays the recorded delays times x: 1 is as recorded, 0 (the default)
// is at once. If x is 0, clients that retried, polled or reconnected are also
// told to do so without waiting. If x is more than 0, they are told what was
// recorded. Pace waits with package time only, so a [testing/synctest] bubble
// replays real latencies in no time. [Open] returns an error if x is negative.
func Pace(x float64) Option {
	return func(c *config) { c.Pace(x) }
}

// AllowUnused accepts unused recordings of the requests that the selectors
// name; see [Live]. Without selectors it accepts all unused recordings, and a
// recorder that no request reached.
func AllowUnused(selectors ...string) Option {
	return func(c *config) { c.AllowUnused(selectors...) }
}

// AllowRaced accepts an unused recording of a request that was recorded while
// another request was still waiting for its answer. What a program sends in the
// background (for a conversation's title, say) races with the end of its test,
// which comes sooner in replay.
func AllowRaced() Option {
	return func(c *config) { c.AllowRaced() }
}

// AllowRepeats replays the last recording of a request again when the request
// is sent more often than it was recorded. The selectors name the requests that
// may repeat; see [Live]. So a poll of "http/jobs.example.com" may repeat,
// while each call of a model needs a recording. Without selectors, every
// request may repeat.
func AllowRepeats(selectors ...string) Option {
	return func(c *config) { c.AllowRepeats(selectors...) }
}

// Log calls f with every note when the recorder is closed. Notes say what was
// saved and where, what was not recorded and why, and which fields changed
// without a miss. Without Log, [Recorder.Close] drops the notes. Package
// echotest logs them to its test anyway.
func Log(f func(note string)) Option {
	return func(c *config) { c.Log(f) }
}

// Live runs the selected calls for real and replays the rest. So you see what
// one changed part does to a recorded conversation. The outcome is written to
// NAME.derived.yaml next to the cassette NAME.yaml, which does not change. In
// mode none nothing is written.
//
// A selector is the name of a call, which misses and promptecho show also use:
//
//	tool/search             a function that was passed to Wrap
//	llm/openai.chat         an endpoint of a known model API
//	http/api.example.com    another server, as in PassThrough, but without a path
//	llm                     all calls of a kind, like llm/*
//	*/search                "*" stands for the kind or for the rest
//
// A function can be live in every mode. A request is live only if the mode
// records what is not recorded (new_episodes, update); else it is replayed,
// with a note. If the cassette is absent or partial, or is recorded again,
// everything is recorded as without Live.
func Live(selectors ...string) Option {
	return func(c *config) { c.Live(selectors...) }
}

// Frozen keeps the selected calls from ever being made, in any record mode:
// they are replayed, and what is not recorded is a miss. The selectors are
// those of [Live]. A call that both Live and Frozen select is frozen.
//
// Even mode all, which records everything else again, keeps and replays what
// the cassette has of them, and mode live replays it. Frozen is for effects
// that must not happen twice, such as charging a card. Record the call once
// without this option, or write its recording by hand.
//
// The run fails if a selector names nothing that was called or is recorded: the
// call it was meant to freeze could be made.
func Frozen(selectors ...string) Option {
	return func(c *config) { c.Frozen(selectors...) }
}

// PassThrough lets requests to some servers go upstream in every record mode,
// in CI too. Examples are a database of this test run, a collector of traces,
// and an MCP server whose tools run while the model is replayed. The requests
// are not recorded, matched or compared; go test -v says how many there were.
//
//	127.0.0.1:6333              an address
//	db.internal                 a host, with any port
//	https://db.example.com      a URL: the port of its scheme
//	http/127.0.0.1:6333         a name as misses have it; without a port, that of the scheme
//	*.langfuse.com              all names below a domain
//	api.openai.com/v1/traces    what is below a path
//
// Everything that goes there passes, and a redirect to another place does not.
// [Live], in contrast, records what it lets through, and only where the mode
// records. [Open] returns an error for a selector that names no host.
func PassThrough(servers ...string) Option {
	return func(c *config) { c.PassThrough(servers...) }
}

// OnRecordError sets what happens to failures that were recorded; the default
// is [Warn]. A failure is a status of 400 or more, or a stream that broke off,
// if no later success of the same request followed. An error that a retry
// overcame is always kept, in sequence.
func OnRecordError(p RecordErrorPolicy) Option {
	return func(c *config) { c.OnRecordError(recorder.RecordErrorPolicy(p)) }
}

// A RecordErrorPolicy is an argument of [OnRecordError].
type RecordErrorPolicy int

// The policies for failures that were recorded.
const (
	// Warn writes such failures, except a refused key (401, 403), and reports
	// them. A run that failed does not write them. In mode all, no failure
	// takes the place of a recorded success: the cassette stays as it was, and
	// Close returns an error.
	Warn RecordErrorPolicy = iota

	// Fail writes nothing and makes Close return an error.
	Fail

	// Keep writes such failures silently: the failure is what the test is about.
	Keep
)
