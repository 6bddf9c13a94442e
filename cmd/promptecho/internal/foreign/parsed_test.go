package foreign

import (
	"strings"
	"testing"
)

// Times that PyYAML writes without quotes are text: it takes no number to the base 60 for one
// that begins with 0. What it would take for such a number is refused where it stands.
func TestTimesWithoutQuotes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ plain, want string }{
		{"08:30", `"08:30"`},
		{"0:30", `"0:30"`},
		{"-08:30", `"-08:30"`},
		{"00:00:07", `"00:00:07"`},
		{"12:60", `"12:60"`},
		{"'12:30'", `"12:30"`},
		{"2024-01-01", `"2024-01-01"`},
		{"2024-01-01T08:30:00Z", `"2024-01-01T08:30:00Z"`},
		{"12:30", ""},
		{"190:20:30", ""},
		{"09:15:00.250", ""},
	} {
		c, err := Read("c", []byte(pyFile("parsed_body: {a: "+tt.plain+"}\nheaders: {}", "headers: {}\nbody: {string: ok}")), nil)
		if tt.want == "" {
			if err == nil || !strings.HasPrefix(err.Error(), "c:5:22: request.parsed_body: "+tt.plain+" is a time without quotes") {
				t.Errorf("%s: %v", tt.plain, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.plain, err)
			continue
		}
		if got := string(c.Interactions[0].Request.Body); got != `{"a":`+tt.want+`}` {
			t.Errorf("%s is read as %s, want %s", tt.plain, got, tt.want)
		}
	}
}
