package control

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/serveoptions"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
)

// open opens a cassette.
func (c *Control) open(s *session, mode, by string) error {
	var apply []func(*recorder.Config)
	for _, line := range c.Options {
		options, err := serveoptions.Options(line)
		if err != nil {
			return err
		}
		apply = append(apply, options)
	}

	rec, err := recorder.Open(s.file, func(config *recorder.Config) {
		config.Words(serveoptions.Words)
		config.OptionsAtTop(serveoptions.Options)
		if mode != "" {
			config.InModeOf(by, mode)
		}
		if c.Lenient {
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

// RoundTrip hands a request to the recorder, and notes that there was one.
func (s *session) RoundTrip(req *http.Request) (*http.Response, error) {
	s.asked.Store(true)
	if name := req.Header.Get(serveoptions.NameHeader); name != "" {
		req = req.Clone(recorder.WithName(req.Context(), name))
		req.Header.Del(serveoptions.NameHeader)
	}
	resp, err := s.rec.RoundTrip(req)
	if err == nil {
		for _, name := range [...]string{"Location", "Content-Location"} {
			// Below a base URL, a path would lead elsewhere.
			if u, err := url.Parse(resp.Header.Get(name)); err == nil && u.Host == "" && strings.HasPrefix(u.Path, "/") {
				resp.Header.Set(name, req.URL.ResolveReference(u).String())
			}
		}
	}
	return resp, err
}

// end closes the cassette of a session, and says what there is to say.
func (c *Control) end(s *session, o report.Outcome) Report {
	s.server.Close()
	tape := s.rec.Tape()
	stored, used := tape.Stored(), 0
	for _, rec := range stored {
		if rec.Used() {
			used++
		}
	}
	replays := !s.rec.Online()
	o.Short = !s.whole
	o.Filtered = o.Filtered || !s.asked.Load() // so that nothing unused is evidence
	o.Command = func(mode string) string { return c.Command(s.remedy(mode, replays), s.command) }
	present, ran := tape.State.Present, o.Whole() || !s.asked.Load() && !o.Failed && !o.Skipped && !o.Stopped
	rep := s.rec.Finish(o)
	r := Report{Cassette: s.file, Replayed: rep.Done.Replayed, Recorded: rep.Done.Recorded, Missed: rep.Done.Missed, Errors: []string{}, Notes: []string{}, Findings: []finding.Finding{}}
	for _, found := range rep.Findings {
		if found.Severity == finding.Failure {
			r.fail(found.Code, found.Text)
		} else {
			r.note(found.Code, found.Text)
		}
	}
	switch {
	case s.name != "" && present && ran && !s.asked.Load():
		r.fail(finding.NoRequest, s.file+": no request of the test arrived, and the cassette has "+english.Count(len(stored), "recording")+
			": if its client was created before OPENAI_BASE_URL and the like were set, create it in the test; if the test sends no requests any more, delete the cassette")
	case s.asked.Load() && !s.whole && !c.Lenient && used < len(stored) && o.Whole() && len(r.Errors) == 0:
		r.note(finding.RecordingUnused, s.file+": "+fmt.Sprintf("%d of %s", used, english.Count(len(stored), "recording"))+" used (with -require-all, a run with unused recordings fails)")
		if tape.State.Partial {
			r.note(finding.RecordingPartial, s.file+" stays partial while recordings are unused; -mode=all -require-all records everything again and drops them")
		}
	}
	r.OK, r.Text = len(r.Errors) == 0, strings.Join(slices.Concat(r.Notes, r.Errors), "\n")
	return r
}

// remedy returns the mode that records what is missing and throws nothing away that the user has
// not named; a report names the mode all.
func (s *session) remedy(mode string, replays bool) string {
	switch {
	case mode != "all" || !replays:
		return mode
	case s.whole:
		return "update"
	}
	return "new_episodes"
}
