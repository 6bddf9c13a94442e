package scripts

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	_ "golang.org/x/sync/errgroup" // testdata/observe has it
)

// Every request that leaves the tests of a package is listed with its test, its place and its
// recorder. In testdata/observe the comment behind a request says which: "want TEST", how often
// if that is not once, and the recorder; "-" for one that may be of several tests. The rest are requests to this machine.
func TestObserve(t *testing.T) {
	t.Parallel()
	bin, dir := command(t), t.TempDir()
	wanted := map[string]string{} // by host
	want := regexp.MustCompile(`"http://([^"/]+)[^\n]*// want (\S+)(?: (\d+))?(?: (\w+))?\n`)
	for _, name := range []string{"app.go", "app_test.go"} {
		text, err := os.ReadFile(filepath.Join("testdata", "observe", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, m := range want.FindAllStringSubmatch(string(text), -1) {
			count, _ := strconv.Atoi(m[3])
			wanted[m[1]] = fmt.Sprintf("%s %d %s", m[2], max(count, 1), m[4])
		}
	}
	for _, name := range []string{"one", "two"} { // of a loop
		for _, host := range []string{name + ".parallel.test", name + ".context.test"} {
			wanted[host] = "TestParallelSubtests/" + name + " 1 "
		}
	}
	wanted["forwarded.test"] = "TestHandlerOfMain 1 "
	wanted["fuzzed.test"] = "FuzzSeed/seed#0 1 "
	if len(wanted) < 30 {
		t.Fatalf("%d wants", len(wanted))
	}
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "golang.org/x/sync").Output()
	if err != nil {
		t.Fatal(err)
	}
	mod := goMod(t) + "require golang.org/x/sync " + string(version)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(bin, "promptecho"), "observe", "-json")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CI=", "PROMPTECHO_MODE=", "GOFLAGS=-mod=mod -vet=off -ldflags=-w", "GOPROXY=off", "GONOSUMDB=*")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	var result struct {
		Requests []struct {
			Test, Host, Family, Place, From, Recorder, Fix string
			Tests                                          []string
			Count                                          int
		}
	}
	if err := json.Unmarshal(out, &result); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	got := map[string]string{}
	counts := map[string]int{}
	for _, r := range result.Requests {
		if r.Test == "" {
			r.Test = "-"
		}
		counts[r.Host] += r.Count
		got[r.Host] = fmt.Sprintf("%s %d %s", r.Test, counts[r.Host], r.Recorder)
		if (r.Recorder == "") != (r.Fix != "") {
			t.Errorf("%s: recorder %q, fix %q", r.Host, r.Recorder, r.Fix)
		}
	}
	for host, want := range wanted {
		if got[host] != want {
			t.Errorf("%s: %q, want %q", host, got[host], want)
		}
		delete(got, host)
	}
	for host, test := range got {
		t.Errorf("%s of %s is not in the source", host, test)
	}
}
