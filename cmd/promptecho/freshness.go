package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A maxAge is the value of a flag with an age: the recordings that are older are meant. An age is
// a number of days, since recordings have a day and no time.
type maxAge struct {
	text  string // as the user wrote it; "" if the flag is not set
	days  int
	today interaction.Date
}

// hoursOfUnit has the hours of the units of an age. Minutes and months have one letter, so neither
// is a unit.
var hoursOfUnit = map[string]uint64{"h": 1, "d": 24, "w": 7 * 24}

// mostDays is the greatest age, about a thousand years: an older recording has a day that a
// cassette cannot have.
const mostDays = 365_000

// errAge says what an age is.
var errAge = errors.New("want a number of days, weeks or hours, such as 90d, 12w or 2160h")

// Set reads an age.
func (m *maxAge) Set(text string) error {
	days, err := parseAge(text)
	if err != nil {
		return err
	}
	*m = maxAge{text: text, days: days, today: interaction.DateOf(time.Now())}
	return nil
}

// String returns the age, and for a flag that is not set an age that is valid.
func (m *maxAge) String() string { return cmp.Or(m.text, "0d") }

// Get returns the number of days. It makes m a [flag.Getter], so that it can be set once.
func (m *maxAge) Get() any { return m.days }

// isSet reports whether the flag is set.
func (m *maxAge) isSet() bool { return m.text != "" }

// parseAge returns the whole days of an age: "90d", "12w" or "2160h".
func parseAge(text string) (days int, err error) {
	if text == "" {
		return 0, errAge
	}
	number, unit := text[:len(text)-1], text[len(text)-1:]
	hours, isUnit := hoursOfUnit[unit]
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil || !isUnit || n*hours > mostDays*24 {
		return 0, errAge
	}
	return int(n * hours / 24), nil
}

// firstDay returns the first day whose recordings are not older.
func (m *maxAge) firstDay() interaction.Date {
	return interaction.DateOf(m.today.Time().AddDate(0, 0, -m.days))
}

// isOlder reports whether an interaction is older, or of unknown age.
func (m *maxAge) isOlder(it *interaction.Interaction) bool {
	return it.HasAge() && it.Recorded < m.firstDay()
}

// hasOlder reports whether a cassette has an interaction that is older, or of unknown age. No run
// writes a pinned cassette, so the age of its recordings does not count.
func (m *maxAge) hasOlder(f *cassette.File) bool {
	if f.Pinned {
		return false
	}
	for _, it := range f.Interactions {
		if m.isOlder(it) {
			return true
		}
	}
	return false
}

// An ageRange has the ages of some recordings. Recordings of fakes have none.
type ageRange struct {
	oldest, newest interaction.Date // of those whose day is known
	known, unknown int              // recordings
}

// agesOf returns the ages of the interactions of a cassette.
func agesOf(list []*interaction.Interaction) (a ageRange) {
	for _, it := range list {
		switch {
		case !it.HasAge():
		case it.Recorded == "":
			a.unknown++
		case a.known == 0:
			a.oldest = it.Recorded
			a.newest = it.Recorded
			a.known = 1
		default:
			a.oldest = min(a.oldest, it.Recorded)
			a.newest = max(a.newest, it.Recorded)
			a.known++
		}
	}
	return a
}

// text says when the recordings were made: "recorded 3 to 34 days ago, 2 of unknown age". It is ""
// if there are none with an age.
func (a ageRange) text(today interaction.Date) string {
	switch {
	case a.known+a.unknown == 0:
		return ""
	case a.known == 0:
		return "unknown age"
	}
	text := "recorded " + daysAgo(a.oldest, today)
	if a.newest != a.oldest {
		text = fmt.Sprintf("recorded %d to %s", daysSince(a.newest, today), daysAgo(a.oldest, today))
	}
	if a.unknown > 0 {
		text += fmt.Sprintf(", %d of unknown age", a.unknown)
	}
	return text
}

// daysSince returns the age of a recording in days. It is 0 for a day that is still to come here,
// which a machine with another clock may have written.
func daysSince(day, today interaction.Date) int { return max(0, day.DaysUntil(today)) }

// daysAgo says how long ago a day is: "34 days ago", "today".
func daysAgo(day, today interaction.Date) string {
	days := daysSince(day, today)
	if days == 0 {
		return "today"
	}
	return count(days, "day") + " ago"
}

// columnAge returns the age of a cassette for a column: that of its oldest recording, "34d". If the
// age of a recording is unknown, it is "34d+", by the age of the file, which it has at least; or "?"
// if that is less than a day.
func columnAge(a ageRange, file time.Duration, today interaction.Date) string {
	switch {
	case a.unknown > 0:
		return atLeast(max(oldestAge(a, today), file))
	case a.known == 0:
		return age(file)
	case a.oldest >= today:
		return "today"
	}
	return age(oldestAge(a, today))
}

// atLeast returns an age that is at least a duration.
func atLeast(d time.Duration) string {
	if d < 24*time.Hour {
		return "?"
	}
	return age(d) + "+"
}

// oldestAge returns the age of the oldest recording whose day is known; 0 if there is none.
func oldestAge(a ageRange, today interaction.Date) time.Duration {
	if a.known == 0 {
		return 0
	}
	return time.Duration(daysSince(a.oldest, today)) * 24 * time.Hour
}

// olderThan names recordings with an age in a sentence: "recordings older than 90 days".
func (m *maxAge) olderThan() string { return "older than " + count(m.days, "day") }
