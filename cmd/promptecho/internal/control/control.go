// Package control is what a suite in any language asks while it runs under promptecho serve: at
// one address its tests open and close cassettes by name, their clients ask below base URLs that
// lead to these, and what asks past them is stopped.
package control

import (
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/nethttp/serve"
	"github.com/promptecho/promptecho/internal/recorder"
)

// A Config says what a [Control] serves.
type Config struct {
	Cassette  string   // for what no test asks
	Dir       string   // of the cassettes of tests; empty if they have none
	Mode      string   // the record mode; empty if nobody says
	Options   []string // lines of options
	Upstreams []string // more of them: VARIABLE=URL
	Whole     bool     // the run asks for all that is recorded
	Lenient   bool     // nobody says what would be all
	Listen    string   // host and port, of this machine; empty for any port

	// Command returns what runs everything, or the command of one test, again in a record mode.
	Command func(mode string, test []string) string
}

// A Control is one address. Its methods may be called concurrently.
type Control struct {
	Config
	URL    string
	Env    []string // for programs: the base URLs of what no test asks, and the address
	Online bool     // something may go upstream

	paths map[string]string // the variables of base URLs, and the paths of these below that of a cassette
	web   http.Server
	suite *session

	ending sync.WaitGroup // the tests that end

	mu       sync.Mutex               // guards what follows
	sessions map[string]*session      // of tests, by their names
	below    map[string]*serve.Server // by what stands behind /in/
	opened   map[string]string        // the cassettes that tests had open, and the names of these
	strayed  []string                 // the hosts that were asked past the control
	unfit    []string                 // the tests that do not fit their cassettes
	total    Report
	stopped  bool // nothing begins any more
}

// A session is a cassette that is open, and the server in front of it.
type session struct {
	name    string // of the test; empty for what no test asks
	file    string
	whole   bool     // who ends it says whether all was asked
	command []string // that runs only the test; nil if it is not known
	rec     *recorder.Recorder
	server  *serve.Server
	at      string // what stands behind /in/ in its base URLs
	asked   atomic.Bool
}

// A Report is what to tell of a cassette that was closed.
type Report struct {
	OK       bool              `json:"ok"`     // the test fits its cassette
	Text     string            `json:"text"`   // all of what follows, to be printed
	Errors   []string          `json:"errors"` // each fails the test
	Notes    []string          `json:"notes"`
	Findings []finding.Finding `json:"findings"` // the same as data
	Cassette string            `json:"cassette"`
	Replayed int64             `json:"replayed"`
	Recorded int64             `json:"recorded"`
	Missed   int64             `json:"missed"`
}

// fail adds an error.
func (r *Report) fail(code finding.Code, text string) {
	r.Errors = append(r.Errors, text)
	r.Findings = append(r.Findings, finding.Finding{Code: code, Severity: finding.Failure, Text: text})
}

// note adds what does not fail the test.
func (r *Report) note(code finding.Code, text string) {
	r.Notes = append(r.Notes, text)
	r.Findings = append(r.Findings, finding.Finding{Code: code, Severity: finding.Note, Text: text})
}

// refuse answers a request that asks for something that cannot be done.
func refuse(w http.ResponseWriter, status int, text string) {
	refuseFor(w, status, finding.ControlRefused, text)
}

// refuseFor is refuse for a reason that has a code of its own.
func refuseFor(w http.ResponseWriter, status int, code finding.Code, text string) {
	answer(w, status, map[string]string{"error": "promptecho serve: " + text, "code": string(code)})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // the client may be gone
}
