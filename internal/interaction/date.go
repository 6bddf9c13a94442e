package interaction

import (
	"errors"
	"time"
)

// A Date is a day in UTC, as a cassette has it: "2026-11-30". The zero value is an unknown day.
// Dates are ordered as their texts are, and the unknown day is before all others.
type Date string

// DateOf returns the day of a time.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(time.DateOnly)) }

// ParseDate reads a day: four digits for the year, two for the month and two for the day.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || t.Year() < 1000 {
		return "", errors.New("no date such as 2026-11-30")
	}
	return Date(text), nil
}

// Time returns the start of the day, and the zero time for the unknown day.
func (d Date) Time() time.Time {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return time.Time{}
	}
	return t
}

// DaysUntil returns the number of days from d to a later day. Both must be known.
func (d Date) DaysUntil(later Date) int {
	return int(later.Time().Sub(d.Time()) / (24 * time.Hour))
}
