package promptecho

import "sync"

// A benchmark asks for the same again and again, and package testing calls it several times.
// The first round is recorded, and all others replay it.

// benchmarked has the absolute paths of the cassettes that benchmarks of this process have
// recorded again.
var benchmarked sync.Map

// inRounds returns the mode of a recorder that a benchmark opens: only the first one of a
// cassette records all of it again.
func inRounds(m chosenMode, path string) chosenMode {
	if m.mode != ModeAll {
		return m
	}
	if _, again := benchmarked.LoadOrStore(path, true); again {
		return chosenMode{ModeNone, "an earlier round of this benchmark was recorded"}
	}
	return m
}
