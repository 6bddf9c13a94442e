package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/english"
)

// calls returns "3 llm, 2 tool".
func calls(byKind map[string]int) string {
	kinds := slices.SortedFunc(maps.Keys(byKind), func(a, b string) int {
		if (a == "llm") != (b == "llm") {
			return map[bool]int{true: -1, false: 1}[a == "llm"]
		}
		return strings.Compare(a, b)
	})
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d %s", byKind[kind], kind)
	}
	return strings.Join(kinds, ", ")
}

// models returns the names of some models.
func models(names []string) string {
	const shown = 2
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, +%d", strings.Join(names[:shown], ", "), len(names)-shown)
}

func orNone(text, none string) string {
	if text == "" {
		return none
	}
	return text
}

// count returns "1 call" or "2 calls".
func count(n int, what string) string {
	return english.Thousands(n) + " " + english.Plural(n, what)
}

// age returns how long ago something was, in one unit. A cassette that was just written is
// dated ten minutes ahead, for the go command's cache.
func age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + "min"
	case d < day:
		return strconv.Itoa(int(d.Hours())) + "h"
	case d < 365*day:
		return strconv.Itoa(int(d/day)) + "d"
	}
	return strconv.Itoa(int(d/(365*day))) + "y"
}

// itOrThem is what so many are called after they were named.
func itOrThem(n int) string { return agreeing(n, "it", "them") }

// agreeing returns the word that goes with so many.
func agreeing(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
