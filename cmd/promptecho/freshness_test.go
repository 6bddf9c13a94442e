package main

import (
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
)

// An age is a number of days, weeks or hours; anything else is refused with examples.
func TestAgeOfAFlag(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"90d": 90, "12w": 84, "2160h": 90, "36h": 1, "0d": 0, "1d": 1, "1h30m": -1, "365000d": 365_000,
		"": -1, "90": -1, "d": -1, "-1d": -1, "-24h": -1, "+1d": -1, "1.5d": -1, "90 d": -1, "3m": -1, "3y": -1,
		"1d12h": -1, "365001d": -1, "99999999999d": -1, "99999w": -1,
	} {
		var m maxAge
		err := m.Set(text)
		if want < 0 {
			if err == nil || !strings.Contains(err.Error(), "90d") || m.isSet() {
				t.Errorf("%q: %d days, %v", text, m.days, err)
			}
			continue
		}
		if err != nil || m.days != want || !m.isSet() {
			t.Errorf("%q: %d days, %v; want %d", text, m.days, err, want)
		}
	}
}

// dated returns interactions of some days; "fake" is one of a fake.
func dated(days ...interaction.Date) (list []*interaction.Interaction) {
	for _, day := range days {
		it := &interaction.Interaction{Recorded: day}
		if day == "fake" {
			it.Recorded = ""
			it.Fake = true
		}
		list = append(list, it)
	}
	return list
}

// A recording is older from the day after the given age on. An unknown age counts as older, the age
// of a fake's answer and of a pinned cassette does not count.
func TestWhatIsOlder(t *testing.T) {
	t.Parallel()
	m := &maxAge{text: "90d", days: 90, today: "2026-11-30"}
	if got := m.firstDay(); got != "2026-09-01" {
		t.Fatal(got)
	}
	for _, tt := range []struct {
		days []interaction.Date
		want bool
	}{
		{nil, false},
		{[]interaction.Date{"2026-11-30", "2026-09-01", "fake", "2027-01-01"}, false},
		{[]interaction.Date{"2026-11-30", "2026-08-31"}, true},
		{[]interaction.Date{"2026-11-30", ""}, true},
	} {
		f := &cassette.File{Interactions: dated(tt.days...)}
		if got := m.hasOlder(f); got != tt.want {
			t.Errorf("%q: %v", tt.days, got)
		}
		f.Pinned = true
		if m.hasOlder(f) {
			t.Errorf("%q, pinned, is older", tt.days)
		}
	}
}

// What ls and show say about ages counts the days of recordings, and says which are unknown.
func TestAgesAreShown(t *testing.T) {
	t.Parallel()
	const today = "2026-11-30"
	for _, tt := range []struct {
		days         []interaction.Date
		column, text string // the file is 3 days old
	}{
		{nil, "3d", ""},
		{[]interaction.Date{"fake"}, "3d", ""},
		{[]interaction.Date{"2026-11-30", "fake"}, "today", "recorded today"},
		{[]interaction.Date{"2027-01-01"}, "today", "recorded today"},
		{[]interaction.Date{"2026-11-29"}, "1d", "recorded 1 day ago"},
		{[]interaction.Date{"2026-11-27", "2026-10-27", "2026-11-30"}, "34d", "recorded 0 to 34 days ago"},
		{[]interaction.Date{"2026-10-27", ""}, "34d+", "recorded 34 days ago, 1 of unknown age"},
		{[]interaction.Date{"2026-11-30", "", ""}, "3d+", "recorded today, 2 of unknown age"},
		{[]interaction.Date{"", ""}, "3d+", "unknown age"},
		{[]interaction.Date{"2024-11-30"}, "2y", "recorded 730 days ago"},
	} {
		a := agesOf(dated(tt.days...))
		if got := columnAge(a, 3*24*time.Hour, today); got != tt.column {
			t.Errorf("%q: %q in the column, want %q", tt.days, got, tt.column)
		}
		if got := a.text(today); got != tt.text {
			t.Errorf("%q: %q, want %q", tt.days, got, tt.text)
		}
	}
	if got := columnAge(agesOf(dated("")), time.Hour, today); got != "?" {
		t.Errorf("a new file: %q", got)
	}
}
