package codec

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
)

// EncodeRecordedValues returns the lines at the top of a cassette with the recorded values, or nil
// if there are none. It is an error if the lines would be read back as other values.
func EncodeRecordedValues(values *interaction.RecordedValues) ([]byte, error) {
	var e encoder
	if values.Options != "" {
		e.keyValue("options", values.Options)
	}
	if !values.Time.IsZero() {
		e.keyValue("time", values.Time.UTC().Format(time.RFC3339))
	}
	e.text("seed", &values.Seed)
	env := group.Each(slices.Sorted(maps.Keys(values.Env)), func(name string) interaction.Header {
		return interaction.Header{Name: name, Values: []string{values.Env[name]}}
	})
	e.headers("env", (*interaction.Headers)(&env))
	if e.err != nil || len(e.buf) == 0 {
		return nil, e.err
	}
	back, err := ParseRecordedValues(e.buf)
	if err == nil && !back.Equal(values) {
		err = errors.New("options, time, seed or env would be different when they are read back; " +
			"please report this")
	}
	return e.buf, err
}
