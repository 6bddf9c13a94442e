// Package control serves a test suite in any language while it runs under
// promptecho serve, at one address. The tests open and close cassettes by name,
// their clients send requests to base URLs that lead to these cassettes, and a
// request that would bypass the cassettes is stopped.
package control

import (
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/nethttp/gate"
	"github.com/promptecho/promptecho/internal/nethttp/proxy"
	"github.com/promptecho/promptecho/internal/nethttp/serve"
	"github.com/promptecho/promptecho/internal/recorder"
)

// A Config says what a [Control] serves.
type Config struct {
	Cassette   string   // the cassette of the suite, for requests outside of tests
	Dir        string   // the folder of the cassettes of tests; empty if tests have none
	Mode       string   // the record mode; empty for the default
	ModeFrom   string   // what has set Mode, for messages; empty for -mode
	Options    []string // options of the recorder, as promptecho serve -options takes them
	Upstreams  []string // additional upstreams, each as VARIABLE=URL
	RequireAll bool     // an unused recording fails the run
	Standalone bool     // without a command, so unused recordings are not reported
	Proxy      bool     // programs reach every host through a proxy
	Listen     string   // host and port; empty for any port of this machine
	Host       string   // the host by which programs reach Listen; empty for that of Listen
	Secret     string   // what requests to an address of other machines must have; empty for a random one

	// Command returns the shell command that runs the suite again in a record mode.
	// If test is not nil, it is the command of one test, which is run in place of
	// the suite.
	Command func(mode string, test []string) string

	// OfProgram says that the run is one of promptecho record or replay, which have other flags
	// than promptecho serve.
	OfProgram bool
}

// A Control serves the cassettes of a suite at one address. Its methods may be called
// concurrently.
type Control struct {
	Config
	URL    string   // has the secret of the gate in its path, if there is one
	Env    []string // variables for the command: the base URLs of the suite, and the address
	Online bool     // a request may go upstream

	// paths has the path of each variable with a base URL, below the address of a cassette:
	// OPENAI_BASE_URL is /https/api.openai.com/v1.
	paths map[string]string
	web   *http.Server
	suite *session
	gate  *gate.Gate   // refuses requests without the secret; for the proxy only, unless isFar
	proxy *proxy.Proxy // nil without Proxy
	isFar bool         // other machines reach the control

	// address is the host and the port at which programs reach the control.
	address string

	closing sync.WaitGroup // the sessions of tests that are being closed

	mu          sync.Mutex
	sessions    map[string]*session      // the open sessions of tests, by the names of the tests
	servers     map[string]*serve.Server // by the path element behind /in/ in their base URLs
	tests       map[string]string        // the test of each cassette that was opened in this run
	bypassHosts []string                 // the hosts of requests that would have bypassed the cassettes
	failedTests []string                 // the tests that failed because of their cassettes
	total       Report                   // the sum of the reports of tests
	stopped     bool                     // no session is opened any more
}

// A session is an open cassette and the server in front of it.
type session struct {
	test       string // the name of the test; empty for the suite
	file       string
	requireAll bool     // an unused recording is an error
	command    []string // runs only the test; nil if that is not known
	rec        *recorder.Recorder
	server     *serve.Server
	key        string // the path element behind /in/ in the base URLs
	gotRequest atomic.Bool
}

// suiteKey is the key of the suite's server if all requests come to one address.
const suiteKey = "suite"

// A Report says what was found when a cassette was closed.
type Report struct {
	OK       bool              `json:"ok"`     // there are no errors
	Text     string            `json:"text"`   // the notes and the errors, to be printed
	Errors   []string          `json:"errors"` // each fails the test
	Notes    []string          `json:"notes"`
	Findings []finding.Finding `json:"findings"` // the notes and the errors as data
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

// note adds a note, which does not fail the test.
func (r *Report) note(code finding.Code, text string) {
	r.Notes = append(r.Notes, text)
	r.Findings = append(r.Findings, finding.Finding{Code: code, Severity: finding.Note, Text: text})
}

// refuse answers a request to the control with an error.
func refuse(w http.ResponseWriter, status int, text string) {
	refuseFor(w, status, finding.ControlRefused, text)
}

// refuseFor answers a request to the control with an error that has a code of its own.
func refuseFor(w http.ResponseWriter, status int, code finding.Code, text string) {
	writeJSON(w, status, map[string]string{"error": "promptecho serve: " + text, "code": string(code)})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // the client may have closed the connection
}
