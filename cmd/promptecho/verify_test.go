package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVerifyNames: what is wrong comes in the order of lines, and what is only to be known is
// named and fails nothing.
func TestVerifyNames(t *testing.T) {
	t.Chdir(t.TempDir())
	good := "version: 1\ninteractions:\n  - request: {method: GET, url: \"https://h/v1/x\"}\n    response: {status: 200}\n"
	write(t, "bot/bot_test.go", "package bot\n\nfunc TestHere(t *testing.T) {}\n")
	write(t, "bot/testdata/cassettes/TestHere.yaml", good)
	write(t, "bot/testdata/cassettes/TestGone.yaml", good)
	var out, errs bytes.Buffer
	if status := run([]string{"verify"}, &out, &errs); status != 0 || errs.Len() > 0 {
		t.Errorf("an orphan fails: status %d, %s", status, errs.String())
	}
	for _, want := range []string{filepath.FromSlash("bot/testdata/cassettes/TestGone.yaml: orphan: "), "2 files checked: no problem found\n", "1 file that no test opens. To delete it:\n  promptecho prune -w\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}

	write(t, "bot/testdata/cassettes/TestHere.yaml.failed", good)
	write(t, "bot/testdata/cassettes/TestHere.yaml", good+"  - request: {method: GET, url: \"https://h/v1/y?api_key=sk-proj-"+strings.Repeat("a1B2", 12)+"\"}\n    response: {status: 200}\n    accepted: true\n")
	out.Reset()
	if status := run([]string{"verify"}, &out, &errs); status != 1 || !strings.Contains(errs.String(), "2 of 3 files failed") {
		t.Errorf("status %d, %s", status, errs.String())
	}
	at := 0
	for _, want := range []string{"TestGone.yaml: orphan", "TestHere.yaml:5: request.url", "TestHere.yaml:5: accepted", "TestHere.yaml.failed: recorded by a run that failed", "3 files checked: 1 good, 2 failed"} {
		i := strings.Index(out.String(), want)
		if i < at {
			t.Errorf("%q is missing, or not in its place:\n%s", want, out.String())
		}
		at = i
	}
}

// TestRedactedIsCounted: a run that records says how many values were replaced, and of which kinds.
func TestRedactedIsCounted(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.yaml", `version: 1
interactions:
  - request: {method: POST, url: "https://h/v1/x?key=[REDACTED]", headers: {x-api-key: "[REDACTED]"}, body: {token: "[REDACTED]"}}
    response: {status: 200, headers: {set-cookie: "a=[REDACTED]"}, body: {access_token: "[REDACTED-0a1b2c3d]", next: "[REDACTED]", text: "The key is [REDACTED]."}}
`)
	if got, want := redactedIn([]string{"a.yaml"}), "Redacted in it: 7 values (1 access_token, 1 in texts, 1 key, 1 next, 1 set-cookie, 1 token, and 1 other name)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A request with a path of one machine is named, once for a file, and fails nothing.
func TestVerifyNamesPathsOfOneMachine(t *testing.T) {
	t.Chdir(t.TempDir())
	ask := func(text string) string {
		return "  - request: {method: POST, url: \"https://h/v1/ask\", body: {q: \"" + text + "\"}}\n    response: {status: 200}\n"
	}
	write(t, "machine.yaml", "version: 1\ninteractions:\n"+ask("hi")+ask("read /home/ann/src/a.go")+ask("read /home/ann/src/b.go"))
	write(t, "clean.yaml", "version: 1\ninteractions:\n"+ask("see https://h/home/ann, and /usr/bin/go"))
	var out, errs bytes.Buffer
	if status := run([]string{"verify"}, &out, &errs); status != 0 {
		t.Errorf("status %d, %s", status, errs.String())
	}
	const want = `machine.yaml:5: q has a path of one machine, "/home/ann/src/a.go": on another one the test misses, unless it has promptecho.MaskTempDirs()`
	if got := out.String(); !strings.Contains(got, want) || strings.Count(got, "one machine") != 1 {
		t.Errorf("want once:\n%s\ngot:\n%s", want, got)
	}
}

// Two cassettes whose names differ only in case fail: macOS and Windows cannot check out both.
func TestVerifyNamesThatDifferInCase(t *testing.T) {
	t.Chdir(t.TempDir())
	good := "version: 1\ninteractions:\n  - request: {method: GET, url: \"https://h/v1/x\"}\n    response: {status: 200}\n"
	write(t, "testdata/cassettes/TestTrip.yaml", good)
	write(t, "testdata/cassettes/TestTrips.yaml", good)
	if isOneFile := exists("testdata/cassettes/testtrip.yaml"); isOneFile {
		t.Skip("this file system does not tell capitals apart, so it holds no two such files")
	}
	var out, errs bytes.Buffer
	if status := run([]string{"verify"}, &out, &errs); status != 0 {
		t.Errorf("status %d: %s%s", status, out.String(), errs.String())
	}

	write(t, "testdata/cassettes/Testtrip.yaml", good)
	out.Reset()
	status := run([]string{"verify"}, &out, &errs)
	const want = "testdata/cassettes/Testtrip.yaml: its name differs only in case from testdata/cassettes/TestTrip.yaml: "
	if status != 1 || !strings.Contains(out.String(), want) {
		t.Errorf("status %d:\n%s", status, out.String())
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// The cassette of a test whose name changed only in case is in use on a file system that ignores case.
func TestCassetteOfATestInOtherCaseIsNoOrphanIfTheTestOpensIt(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "bot_test.go", "package bot\n\nfunc TestUrl(t *testing.T) { echotest.New(t) }\n")
	write(t, "testdata/cassettes/TestURL.yaml", "version: 1\ninteractions: []\n")
	isOneFile := exists("testdata/cassettes/TestUrl.yaml")

	isOrphan := testPackages{}.orphaned(filepath.FromSlash("testdata/cassettes/TestURL.yaml"))
	if isOrphan == isOneFile {
		t.Errorf("orphan %v; the file system ignores case: %v", isOrphan, isOneFile)
	}
}

// The commands say that an answer was recorded from a fake, and verify names the command that
// records it from the provider.
func TestCommandsSayThatARecordingIsFromAFake(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module m\n")
	write(t, "bot/bot_test.go", "package bot\n\nfunc TestHere(t *testing.T) {}\n")
	write(t, "bot/testdata/cassettes/TestHere.yaml", "version: 1\ninteractions:\n"+
		"  - fake: true\n    request: {method: GET, url: \"https://h/v1/x\"}\n    response: {status: 200}\n"+
		"  - request: {method: GET, url: \"https://h/v1/y\"}\n    response: {status: 200}\n")
	for _, tt := range []struct {
		args  []string
		wants []string
	}{
		{[]string{"verify"}, []string{
			"TestHere.yaml:3: recorded from a fake, not from a provider\n",
			"1 file checked: no problem found\n",
			"1 recording is from a fake. Take the fake out of the test. Then, to record from the provider:\n" +
				"  promptecho record -all '-run=^(TestHere)$' ./bot\n",
		}},
		{[]string{"verify", "-json"}, []string{`"code": "recorded-from-fake"`, `"fake": [`}},
		{[]string{"ls"}, []string{"  fake\n"}},
		{[]string{"show", "TestHere"}, []string{"recorded from a fake, not from a provider"}},
		{[]string{"show", "-json", "TestHere"}, []string{`"fake": true`}},
	} {
		var out, errs bytes.Buffer
		if status := run(tt.args, &out, &errs); status != 0 || errs.Len() > 0 {
			t.Errorf("%q: status %d, %s", tt.args, status, errs.String())
		}
		for _, want := range tt.wants {
			if strings.Count(out.String(), want) != 1 {
				t.Errorf("%q: not once %q in:\n%s", tt.args, want, out.String())
			}
		}
	}
}
