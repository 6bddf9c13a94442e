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

// calls returns the number of calls of each kind, those to models first: "3 llm, 2 tool".
func calls(byKind map[string]int) string {
	kinds := slices.SortedFunc(maps.Keys(byKind), func(a, b string) int {
		switch {
		case a == b:
			return 0
		case a == "llm":
			return -1
		case b == "llm":
			return 1
		}
		return strings.Compare(a, b)
	})
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d %s", byKind[kind], kind)
	}
	return strings.Join(kinds, ", ")
}

// modelNames returns the names of two models, and how many others there are.
func modelNames(names []string) string {
	const shown = 2
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, +%d", strings.Join(names[:shown], ", "), len(names)-shown)
}

// orNone returns a text, or another one if the text is empty.
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

// age returns a duration in one unit: "5min", "3d". It is "now" for a negative one: a cassette that
// was just written has a time ten minutes ahead, because of the go command's cache.
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

// itOrThem returns the pronoun for n things.
func itOrThem(n int) string { return agreeing(n, "it", "them") }

// agreeing returns the form of a word for n things.
func agreeing(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// duration returns a time such as "12 ms" or "1.2 s".
func duration(ms int64) string {
	if ms < 1000 {
		return strconv.FormatInt(ms, 10) + " ms"
	}
	return strconv.FormatFloat(float64(ms)/1000, 'f', 1, 64) + " s"
}
