package promptecho

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/stack"
	"github.com/promptecho/promptecho/internal/tape"
)

func init() {
	report.Begin = func(recorder any, whole bool) {
		r := recorder.(*Recorder)
		r.log.OfTest = testing.Testing()
		r.given.find(whole)
	}
	report.Finish = func(recorder any, o report.Outcome) report.Report {
		return recorder.(*Recorder).finish(o)
	}
	report.Unfinished = func() (open []any) {
		for rec := range unfinished.Range {
			open = append(open, rec)
		}
		slices.SortFunc(open, func(a, b any) int { return strings.Compare(a.(*Recorder).file, b.(*Recorder).file) })
		return open
	}
	report.InMode = func(mode, by string) any {
		return Option(func(c *config) {
			m, err := parseMode(mode, by)
			c.flag, c.err = chosenMode{m, by}, errors.Join(c.err, err)
		})
	}
	report.Inside = func(recorder any) (*tape.Tape, *redact.Policy) {
		return recorder.(*Recorder).tape, &recorder.(*Recorder).redact
	}
	report.HasAlias = func(recorder any, u *url.URL) bool {
		return recorder.(*Recorder).config.aliases.of(u) != nil
	}
}

// Close ends the recorder. It settles answers that are still being read, saves the cassette if the
// record mode records, and returns all problems as one joined error: misses,
// recordings that no request used, a recorder that no request reached, and a cassette
// that could not be saved. [errors.As] finds the first [*MissError] in it. A second Close returns the same, even while the first is still
// at work.
//
// The cassette is written whole or not at all: to a temporary file that is renamed and
// read back. If nothing was recorded or changed, nothing is written.
//
// In a test, Close does not know how the run ended; package echotest does. So an older recording
// that was not used stays, unless mode all has recorded at least as many as there were: then the
// new ones replace the cassette. A deferred Close treats a panic, FailNow and SkipNow as a failure. Outside
// of a test, as in TestMain, Close treats a run with -run or -skip, or one of several shards, as
// incomplete. Under [github.com/promptecho/promptecho/echotest.Run], which knows how the tests
// end, such a Close only ends the recorder: Run saves the cassette and reports what is wrong.
func (r *Recorder) Close() error {
	if r == nil {
		return nil
	}
	running := stack.Current()
	o := report.Outcome{
		Failed: running.Panicking || running.Exiting,
		Short:  testing.Testing() && report.Short(),
		Unsure: testing.Testing(),
	}
	if report.Deferred.Load() && !running.InTest && !o.Failed {
		r.life.closed.Store(true)
		r.tape.Stop()
		return nil
	}
	if running.InTest {
		o.Filtered = report.FilteredInside()
	} else {
		o.Filtered = testing.Testing() && report.Part() != ""
	}
	rep := r.finish(o)
	if r.config.log == nil {
		for _, option := range rep.Options {
			if option.Why != "" {
				fmt.Fprintf(os.Stderr, "promptecho: %s: %s\n", r.file, option)
			}
		}
	}
	if len(rep.Errors) == 0 {
		return nil
	}
	var failed runError
	failed.parts = group.Each(rep.Errors, func(text string) error { return errors.New("promptecho: " + text) })
	failed.error = errors.Join(failed.parts...)
	failed.parts = append(failed.parts, group.Each(r.Misses(), func(m *MissError) error { return m })...)
	return failed
}

// A runError is what is wrong with a run.
type runError struct {
	error         // what a report says
	parts []error // the same, and behind that the misses, which it names
}

func (e runError) Unwrap() []error { return e.parts }

// finish closes the recorder, once, knowing how its run ended.
func (r *Recorder) finish(o report.Outcome) report.Report {
	if rep := r.life.report.Load(); rep != nil {
		return *rep // who waits for a channel must be in the synctest bubble in which it was made
	}
	r.life.closed.Store(true)
	over := make(chan struct{}) // and not a sync.Once, since a bubble sees who waits for a channel
	if !r.life.over.CompareAndSwap(nil, &over) {
		<-*r.life.over.Load()
		return *r.life.report.Load()
	}
	r.awaitGivenUp()
	r.tape.Stop()
	r.pending.Close()
	r.tape.Close()
	r.compare()
	r.upstream.Close()
	r.waits.note(r.log.Notef)
	for _, err := range []error{r.save(&o), r.tape.Unreadable(), r.handOver()} {
		if err != nil {
			r.log.Error(err)
		}
	}
	if unlogged.Load() {
		neverCache()
	}
	rep := r.log.Judge(&o, r.options(&o)...)
	if !r.log.OfTest {
		if err := rep.Done.Leave(); err != nil {
			rep.Fail(fmt.Sprintf("%s: promptecho record cannot count the calls of this recorder: %v", r.file, err))
		}
	}
	r.tape.Free()
	unfinished.Delete(r)
	if r.config.log != nil {
		for _, note := range rep.Notes {
			r.config.log(note)
		}
	}
	r.life.report.Store(&rep)
	close(over)
	return rep
}

// unfinished has the recorders of the tests of this process that have no report yet. In a program
// that is no test nobody asks for them.
var unfinished sync.Map

// variables are those of the environment that promptecho, its command or promptecho-store reads, or sets for
// what it runs.
var variables = []string{"PROMPTECHO_MODE", "PROMPTECHO_MISSED", "PROMPTECHO_DONE", "PROMPTECHO_DEFAULT", "PROMPTECHO_OBSERVE", "PROMPTECHO_SNAPSHOTS",
	"PROMPTECHO_STORE_CACHE", "PROMPTECHO_URL", "PROMPTECHO_PATHS"}

// overruled states what the environment and the flags say in vain; in rounds, a mode is that
// of the first.
func (r *Recorder) overruled(rounds bool) {
	vain := func(code, why string) { r.config.stated = append(r.config.stated, stated{code: code, why: why}) }
	flags, _ := flagMode()
	for _, asked := range []chosenMode{{Mode(os.Getenv("PROMPTECHO_MODE")), "PROMPTECHO_MODE"}, flags} {
		if asked.mode != "" && asked.mode != r.mode.mode && !rounds {
			vain(fmt.Sprintf("%s=%s", asked.by, asked.mode), fmt.Sprintf("%s is in effect for %s", r.mode, r.file))
		}
	}
	for i, arg := range os.Args {
		if isOurFlag(arg) && slices.ContainsFunc(os.Args[i+1:], func(later string) bool { return flagName(later) == flagName(arg) }) {
			vain(arg, setTwice)
		}
	}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "PROMPTECHO_") && !slices.Contains(variables, name) && !strings.HasPrefix(name, "PROMPTECHO_TEST_") {
			vain(name, "promptecho reads no such environment variable")
		}
	}
}

// options returns what the options came to. One without an effect is most likely a slip; if
// that was to freeze a call, it fails the run.
func (r *Recorder) options(o *report.Outcome) (list []report.Option) {
	for _, s := range r.config.stated {
		option := report.Option{Code: s.code, Why: r.idle(&s)}
		if option.Why != "" && strings.HasPrefix(s.code, "Frozen(") && r.log.Reached.Load() && !o.Skipped && !o.Filtered && !o.Short {
			r.log.Error(fmt.Errorf("%s: %s", r.file, option))
			continue
		}
		list = append(list, option)
	}
	return list
}

// idle says why an option had no effect; "" if it had one.
func (r *Recorder) idle(s *stated) string {
	_, hit := r.config.hits.Load(s.value)
	switch {
	case s.why != "":
		return s.why
	case strings.HasPrefix(s.code, "Match") && slices.Contains(r.config.matching.Ignore, s.value):
		return "Ignore leaves the field out"
	case hit:
		return ""
	case s.on == onField && !(strings.HasPrefix(s.code, "Ignore(") && strings.HasPrefix(s.value, "header/")): // which may never be written
		return "no request or recording has such a field; write the path as a miss report shows it"
	case (s.on == onCall || s.on == onLive) && !r.called(s.value, s.on == onLive):
		return "no call of this name was made or is recorded"
	case s.on == onText:
		return "it matches nothing in any request or recording"
	case s.on == onServer:
		return "no request went to this server"
	case s.on == onWriting && slices.ContainsFunc(r.tape.Recordings(), (*tape.Recording).Fresh):
		return "nothing that was recorded contains it"
	case s.on == onWriting && r.tape.State.Present && !r.mayHave(s):
		return "neither the cassette nor what is written of any request contains it"
	}
	return ""
}

// mayHave reports whether the cassette may have something that is written in another way because
// of an option. Nobody sees here what is in assets and in base64.
func (r *Recorder) mayHave(s *stated) bool {
	what := strings.ToLower(strings.Trim(s.value, "*"))
	if strings.HasPrefix(s.code, "Redact(") {
		what = strings.ToLower(redact.Placeholder)
	}
	data, err := os.ReadFile(r.log.Path)
	text := strings.ToLower(string(data))
	return err != nil || strings.Contains(text, what) || strings.Contains(text, "_file: ") || strings.Contains(text, "_base64: ")
}

// called reports whether a call that a selector names was asked for or is recorded; thawed
// leaves out those that are frozen.
func (r *Recorder) called(selector string, thawed bool) bool {
	if selector == everything && !thawed && len(r.tape.Recordings()) > 0 {
		return true
	}
	is := func(name string) bool {
		return canon.Selects(selector, name) && !(thawed && r.config.frozen.Select(name))
	}
	return slices.ContainsFunc(r.log.Misses(), func(m *report.Miss) bool { return is(m.Call) }) ||
		slices.ContainsFunc(r.tape.Recordings(), func(rec *tape.Recording) bool { return is(rec.Peek().Name()) })
}
