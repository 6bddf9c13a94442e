package recorder

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/recorder/volatile"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// recordedValues are the values that a test takes from its recorder: the time, random sources
// and environment variables. A value in the cassette is returned again. A value that is not is
// made in a run that records or passes requests through, and is an error in any other run.
type recordedValues struct {
	plan   plan
	tape   *tape.Tape
	log    *report.Log
	policy *redact.Policy

	// mu guards the fields below. It is held while the journal is written, so that no request
	// is sent with a value that is not in the journal. Under it, only the locks of the journal,
	// the log and the known secrets are taken.
	mu      sync.Mutex
	found   interaction.Given      // in the cassette, the journal of a killed run, and carried over
	kept    interaction.Given      // found, without the values carried over; saved even if not used
	used    interaction.Given      // the values that the test has used
	sources map[string]*RandSource // by their names
	refused bool                   // the test used a variable that must not be written
}

// find finds the values that this run returns again. It is called before the test has the
// recorder. whole says that all parts of the test run.
//
// A run that records the whole cassette again makes new values. It keeps the time and the seed in
// two cases: there are frozen calls, or it may be only a part of the test. Then old recordings
// are played or kept, and their requests only match with the same values. Variables are not
// kept, since a user who has changed a variable wants the new value.
func (v *recordedValues) find(whole bool) {
	inJournal := v.tape.Journal.Given() // of a killed run
	stored := v.tape.State.Given
	switch {
	case !v.plan.rerecord:
		v.kept = stored.Or(inJournal)
	case !whole || len(v.tape.Config.Frozen) > 0:
		v.kept = inJournal.Or(interaction.Given{Time: stored.Time, Seed: stored.Seed})
	default:
		v.kept = inJournal
	}
	v.found = v.kept.Or(v.tape.CarriedGiven())
}

// The values of a replay whose cassette lacks them are constant. The time is the one at which
// the clocks of package testing/synctest start.
var (
	lackingTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	lackingSeed = strings.Repeat("0", interaction.SeedDigits)
)

// chooseValue returns the found value. If it is zero, it returns a new value. In a run that does
// not make new values, it returns lacking and fails the run. call is the call of the test that
// needs the value, such as "rec.Now()".
func chooseValue[T comparable](
	v *recordedValues, found T, call string, newValue func() T, lacking T,
) T {
	var zero T
	switch {
	case found != zero:
		return found
	case v.makesNew():
		return newValue()
	}
	v.noteLacking(call)
	return lacking
}

// time returns the time of the recording.
func (v *recordedValues) time() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.used.Time.IsZero() {
		// A cassette has whole seconds.
		now := func() time.Time { return realTime().UTC().Truncate(time.Second) }
		t := chooseValue(v, v.found.Time, "rec.Now()", now, lackingTime)
		v.use(interaction.Given{Time: t})
	}
	return v.used.Time
}

// isRecorded reports whether a volatile text is a part of a recorded value, so that a replay
// sends it again.
func (v *recordedValues) isRecorded(found volatile.Finding) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch found.Kind {
	case volatile.Date, volatile.Time:
		return !v.used.Time.IsZero()
	}
	for _, value := range v.used.Env {
		if strings.Contains(value, found.Text) {
			return true
		}
	}
	return false
}

// rand returns the source of this name.
func (v *recordedValues) rand(name string) *RandSource {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.used.Seed == "" {
		call := fmt.Sprintf("rec.Rand(%q)", name)
		seed := chooseValue(v, v.found.Seed, call, drawSeed, lackingSeed)
		v.use(interaction.Given{Seed: seed})
	}
	if v.sources[name] == nil {
		v.sources[name] = NewRandSource(v.used.Seed, name)
	}
	return v.sources[name]
}

// env returns the recorded value of a variable. A run that makes new values returns the present
// one. In any other run, the value of a variable that the cassette lacks is "".
func (v *recordedValues) env(name string) string {
	present, isSet := os.LookupEnv(name)
	v.mu.Lock()
	defer v.mu.Unlock()
	if value, ok := v.used.Env[name]; ok {
		return value
	}
	value, isFound := v.found.Env[name]
	switch {
	case isFound:
		v.noteDifference(name, value, present, isSet)
	case v.plan.passThrough:
		return present
	case v.policy.CheckVariable(name, present) != nil:
		v.refuse(name, present)
		return present
	case v.makesNew():
		value = present
	default:
		v.noteLacking(fmt.Sprintf("rec.Env(%q)", name))
		value = ""
	}
	v.use(interaction.Given{Env: map[string]string{name: value}})
	return value
}

// noteDifference notes that a recorded variable looks like a secret, or differs from the present
// one.
func (v *recordedValues) noteDifference(name, recorded, present string, isSet bool) {
	if v.policy.CheckVariable(name, recorded) != nil { // an edit has put it there
		v.log.Notef(finding.SecretInFile, "%s: env %s: looks like a "+
			"secret; promptecho verify lists all such values",
			v.tape.Config.Name, name)
		return
	}
	if !isSet || present == recorded {
		return
	}
	here := fmt.Sprintf("%.100q", present)
	if v.policy.CheckVariable(name, present) != nil {
		here = "a hidden value (it may be a credential)"
	}
	v.log.Notef(finding.VariableDiffers, "%s is %s here and was %.100q when %s was recorded: the "+
		"test gets %[3]q. To use the value set here, record it again",
		name, here, recorded, v.tape.Config.Name)
}

// refuse fails the run because of a variable that must not be written.
func (v *recordedValues) refuse(name, value string) {
	v.refused = true
	v.log.Error(finding.Errorf(finding.VariableSecret, v.tape.Config.Name, "the value of rec.Env(%q) "+
		"is not put into the cassette: %w. For a credential use rec.Secret(%[1]q)",
		name, v.policy.CheckVariable(name, value)))
}

// makesNew reports whether this run makes the values that the cassette lacks.
func (v *recordedValues) makesNew() bool { return v.plan.record || v.plan.passThrough }

// noteLacking fails the run because the cassette lacks the value of a call, such as "rec.Now()".
// If there is no cassette, the run does not fail: a test without requests needs no cassette, and
// each request of another test is a miss.
func (v *recordedValues) noteLacking(call string) {
	if v.tape.State.Present {
		v.log.Lacking.Add(call)
	}
}

// use notes values that the test uses, and writes them into the journal.
func (v *recordedValues) use(values interaction.Given) {
	v.used = values.Or(v.used)
	v.tape.Journal.Give(v.used)
}

// check removes the variables whose values have been found to be secrets since the test used
// them. It reports whether the test has used variables that must not be written, which fails
// the run.
func (v *recordedValues) check() (refused bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(v.used.Env)) {
		if value := v.used.Env[name]; v.policy.CheckVariable(name, value) != nil {
			v.refuse(name, value)
			delete(v.used.Env, name)
		}
	}
	return v.refused
}

// added reports whether this run has values for the cassette that it lacks, even if no request
// was recorded.
func (v *recordedValues) added() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	all := v.tape.State.Given.Or(v.used)
	return !v.plan.rerecord && !all.Equal(&v.tape.State.Given)
}

// toSave returns the values for the cassette. The values that this run used replace the stored
// ones, because its requests were made with them. Other stored values are kept, unless
// onlyUsed is set.
//
// Old recordings that mode all keeps may have been made with another value. A cassette cannot
// have both values, so a replay finds the new recordings, and the old ones count as unused.
func (v *recordedValues) toSave(onlyUsed bool) interaction.Given {
	v.mu.Lock()
	defer v.mu.Unlock()
	if onlyUsed {
		return v.used.Or(interaction.Given{Options: v.tape.State.Given.Options})
	}
	return v.used.Or(v.kept).Or(v.tape.State.Given)
}
