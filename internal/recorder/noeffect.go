// Options and other settings that had no effect.
//
// A setting without an effect is most likely a mistake, such as a misspelt
// path. So every option, flag and environment variable is noted when the
// recorder is opened, and at its end each that changed nothing is reported,
// with the reason.

package recorder

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/modelswap"
	"github.com/promptecho/promptecho/internal/mutant"
	"github.com/promptecho/promptecho/internal/quota"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// variables are the environment variables that promptecho, its command or
// promptecho-store reads, or sets for what it runs.
var variables = []string{
	"PROMPTECHO_MODE",
	modelswap.ModelVariable,
	modelswap.ProviderVariable,
	modelswap.KeyVariable,
	modelswap.RepeatVariable,
	ForkVariable,
	report.CarryOverVariable,
	"PROMPTECHO_MISSED",
	mutant.Env,
	quota.Env,
	quota.TryEnv,
	"PROMPTECHO_DONE",
	"PROMPTECHO_DEFAULT",
	"PROMPTECHO_OBSERVE",
	"PROMPTECHO_SNAPSHOTS",
	"PROMPTECHO_STORE_CACHE",
	"PROMPTECHO_URL",
	"PROMPTECHO_PATHS",
	"PROMPTECHO_SECRET",
	"PROMPTECHO_STDIO",
}

// noteOverruled notes the variables and flags that have no effect. In a
// benchmark, the first round has the mode that was asked for, so no mode counts
// as overruled.
func (r *Recorder) noteOverruled(inBenchmark bool) {
	if !inBenchmark {
		r.noteOverruledModes()
	}
	r.noteRepeatedFlags()
	if r.swap == nil {
		for _, name := range modelswap.Set() {
			r.config.noteNoEffect(name, fmt.Sprintf("%s asks no other model: use promptecho compare", r.mode))
		}
	}
	if r.mode.mode != ModeFork && os.Getenv(ForkVariable) != "" {
		r.config.noteNoEffect(ForkVariable, fmt.Sprintf("%s forks nothing: use promptecho record -from", r.mode))
	}
	r.noteUnknownVariables()
}

func (r *Recorder) noteOverruledModes() {
	fromEnvironment := chosenMode{mode: Mode(os.Getenv("PROMPTECHO_MODE")), by: "PROMPTECHO_MODE"}
	fromFlag, _ := flagMode()
	for _, asked := range []chosenMode{fromEnvironment, fromFlag} {
		if asked.mode == "" || asked.mode == r.mode.mode {
			continue
		}
		why := fmt.Sprintf("%s is in effect for %s", r.mode, r.file)
		r.config.noteNoEffect(fmt.Sprintf("%s=%s", asked.by, asked.mode), why)
	}
}

func (r *Recorder) noteRepeatedFlags() {
	for i, arg := range os.Args {
		isSameFlag := func(later string) bool { return flagName(later) == flagName(arg) }
		if isOurFlag(arg) && slices.ContainsFunc(os.Args[i+1:], isSameFlag) {
			r.config.noteNoEffect(arg, setTwice)
		}
	}
}

func (r *Recorder) noteUnknownVariables() {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		isOurs := strings.HasPrefix(name, "PROMPTECHO_")
		isForTests := strings.HasPrefix(name, "PROMPTECHO_TEST_")
		if isOurs && !isForTests && !slices.Contains(variables, name) {
			r.config.noteNoEffect(name, "promptecho reads no such environment variable")
		}
	}
}

// optionsReport returns all settings, each with the reason why it had no
// effect, if it had none. If that is Frozen, the run fails: the call could be
// made.
func (r *Recorder) optionsReport(o *report.Outcome) (list []report.Option) {
	isWholeRun := r.log.Reached.Load() && !o.Skipped && !o.Filtered && !o.Short
	for _, s := range r.config.settings {
		option := report.Option{Code: s.text(r.words()), Why: r.whyNoEffect(s)}
		if s.option == advice.Frozen && option.Why != "" && isWholeRun {
			r.log.Error(r.errorf(finding.OptionWithoutEffect, "%s", option))
			continue
		}
		list = append(list, option)
	}
	return list
}

// words returns the words for the language of the suite.
func (r *Recorder) words() *advice.Words { return r.config.inWords() }

// whyNoEffect returns why a setting had no effect; "" if it had one, or if that
// cannot be known.
func (r *Recorder) whyNoEffect(s setting) string {
	if s.why != "" {
		return s.why
	}
	isMatch := s.option == advice.Match || s.option == advice.MatchOnly
	if isMatch && slices.Contains(r.config.matching.Ignore, s.value) {
		return r.words().Name(advice.Ignore) + " leaves the field out"
	}
	if _, hadEffect := r.config.hits.Load(s.value); hadEffect {
		return ""
	}

	switch purposes[s.option] {
	case forField:
		if s.option == advice.Ignore && strings.HasPrefix(s.value, "header/") {
			return "" // a header may be one that is never written
		}
		return "no request or recording has such a field; write the path as a miss report shows it"
	case forCall:
		if !r.isCalled(s.value) {
			return "no call of this name was made or is recorded"
		}
	case forLiveCall:
		if !r.isCalledUnfrozen(s.value) {
			return "no call of this name was made or is recorded"
		}
	case forText:
		return "it matches nothing in any request or recording"
	case forServer:
		return "no request went to this server"
	case forWriting:
		if slices.ContainsFunc(r.tape.Recordings(), (*tape.Recording).Fresh) {
			return "nothing that was recorded contains it"
		}
		if r.tape.State.Present && !r.mayHaveChanged(s) {
			return "neither the cassette nor what is written of any request contains it"
		}
	}
	return ""
}

// mayHaveChanged reports whether the text of the cassette may be what it is
// because of an option that changes what is written. The contents of assets and
// base64 are not known.
func (r *Recorder) mayHaveChanged(s setting) bool {
	data, err := os.ReadFile(r.log.Path)
	if err != nil {
		return true
	}
	trace := strings.Trim(s.value, "*")
	if s.option == advice.Redact {
		trace = redact.Placeholder
	}
	text := strings.ToLower(string(data))
	for _, part := range []string{strings.ToLower(trace), "_file: ", "_base64: "} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// isCalled reports whether a call that a selector names was made or is
// recorded.
func (r *Recorder) isCalled(selector string) bool {
	if selector == everything && len(r.tape.Recordings()) > 0 {
		return true
	}
	return r.hasCall(func(name string) bool { return canon.Selects(selector, name) })
}

// isCalledUnfrozen is isCalled without the calls that are frozen.
func (r *Recorder) isCalledUnfrozen(selector string) bool {
	return r.hasCall(func(name string) bool {
		return canon.Selects(selector, name) && !r.config.frozen.Select(name)
	})
}

// hasCall reports whether a call with such a name was missed or is recorded.
func (r *Recorder) hasCall(isWanted func(name string) bool) bool {
	for _, miss := range r.log.Misses() {
		if isWanted(miss.Call) {
			return true
		}
	}
	return slices.ContainsFunc(r.tape.Recordings(), func(rec *tape.Recording) bool {
		return isWanted(rec.Peek().Name())
	})
}
