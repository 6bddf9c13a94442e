package interaction

import (
	"testing"
	"time"
)

// A text is the date of a recording only if it is a day of the calendar with all its digits.
func TestParseDate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"2026-11-30": true, "2024-02-29": true, "1999-01-01": true,
		"": false, "2026-02-29": false, "2026-13-01": false, "2026-1-2": false, "0001-01-01": false,
		"30.11.2026": false, "2026-11-30T10:00:00Z": false, "today": false,
	} {
		d, err := ParseDate(text)
		if ok := err == nil && string(d) == text; ok != want {
			t.Errorf("%q: %q, %v", text, d, err)
		}
	}
}

// The date of a recording is that in UTC, whatever the time zone of the machine is.
func TestDateIsInUTC(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 9*60*60)
	if got := DateOf(time.Date(2026, 12, 1, 3, 0, 0, 0, zone)); got != "2026-11-30" {
		t.Error(got)
	}
}

// The age of a recording counts days of the calendar, also over a leap day and a new year.
func TestDaysUntil(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		from, to Date
		want     int
	}{
		{"2026-11-30", "2026-11-30", 0},
		{"2026-11-30", "2026-12-01", 1},
		{"2024-02-28", "2024-03-01", 2},
		{"2025-12-31", "2026-12-31", 365},
		{"2026-12-01", "2026-11-30", -1},
	} {
		if got := tt.from.DaysUntil(tt.to); got != tt.want {
			t.Errorf("%s to %s: %d, want %d", tt.from, tt.to, got, tt.want)
		}
	}
	if !Date("").Time().IsZero() {
		t.Error("the unknown day has a time")
	}
}
