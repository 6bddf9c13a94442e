package promptecho

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// values are what a recorder gives its test beside answers: the time, random sources and
// the environment. What is found in the cassette is given again. What is not is drawn in a
// run that may go upstream, and lacking in any other.
type values struct {
	plan   plan
	file   string // the cassette, as the user named it
	tape   *tape.Tape
	log    *report.Log
	policy *redact.Policy

	// The lock guards what follows. It is held while the journal is written, so that no
	// request goes out with a value that a killed run would not leave behind. The only locks
	// that are taken under it are those of the journal, the log and the known secrets.
	mu      sync.Mutex
	found   interaction.Given // in the cassette, and in what a killed run has left
	used    interaction.Given // what this run has given
	sources map[string]*Rand  // by their names
	unfit   bool              // a variable was asked for that must not be written
}

// find finds what there is to give, before the test has the recorder. whole says that the
// test runs with all its parts.
//
// A run that records all of the cassette again draws anew. But it keeps the time and the
// seed if it may be only a part of what the cassette is for: recordings that it does not
// ask for are kept then, and no request would find them if these values were others. A
// variable of the environment changes only if somebody changes it, who wants it to.
func (v *values) find(whole bool) {
	left, stored := v.tape.Journal.Given(), v.tape.State.Given
	if !v.plan.again {
		v.found = stored.Or(left)
		return
	}
	v.found = left
	if !whole {
		v.found = left.Or(interaction.Given{Time: stored.Time, Seed: stored.Seed})
	}
}

// What is given where a value is lacking: always the same. The time is that at which
// clocks of package testing/synctest start.
var (
	lackingTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	lackingSeed = strings.Repeat("0", interaction.SeedDigits)
)

// time returns the time of the recording.
func (v *values) time() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.used.Time.IsZero() {
		when := v.found.Time
		switch {
		case !when.IsZero():
		case v.draws("rec.Time()"):
			when = now()
		default:
			when = lackingTime
		}
		v.give(interaction.Given{Time: when})
	}
	return v.used.Time
}

// now returns the time as a cassette can hold it: that of the file system, since a synctest
// bubble has a time that is of no use to a model.
func now() time.Time {
	t, err := fileTime(os.CreateTemp("", "promptecho-"))
	if err != nil {
		t = time.Now()
	}
	return t.UTC().Truncate(time.Second)
}

// rand returns the source of this name.
func (v *values) rand(name string) *Rand {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.used.Seed == "" {
		seed := v.found.Seed
		switch {
		case seed != "":
		case v.draws(fmt.Sprintf("rec.Rand(%q)", name)):
			seed = drawSeed()
		default:
			seed = lackingSeed
		}
		v.give(interaction.Given{Seed: seed})
	}
	if v.sources[name] == nil {
		if v.sources == nil {
			v.sources = map[string]*Rand{}
		}
		v.sources[name] = newRand(v.used.Seed, name)
	}
	return v.sources[name]
}

// env returns the recorded value of a variable.
func (v *values) env(name string) string {
	present, isSet := os.LookupEnv(name)
	if v.plan.passThrough {
		return present
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if value, ok := v.used.Env[name]; ok {
		return value
	}
	value, ok := v.found.Env[name]
	switch {
	case ok:
		v.compare(name, value, present, isSet)
	case v.policy.CheckVariable(name, present) != nil:
		v.refuse(name, present)
		return present
	case v.draws(fmt.Sprintf("rec.Env(%q)", name)):
		value = present
	}
	v.give(interaction.Given{Env: map[string]string{name: value}})
	return value
}

// compare notes what a reader of the test's log must know about a recorded value.
func (v *values) compare(name, recorded, present string, isSet bool) {
	if v.policy.CheckVariable(name, recorded) != nil { // somebody has edited it
		v.log.Notef("%s: env %s: looks like a secret; promptecho verify names all", v.file, name)
		return
	}
	if !isSet || present == recorded {
		return
	}
	here := fmt.Sprintf("%.100q", present)
	if v.policy.CheckVariable(name, present) != nil {
		here = "something that may be a credential"
	}
	v.log.Notef("%s is %s here and was %.100q when %s was recorded: the test gets %[3]q. To use what is here, record it again", name, here, recorded, v.file)
}

// refuse fails the run because of a variable that must not be written.
func (v *values) refuse(name, value string) {
	v.unfit = true
	v.log.Error(fmt.Errorf("%s: rec.Env(%q) is not written: %w. For a credential use rec.Secret(%[2]q)", v.file, name, v.policy.CheckVariable(name, value)))
}

// draws reports whether a value that was not found is drawn. If it is not, the run fails
// because of the call, unless there is no cassette: a test that asks nothing needs none,
// and whatever another one asks is a miss.
func (v *values) draws(call string) bool {
	if !v.plan.mayGoUpstream() && v.tape.State.Present {
		v.log.Lack(call)
	}
	return v.plan.mayGoUpstream()
}

// give keeps what is given.
func (v *values) give(g interaction.Given) {
	v.used = g.Or(v.used)
	v.tape.Journal.Give(v.used)
}

// check takes out the variables that have turned out to be secret since they were given,
// and reports whether there are variables that must not be written. Those fail the run.
func (v *values) check() (unfit bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(v.used.Env)) {
		if value := v.used.Env[name]; v.policy.CheckVariable(name, value) != nil {
			v.refuse(name, value)
			delete(v.used.Env, name)
		}
	}
	return v.unfit
}

// added reports whether the cassette gets values that it has not, even if nothing was
// recorded.
func (v *values) added() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	all := v.tape.State.Given.Or(v.used)
	return !v.plan.again && !all.Equal(&v.tape.State.Given)
}

// kept returns what a cassette with this fate gives from now on. What this run has given
// comes first, because what it recorded was asked with that. Recordings that nothing asked
// for in mode all may be kept beside it, and may have been asked with another value (of a
// variable; see find). No cassette serves both: those that were just recorded can be
// replayed, the others count as unused. What this run did not use stays as it was.
func (v *values) kept(f fate) interaction.Given {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f.beside || f.keep == keepNone {
		return v.used.Or(interaction.Given{})
	}
	return v.used.Or(v.found).Or(v.tape.State.Given)
}
