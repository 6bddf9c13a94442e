package interaction

import (
	"cmp"
	"maps"
	"time"
)

// Given is what a cassette gives a test beside answers, so that what the test asks is the
// same in replay. A value is there only if a test used it. The zero value has none.
type Given struct {
	Time time.Time         // when the recording was made, in whole seconds, UTC; zero if it is not there
	Seed string            // of all random sources: SeedDigits hexadecimal digits in lower case; "" if it is not there
	Env  map[string]string // the values of environment variables, by their names

	Options string // of the recorder, as they stand in the file, on one line; the test gets nothing of them
}

// SeedDigits is how many digits a seed has.
const SeedDigits = 32

// Or returns what g has, and what o has of the rest. The map of the result is its own.
func (g Given) Or(o Given) Given {
	if g.Time.IsZero() {
		g.Time = o.Time
	}
	g.Seed, g.Options = cmp.Or(g.Seed, o.Seed), cmp.Or(g.Options, o.Options)
	env := map[string]string{}
	maps.Copy(env, o.Env)
	maps.Copy(env, g.Env)
	g.Env = env
	return g
}

// Equal reports whether two have the same values.
func (g *Given) Equal(o *Given) bool {
	return g.Options == o.Options && g.Time.Equal(o.Time) && g.Seed == o.Seed && maps.Equal(g.Env, o.Env)
}
