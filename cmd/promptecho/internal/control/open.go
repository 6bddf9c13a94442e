package control

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/nethttp/serve"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
	"github.com/promptecho/promptecho/internal/report"
)

// Open opens the cassette for what no test asks, and listens.
func Open(config Config) (*Control, error) {
	c := &Control{
		Config:   config,
		sessions: map[string]*session{}, below: map[string]*serve.Server{}, paths: map[string]string{}, opened: map[string]string{},
	}
	listener, err := c.listen()
	if err != nil {
		return nil, err
	}
	c.URL = "http://" + listener.Addr().String()
	c.suite = &session{file: c.Cassette, whole: c.Whole}
	if err := c.open(c.suite, c.Mode, "-mode"); err != nil {
		listener.Close()
		return nil, err
	}
	c.Online = c.suite.rec.Online() || c.Dir != "" && c.mayRecord()
	c.suite.server = serve.New(c.suite, "")
	if c.Listen != "" {
		c.suite.server = serve.New(c.suite, c.URL+"/in/suite")
		c.below["suite"] = c.suite.server
	}
	c.web = http.Server{Handler: c, ReadHeaderTimeout: time.Minute, Protocols: new(http.Protocols), ErrorLog: log.New(io.Discard, "", 0)}
	c.web.Protocols.SetHTTP1(true)
	c.web.Protocols.SetUnencryptedHTTP2(true)
	if err := c.setEnv(); err != nil {
		listener.Close()
		c.Close(Ending{Failed: true})
		return nil, err
	}
	go func() { _ = c.web.Serve(listener) }() // ends by Close
	return c, nil
}

// listen opens the address. It must be one of this machine: whoever reaches it has what is
// recorded, and in a run that records, the keys.
func (c *Control) listen() (net.Listener, error) {
	if c.Listen == "" {
		if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
			return l, nil
		}
		return net.Listen("tcp6", "[::1]:0")
	}
	if _, _, err := net.SplitHostPort(c.Listen); err != nil || !urls.IsLoopback(c.Listen) {
		return nil, fmt.Errorf("-listen %s: it must be an "+
			"address of this machine with a port: 127.0.0.1:8090, [::1]:8090",
			c.Listen)
	}
	return net.Listen("tcp", c.Listen)
}

// mayRecord reports whether a test that has no cassette may go upstream.
func (c *Control) mayRecord() bool {
	probe := &session{file: filepath.Join(c.Dir, ".none.yaml")}
	if c.open(probe, c.Mode, "-mode") != nil {
		return false
	}
	defer probe.rec.Finish(report.Outcome{Failed: true, Filtered: true})
	return probe.rec.Online()
}

// ServeHTTP answers at the address.
func (c *Control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.EscapedPath(); {
	case r.Method == http.MethodConnect:
		c.stray(w, r.Host)
	case r.URL.IsAbs():
		c.stray(w, r.URL.Host)
	case below(path) != nil:
		c.ask(w, r, below(path))
	default:
		c.control(w, r)
	}
}

// ask hands a request below a base URL to the server of the cassette that is open there.
func (c *Control) ask(w http.ResponseWriter, r *http.Request, parts []string) {
	c.mu.Lock()
	server := c.below[parts[0]]
	switch {
	case server == nil && c.stopped:
		c.mu.Unlock()
		panic(http.ErrAbortHandler)
	case server == nil:
		server = serve.New(c.suite, c.URL+"/in/"+parts[0])
		c.below[parts[0]] = server
	}
	c.mu.Unlock()
	server.ServeHTTP(w, r)
}

// An Ending is how everything ended.
type Ending struct {
	Failed      bool // the command failed
	Interrupted bool // or was stopped
}

// Close ends what is still open, and says what there is to say of the whole run.
func (c *Control) Close(e Ending) Report {
	c.Stop()
	_ = c.web.Close() // of connections that nobody uses any more
	c.mu.Lock()
	sessions := c.sessions
	c.sessions = nil
	c.mu.Unlock()
	c.ending.Wait()
	cut := report.Outcome{Failed: true, Stopped: true}
	for name, s := range sessions {
		c.conclude(s, cut)
		c.total.note(finding.TestRunning, fmt.Sprintf("%s: %s was still running", s.file, name))
	}
	rep := c.end(c.suite, report.Outcome{Failed: e.Failed, Stopped: e.Interrupted || c.Lenient, Filtered: e.Interrupted})
	if c.Dir == "" {
		c.addStrays(&rep)
		return rep
	}
	for _, note := range c.total.Findings {
		rep.note(note.Code, note.Text)
	}
	c.ofTests(&rep, !e.Failed && !e.Interrupted)
	c.addStrays(&rep)
	return rep
}

// ofTests adds what is to be said of the cassettes of tests.
func (c *Control) ofTests(rep *Report, passed bool) {
	unused := slices.DeleteFunc(c.cassettes(), func(f string) bool { return c.opened[f] != "" })
	left := fmt.Sprintf("the tests of %s in %s did not run", english.Count(len(unused), "cassette"), c.Dir)
	switch {
	case len(unused) > 0 && c.Whole && passed:
		rep.fail(finding.CassetteUnopened, left+": "+list(unused)+". Delete the cassettes of deleted tests")
	case len(unused) > 0 && len(c.opened) > 0:
		rep.note(finding.CassetteUnopened, left+" (-require-all fails such a run)")
	}
	if c.total.Recorded > 0 {
		rep.note(finding.RequestsCounted, fmt.Sprintf("%s: %s replayed, %d recorded", english.Count(len(c.opened), "test"), english.Count(int(c.total.Replayed), "request"), c.total.Recorded))
	}
	slices.Sort(c.unfit)
	if len(c.unfit) > 0 {
		rep.fail(finding.TestUnfit, english.Count(len(c.unfit), "test")+" failed because of a cassette; each failure says why: "+list(c.unfit))
	}
}

// Stop ends all requests that are under way. They do not count as given up by their clients.
func (c *Control) Stop() {
	c.mu.Lock()
	c.stopped = true
	servers := []*serve.Server{c.suite.server}
	for _, s := range c.below {
		servers = append(servers, s)
	}
	c.mu.Unlock()
	var all sync.WaitGroup
	for _, s := range servers {
		all.Go(s.Close)
	}
	all.Wait()
}

// Asked reports whether anything was asked.
func (c *Control) Asked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.suite.asked.Load() || len(c.opened) > 0 || len(c.strayed) > 0
}

// below returns what stands behind /in/ in a path: who asks, and the scheme and the host of the
// upstream. It is nil if that is not all there.
func below(path string) []string {
	rest, ok := strings.CutPrefix(path, "/in/")
	parts := strings.SplitN(rest, "/", 4)
	if !ok || len(parts) < 3 || parts[0] == "" || !slices.Contains([]string{"http", "https"}, parts[1]) || parts[2] == "" {
		return nil
	}
	return parts
}

// list names the first of many.
func list(names []string) string { return english.List(names, 20) }
