package tape

import (
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Keys returns the keys by which another cassette can have the request of a call: that of its
// form, and the one that counts for recordings with unknown headers, which leaves out headers.
func (t *Tape) Keys(m *Match) []string {
	return []string{m.Form.Key(), t.keyWithoutHeaders(m.Request)}
}

func (t *Tape) keyWithoutHeaders(req interaction.Request) string {
	req.UnknownHeaders, req.Headers = true, nil
	return t.Config.Options.Form(&req).Key()
}

// CountIn returns how many of the requests that are asked here another cassette has; asked has
// the [Tape.Keys] of each. It returns 0 if the cassette cannot be read.
func (t *Tape) CountIn(path string, asked [][]string) (n int) {
	has, _ := t.Has(path, asked)
	for _, is := range has {
		if is {
			n++
		}
	}
	return n
}

// Has reports which of the requests that are asked here another cassette has, and how many
// recordings that has; asked has the [Tape.Keys] of each. A cassette that cannot be read has none.
func (t *Tape) Has(path string, asked [][]string) (has []bool, recordings int) {
	has = make([]bool, len(asked))
	recorded := t.KeysIn(path)
	for i, keys := range asked {
		has[i] = slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(recorded, key) })
	}
	return has, len(recorded)
}

// KeysIn returns the key of the request of each recording that another cassette has: that one of
// [Tape.Keys] which counts for it. A cassette that cannot be read has none.
func (t *Tape) KeysIn(path string) (keys []string) {
	config := t.Config
	config.Path, config.Name = path, path
	other := New(config, t.policy)
	if other.Open(false) != nil {
		return nil
	}
	defer other.Free()
	if other.Load(PlayAll, false) != nil {
		return nil
	}
	for _, rec := range other.Recordings() {
		key := rec.Form().Key()
		if rec.unknown {
			key = t.keyWithoutHeaders(rec.Request())
		}
		keys = append(keys, key)
	}
	return keys
}
