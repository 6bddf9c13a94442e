//go:build race

package promptecho

// underRace makes long tests shorter: without the race detector, where they find what they
// are for, they run in full.
const underRace = true
