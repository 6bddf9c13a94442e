package volatile

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What a program writes of the present is found in the layouts of package time and of people, in
// UTC and in the local zone. Dates of other days, and numbers that only look like times, are not.
func TestDatesAndTimesOfThePresentAreFound(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 15, 4, 59, 0, time.UTC)
	f := &Finder{}
	for _, tt := range []struct {
		text string
		kind Kind
		want string
	}{
		{"Today is Saturday, 28 November 2026. Summarise.", Date, "Saturday, 28 November 2026"},
		{"Today is Saturday, November 28, 2026.", Date, "Saturday, November 28, 2026"},
		{"as of 2026-11-28", Date, "2026-11-28"},
		{"as of 2026-11-28T15:04:59Z", Date, "2026-11-28T15"},
		{"report-20261128.pdf", Date, ""}, // part of a name
		{"28.11.2026", Date, "28.11.2026"},
		{"11/28/2026", Date, "11/28/2026"},
		{"Sat, 28 Nov 2026 15:04:59 GMT", Date, "Sat, 28 Nov 2026"},
		{"at 1795878299", Time, "1795878299"},
		{"at 1795878299123 ms", Time, "1795878299123"},
		{"It is 3:04 PM.", Time, "3:04 PM"},
		{"It is 15:04.", Time, "15:04"},
		{"It was 15:03 when it was sent", Time, "15:03"},

		{"as of 2025-11-28", Date, ""},
		{"since 1700000000", Time, ""},
		{"call 1795878299123456789012", Time, ""},
		{"ratio 115:04", Time, ""},
	} {
		got := ""
		for _, found := range f.Find(tt.text, now) {
			if found.Kind == tt.kind {
				got = found.Text
			}
		}
		if got != tt.want {
			t.Errorf("%q: %s is %q, want %q", tt.text, tt.kind, got, tt.want)
		}
	}
	if found := f.Find("Today is 2026-11-28, 15:04.", time.Time{}); found != nil {
		t.Errorf("found %v though times are not looked for", found)
	}
}

// Paths and names of this machine are found as whole names; of folders within each other, the
// inner one.
func TestPathsAndNamesOfThisMachineAreFound(t *testing.T) {
	t.Parallel()
	f := &Finder{checkout: "/home/adalina/src/shop", tempDir: "/tmp", home: "/home/adalina", user: "adalina", host: "quince-7"}
	for _, tt := range []struct {
		text string
		kind Kind
		want string
	}{
		{"wrote /home/adalina/notes.txt", Home, "/home/adalina"},
		{"cwd: /home/adalina", Home, "/home/adalina"},
		{"wrote /home/adalina/src/shop/main.go", Checkout, "/home/adalina/src/shop"},
		{"wrote /home/adalina/src/shop/main.go", Home, ""},
		{"wrote /home/adalina/src/shopping/main.go", Checkout, ""},
		{"read /tmp/TestX123/001/a.txt", TempDir, "/tmp"},
		{"file:///tmp/a", TempDir, "/tmp"},
		{"Hello, I am adalina.", User, "adalina"},
		{"running on quince-7", Host, "quince-7"},
		{"/home/adalinas/x", Home, ""},
		{"adalinas", User, ""},
		{"quince-77", Host, ""},
		{"/tmpfs", TempDir, ""},
	} {
		got := ""
		for _, found := range f.Find(tt.text, time.Time{}) {
			if found.Kind == tt.kind {
				got = found.Text
			}
		}
		if got != tt.want {
			t.Errorf("%q: %s is %q, want %q", tt.text, tt.kind, got, tt.want)
		}
	}
}

// New finds this machine's own folders, and leaves out names that everyone has.
func TestNewKnowsThisMachine(t *testing.T) {
	home := t.TempDir()
	for name, value := range map[string]string{"HOME": home, "USERPROFILE": home, "USER": "root", "USERNAME": "", "LOGNAME": "adalina"} {
		t.Setenv(name, value)
	}
	f := New()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Dir(filepath.Dir(filepath.Dir(wd))); f.checkout != want || f.home != home || f.user != "adalina" || f.tempDir == "" {
		t.Errorf("got %+v, want the checkout %s and the home %s", f, want, home)
	}
}
