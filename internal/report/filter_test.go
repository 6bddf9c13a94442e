package report

import (
	"flag"
	"testing"
)

func TestFiltered(t *testing.T) {
	tests := []struct {
		run, skip, name string
		want            bool
	}{
		{"", "", "TestA", false},
		{"TestA", "", "TestA", false},
		{"^TestA$/^b$", "", "TestA", true},
		{"^TestA$/^b$", "", "TestA/b", false},
		{"^TestA$/^b$/c", "", "TestA/b", true},
		{"^TestA$/^b$/c", "", "TestA/b/c", false},
		{"TestA/b|TestA", "", "TestA", false},
		{"TestB/x|TestA/b", "", "TestA", true},
		{"Test(A/b|B)", "", "TestA", false}, // one level: brackets hold a slash together
		{"Test[A/|]", "", "TestA", false},
		{`TestA\|/b`, "", "TestA|", true},
		{"TestA/a b", "", "TestA", true},
		{"(", "", "TestA", false},
		{"", "x", "TestA", false},
		{"", "TestB/x", "TestA", false},
		{"", "TestA/x", "TestA", true},
		{"", "TestA/x", "TestA/y", false},
		{"", "/x", "TestA", true},
		{"", "(/x", "TestA", false},
	}
	for _, tt := range tests {
		set := func(name, value string) func() {
			f := flag.Lookup(name)
			old := f.Value.String()
			f.Value.Set(value)
			return func() { f.Value.Set(old) }
		}
		undoRun, undoSkip := set("test.run", tt.run), set("test.skip", tt.skip)
		got := Filtered(tt.name)
		undoRun()
		undoSkip()
		if got != tt.want {
			t.Errorf("-run %q -skip %q: Filtered(%q) = %v, want %v", tt.run, tt.skip, tt.name, got, tt.want)
		}
	}
}
