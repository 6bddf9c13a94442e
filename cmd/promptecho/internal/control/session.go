package control

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/serveoptions"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/nethttp/serve"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
)

// open opens the cassette of a session in a record mode. chosenBy says where the mode
// comes from, for reports.
func (c *Control) open(s *session, mode, chosenBy string) error {
	var apply []func(*recorder.Config)
	for _, line := range c.Options {
		options, err := serveoptions.Options(line)
		if err != nil {
			return err
		}
		apply = append(apply, options)
	}

	rec, err := recorder.Open(s.file, func(config *recorder.Config) {
		config.Words(c.words())
		config.OptionsAtTop(serveoptions.Options)
		if mode != "" {
			config.InModeOf(chosenBy, mode)
		}
		if c.Standalone {
			config.AllowUnused()
		}
		for _, options := range apply {
			options(config)
		}
	})
	if err != nil {
		return recorder.Reason(err)
	}
	s.rec = rec
	rec.Begin(true)
	return nil
}

// modeFrom returns what has set the record mode of the suite, for messages.
func (c *Control) modeFrom() string { return cmp.Or(c.ModeFrom, "-mode") }

// words returns the words of reports.
func (c *Control) words() *advice.Words {
	if c.OfProgram {
		return serveoptions.ProgramWords
	}
	return serveoptions.Words
}

// RoundTrip passes a request to the recorder, and notes that the session got one.
func (s *session) RoundTrip(req *http.Request) (*http.Response, error) {
	s.gotRequest.Store(true)
	name := req.Header.Get(serveoptions.NameHeader)
	if name != "" {
		req = req.Clone(recorder.WithName(req.Context(), name))
		req.Header.Del(serveoptions.NameHeader)
	}
	resp, err := s.rec.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	resolveLocations(resp.Header, req.URL)
	return resp, nil
}

var errStopped = errors.New("promptecho serve was stopped")

// serverFor returns the server with a key, which is that of an open test or of the suite. If there
// is none, it adds one in front of the suite's cassette, since a worker also sends requests between
// two tests and after the last one.
func (c *Control) serverFor(key string) (*serve.Server, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if server := c.servers[key]; server != nil {
		return server, nil
	}
	if c.stopped {
		return nil, errStopped
	}
	server := serve.New(c.suite, c.URL+"/in/"+key)
	c.servers[key] = server
	return server, nil
}

// resolveLocations replaces a path in a header with a location by its URL at the upstream. The
// client would resolve the path against the address of the control, where the base URL of the
// upstream has a path of its own.
func resolveLocations(headers http.Header, requested *url.URL) {
	for _, name := range [...]string{"Location", "Content-Location"} {
		u, err := url.Parse(headers.Get(name))
		isPath := err == nil && u.Host == "" && strings.HasPrefix(u.Path, "/")
		if isPath {
			headers.Set(name, requested.ResolveReference(u).String())
		}
	}
}

// close closes the cassette of a session, and reports what the recorder and the session
// have found.
func (c *Control) close(s *session, o report.Outcome) Report {
	s.server.Close()
	tape := s.rec.Tape()
	stored := tape.Stored()
	used := 0
	for _, rec := range stored {
		if rec.Used() {
			used++
		}
	}
	cassetteExists := tape.State.Present
	isReplay := !s.rec.Online()
	gotRequest := s.gotRequest.Load()

	o.Short = !s.requireAll
	if !gotRequest {
		// The test may not have run at all, so an unused recording says nothing.
		o.Filtered = true
	}
	o.Command = func(mode string) string {
		return c.Command(s.remedyMode(mode, isReplay), s.command)
	}
	endedWithoutRequest := !gotRequest && !o.Failed && !o.Skipped && !o.Stopped
	ranWhole := o.Whole() || endedWithoutRequest

	rep := s.rec.Finish(o)
	r := Report{
		Cassette: s.file,
		Replayed: rep.Done.Replayed,
		Recorded: rep.Done.Recorded,
		Missed:   rep.Done.Missed,
		Errors:   []string{},
		Notes:    []string{},
		Findings: []finding.Finding{},
	}
	for _, found := range rep.Findings {
		if found.Severity == finding.Failure {
			r.fail(found.Code, found.Text)
		} else {
			r.note(found.Code, found.Text)
		}
	}

	hasNoRequest := s.test != "" && cassetteExists && ranWhole && !gotRequest
	mayHaveUnused := !s.requireAll && !c.Standalone && used < len(stored)
	switch {
	case hasNoRequest:
		r.fail(finding.NoRequest, fmt.Sprintf("%s: no request of the test arrived, and the cassette has %s"+
			": if its client was created before OPENAI_BASE_URL and the like were set, create it in "+
			"the test; if the test sends no requests any more, delete the cassette",
			s.file, english.Count(len(stored), "recording")))
	case mayHaveUnused && gotRequest && o.Whole() && len(r.Errors) == 0:
		r.note(finding.RecordingUnused, fmt.Sprintf("%s: %d of %s used (%s)",
			s.file, used, english.Count(len(stored), "recording"), c.adviceForUnused()))
		if tape.State.Partial {
			r.note(finding.RecordingPartial, s.file+" stays partial while recordings are unused; "+
				c.howToRecordAll()+" records everything again and drops them")
		}
	}
	r.OK = len(r.Errors) == 0
	r.Text = strings.Join(slices.Concat(r.Notes, r.Errors), "\n")
	return r
}

// adviceForUnused says what the user can do about recordings that a run has not used.
func (c *Control) adviceForUnused() string {
	if c.OfProgram {
		return "to drop the others: " + c.Command("update", nil)
	}
	return "with -require-all, a run with unused recordings fails"
}

// howToRecordAll returns what records everything again and drops unused recordings.
func (c *Control) howToRecordAll() string {
	if c.OfProgram {
		return "promptecho record -all"
	}
	return "-mode=all -require-all"
}

// remedyMode returns the record mode that a report advises in place of mode. A report of a
// replay advises the mode all, which records everything again; a mode that records only what
// is missing is enough, and does not drop recordings that the user has not named.
func (s *session) remedyMode(mode string, isReplay bool) string {
	switch {
	case mode != "all" || !isReplay:
		return mode
	case s.requireAll:
		return "update"
	}
	return "new_episodes"
}
