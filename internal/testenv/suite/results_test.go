package suite

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// feed reads what go test -json prints.
func feed(text string) (r Results, ended []*Test) {
	for line := range strings.Lines(text) {
		if t := r.Add(read([]byte(line))); t != nil {
			ended = append(ended, t)
		}
	}
	return r, ended
}

// Tests that have a recorder or failed are told when they end; the others are not.
func TestResults(t *testing.T) {
	t.Parallel()
	r, ended := feed(`{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestA"}
{"Action":"output","Package":"m/a","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"attr","Package":"m/a","Test":"TestA","Key":"promptecho.cassette","Value":"/m/a/A.yaml"}
{"Action":"output","Package":"m/a","Test":"TestA","Output":"=== ATTR  TestA promptecho.cassette /m/a/A.yaml\n"}
{"Action":"attr","Package":"m/a","Test":"TestA","Key":"promptecho.recorded","Value":"2"}
{"Action":"attr","Package":"m/a","Test":"TestA","Key":"promptecho.input_tokens","Value":"1200"}
{"Action":"output","Package":"m/a","Test":"TestA","Output":"--- PASS: TestA (0.50s)\n"}
{"Action":"pass","Package":"m/a","Test":"TestA","Elapsed":0.5}
{"Action":"pass","Package":"m/a","Test":"TestNothing"}
{"Action":"attr","Package":"m/a","Test":"TestOther","Key":"theirs","Value":"2"}
{"Action":"pass","Package":"m/a","Test":"TestOther"}
{"Action":"output","Package":"m/a","Test":"TestB/x","Output":"    a_test.go:4: bad\n"}
{"Action":"output","Package":"m/a","Test":"TestB/x","Output":"        thing\n"}
{"Action":"output","Package":"m/a","Test":"TestB/x","Output":"    --- FAIL: TestB/x (0.00s)\n"}
{"Action":"fail","Package":"m/a","Test":"TestB/x"}
{"Action":"output","Package":"m/a","Output":"FAIL\n"}
{"Action":"fail","Package":"m/a"}
`)
	if len(ended) != 2 || ended[0].Name != "TestA" || ended[1].Name != "TestB/x" || len(r.Tests) != 2 || r.Packages != 1 {
		t.Fatalf("%+v, %+v", ended, r)
	}
	if a := ended[0]; a.Status != Pass || a.Seconds != 0.5 || a.Output != "" || !a.Linked || a.Cassettes[0] != "/m/a/A.yaml" || r.Total != (attr.Counts{Recorded: 2, InputTokens: 1200}) {
		t.Errorf("%+v, total %+v", a, r.Total)
	}
	if b := ended[1]; b.Status != Fail || b.Linked || b.Output != "--- FAIL: TestB/x (0.00s)\n    a_test.go:4: bad\n        thing\n" {
		t.Errorf("%+v", b)
	}
	if len(r.Failures) > 0 {
		t.Errorf("a package whose test failed is told as well: %+v", r.Failures)
	}
}

// What fails a package without a test is told with its output, and a build once.
func TestPackageFailures(t *testing.T) {
	t.Parallel()
	r, _ := feed(`{"ImportPath":"m/lib","Action":"build-output","Output":"# m/lib\n"}
{"ImportPath":"m/lib","Action":"build-output","Output":"lib.go:1:34: wrong\n"}
{"ImportPath":"m/lib","Action":"build-fail"}
{"Action":"output","Package":"m/a","Output":"FAIL\tm/a [build failed]\n"}
{"Action":"fail","Package":"m/a","FailedBuild":"m/lib"}
{"Action":"output","Package":"m/b","Output":"FAIL\tm/b [build failed]\n"}
{"Action":"fail","Package":"m/b","FailedBuild":"m/lib"}
{"Action":"run","Package":"m/c","Test":"TestExits"}
{"Action":"output","Package":"m/c","Test":"TestExits","Output":"bye\n"}
{"Action":"output","Package":"m/c","Output":"exit status 3\n"}
{"Action":"fail","Package":"m/c"}
not JSON at all
`)
	want := []Failure{
		{"m/a", finding.PackageFailed, "# m/lib\nlib.go:1:34: wrong\nFAIL\tm/a [build failed]\n"},
		{"m/b", finding.PackageFailed, "FAIL\tm/b [build failed]\n"},
		{"m/c", finding.PackageFailed, "bye\nexit status 3\n"},
	}
	if len(r.Failures) != len(want) {
		t.Fatalf("%+v, want %+v", r.Failures, want)
	}
	for i, f := range r.Failures {
		if f != want[i] {
			t.Errorf("%+v, want %+v", f, want[i])
		}
	}
	if len(r.Tests) != 1 || r.Tests[0].Name != "TestExits" || r.Tests[0].Status != Stopped {
		t.Errorf("%+v", r.Tests)
	}
}

// This package's tests do not link promptecho; those of echotest do.
func TestList(t *testing.T) {
	t.Parallel()
	found, err := List(nil, []string{".", library + "/echotest"})
	if err != nil || len(found) != 1 || found[0].Path != library+"/echotest" || !strings.HasSuffix(found[0].Dir, "echotest") {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := List(nil, []string{"./nowhere"}); err == nil || !strings.HasPrefix(err.Error(), "go list: ") || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("error %v", err)
	}
}
