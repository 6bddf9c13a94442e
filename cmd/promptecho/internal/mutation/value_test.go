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
