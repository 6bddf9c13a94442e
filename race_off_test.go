//go:build !race

package promptecho

const underRace = false
