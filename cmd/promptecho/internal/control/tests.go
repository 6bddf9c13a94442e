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
	"github.com/promptecho/promptecho/internal/nethttp/serve"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// An opening is what a test says when it begins.
type opening struct {
	By      string   `json:"by"`      // who runs this test and then others; empty if they run side by side there
	Mode    string   `json:"mode"`    // the record mode; empty for that of the suite
	Command []string `json:"command"` // that runs only this test
}

// An opened is what it gets.
type opened struct {
	Cassette string            `json:"cassette"`
	URL      string            `json:"url"` // of an upstream: url + "/https/api.openai.com/v1"
	Env      map[string]string `json:"env"`
}

// control answers what is asked of the control itself.
func (c *Control) control(w http.ResponseWriter, r *http.Request) {
	name, isCassette := strings.CutPrefix(r.URL.Path, "/cassettes/")
	host := (&url.URL{Host: r.Host}).Hostname()
	switch {
	case r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" || !urls.IsThisMachine(host):
		refuse(w, http.StatusForbidden, "it answers only programs on this machine, not web pages")
	case !isCassette || name == "":
		refuse(w, http.StatusNotFound, "POST /cassettes/NAME opens a cassette and DELETE "+
			"/cassettes/NAME?passed=true closes it; docs/PROCESSES.md says more")
	case c.Dir == "":
		refuse(w, http.StatusConflict, "the suite has one cassette, "+c.Cassette+": to give each test its "+
			"own, run promptecho serve -cassettes DIR")
	case r.Method == http.MethodPost:
		c.begin(w, r, name)
	case r.Method == http.MethodDelete:
		c.finish(w, r, name)
	default:
		refuse(w, http.StatusMethodNotAllowed, "POST opens a cassette, DELETE closes it")
	}
}

// begin opens the cassette of a test.
func (c *Control) begin(w http.ResponseWriter, r *http.Request, name string) {
	var o opening
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err == nil && len(body) > 0 {
		err = json.Unmarshal(body, &o)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "the request body is not JSON such as {\"by\": \"worker "+
			"1\", \"mode\": \"once\", \"command\": [\"pytest\", \"test_trip.py::test_one\"]}: "+err.Error())
		return
	}
	s := &session{name: name, file: c.fileOf(name), whole: true, command: o.Command}
	at := slug(name)
	if o.By != "" {
		at = slug(o.By)
	}
	s.at = at
	mode, by := o.Mode, "as the test says"
	if mode == "" {
		mode, by = c.Mode, "-mode"
	}
	if err := c.enter(s, mode, by); err != nil {
		text := err.Error()
		if errors.As(err, new(*recorder.PartialError)) {
			text += "\n  " + c.Command("new_episodes", s.command)
		}
		refuseFor(w, http.StatusConflict, codeOf(err), text)
		return
	}
	where := opened{Cassette: s.file, URL: c.URL + "/in/" + at, Env: map[string]string{}}
	for variable, path := range c.paths {
		where.Env[variable] = where.URL + path
	}
	answer(w, http.StatusOK, where)
}

// codeOf returns the code of a reason why a cassette was not opened.
func codeOf(err error) finding.Code {
	code := finding.CodeOf(err)
	if code == finding.RunFailed {
		return finding.ControlRefused
	}
	return code
}

// enter opens the cassette of a session, which answers from then on.
func (c *Control) enter(s *session, mode, by string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.stopped:
		return errors.New("promptecho serve was stopped")
	case c.opened[s.file] != "" && c.opened[s.file] != s.name:
		return fmt.Errorf("%s is the cassette of %s, too: give one of them another name", s.file, c.opened[s.file])
	case c.sessions[s.name] != nil:
		return fmt.Errorf("%s is already open: an earlier test with this name has not ended", s.name)
	}
	for _, other := range c.sessions {
		if other.at == s.at {
			return fmt.Errorf("%s is still open at the same address, because its request has the "+
				"same \"by\": leave \"by\" out for tests that run "+
				"in parallel, so that each gets an address of its own",
				other.name)
		}
	}
	if err := c.open(s, mode, by); err != nil {
		return err
	}
	s.server = serve.New(s, c.URL+"/in/"+s.at)
	c.sessions[s.name], c.below[s.at], c.opened[s.file] = s, s.server, s.name
	return nil
}

// finish closes the cassette of a test.
func (c *Control) finish(w http.ResponseWriter, r *http.Request, name string) {
	c.mu.Lock()
	s := c.sessions[name]
	delete(c.sessions, name)
	if s != nil {
		c.ending.Add(1)
		defer c.ending.Done()
	}
	c.mu.Unlock()
	if s == nil {
		refuse(w, http.StatusNotFound, name+" is not open")
		return
	}
	query := r.URL.Query()
	rep := c.conclude(s, report.Outcome{Failed: query.Get("passed") == "false", Skipped: query.Get("skipped") == "true", Unsure: query.Get("passed") == ""})
	if strings.HasPrefix(r.Header.Get("Accept"), "text/plain") {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, rep.Text) // the client may be gone
		return
	}
	answer(w, http.StatusOK, rep)
}

// conclude ends the session of a test, and adds it to the total.
func (c *Control) conclude(s *session, o report.Outcome) Report {
	rep := c.end(s, o)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.below[s.at] == s.server {
		delete(c.below, s.at)
	}
	c.total.Replayed += rep.Replayed
	c.total.Recorded += rep.Recorded
	if !rep.OK {
		c.unfit = append(c.unfit, s.name)
	}
	return rep
}

// fileOf returns the cassette of a test. Most names have spaces, and few differ in nothing else.
func (c *Control) fileOf(name string) string {
	file, _ := filepath.Rel(testname.Folder, testname.File(strings.ReplaceAll(name, " ", "_"))) // it is below the folder
	return filepath.Join(c.Dir, file)
}

// cassettes returns those in the folder of tests.
func (c *Control) cassettes() (files []string) {
	_ = filepath.WalkDir(c.Dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".yaml" && filepath.Clean(path) != filepath.Clean(c.Cassette) {
			files = append(files, path)
		}
		return nil // what cannot be read is not known
	})
	return files
}

var unplain = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// slug returns a name as one that is safe in a URL, whoever reads it. Such a name stays.
func slug(name string) string {
	if len(name) <= 80 && !unplain.MatchString(name) {
		return name
	}
	hash := fnv.New32a()
	_, _ = io.WriteString(hash, name) // never fails
	plain := strings.Trim(unplain.ReplaceAllString(name, "-"), "-")
	return fmt.Sprintf("%s-%08x", plain[max(0, len(plain)-60):], hash.Sum32())
}
