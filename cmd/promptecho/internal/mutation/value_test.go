package mutation

import "testing"

// The line of a change shows what differs, also at the end of a long path.
func TestChangeOfLongArgumentIsSeen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"go.mod", `"go.mod"`},
		{"/home/ada/projects/testproject/go.mod2", `"...testproject/go.mod2"`},
	} {
		v := stringValue(c.text)
		got := shortEnd(&v)
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// Another value of a field is one that the program reads in the same way: a date stays a date.
func TestOtherValueHasTheFormOfTheRecordedOne(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ recorded, want string }{
		{`"Ada"`, `"another"`},
		{`"2026-02-28"`, `"2026-03-01"`},
		{`"12"`, `"13"`},
		{`"0b5e-91fa"`, `"0b5e-91f0"`},
		{`true`, `false`},
		{`1.5`, `2.5`},
		{`[1]`, `[]`},
		{`"another"`, ``}, // there is no other one
		{`{}`, ``},
		{`null`, ``},
	} {
		v := parsed(tt.recorded)
		other, ok := otherOf(&v, "another")
		if got := compact(&other); ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.recorded, got, ok, tt.want)
		}
	}
}
