package codec

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
)

// EncodeRecordedValues returns the lines at the top of a cassette with the recorded values, and
// makes sure that they read as that again. There are none if it gives nothing.
func EncodeRecordedValues(g *interaction.RecordedValues) ([]byte, error) {
	var e encoder
	if g.Options != "" {
		e.keyValue("options", g.Options)
	}
	if !g.Time.IsZero() {
		e.keyValue("time", g.Time.UTC().Format(time.RFC3339))
	}
	e.text("seed", &g.Seed)
	env := group.Each(slices.Sorted(maps.Keys(g.Env)), func(name string) interaction.Header {
		return interaction.Header{Name: name, Values: []string{g.Env[name]}}
	})
	e.headers("env", (*interaction.Headers)(&env))
	if e.err != nil || len(e.buf) == 0 {
		return nil, e.err
	}
	back, err := ParseRecordedValues(e.buf)
	if err == nil && !back.Equal(g) {
		err = errors.New("options, time, seed or env would be different when they are read back; please report this")
	}
	return e.buf, err
}
