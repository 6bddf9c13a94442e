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

// A given is what a recorder gives its test beside answers: the time, random sources and
// the environment. What is found in the cassette is given again. What is not is drawn in a
// run that records or passes requests through, and lacking in any other.
type given struct {
	plan   plan
	tape   *tape.Tape
	log    *report.Log
	policy *redact.Policy

	// The lock guards what follows. It is held while the journal is written, so that no
	// request goes out with a value that a killed run would not leave behind. The only locks
	// that are taken under it are those of the journal, the log and the known secrets.
	mu      sync.Mutex
	found   interaction.Given      // in the cassette, in what a killed run has left, and in what is carried over
	kept    interaction.Given      // the same without the last: it is saved even if this run does not use it
	used    interaction.Given      // what this run has given
	sources map[string]*RandSource // by their names
	unfit   bool                   // a variable was asked for that must not be written
}

// find finds what there is to give, before the test has the recorder. whole says that the
// test runs with all its parts.
//
// A run that records all of the cassette again draws anew. But it keeps the time and the
// seed if there are frozen calls, or if it may be only a part of what the cassette is for:
// recordings are played or kept then, and nothing would find them if these values were
// others. A variable of the environment changes only if somebody changes it, who wants it to.
func (g *given) find(whole bool) {
	left, stored := g.tape.Journal.Given(), g.tape.State.Given
	switch {
	case !g.plan.rerecord:
		g.kept = stored.Or(left)
	case !whole || len(g.tape.Config.Frozen) > 0:
		g.kept = left.Or(interaction.Given{Time: stored.Time, Seed: stored.Seed})
	default:
		g.kept = left
	}
	g.found = g.kept.Or(g.tape.CarriedGiven())
}

// What is given where a value is lacking: always the same. The time is that at which
// clocks of package testing/synctest start.
var (
	lackingTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	lackingSeed = strings.Repeat("0", interaction.SeedDigits)
)

// settle returns what was found, else what is drawn for a call, else what stands for it.
func settle[T comparable](g *given, found T, call string, draw func() T, lacking T) T {
	switch {
	case found != *new(T):
		return found
	case g.draws(call):
		return draw()
	}
	return lacking
}

// time returns the time of the recording.
func (g *given) time() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.used.Time.IsZero() {
		present := func() time.Time { return realTime().UTC().Truncate(time.Second) } // as a cassette can hold it
		g.give(interaction.Given{Time: settle(g, g.found.Time, "rec.Now()", present, lackingTime)})
	}
	return g.used.Time
}

// isRecorded reports whether a replay gives the program a volatile text again, since it is a
// recorded value.
func (g *given) isRecorded(found volatile.Finding) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch found.Kind {
	case volatile.Date, volatile.Time:
		return !g.used.Time.IsZero()
	}
	for _, value := range g.used.Env {
		if strings.Contains(value, found.Text) {
			return true
		}
	}
	return false
}

// rand returns the source of this name.
func (g *given) rand(name string) *RandSource {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.used.Seed == "" {
		g.give(interaction.Given{Seed: settle(g, g.found.Seed, fmt.Sprintf("rec.Rand(%q)", name), drawSeed, lackingSeed)})
	}
	if g.sources[name] == nil {
		g.sources[name] = NewRandSource(g.used.Seed, name)
	}
	return g.sources[name]
}

// env returns the recorded value of a variable.
func (g *given) env(name string) string {
	present, isSet := os.LookupEnv(name)
	g.mu.Lock()
	defer g.mu.Unlock()
	if value, ok := g.used.Env[name]; ok {
		return value
	}
	value, ok := g.found.Env[name]
	switch {
	case ok:
		g.compare(name, value, present, isSet)
	case g.plan.passThrough:
		return present
	case g.policy.CheckVariable(name, present) != nil:
		g.refuse(name, present)
		return present
	case g.draws(fmt.Sprintf("rec.Env(%q)", name)):
		value = present
	}
	g.give(interaction.Given{Env: map[string]string{name: value}})
	return value
}

// compare notes what a reader of the test's log must know about a recorded value.
func (g *given) compare(name, recorded, present string, isSet bool) {
	if g.policy.CheckVariable(name, recorded) != nil { // somebody has edited it
		g.log.Notef(finding.SecretInFile, "%s: env %s: looks like a "+
			"secret; promptecho verify lists all such values",
			g.tape.Config.Name, name)
		return
	}
	if !isSet || present == recorded {
		return
	}
	here := fmt.Sprintf("%.100q", present)
	if g.policy.CheckVariable(name, present) != nil {
		here = "a hidden value (it may be a credential)"
	}
	g.log.Notef(finding.VariableDiffers, "%s is %s here and was %.100q when %s was recorded: the "+
		"test gets %[3]q. To use the value set here, record it again", name, here, recorded, g.tape.Config.Name)
}

// refuse fails the run because of a variable that must not be written.
func (g *given) refuse(name, value string) {
	g.unfit = true
	g.log.Error(finding.Errorf(finding.VariableSecret, g.tape.Config.Name, "the value of rec.Env(%q) "+
		"is not put into the cassette: %w. For a credential use rec.Secret(%[1]q)",
		name, g.policy.CheckVariable(name, value)))
}

// draws reports whether a value that was not found is drawn. If it is not, the run fails
// because of the call, unless there is no cassette: a test that asks nothing needs none,
// and whatever another one asks is a miss.
func (g *given) draws(call string) bool {
	draws := g.plan.record || g.plan.passThrough
	if !draws && g.tape.State.Present {
		g.log.Lacking.Add(call)
	}
	return draws
}

// give keeps values that are given.
func (g *given) give(values interaction.Given) {
	g.used = values.Or(g.used)
	g.tape.Journal.Give(g.used)
}

// check takes out the variables that have turned out to be secret since they were given,
// and reports whether there are variables that must not be written. Those fail the run.
func (g *given) check() (unfit bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(g.used.Env)) {
		if value := g.used.Env[name]; g.policy.CheckVariable(name, value) != nil {
			g.refuse(name, value)
			delete(g.used.Env, name)
		}
	}
	return g.unfit
}

// added reports whether the cassette gets values that it has not, even if nothing was
// recorded.
func (g *given) added() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := g.tape.State.Given.Or(g.used)
	return !g.plan.rerecord && !all.Equal(&g.tape.State.Given)
}

// toSave returns the values that are saved. Those of this run come first, because its
// requests were made with them. Values that it did not use stay as they were, unless
// onlyUsed is set.
//
// Old recordings that mode all keeps may have been made with another value (of a
// variable, say). No file serves both: the new recordings can be replayed, and the old
// ones count as unused.
func (g *given) toSave(onlyUsed bool) interaction.Given {
	g.mu.Lock()
	defer g.mu.Unlock()
	if onlyUsed {
		return g.used.Or(interaction.Given{Options: g.tape.State.Given.Options})
	}
	return g.used.Or(g.kept).Or(g.tape.State.Given)
}
