package chance

import (
	"fmt"
	"os"
	"path/filepath"
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
		return Masked(Times(), "On "+text+", she said.")
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
		if got := Masked(Times(), text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func TestUUIDs(t *testing.T) {
	for text, want := range map[string]string{
		"id 0b1e4a52-9c1f-4d3e-8a77-1f2e3d4c5b6a.":   "id UUID.",
		"ID 0B1E4A52-9C1F-4D3E-8A77-1F2E3D4C5B6A":    "ID UUID",
		"{0b1e4a52-9c1f-4d3e-8a77-1f2e3d4c5b6a}":     "{UUID}",
		"x0b1e4a52-9c1f-4d3e-8a77-1f2e3d4c5b6a":      "x0b1e4a52-9c1f-4d3e-8a77-1f2e3d4c5b6a",
		"0b1e4a52-9c1f-4d3e-8a77-1f2e3d4c5b6":        "0b1e4a52-9c1f-4d3e-8a77-1f2e3d4c5b6",
		"0b1e4a529c1f4d3e8a771f2e3d4c5b6a is a hash": "0b1e4a529c1f4d3e8a771f2e3d4c5b6a is a hash",
	} {
		if got := Masked(UUIDs(), text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// Of a path in a temporary folder, the folder and the random digits go, and the names stay. The
// separators of Windows become slashes.
func TestTemporaryPathsOfAllSystemsAreMaskedAlike(t *testing.T) {
	for text, want := range map[string]string{
		"read /tmp/TestX1234567890/001/notes.txt now":                               "read TMP/TestX/001/notes.txt now",
		"/private/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/TestX98765/001/a": "TMP/TestX/001/a",
		"/var/folders/ab/c_d/T/TestX98765/001/a":                                    "TMP/TestX/001/a",
		`C:\Users\Jo Ann\AppData\Local\Temp\TestX4711\001\a`:                        `TMP/TestX/001/a`,
		`c:\users\jo\appdata\local\temp\TestX4711\001\a`:                            `TMP/TestX/001/a`,
		`C:/Users/jo/AppData/Local/Temp/TestX4711/001/a`:                            `TMP/TestX/001/a`,
		`C:\Users\jo\AppData\Local\Temp\dir\a`:                                      `TMP/dir/a`,
		"file:///tmp/x4711/a":                                                       "file://TMP/x/a",
		"/tmp/report-123456.txt":                                                    "TMP/report-.txt",
		"/tmp/report.txt":                                                           "TMP/report.txt",
		"/tmp/other.txt":                                                            "TMP/other.txt",
		"/var/tmp/x/y":                                                              "TMP/x/y",
		`"/tmp/x4711/a" and "\d"`:                                                   `"TMP/x/a" and "\d"`,
		// A path may end at a blank, and other digits must match.
		"read /tmp/my dir1234567890/sub":              "read TMP/my dir1234567890/sub",
		"copy /tmp/in123456 to order1234567890/items": "copy TMP/in to order1234567890/items",
	} {
		if got := Masked(MachinePaths(), text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// A path in a home folder is the same for every user and system; the folders in it stay.
func TestHomeFoldersOfAllSystemsAreMaskedAlike(t *testing.T) {
	for text, want := range map[string]string{
		"/home/ann/notes/a.txt":             "HOME/notes/a.txt",
		"read /Users/bob/notes/a.txt, now":  "read HOME/notes/a.txt, now",
		`C:\Users\bob\notes\a.txt`:          "HOME/notes/a.txt",
		`c:\users\bob\notes\a.txt`:          "HOME/notes/a.txt",
		"/root/notes":                       "HOME/notes",
		"/home/me/tmp/x":                    "HOME/tmp/x",
		"/rootless/x":                       "/rootless/x",
		"https://h/home/ann":                "https://h/home/ann",
		"/homework/ann":                     "/homework/ann",
		"the /home/ann and the /Users/bob.": "the HOME and the HOME",
	} {
		if got := Masked(homes(), text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// A file of the checkout has one path for everyone: on this machine, in the home of a colleague
// whose folder has the same name, and on the machines of CI services.
func TestCheckoutsAreMaskedAlike(t *testing.T) {
	const module = "github.com/acme/shop/v2"
	for _, tt := range []struct{ root, text, want string }{
		{"/srv/build/42", "/srv/build/42/main.go", "CHECKOUT/main.go"},
		{`C:\src\shop`, `c:\SRC\shop\main.go`, "CHECKOUT/main.go"},
		{"/home/ann/src/shop", "/home/ann/src/shop/a/main.go", "CHECKOUT/a/main.go"},
		{"/home/ann/src/shop", "/Users/bob/work/shop/a/main.go", "CHECKOUT/a/main.go"},
		{"/home/ann/src/my-shop", "/home/runner/work/shop/shop/a/main.go", "CHECKOUT/a/main.go"}, // by the module's name
		{"/home/circleci/project", "/home/ann/src/shop/a/main.go", "CHECKOUT/a/main.go"},
		{"/home/ann/src/shop", `C:\Users\bob\shop\a\main.go`, "CHECKOUT/a/main.go"},
		{"/home/ann/src/shop", "https://github.com/acme/shop/issues", "https://github.com/acme/shop/issues"},
		{"/home/ann/src/shop", "/home/ann/src/shopping/main.go", "/home/ann/src/shopping/main.go"},
		{"", "/home/ann/src/shop/main.go", "/home/ann/src/shop/main.go"},
		{"/home/ann/src/shop.io", "/Users/bob/shop.io/main.go", "CHECKOUT/main.go"},
		{"/home/ann/src/shop.io", "/Users/bob/shopXio/main.go", "/Users/bob/shopXio/main.go"},
	} {
		if got := Masked(Checkouts(tt.root, module), tt.text); got != tt.want {
			t.Errorf("checkout in %q: %q becomes %q, want %q", tt.root, tt.text, got, tt.want)
		}
	}
}

// A path of any machine is found in a text, whole, the first of several.
func TestMachinePathIsFound(t *testing.T) {
	for text, want := range map[string]string{
		"wrote /home/ann/src/a.go.":              "/home/ann/src/a.go.",
		`open "C:\Users\bob\a.txt" now`:          `C:\Users\bob\a.txt`,
		"read /tmp/x1/a and /home/ann/b":         "/tmp/x1/a",
		"/home/ann/b and /tmp/x1/a":              "/home/ann/b",
		"see https://h/home/ann and /usr/bin/go": "",
		"":                                       "",
	} {
		if got := MachinePath(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// The checkout is the folder of the nearest go.mod, and has the name of its module.
func TestCheckoutIsTheFolderOfTheModule(t *testing.T) { // not parallel: it changes the folder
	for name, tt := range map[string]struct{ goMod, module string }{
		"a module":                  {"module example.com/shop\n\ngo 1.26\n", "example.com/shop"},
		"a name in quotes":          {"module \"example.com/shop\"\n", "example.com/shop"},
		"a comment before the name": {"// Package shop.\n\nmodule example.com/shop\n", "example.com/shop"},
		"no name":                   {"go 1.26\n", ""},
	} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		below := filepath.Join(dir, "a", "b")
		if err := os.MkdirAll(below, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(tt.goMod), 0o666); err != nil {
			t.Fatal(err)
		}
		t.Chdir(below)
		root, module := checkout()
		if root != dir || module != tt.module {
			t.Errorf("%s: %s in %s, want %s in %s", name, module, root, tt.module, dir)
		}
	}
}
