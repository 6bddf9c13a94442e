package echosnap

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/snapshot"
	"github.com/promptecho/promptecho/internal/testenv/shell"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// A value that differs from its snapshot fails the test with the difference, and is written next
// to it.
func TestMatch(t *testing.T) {
	t.Parallel()
	anew(t)
	const name = "TestMatch/values"
	acceptIt := shell.With(runtime.GOOS,
		[]string{"go", "test", "github.com/promptecho/promptecho/echosnap", "-run", "^TestMatch$/^values$"},
		"PROMPTECHO_SNAPSHOTS=update")
	values := func(text string, number int) func(tb testing.TB) {
		return func(tb testing.TB) {
			Match(tb, text)
			Match(tb, map[string]any{"n": number, "id": text}, Name("value"), Ignore("id"))
			Match(tb, "last")
		}
	}
	first := passes(t, name, values("Paris is a large city.", 1))
	const want = `promptecho snapshots, version 1
-- 1 (text) --
Paris is a large city.
-- 2 (text) --
last
-- value (json) --
{
  "id": "[IGNORED]",
  "n": 1
}
-- end --
`
	if got := file(t, "TestMatch/values.snap"); got != want {
		t.Errorf("got\n%s\n%q", got, first.logs)
	}
	passes(t, name, values("Paris is a large city.", 1))
	fails(t, name, values("Rome is a large city.", 1), `TestMatch/values.snap: "1" differs:`, "snapshot: \"Paris is a large city.\"\n", "now:      \"Rome is a large city.\"\n", "[-Paris-]{+Rome+} is a large", "promptecho review ", acceptIt)
	pending := file(t, "TestMatch/values.snap.new")
	if !strings.Contains(pending, "-- 1 (text, was ") || strings.Contains(pending, "value") || file(t, "TestMatch/values.snap") != want {
		t.Errorf("pending\n%s", pending)
	}
	// What fits again is not left to be reviewed.
	fails(t, name, values("Paris is a large city.", 2), `"value" differs:`, "    snapshot: 1\n    now:      2\n")
	if pending := file(t, "TestMatch/values.snap.new"); strings.Contains(pending, "Rome") || !strings.Contains(pending, `"n": 2`) {
		t.Errorf("pending\n%s", pending)
	}
	passes(t, name, values("Paris is a large city.", 1))
	if file(t, "TestMatch/values.snap.new") != "" || file(t, "TestMatch/values.snap") != want {
		t.Error("something is left")
	}
	fails(t, name, func(tb testing.TB) { Match(tb, 1) }, "was text, is now json")
}

// A call of echosnap.Match that cannot work says what is wrong with it.
func TestMatchMisuse(t *testing.T) {
	t.Parallel()
	anew(t)
	for want, test := range map[string]func(tb testing.TB){
		"echosnap: Match: Name: ":                                  func(tb testing.TB) { Match(tb, 1, Name("")) },
		`echosnap: Match: Ignore: "/a" is not the path of a field`: func(tb testing.TB) { Match(tb, 1, Ignore("/a")) },
		"echosnap: Match: the value is text, which has no fields":  func(tb testing.TB) { Match(tb, "a", Ignore("a")) },
		"echosnap: Match: Judge: it has no criteria":               func(tb testing.TB) { Match(tb, 1, Judge(asking("1: yes"))) },
		"echosnap: Match: Judge: the function is nil":              func(tb testing.TB) { Match(tb, 1, Judge(nil, "a")) },
		"echosnap: Match: struct { a int } has no exported field":  func(tb testing.TB) { Match(tb, struct{ a int }{1}) },
		"echosnap: Match: chan int cannot be written as JSON":      func(tb testing.TB) { Match(tb, make(chan int)) },
		"echosnap: Inline takes no Name: leave that option out":    func(tb testing.TB) { Inline(tb, 1, "1", Name("a")) },
		"echosnap: Route: there is no recorder":                    func(tb testing.TB) { Route(tb, nil) },
		`echosnap: two values of this test are called "a"`:         func(tb testing.TB) { Match(tb, 1, Name("a")); Match(tb, 2, Name("a")) },
		"echosnap_test.go:":                                        func(tb testing.TB) { Inline(tb, "x", "y") },
	} {
		fails(t, "TestMatchMisuse", test, want)
	}
	passes(t, "TestMatchMisuse/loop", func(tb testing.TB) {
		for range 3 {
			Match(tb, "same", Name("a"))
		}
	})
}

// asking returns a judge that always answers the same.
func asking(answer string) func(context.Context, string) (string, error) {
	return func(context.Context, string) (string, error) { return answer, nil }
}

// A judge is asked only about a value that differs, and a verdict that is not unanimous wants
// two more.
func TestJudge(t *testing.T) {
	t.Parallel()
	anew(t)
	asked := 0
	var failure error
	answers := []string{}
	ask := func(context.Context, string) (string, error) {
		asked++
		if failure != nil {
			return "", failure
		}
		return answers[asked-1], nil
	}
	match := func(text string) func(tb testing.TB) {
		return func(tb testing.TB) { Match(tb, text, Judge(ask, "names the same city", "is short")) }
	}
	passes(t, "TestJudge/a", match("It is Paris."))
	passes(t, "TestJudge/a", match("It is Paris."))
	if asked != 0 {
		t.Errorf("asked %d times, although nothing differs", asked)
	}
	before := file(t, "TestJudge/a.snap")
	answers = []string{"1: yes\n2: yes"}
	f := passes(t, "TestJudge/a", match("Paris."))
	if said := strings.Join(f.logs, "\n"); asked != 1 || !strings.Contains(said, `"1" differs from its snapshot, and was judged right:`+"\n  1. names the same city: yes\n  2. is short: yes") {
		t.Errorf("%d asked, %s", asked, said)
	}
	asked, answers = 0, []string{"1: no\n2: yes", "1: yes\n2: yes", "1: yes\n2: yes"}
	passes(t, "TestJudge/a", match("Paris!"))
	if asked != 3 || file(t, "TestJudge/a.snap") != before || file(t, "TestJudge/a.snap.new") != "" {
		t.Errorf("%d asked, and files are written", asked)
	}
	asked, answers = 0, []string{"1: no\n2: yes", "1: no\n2: yes", "1: yes\n2: yes"}
	fails(t, "TestJudge/a", match("Rome."), "the judge says that \"1\" is not right:\n  1. names the same city: no (1 of 3 opinions say yes)\n  2. is short: yes (3 of 3 opinions say yes)", `"1" differs:`)
	if !strings.Contains(file(t, "TestJudge/a.snap.new"), "Rome.") {
		t.Error("nothing is left to be reviewed")
	}
	asked, answers = 0, []string{"Looks good to me."}
	fails(t, "TestJudge/a", match("Oslo."), "it was not judged: opinion 1 of the judge cannot be read")
	asked, failure = 0, errors.New("not recorded")
	fails(t, "TestJudge/a", match("Oslo."), "it was not judged: opinion 1 of the judge: not recorded")
}

// TestParallel: five subtests at once write the same files in any order, and nothing differs
// in any run after that.
func TestParallel(t *testing.T) {
	t.Parallel()
	runs := full.Cases(40, 1000)
	var want map[string]string
	for i := range runs {
		parent := fmt.Sprintf("TestParallel%d", i%2) // anew, and with what is there
		if i%20 < 2 {
			os.RemoveAll(filepath.Join(folder, snapshot.Folder, parent))
		}
		var wg sync.WaitGroup
		for n := range 5 {
			wg.Go(func() {
				passes(t, fmt.Sprintf("%s/%d", parent, (n+i)%5), func(tb testing.TB) {
					var inner sync.WaitGroup
					for _, name := range []string{"a", "b", "c"} {
						inner.Go(func() { Match(tb, name+" of many", Name(name)) })
					}
					inner.Wait()
					Match(tb, map[string]int{"x": 1})
				})
			})
		}
		wg.Wait()
		got := map[string]string{}
		entries, err := os.ReadDir(filepath.Join(folder, snapshot.Folder, parent))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			got[e.Name()] = file(t, parent+"/"+e.Name())
		}
		if want == nil {
			want = got
		}
		if len(got) != 5 || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("run %d: %v\nwant %v", i, got, want)
		}
	}
}

// A new snapshot of a failing test goes to NAME.snap.new, and a broken file stays as it is.
func TestEndings(t *testing.T) {
	t.Parallel()
	anew(t)
	match := func(text string) func(tb testing.TB) { return func(tb testing.TB) { Match(tb, text) } }
	fail := func(tb testing.TB) { tb.Errorf("another reason") }
	both := func(tests ...func(tb testing.TB)) func(tb testing.TB) {
		return func(tb testing.TB) {
			for _, test := range tests {
				test(tb)
			}
		}
	}
	// A new one of a test that fails is to be reviewed.
	fails(t, "TestEndings/new", both(match("a"), fail), "another reason")
	if file(t, "TestEndings/new.snap") != "" || !strings.Contains(file(t, "TestEndings/new.snap.new"), "-- 1 (text, new, at ") {
		t.Errorf("%s%s", file(t, "TestEndings/new.snap"), file(t, "TestEndings/new.snap.new"))
	}
	passes(t, "TestEndings/new", match("a"))
	if file(t, "TestEndings/new.snap") == "" || file(t, "TestEndings/new.snap.new") != "" {
		t.Error("what was new is still to be reviewed")
	}
	// What nothing asks for any more is named, and stays.
	f := passes(t, "TestEndings/new", func(tb testing.TB) { Match(tb, "b", Name("b")) })
	if said := strings.Join(f.logs, "\n"); !strings.Contains(said, `no test uses "1" any more; go test -echo.update drops`) || !strings.Contains(file(t, "TestEndings/new.snap"), "-- 1 (text)") {
		t.Errorf("%s\n%s", said, file(t, "TestEndings/new.snap"))
	}
	// A file that is broken stays as it is.
	path := filepath.Join(folder, "testdata", "snapshots", "TestEndings", "new.snap")
	if err := os.WriteFile(path, []byte("broken"), 0o666); err != nil {
		t.Fatal(err)
	}
	f = fails(t, "TestEndings/new", both(match("a"), match("b")), "nothing is compared: ", "new.snap:1: the first line must be")
	if file(t, "TestEndings/new.snap") != "broken" || len(f.errors) != 1 {
		t.Errorf("%s\n%q", file(t, "TestEndings/new.snap"), f.errors)
	}
}

// CI writes no snapshot, unless PROMPTECHO_SNAPSHOTS is update.
func TestModes(t *testing.T) {
	anew(t)
	match := func(text string) func(tb testing.TB) { return func(tb testing.TB) { Match(tb, text) } }
	for _, env := range [][2]string{{"CI", "true"}, {"PROMPTECHO_SNAPSHOTS", "none"}} {
		t.Setenv(env[0], env[1])
		fails(t, "TestModes/a", match("a"), `has no snapshot "1", and this run writes none`, "was it committed?", "\n  a")
		if file(t, "TestModes/a.snap")+file(t, "TestModes/a.snap.new") != "" {
			t.Error("it is written")
		}
		t.Setenv(env[0], "")
	}
	passes(t, "TestModes/a", match("a"))
	t.Setenv("CI", "1")
	fails(t, "TestModes/a", match("b"), `"1" differs`, "This run writes nothing (CI is set). To accept it:")
	if file(t, "TestModes/a.snap.new") != "" {
		t.Error("CI leaves something to be reviewed")
	}
	// Who asks for it gets it, in CI as well.
	t.Setenv("PROMPTECHO_SNAPSHOTS", "update")
	passes(t, "TestModes/a", func(tb testing.TB) { Match(tb, "b"); Match(tb, "c", Name("c")) })
	passes(t, "TestModes/a", func(tb testing.TB) { Match(tb, "d", Name("c")) })
	if got := file(t, "TestModes/a.snap"); got != "promptecho snapshots, version 1\n-- c (text) --\nd\n-- end --\n" {
		t.Error(got)
	}
	fails(t, "TestModes/a", func(tb testing.TB) { Match(tb, "e", Name("c")); tb.Errorf("fails") }, "fails")
	if got := file(t, "TestModes/a.snap"); strings.Contains(got, "e\n--") {
		t.Error("a test that failed has written", got)
	}
	t.Setenv("PROMPTECHO_SNAPSHOTS", "all")
	fails(t, "TestModes/a", match("a"), `PROMPTECHO_SNAPSHOTS: "all" is neither update nor none`)
}

// A secret is in no file and in no report.
func TestSecrets(t *testing.T) {
	anew(t)
	secret := "sk-proj-" + strings.Repeat("Zk3J9dQ1", 5)
	t.Setenv("MY_SERVICE_API_KEY", "a1B2c3D4e5F6g7H8i9J0k1L2")
	for i, value := range []any{"text with " + secret, map[string]string{"a": secret}, "a1B2c3D4e5F6g7H8i9J0k1L2 of the environment"} {
		name := fmt.Sprintf("TestSecrets/%d", i)
		passes(t, name, func(tb testing.TB) { Match(tb, value) })
		f := fails(t, name, func(tb testing.TB) { Match(tb, []any{value, "other"}) })
		for _, text := range []string{file(t, name+".snap"), file(t, name+".snap.new"), strings.Join(f.errors, "")} {
			if strings.Contains(text, "Zk3J9") || strings.Contains(text, "a1B2c3D4e5") {
				t.Error(text)
			}
		}
	}
	// What encodes a secret keeps what else it says.
	encoded := hex.EncodeToString([]byte("user:a1B2c3D4e5F6g7H8i9J0k1L2:end"))
	passes(t, "TestSecrets/encoded", func(tb testing.TB) { Match(tb, "it says "+encoded) })
	want := "it says " + hex.EncodeToString([]byte("user:[REDACTED]:end"))
	if text := file(t, "TestSecrets/encoded.snap"); !strings.Contains(text, want) {
		t.Error(text)
	}
}
