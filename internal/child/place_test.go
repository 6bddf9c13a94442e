package child

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testPlace is that of a machine without symbolic links.
func testPlace() *Place {
	return newPlace(map[string]string{
		markDir:    "/nowhere/src/app/cmd",
		markModule: "/nowhere/src/app",
		markHome:   "/nowhere",
		markTemp:   "/nowhere/tmp",
	})
}

func TestPathsAreMasked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/nowhere":                            "$PROMPTECHO_HOME",
		"in /nowhere.":                        "in $PROMPTECHO_HOME.",
		"/nowhere/src/app/cmd/x.go":           "$PROMPTECHO_DIR/x.go",
		"/nowhere/src/app/cmds":               "$PROMPTECHO_MODULE/cmds",
		"/nowhere/src/application":            "$PROMPTECHO_HOME/src/application",
		"a /nowhere/tmp:/nowhere/bin":         "a $PROMPTECHO_TEMP:$PROMPTECHO_HOME/bin",
		"file:///nowhere/x":                   "file://$PROMPTECHO_HOME/x",
		`{"out":"ls:\n/nowhere/a\n/nowhere"}`: `{"out":"ls:\n$PROMPTECHO_HOME/a\n$PROMPTECHO_HOME"}`,

		"/nowhere2":        "/nowhere2",
		"/nowhere-2":       "/nowhere-2",
		"/nowhere.bak":     "/nowhere.bak",
		"/mnt/nowhere":     "/mnt/nowhere",
		"../nowhere":       "../nowhere",
		"example.com//x":   "example.com//x",
		"/nowhereéa":       "/nowhereéa",
		"no path in there": "no path in there",
	} {
		p := testPlace()
		got := p.MaskReceived(text)
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		if back := p.Unmask(got); back != text {
			t.Errorf("%s comes back as %s", text, back)
		}
	}
}

// A replay on another machine has the paths of that one.
func TestPathsAreThoseOfTheMachineThatReplays(t *testing.T) {
	t.Parallel()
	other := newPlace(map[string]string{markHome: "/Users/me"})
	got := other.Unmask("$PROMPTECHO_HOME/a $PROMPTECHO_HOME_RESOLVED/b $PROMPTECHO_HOMES $PROMPTECHO_DIR")
	want := "/Users/me/a /Users/me/b $PROMPTECHO_HOMES $PROMPTECHO_DIR"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A folder may have two spellings, as the temporary folder of macOS does.
func TestResolvedPathsComeBack(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	real := filepath.Join(dir, "real")
	link := filepath.Join(dir, "link")
	err = os.Mkdir(real, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	err = os.Symlink(real, link)
	if err != nil {
		t.Skip(err)
	}
	p := newPlace(map[string]string{markDir: link})
	text := link + "/x and " + real + "/x"
	masked := p.MaskReceived(text)
	if masked != "$PROMPTECHO_DIR/x and $PROMPTECHO_DIR_RESOLVED/x" || p.Unmask(masked) != text {
		t.Errorf("masked %s", masked)
	}
	if got := p.MaskSent(text); got != "$PROMPTECHO_DIR/x and $PROMPTECHO_DIR/x" {
		t.Errorf("sent %s", got)
	}
}

// JSON doubles the backslashes of a path, as of one of Windows.
func TestPathsInJSONAreSpelledAsJSON(t *testing.T) {
	t.Parallel()
	p := &Place{paths: []markedPath{{path: `C:\Users\me`, mark: markHome}}}
	for text, want := range map[string]string{
		`{"dir":"C:\\Users\\me\\x"}`: `{"dir":"$PROMPTECHO_HOME\\x"}`,
		`dir C:\Users\me\x`:          `dir $PROMPTECHO_HOME\x`,
	} {
		got := p.MaskReceived(text)
		if got != want || p.Unmask(got) != text {
			t.Errorf("%s: got %s, and back %s", text, got, p.Unmask(got))
		}
	}
	// This JSON is valid only when it is masked, and would come back with two backslashes.
	const invalid = `{"dir":"C:\Users\me"}`
	if got := p.MaskReceived(invalid); got != invalid {
		t.Errorf("%s: got %s", invalid, got)
	}
}

func FuzzMask(f *testing.F) {
	f.Add("/nowhere/src/app/cmd/x /nowhere", "/nowhere")
	f.Add(`{"a":"/nowhere\n/nowhere/tmp"}`, `/now"here`)
	f.Add(`{"a":"\\nowhere\\\\nowhere"}`, `/a\b`)
	f.Add("$PROMPTECHO", "/a/$PROMPTECHO_HOME")
	f.Fuzz(func(t *testing.T, text, home string) {
		if strings.Contains(text, markPrefix) {
			return // such a line fails a run that records
		}
		p := newPlace(map[string]string{
			markDir:  "/nowhere/src/app/cmd",
			markHome: home,
			markTemp: "/nowhere",
		})
		masked := p.MaskReceived(text)
		if back := p.Unmask(masked); back != text {
			t.Errorf("%q was masked as %q, and comes back as %q", text, masked, back)
		}
	})
}
