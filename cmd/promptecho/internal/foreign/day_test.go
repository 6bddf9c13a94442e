package foreign

import (
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// An imported recording has the day that the other tool has recorded, or else that of the header
// Date of the answer. Without these its age is unknown.
func TestDayOfAnImportedRecording(t *testing.T) {
	t.Parallel()
	const inHeader = "Sun, 06 Nov 1994 08:49:37 GMT" // RFC 9110, section 5.6.7
	for _, tt := range []struct {
		name     string
		answered time.Time
		date     string
		want     interaction.Date
	}{
		{"none", time.Time{}, "", ""},
		{"the header", time.Time{}, inHeader, "1994-11-06"},
		{"another header", time.Time{}, "yesterday", ""},
		{"the tool", time.Date(2026, 3, 4, 23, 0, 0, 0, time.FixedZone("", -3600)), inHeader, "2026-03-05"},
		{"a year that no cassette has", time.Date(20260, 3, 4, 0, 0, 0, 0, time.UTC), "", ""},
		{"Ruby", rubyTime("Tue, 01 Nov 2011 04:58:44 GMT"), "", "2011-11-01"},
		{"R", rubyTime("2018-04-03 22:13:19 GMT"), "", "2018-04-03"},
		{"betamax", rubyTime("2013-08-31T05:21:20"), "", "2013-08-31"},
		{"another text", rubyTime("now"), "", ""},
	} {
		x := exchange{answered: tt.answered}
		if tt.date != "" {
			x.response.headers = map[string][]string{"Date": {tt.date}}
		}
		if got := x.day(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A recording of a HAR file and of a cassette of the VCR of Ruby has the day that the file has.
func TestDayInAFile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"HAR": harOf(harEntryOf(harBody, harAnswer, "")),
		"Ruby": `http_interactions:
- request: {method: post, uri: "https://h.example/v1/x", headers: {}}
  response: {status: {code: 200}, headers: {}, body: {string: "{}"}}
  recorded_at: Fri, 02 Jan 2026 10:00:00 GMT
recorded_with: VCR 6.0.0
`,
	} {
		c, err := Read("c", []byte(text), nil)
		if err != nil || c == nil || len(c.Interactions) != 1 {
			t.Errorf("%s: %+v, %v", name, c, err)
			continue
		}
		if got := c.Interactions[0].Recorded; got != "2026-01-02" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
