// Package bench measures promptecho side by side with other libraries that
// record and replay HTTP in tests, and with floors: what the least that could do
// the job costs. docs/PERFORMANCE.md says what is measured and how.
//
// A contender is one file of this package and its name in the table contenders.
package bench

import (
	"errors"
	"net/http"
)

// A Contender is one way to record and replay HTTP.
type Contender struct {
	Name string

	// Record starts to record into file, which does not exist yet, what upstream
	// answers. Closing the session writes the file.
	Record func(file string, upstream http.RoundTripper) (Session, error)

	// RecordMany is Record for large cassettes that are to be replayed, where Record would
	// take minutes; nil if it does not.
	RecordMany func(file string, upstream http.RoundTripper) (Session, error)

	// Replay opens what was recorded. If repeats is set, every recording answers
	// any number of times.
	Replay func(file string, repeats bool) (Session, error)

	// OneShot says that a recording answers only once, whatever was asked of
	// Replay: a benchmark has to open again, outside of the timer.
	OneShot bool

	// Blind says that the request is not looked at: every request gets the first
	// answer that was recorded.
	Blind bool

	// InMemory says that nothing is on disk: only this value of Contender can
	// replay what it recorded.
	InMemory bool
}

// A Session is a contender at work.
type Session interface {
	http.RoundTripper
	Close() error
}

// contenders makes each contender anew, so that one that keeps its recordings
// in memory gives them up when its benchmark is over.
var contenders = []func() Contender{promptEcho, goVCR, charmVCR, seborama, httpReplay, httpRR, canned, jsonHash, jsonFile}

// ByName returns the contender of a name, and whether there is one.
func ByName(name string) (Contender, bool) {
	for _, contender := range contenders {
		c := contender()
		if c.Name == name {
			return c, true
		}
	}
	return Contender{}, false
}

// errNotRecorded is what the floors return for a request they do not know.
var errNotRecorded = errors.New("bench: the request was not recorded")

// roundTripper makes a Session of two functions.
type roundTripper struct {
	roundTrip func(*http.Request) (*http.Response, error)
	close     func() error
}

func (r roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return r.roundTrip(req) }

func (r roundTripper) Close() error { return r.close() }

func nothingToClose() error { return nil }
