package promptecho

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// variables are those of the environment that promptecho reads, or sets for its own use.
var variables = []string{"PROMPTECHO_MODE", "PROMPTECHO_MISSED", "PROMPTECHO_DONE", "PROMPTECHO_DEFAULT", "PROMPTECHO_OBSERVE", "PROMPTECHO_SNAPSHOTS"}

// overruled states what the environment and the flags say in vain; in rounds, a mode is that
// of the first.
func (r *Recorder) overruled(rounds bool) {
	vain := func(code, why string) { r.config.stated = append(r.config.stated, stated{code: code, why: why}) }
	flags, _ := flagMode()
	for _, asked := range []chosenMode{{Mode(os.Getenv("PROMPTECHO_MODE")), "PROMPTECHO_MODE"}, flags} {
		if asked.mode != "" && asked.mode != r.mode.mode && !rounds {
			vain(fmt.Sprintf("%s=%s", asked.by, asked.mode), fmt.Sprintf("%s decides for %s", r.mode, r.file))
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
		return "neither the cassette nor any request contains it"
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
