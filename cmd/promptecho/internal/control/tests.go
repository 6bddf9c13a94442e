package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/nethttp/proxy"
	"github.com/promptecho/promptecho/internal/nethttp/serve"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// An openRequest is the body of the request with which a test opens its cassette.
type openRequest struct {
	// By is the name of the worker that runs this test and then others, one at a time.
	// Empty if tests run in parallel.
	By      string   `json:"by"`
	Mode    string   `json:"mode"`    // the record mode; empty for that of the suite
	Command []string `json:"command"` // runs only this test
}

// An openResponse says where the cassette of a test is served.
type openResponse struct {
	Cassette string            `json:"cassette"`
	URL      string            `json:"url"` // of an upstream: url + "/https/api.openai.com/v1"
	Env      map[string]string `json:"env"`
}

// serveControl opens and closes the cassettes of tests.
// path is the path of the request without the secret.
func (c *Control) serveControl(w http.ResponseWriter, r *http.Request, path string) {
	escaped, isCassette := strings.CutPrefix(path, "/cassettes/")
	name, err := url.PathUnescape(escaped)
	isCassette = isCassette && err == nil
	host := (&url.URL{Host: r.Host}).Hostname()
	isTrusted := c.isFar || urls.IsThisMachine(host) // with the secret, any name of the host may be used
	isFromBrowser := r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != ""
	switch {
	case isFromBrowser || !isTrusted:
		refuse(w, http.StatusForbidden, "it answers only programs on this machine, not web pages")
	case !isCassette || name == "":
		refuse(w, http.StatusNotFound, "POST /cassettes/NAME opens a cassette and DELETE "+
			"/cassettes/NAME?passed=true closes it; docs/PROCESSES.md says more")
	case c.Dir == "":
		refuse(w, http.StatusConflict, "the suite has one cassette, "+c.Cassette+": to give each test its "+
			"own, run promptecho serve -cassettes DIR")
	case r.Method == http.MethodPost:
		c.serveOpen(w, r, name)
	case r.Method == http.MethodDelete:
		c.serveClose(w, r, name)
	default:
		refuse(w, http.StatusMethodNotAllowed, "POST opens a cassette, DELETE closes it")
	}
}

// serveOpen opens the cassette of a test.
func (c *Control) serveOpen(w http.ResponseWriter, r *http.Request, name string) {
	var open openRequest
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err == nil && len(body) > 0 {
		err = json.Unmarshal(body, &open)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "the request body is not JSON such as {\"by\": \"worker "+
			"1\", \"mode\": \"once\", \"command\": [\"pytest\", \"test_trip.py::test_one\"]}: "+err.Error())
		return
	}

	s := &session{
		test:       name,
		file:       c.fileOf(name),
		requireAll: true,
		command:    open.Command,
		key:        urlSafe(name),
	}
	if open.By != "" {
		s.key = urlSafe(open.By)
	}
	mode := open.Mode
	chosenBy := "as the test says"
	if mode == "" {
		mode = c.Mode
		chosenBy = c.modeFrom()
	}
	if err := c.openTest(s, mode, chosenBy); err != nil {
		text := err.Error()
		if errors.As(err, new(*recorder.PartialError)) {
			text += "\n  " + c.Command("new_episodes", s.command)
		}
		refuseFor(w, http.StatusConflict, codeOf(err), text)
		return
	}

	response := openResponse{
		Cassette: s.file,
		URL:      c.URL + "/in/" + s.key,
		Env:      map[string]string{},
	}
	for variable, path := range c.paths {
		response.Env[variable] = response.URL + path
	}
	if c.proxy != nil {
		for _, variable := range proxy.Variables {
			response.Env[variable] = c.proxy.URL(s.key, c.address)
		}
	}
	writeJSON(w, http.StatusOK, response)
}

// codeOf returns the code of the reason why a cassette was not opened.
func codeOf(err error) finding.Code {
	code := finding.CodeOf(err)
	if code == finding.RunFailed {
		return finding.ControlRefused
	}
	return code
}

// openTest opens the cassette of a test's session, and a server in front of it.
func (c *Control) openTest(s *session, mode, chosenBy string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	other := c.tests[s.file]
	switch {
	case c.stopped:
		return errStopped
	case other != "" && other != s.test:
		return fmt.Errorf("%s is the cassette of %s, too: give one of them another name", s.file, other)
	case c.sessions[s.test] != nil:
		return fmt.Errorf("%s is already open: an earlier test with this name has not ended", s.test)
	}
	for _, other := range c.sessions {
		if other.key == s.key {
			return fmt.Errorf("%s is still open at the same address, because its request has the "+
				"same \"by\": leave \"by\" out for tests that run "+
				"in parallel, so that each gets an address of its own",
				other.test)
		}
	}

	if err := c.open(s, mode, chosenBy); err != nil {
		return err
	}
	s.server = serve.New(s, c.URL+"/in/"+s.key)
	c.sessions[s.test] = s
	c.servers[s.key] = s.server
	c.tests[s.file] = s.test
	return nil
}

// serveClose closes the cassette of a test, and answers with its report: as text to a client that
// accepts text/plain, otherwise as JSON.
func (c *Control) serveClose(w http.ResponseWriter, r *http.Request, name string) {
	c.mu.Lock()
	s := c.sessions[name]
	delete(c.sessions, name)
	if s != nil {
		c.closing.Add(1)
		defer c.closing.Done()
	}
	c.mu.Unlock()
	if s == nil {
		refuse(w, http.StatusNotFound, name+" is not open")
		return
	}

	query := r.URL.Query()
	rep := c.closeTest(s, report.Outcome{
		Failed:  query.Get("passed") == "false",
		Skipped: query.Get("skipped") == "true",
		Unsure:  query.Get("passed") == "",
	})
	if strings.HasPrefix(r.Header.Get("Accept"), "text/plain") {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, rep.Text) // the client may have closed the connection
		return
	}
	writeJSON(w, http.StatusOK, rep)
}

// closeTest closes the cassette of a test, and adds its report to the total.
func (c *Control) closeTest(s *session, outcome report.Outcome) Report {
	rep := c.close(s, outcome)
	c.mu.Lock()
	defer c.mu.Unlock()
	isReplaced := c.servers[s.key] != s.server // the worker has begun another test
	if !isReplaced {
		delete(c.servers, s.key)
	}
	c.total.Replayed += rep.Replayed
	c.total.Recorded += rep.Recorded
	if !rep.OK {
		c.failedTests = append(c.failedTests, s.test)
	}
	return rep
}

// fileOf returns the path of the cassette of a test. Spaces become underscores, since most
// names in other languages have spaces; two names that differ in nothing else are refused by
// openTest.
func (c *Control) fileOf(name string) string {
	file := testname.File(strings.ReplaceAll(name, " ", "_"))
	below, _ := filepath.Rel(testname.Folder, file) // all such files are below the folder
	return filepath.Join(c.Dir, below)
}

// cassettesOfTests returns the paths of the cassettes in the folder of tests. What cannot be
// read is left out.
func (c *Control) cassettesOfTests() (files []string) {
	suite := filepath.Clean(c.Cassette)
	_ = filepath.WalkDir(c.Dir, func(path string, d fs.DirEntry, err error) error {
		isCassette := err == nil && !d.IsDir() && filepath.Ext(path) == ".yaml"
		if isCassette && filepath.Clean(path) != suite {
			files = append(files, path)
		}
		return nil
	})
	return files
}

var notURLSafe = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// urlSafe returns a name as an element of a URL's path that every client leaves as it is. A
// name that is already one is not changed; any other gets a hash, which keeps names apart.
func urlSafe(name string) string {
	if len(name) <= 80 && !notURLSafe.MatchString(name) {
		return name
	}
	hash := fnv.New32a()
	_, _ = io.WriteString(hash, name) // never fails
	plain := strings.Trim(notURLSafe.ReplaceAllString(name, "-"), "-")
	return fmt.Sprintf("%s-%08x", plain[max(0, len(plain)-60):], hash.Sum32())
}
