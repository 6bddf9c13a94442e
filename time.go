package promptecho

import (
	"os"
	"time"
)

// Now returns when the recording was made, in whole seconds and UTC: the same time in
// the recording run and in every replay. Use it in place of [time.Now] where the time gets
// into requests: the method value rec.Now is a clock that stands still.
//
// In the recording run it is the time of the first call, the real time even in a bubble
// of [testing/synctest]. To have the bubble's clock start at the recording, begin the bubble
// with time.Sleep(time.Until(rec.Now())), which takes no time.
//
// The cassette has the time if a test uses it, and you may edit it there. Mode all
// takes a new one if the test runs completely and has no [Frozen] calls. In a test
// without package echotest that is not known, and the time stays. So does that of a run that
// was killed and is resumed.
//
// If the cassette has no time and nothing can be added to it (modes none and compare, and
// once with a whole cassette), the run fails with an error that says how to add it, and Now
// returns the first second of the year 2000. In mode live the time is not stored. A nil
// recorder returns the present time.
func (r *Recorder) Now() time.Time {
	if r == nil {
		return time.Now().UTC().Truncate(time.Second)
	}
	return r.given.time()
}

// Rand returns the source of random numbers and bytes of this name. It returns the same
// in the recording run and in every replay. Sources with different names are independent,
// so a new one changes nothing for the others. Calls with the same name return the same
// source, which goes on where it was: code that may draw in another order (a goroutine, a subtest
// that -run can select) needs a source of its own.
//
// All sources of a cassette come from one seed, which is drawn from [crypto/rand] when the
// cassette is recorded. The cassette has it if a test uses a source. It stays or
// changes as the time of [Recorder.Now] does.
//
// If the cassette has no seed and nothing can be added to it (modes none and compare, and
// once with a whole cassette), the run fails with an error that says how to add it, and the
// sources come from a seed of zeros. In mode live the seed is not stored. A nil recorder
// returns a new source with a seed of its own each time.
//
// The global sources of [crypto/rand] and [math/rand/v2] are left alone on purpose. Package
// testing/cryptotest can make the first one deterministic for a test, but then TLS draws
// from it, too, while a test records and not while it replays. So every id that is drawn
// after the first connection would differ. And the seed in a committed file would reveal
// the keys of the recorded connections.
func (r *Recorder) Rand(name string) *Rand {
	if r == nil {
		return newRand(drawSeed(), name)
	}
	return r.given.rand(name)
}

// Env returns the value that an environment variable had when the recording was made; it is
// "" if the variable was not set. So the settings a test depends on (a model's name, a region,
// a base URL) are the same wherever it is replayed. If the variable is set and has another
// value now, a note names both, and Env returns the recorded one.
//
// The cassette has the value if a test uses it, and you may edit it there. Mode all
// takes the present value. A run that was killed and is resumed keeps the one it had.
//
// A variable whose name or value looks like a credential is not written. Env returns its
// present value then, and the run fails: use [Recorder.Secret]. A random text of a dozen
// letters and digits looks like one, unless the variable's name ends in ID, SHA or the like.
//
// If the cassette does not have the variable and nothing can be added to it (modes none and
// compare, and once with a whole cassette), the run fails with an error that says how to add it, and Env
// returns "". In mode live, and of a nil recorder, it is [os.Getenv].
func (r *Recorder) Env(name string) string {
	switch {
	case r == nil:
		return os.Getenv(name)
	case !r.isVariable("Env", name):
		return ""
	}
	return r.given.env(name)
}
