package control

import (
	"cmp"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/nethttp/front"
	"github.com/promptecho/promptecho/internal/nethttp/serve"
	"github.com/promptecho/promptecho/internal/nethttp/webserver"
	"github.com/promptecho/promptecho/internal/report"
)

// Open opens the cassette of the suite, and begins to serve.
func Open(config Config) (*Control, error) {
	c := &Control{
		Config:   config,
		sessions: map[string]*session{},
		servers:  map[string]*serve.Server{},
		paths:    map[string]string{},
		tests:    map[string]string{},
		web:      webserver.New(nil),
	}
	listener, err := c.listen()
	if err != nil {
		return nil, err
	}
	c.suite = &session{file: c.Cassette, requireAll: c.RequireAll}
	if err := c.open(c.suite, c.Mode, c.modeFrom()); err != nil {
		listener.Close()
		return nil, err
	}
	c.Online = c.suite.rec.Online()
	if !c.Online && c.Dir != "" {
		c.Online = c.recordsNewTests()
	}
	if c.Listen == "" {
		c.suite.server = serve.New(c.suite, "") // with a port for each upstream
	} else {
		c.suite.server = serve.New(c.suite, c.URL+"/in/"+suiteKey)
		c.servers[suiteKey] = c.suite.server
	}

	err = c.openProxy()
	if err != nil {
		listener.Close()
		c.Close(Ending{Failed: true})
		return nil, err
	}
	c.web.Handler = c.handler()
	if err := c.setEnv(); err != nil {
		listener.Close()
		c.Close(Ending{Failed: true})
		return nil, err
	}
	go func() { _ = c.web.Serve(listener) }() // returns when Close closes c.web
	return c, nil
}

// recordsNewTests reports whether the requests of a test without a cassette go upstream.
// It opens a cassette that does not exist and asks its recorder.
func (c *Control) recordsNewTests() bool {
	probe := &session{file: filepath.Join(c.Dir, ".none.yaml")}
	if c.open(probe, c.Mode, c.modeFrom()) != nil {
		return false
	}
	defer probe.rec.Finish(report.Outcome{Failed: true, Filtered: true})
	return probe.rec.Online()
}

// ServeHTTP serves requests of these kinds:
//
//	CONNECT, absolute URLs   of clients that use the control as a proxy
//	/in/…                    for an upstream
//	/health, /ca.pem         from containers that reach a loopback address; otherwise the front answers
//	any other                opens or closes a cassette
func (c *Control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := c.pathOf(r)
	key, isUpstream := upstreamKey(path)
	switch {
	case c.proxy != nil && isForProxy(r):
		c.proxy.ServeHTTP(w, r)
	case isForProxy(r):
		c.stopBypass(w, cmp.Or(r.URL.Host, r.Host))
	case isUpstream:
		c.forward(w, r, key)
	case path == "/health":
		front.ServeHealth(w)
	case path == "/ca.pem" && c.proxy != nil:
		front.ServeCertificate(w, c.proxy)
	default:
		c.serveControl(w, r, path)
	}
}

// isForProxy reports whether a client uses the control as a proxy.
func isForProxy(r *http.Request) bool { return r.Method == http.MethodConnect || r.URL.IsAbs() }

// forward passes a request below a base URL to the server with a key: that of the test which
// is open there or, if there is none, one in front of the suite's cassette.
func (c *Control) forward(w http.ResponseWriter, r *http.Request, key string) {
	server, err := c.serverFor(key)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	server.ServeHTTP(w, r)
}

// An Ending is how the command ended.
type Ending struct {
	Failed      bool
	Interrupted bool
}

// Close closes the cassettes that are still open, and reports on the whole run. A test whose
// cassette is still open has not ended, so it counts as failed and stopped.
func (c *Control) Close(e Ending) Report {
	c.Stop()
	_ = c.web.Close() // the remaining connections are idle
	c.mu.Lock()
	running := c.sessions
	c.sessions = nil
	c.mu.Unlock()
	c.closing.Wait()
	for name, s := range running {
		c.closeTest(s, report.Outcome{Failed: true, Stopped: true})
		c.total.note(finding.TestRunning, fmt.Sprintf("%s: %s was still running", s.file, name))
	}

	// A user interrupts a server without a command when the tests are over. If a user
	// interrupts a command, some of its tests have not run.
	rep := c.close(c.suite, report.Outcome{
		Failed:   e.Failed,
		Stopped:  c.Standalone || e.Interrupted,
		Filtered: e.Interrupted,
	})
	if c.Dir != "" {
		for _, note := range c.total.Findings {
			rep.note(note.Code, note.Text)
		}
		passed := !e.Failed && !e.Interrupted
		c.addTests(&rep, passed)
	}
	c.addBypassed(&rep)
	c.addRefused(&rep)
	return rep
}

// addTests adds to the report of the suite what concerns its tests together: cassettes that
// no test has opened, the number of requests, and the tests that failed on their cassettes.
func (c *Control) addTests(rep *Report, passed bool) {
	unopened := slices.DeleteFunc(c.cassettesOfTests(), func(f string) bool { return c.tests[f] != "" })
	didNotRun := fmt.Sprintf("the tests of %s in %s did not run",
		english.Count(len(unopened), "cassette"), c.Dir)
	switch {
	case len(unopened) > 0 && c.RequireAll && passed:
		rep.fail(finding.CassetteUnopened,
			didNotRun+": "+list(unopened)+". Delete the cassettes of deleted tests")
	case len(unopened) > 0 && len(c.tests) > 0:
		rep.note(finding.CassetteUnopened, didNotRun+" (-require-all fails such a run)")
	}

	if c.total.Recorded > 0 {
		rep.note(finding.RequestsCounted, fmt.Sprintf("%s: %s replayed, %d recorded",
			english.Count(len(c.tests), "test"),
			english.Count(int(c.total.Replayed), "request"),
			c.total.Recorded))
	}

	slices.Sort(c.failedTests)
	if len(c.failedTests) > 0 {
		rep.fail(finding.TestUnfit, fmt.Sprintf(
			"%s failed because of a cassette; each failure says why: %s",
			english.Count(len(c.failedTests), "test"), list(c.failedTests)))
	}
}

// Stop ends all requests that are under way. The recorders do not count them as canceled by
// their clients.
func (c *Control) Stop() {
	c.mu.Lock()
	c.stopped = true
	servers := []*serve.Server{c.suite.server}
	for _, s := range c.servers {
		servers = append(servers, s)
	}
	c.mu.Unlock()

	for _, s := range servers {
		s.Cancel()
	}
	if c.proxy != nil {
		c.proxy.Close()
	}
	var all sync.WaitGroup
	for _, s := range servers {
		all.Go(s.Close)
	}
	all.Wait()
}

// GotRequest reports whether the control got a request of the suite, or of one of its tests.
func (c *Control) GotRequest() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.suite.gotRequest.Load() || len(c.tests) > 0 || len(c.bypassHosts) > 0
}

// upstreamKey returns the key in a path such as /in/KEY/https/api.openai.com/v1/models. ok is
// false if the path has another form.
func upstreamKey(path string) (key string, ok bool) {
	rest, ok := strings.CutPrefix(path, "/in/")
	if !ok {
		return "", false
	}
	parts := strings.SplitN(rest, "/", 4)
	if len(parts) < 3 {
		return "", false
	}
	key = parts[0]
	scheme := parts[1]
	host := parts[2]
	if key == "" || host == "" {
		return "", false
	}
	return key, scheme == "http" || scheme == "https"
}

// list names the first 20 of many tests or cassettes.
func list(names []string) string { return english.List(names, 20) }
