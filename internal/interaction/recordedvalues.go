package interaction

import (
	"cmp"
	"maps"
	"time"
)

// RecordedValues are the time, the seed and the variables that a test read while it recorded. A
// replay returns the same values, so that the test sends the same requests. A value is recorded only if a test used it.
type RecordedValues struct {
	// Time is the time of the recording in UTC, in whole seconds; zero if it is not recorded.
	Time time.Time

	// Seed is the seed of all random sources: SeedDigits hexadecimal digits in lower case, or
	// "" if it is not recorded.
	Seed string

	// Env has the values of environment variables by their names.
	Env map[string]string

	// Options are the options of the recorder, as the cassette has them, on one line. A test
	// does not read them.
	Options string
}

// SeedDigits is the number of digits of a seed.
const SeedDigits = 32

// Or returns the values of g, and for each that g lacks, the value of other. The result shares
// no map with them.
func (g RecordedValues) Or(other RecordedValues) RecordedValues {
	if g.Time.IsZero() {
		g.Time = other.Time
	}
	g.Seed = cmp.Or(g.Seed, other.Seed)
	g.Options = cmp.Or(g.Options, other.Options)
	env := map[string]string{}
	maps.Copy(env, other.Env)
	maps.Copy(env, g.Env)
	g.Env = env
	return g
}

// Equal reports whether g and other have the same values.
func (g *RecordedValues) Equal(other *RecordedValues) bool {
	return g.Time.Equal(other.Time) &&
		g.Seed == other.Seed &&
		maps.Equal(g.Env, other.Env) &&
		g.Options == other.Options
}
