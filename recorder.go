package promptecho

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
)

// A Recorder is an [http.RoundTripper] that answers from a cassette, or records
// into it. All methods may be called concurrently. It starts goroutines only to
// record in a bubble of [testing/synctest], and for bodies beyond 4 MB.
//
// [Open] and echotest.New make a Recorder. The zero Recorder cannot be used.
//
// A nil Recorder does the real thing, so that a program needs no second path
// for production. Its requests go to [http.DefaultTransport], and a wrapped
// function stays itself. The time is the present one, a secret is the value of
// its variable, and Close does nothing.
type Recorder recorder.Recorder

// engine returns the recorder as the packages of this module use it.
func (r *Recorder) engine() *recorder.Recorder { return (*recorder.Recorder)(r) }

// Open returns a recorder on the cassette file. The file need not exist. It is
// read now if the record mode replays, and written by [Recorder.Close] if the
// mode records. In a test, use echotest.New.
//
// Open returns an error in these cases:
//
//   - The name, an option or the record mode is invalid.
//   - The file exists, but it is not a whole and valid cassette.
//   - The cassette is partial, and the mode is none or compare.
//   - Another recorder of this process has the same file open, even under a
//     name that differs only in case.
//
// Two modes repair a file that is not valid. If it was cut off, mode all
// records it again. If it has conflict markers, a local run in mode update
// resolves them. Otherwise such a file is never overwritten.
func Open(file string, opts ...Option) (*Recorder, error) {
	r, err := recorder.Open(file, func(c *config) {
		c.RecognizeRecorders(isRecorder)
		group.Apply(opts, c)
	})
	return (*Recorder)(r), err
}

// isRecorder reports whether a transport is a recorder of this package.
func isRecorder(rt http.RoundTripper) bool {
	switch rt.(type) {
	case *Recorder, via:
		return true
	}
	return false
}

// Client returns an [http.Client] that goes through the recorder.
func (r *Recorder) Client() *http.Client { return &http.Client{Transport: r} }

// RoundTrip answers a request from the cassette. If the request is not recorded
// and the record mode allows it, RoundTrip sends it upstream, and records the
// answer while the caller reads it. It does not change the request, other than
// reading and closing its body.
//
// A recording answers a request that has the same endpoint, and the same value
// in every field of the body that can change the answer. How a value is spelled
// does not count, nor do hosts and gateway prefixes of model APIs. A change of
// sampling parameters (temperature) and of bookkeeping (user, metadata) is only
// noted. Each recording answers once. [MatchOnly] and the options next to it
// change what is compared.
//
// A request that is not recorded is a miss. It is answered with an error in
// JSON, of status 418 and with "x-should-retry: false", which no SDK retries.
// [Recorder.Misses] and [Recorder.Close] report it. A request that comes after
// Close, or that no cassette can hold, is answered in the same way.
//
// RoundTrip returns an error if the context of the request ends, or if the
// upstream cannot be reached. A recorded error is returned in replay, too, with
// its text. It is a [net.Error], and [errors.Is] finds in it what programs ask
// for, such as [context.DeadlineExceeded], [io.EOF] and syscall.ECONNREFUSED.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	return r.engine().RoundTrip(req)
}

// Via returns the recorder with another upstream: what its RoundTrip would send
// upstream goes to this transport, and not to that of [Upstream]. All else is the
// same, so that one cassette has the requests of clients with transports of their
// own: one with client certificates, one behind a gateway, one for each cloud.
//
//	internal := &http.Client{Transport: rec.Via(mTLS)}
//
// In replay the transport is not called. A nil transport stands for the upstream
// of the recorder. A nil recorder returns the transport itself.
func (r *Recorder) Via(upstream http.RoundTripper) http.RoundTripper {
	switch {
	case upstream == nil:
		return r
	case r == nil:
		return upstream
	}
	return via{r, upstream}
}

// A via is a recorder with another upstream.
type via struct {
	rec      *Recorder
	upstream http.RoundTripper
}

func (v via) RoundTrip(req *http.Request) (*http.Response, error) {
	return v.rec.engine().RoundTripVia(req, v.upstream)
}

// CloseIdleConnections closes the idle connections of the upstream, as
// [http.Client.CloseIdleConnections] asks for.
func (v via) CloseIdleConnections() {
	closer, ok := v.upstream.(interface{ CloseIdleConnections() })
	if ok {
		closer.CloseIdleConnections()
	}
}

// Online reports whether this run may go upstream. That is so if a request that
// is not in the cassette is sent and recorded, or passed through. It is also so
// if recorded answers are compared with live ones (mode compare).
func (r *Recorder) Online() bool { return r.engine().Online() }

// Secret returns the value of an environment variable if this run may go
// upstream, and a dummy in replay. So a client that demands a key can be made
// either way. If the value has 8 bytes or more, a placeholder replaces it
// wherever it would be written.
//
// If the variable is empty in a run that may go upstream, Secret returns the
// dummy. Then the first request that would go upstream fails with an error that
// names the variable. The same happens, and the run fails, if env cannot be the
// name of a variable: it may be the key itself.
func (r *Recorder) Secret(env string) string { return r.engine().Secret(env) }

// Misses returns the requests that had no recording so far, each once, in the
// order in which they were first sent.
func (r *Recorder) Misses() []*MissError {
	toError := func(m *report.Miss) *MissError { return (*MissError)(m) }
	return group.Each(r.engine().Misses(), toError)
}

// Now returns when the recording was made, in whole seconds and UTC: the same
// time in the recording run and in every replay. Use it in place of [time.Now]
// where the time gets into requests: the method value rec.Now is a clock that
// always shows this time.
//
// In the recording run it is the time when Now was first called, in real time
// even in a bubble of [testing/synctest]. To have the bubble's clock start at
// the recording, begin the bubble with time.Sleep(time.Until(rec.Now())), which
// takes no time.
//
// The cassette has the time if a test uses it, and you may edit it there. Mode
// all takes a new one if the test runs completely and has no [Frozen] calls. In
// a test without package echotest that is not known, and the time stays. A run
// that was killed and is resumed keeps its time, too.
//
// Where the cassette has no time, modes none and compare cannot add it, nor can
// once if the cassette is whole. Then the run fails with an error that says how
// to add it, and Now returns the first second of the year 2000. In mode live
// the time is not stored. A nil recorder returns the present time.
func (r *Recorder) Now() time.Time { return r.engine().Now() }

// Rand returns the source of random numbers and bytes of this name. It returns
// the same in the recording run and in every replay. Sources with different
// names are independent, so a new one changes nothing for the others. Calls
// with the same name return the same source, which goes on where it was. Code
// that may draw in another order needs a source of its own, such as a
// goroutine, or a subtest that -run can select.
//
// All sources of a cassette come from one seed, which is drawn from
// [crypto/rand] when the cassette is recorded. The cassette has it if a test
// uses a source. It stays or changes as the time of [Recorder.Now] does.
//
// Where the cassette has no seed, modes none and compare cannot add it, nor can
// once if the cassette is whole. Then the run fails with an error that says how
// to add it, and the sources come from a seed of zeros. In mode live the seed
// is not stored. A nil recorder returns a new source with a seed of its own
// each time.
//
// The global sources of [crypto/rand] and [math/rand/v2] are left alone on
// purpose. Package testing/cryptotest can make the first one deterministic for
// a test. But TLS then draws from it while a test records, and not while it
// replays. So every id that is drawn after the first connection would differ.
// And the seed in a committed file would reveal the keys of the recorded
// connections.
func (r *Recorder) Rand(name string) *Rand {
	source := r.engine().Rand(name)
	return &Rand{rand.New(source), source}
}

// Env returns the value that an environment variable had when the recording was
// made; it is "" if the variable was not set. So the settings a test depends on
// (a model's name, a region, a base URL) are the same wherever it is replayed.
// If the variable is set and has another value now, a note names both, and Env
// returns the recorded one.
//
// The cassette has the value if a test uses it, and you may edit it there. Mode
// all takes the present value. A run that was killed and is resumed keeps the
// one it had.
//
// A variable whose name or value looks like a credential is not written. Env
// returns its present value then, and the run fails: use [Recorder.Secret]. A
// random text of a dozen letters and digits looks like one, unless the
// variable's name ends in ID, SHA or the like.
//
// Where the cassette does not have the variable, modes none and compare cannot
// add it, nor can once if the cassette is whole. Then the run fails with an
// error that says how to add it, and Env returns "". In mode live, and of a nil
// recorder, it is [os.Getenv].
func (r *Recorder) Env(name string) string { return r.engine().Env(name) }

// Close ends the recorder and answers that are still being read, and saves the
// cassette if the record mode records. It returns all problems as one joined
// error:
//
//   - misses: [errors.As] finds the first [*MissError]
//   - recordings that no request used
//   - a recorder that no request reached
//   - a cassette that could not be saved
//
// A second Close returns the same, even while the first is still at work.
//
// The cassette is written whole or not at all: to a temporary file that is
// renamed and read back. If nothing was recorded or changed, nothing is
// written.
//
// In a test, Close does not know how the run ended; package echotest does. So
// an older recording that was not used stays. If mode all has recorded at least
// as many as there were, the new ones replace all of them. A deferred Close
// treats a panic, FailNow and SkipNow as a failure.
//
// Outside of a test, as in TestMain, Close treats a run with -run or -skip, or
// one of several shards, as incomplete. Under
// [github.com/promptecho/promptecho/echotest.Run], which knows how the tests
// end, such a Close only ends the recorder: Run saves the cassette and reports
// what is wrong.
func (r *Recorder) Close() error {
	texts := r.engine().Close()
	if len(texts) == 0 {
		return nil
	}
	var parts []error
	for _, text := range texts {
		parts = append(parts, errors.New("promptecho: "+text))
	}
	joined := errors.Join(parts...)
	for _, miss := range r.Misses() { // for errors.As; the texts have them already
		parts = append(parts, miss)
	}
	return runError{joined, parts}
}

// A runError is what is wrong with a run.
type runError struct {
	error         // the texts of the report
	parts []error // the same, and then the misses that they name, for errors.As
}

func (e runError) Unwrap() []error { return e.parts }
