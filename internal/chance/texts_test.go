package chance

import (
	"fmt"
	"testing"
	"time"
)

// TestTimes: two moments are the same text once they are masked, in the layouts that package
// time names for it, as Time.String writes them, and as people do.
func TestTimes(t *testing.T) {
	berlin := time.FixedZone("CET", 3600)
	kathmandu := time.FixedZone("+0545", 5*3600+45*60)
	a := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)
	b := time.Date(2031, 11, 23, 22, 59, 41, 120000000, time.UTC)
	layouts := []string{
		time.ANSIC, time.UnixDate, time.RubyDate, time.RFC822, time.RFC822Z, time.RFC850,
		time.RFC1123, time.RFC1123Z, time.RFC3339, time.RFC3339Nano, time.Kitchen, time.Stamp,
		time.StampMilli, time.StampMicro, time.StampNano, time.DateTime, time.DateOnly, time.TimeOnly,
		"2006-01-02T15:04", "2006-01-02 15:04:05.999999999 -0700 MST", "2006/01/02 15:04:05",
		"January 2, 2006", "Monday, January 2, 2006", "Monday, 2 January 2006", "2 Jan 2006",
		"January 2006", "Jan 2", "Monday", "02.01.2006", "1/2/2006", "3:04 PM", "3:04 p.m.", "Monday, 3:04 PM",
	}
	said := func(text string) string {
		m := Times()
		return m.Regexp.ReplaceAllString("On "+text+", she said.", m.Placeholder)
	}
	for _, layout := range layouts {
		for _, zone := range []*time.Location{time.UTC, berlin, kathmandu} {
			x, y := a.In(zone).Format(layout), b.In(zone).Format(layout)
			if said(x) != said(y) || said(x) == "On "+x+", she said." {
				t.Errorf("%s and %s become %q and %q", x, y, said(x), said(y))
			}
		}
	}
	for _, pair := range [][2]string{
		{a.String() + " m=+0.000123457", b.String() + " m=+12.5"},
		{fmt.Sprint(a.Unix()), fmt.Sprint(b.Unix())},
		{fmt.Sprint(a.UnixMilli()), fmt.Sprint(b.UnixMilli())},
		{fmt.Sprint(a.UnixMicro()), fmt.Sprint(b.UnixMicro())},
		{fmt.Sprint(a.UnixNano()), fmt.Sprint(b.UnixNano())},
		{"January 2nd, 2026", "March 23rd, 2027"},
	} {
		if said(pair[0]) != said(pair[1]) {
			t.Errorf("%s and %s become %q and %q", pair[0], pair[1], said(pair[0]), said(pair[1]))
		}
	}
	for _, text := range []string{"The Sun may march 3 miles", "version 1.2.3", "ratio 3:1", "gpt-4o-2024", "12 eggs", "order 1234567"} {
		m := Times()
		if got := m.Regexp.ReplaceAllString(text, m.Placeholder); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func TestUUIDs(t *testing.T) {
	m := UUIDs()
	for text, want := range map[string]string{
		"id 0b1e4a52-9c1f-4d3e-8a77-1f2e3d4c5b6a.":   "id UUID.",
		"ID 0B1E4A52-9C1F-4D3E-8A77-1F2E3D4C5B6A":    "ID UUID",
		"{0b1e4a52-9c1f-4d3e-8a77-1f2e3d4c5b6a}":     "{UUID}",
		"x0b1e4a52-9c1f-4d3e-8a77-1f2e3d4c5b6a":      "x0b1e4a52-9c1f-4d3e-8a77-1f2e3d4c5b6a",
		"0b1e4a52-9c1f-4d3e-8a77-1f2e3d4c5b6":        "0b1e4a52-9c1f-4d3e-8a77-1f2e3d4c5b6",
		"0b1e4a529c1f4d3e8a771f2e3d4c5b6a is a hash": "0b1e4a529c1f4d3e8a771f2e3d4c5b6a is a hash",
	} {
		if got := m.Regexp.ReplaceAllString(text, m.Placeholder); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestTempDirs: the folder and the random digits go, the names stay.
func TestTempDirs(t *testing.T) {
	m := TempDirs()
	for text, want := range map[string]string{
		"read /tmp/TestX1234567890/001/notes.txt now":                               "read TMP/TestX/001/notes.txt now",
		"/private/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/TestX98765/001/a": "TMP/TestX/001/a",
		"/var/folders/ab/c_d/T/TestX98765/001/a":                                    "TMP/TestX/001/a",
		`C:\Users\Jo Ann\AppData\Local\Temp\TestX4711\001\a`:                        `TMP/TestX\001\a`,
		"file:///tmp/x4711/a":                                                       "file://TMP/x/a",
		`C:\Users\jo\AppData\Local\Temp\TestX4711\001\a`:                            `TMP/TestX\001\a`,
		"/tmp/report-123456.txt":                                                    "TMP/report-.txt",
		"/tmp/report.txt":                                                           "TMP/report.txt",
		"/tmp/other.txt":                                                            "TMP/other.txt",
		"/var/tmp/x/y":                                                              "TMP/x/y",
		"/home/me/tmp/x":                                                            "/home/me/tmp/x",
		// A path may end at a blank, and other digits must match.
		"read /tmp/my dir1234567890/sub":              "read TMP/my dir1234567890/sub",
		"copy /tmp/in123456 to order1234567890/items": "copy TMP/in to order1234567890/items",
	} {
		if got := m.Regexp.ReplaceAllString(text, m.Placeholder); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
