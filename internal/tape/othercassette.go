package tape

import (
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Keys returns the match keys by which another cassette can have the request of
// a call: that of its form, and that of the request without headers, which
// counts for recordings with unknown headers.
func (t *Tape) Keys(m *Match) []string {
	return []string{m.Form.Key(), t.keyWithoutHeaders(m.Request)}
}

func (t *Tape) keyWithoutHeaders(req interaction.Request) string {
	req.UnknownHeaders = true
	req.Headers = nil
	return t.Config.Options.Form(&req).Key()
}

// CountIn returns how many of the requests that are asked here another cassette
// has; asked has the [Tape.Keys] of each. It returns 0 if the cassette cannot
// be read.
func (t *Tape) CountIn(path string, asked [][]string) int {
	n := 0
	has, _ := t.Has(path, asked)
	for _, isRecorded := range has {
		if isRecorded {
			n++
		}
	}
	return n
}

// Has reports which of the requests that are asked here another cassette has,
// and how many recordings that cassette has; asked has the [Tape.Keys] of each.
// A cassette that cannot be read has none.
func (t *Tape) Has(path string, asked [][]string) (has []bool, recordings int) {
	has = make([]bool, len(asked))
	recorded := t.KeysIn(path)
	for i, keys := range asked {
		has[i] = slices.ContainsFunc(keys, func(key string) bool {
			return slices.Contains(recorded, key)
		})
	}
	return has, len(recorded)
}

// KeysIn returns the match key of each recording of another cassette: that one
// of [Tape.Keys] which counts for the recording. A cassette that cannot be read
// has none.
func (t *Tape) KeysIn(path string) []string {
	config := t.Config
	config.Path = path
	config.Name = path
	other := New(config, t.policy)
	if other.Open(false) != nil {
		return nil
	}
	defer other.Free()
	if other.Load(PlayAll, false) != nil {
		return nil
	}

	var keys []string
	for _, rec := range other.Recordings() {
		key := rec.Form().Key()
		if rec.unknownHeaders {
			key = t.keyWithoutHeaders(rec.Request())
		}
		keys = append(keys, key)
	}
	return keys
}
