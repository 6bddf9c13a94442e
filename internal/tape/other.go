package tape

import "github.com/promptecho/promptecho/internal/cassette"

// CountInFailed is CountIn for the file in which a run that did not pass left what it
// recorded, and returns the path of that.
func (t *Tape) CountInFailed(asked map[string]bool) (path string, n int) {
	path = cassette.Beside(t.Config.Path, FailedSuffix)
	return path, t.CountIn(path, asked)
}

// CountIn returns how many recordings of another cassette answer requests that are asked
// here, by the keys of their forms. It returns 0 if the cassette cannot be read.
func (t *Tape) CountIn(path string, asked map[string]bool) (n int) {
	config := t.Config
	config.Path, config.Name = path, path
	other := New(config, t.policy)
	if other.Open() != nil {
		return 0
	}
	defer other.Free()
	if other.Load(PlayAll, false) != nil {
		return 0
	}
	for _, rec := range other.Recordings() {
		if asked[rec.Form().Key()] {
			n++
		}
	}
	return n
}
