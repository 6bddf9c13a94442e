//go:build unix

package scripts

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// A provider answers prompts, and counts how often it has answered each one.
type provider struct {
	mu       sync.Mutex
	answered map[string]int
	left     int           // how many it answers before the next one has to wait
	waiting  chan struct{} // closed when one waits
	gone     chan struct{} // closed when those that wait are let go without an answer
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Messages []struct{ Content string } }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) != 1 {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	wait := p.left == 0
	if wait && p.waiting != nil {
		close(p.waiting)
		p.waiting = nil
	}
	if !wait {
		p.left--
		p.answered[body.Messages[0].Content]++
	}
	p.mu.Unlock()
	if wait {
		<-p.gone
		panic(http.ErrAbortHandler)
	}
	io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"yes"}}],"usage":{"prompt_tokens":10,"completion_tokens":3}}`)
}

// testsAsking writes a module of packages with tests that ask several prompts each, one
// after the other.
func testsAsking(t *testing.T, packages, tests, prompts int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", goMod(t))
	write("ask/ask.go", `package ask

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/echotest"
)

func Ask(t *testing.T, pkg string) {
	rec := echotest.New(t)
	for i := range `+strconv.Itoa(prompts)+` {
		body := fmt.Sprintf("{\"model\":\"gpt-x\",\"messages\":[{\"role\":\"user\",\"content\":\"%s %s %d\"}]}", pkg, t.Name(), i)
		resp, err := rec.Client().Post(os.Getenv("PROVIDER")+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 {
			t.Fatalf("%s: %v", resp.Status, err)
		}
	}
}
`)
	for p := range packages {
		pkg := fmt.Sprintf("pkg%02d", p)
		text := "package " + pkg + "\n\nimport (\n\t\"testing\"\n\n\t\"example.com/app/ask\"\n)\n\n"
		for n := range tests {
			text += fmt.Sprintf("func Test%02d(t *testing.T) { ask.Ask(t, %q) }\n", n, pkg)
		}
		write(pkg+"/x_test.go", text)
	}
	return dir
}

// A recording of many packages that is interrupted goes on with the next run, and asks nothing
// twice.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	packages, tests, prompts := full.Cases(4, 20), 10, 3
	all := packages * tests * prompts
	half := all/2 + 1 // in the middle of a test, whose journal has one answer
	p := &provider{answered: map[string]int{}, left: half, waiting: make(chan struct{}), gone: make(chan struct{})}
	waiting := p.waiting
	server := httptest.NewServer(p)
	defer server.Close()
	dir, bin := testsAsking(t, packages, tests, prompts), command(t)
	start := func(flags ...string) (cmd *exec.Cmd, stdout io.Reader, stderr *bytes.Buffer) {
		cmd, stderr = exec.Command(filepath.Join(bin, "promptecho"), append([]string{"record", "-p=1"}, flags...)...), new(bytes.Buffer)
		cmd.Dir, cmd.Stderr = dir, stderr
		cmd.Env = append(os.Environ(), "PROVIDER="+server.URL, "GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS=-vet=off -ldflags=-w", "GOWORK=off", "NO_PROXY=*")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		return cmd, out, stderr
	}

	began := time.Now()
	cmd, stdout, stderr := start()
	ended := make(chan string)
	go func() {
		text, _ := io.ReadAll(stdout)
		ended <- string(text)
	}()
	select {
	case <-waiting:
	case text := <-ended:
		t.Fatalf("ended before it was interrupted: %s%s", text, stderr)
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil { // to all of the group, as a terminal does
		t.Fatal(err)
	}
	first := <-ended
	close(p.gone)
	err := cmd.Wait()
	t.Logf("first run, %s\n%s\n%s", time.Since(began), tail(first), stderr)
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(stderr.String(), "record: interrupted\n") {
		t.Errorf("%v, standard error %q", err, stderr)
	}
	for _, want := range []string{`(?m)^pass \./pkg\d\d Test\d\d: 3 recorded; tokens: 30 in, 9 out`, `Written, to be reviewed:`, `\d+ tests with a recorder; \d+ of ` + strconv.Itoa(packages) + ` packages finished: \d+ recorded; tokens`, `(?m)^  pkg\d\d/testdata/cassettes/Test00.yaml.partial: 1 interaction; tokens: 10 in, 3 out$`} {
		if !regexp.MustCompile(want).MatchString(first) {
			t.Errorf("the first run does not say %s", want)
		}
	}
	if strings.Contains(first, "FAIL") || strings.Contains(first, "failed") {
		t.Error("what an interrupt has stopped is called a failure")
	}

	p.mu.Lock()
	p.left, p.gone = all, make(chan struct{})
	before := len(p.answered)
	p.mu.Unlock()
	if before != half {
		t.Errorf("%d prompts were answered, want %d", before, half)
	}
	began = time.Now()
	cmd, stdout, stderr = start()
	lines, counts := 0, map[string]int{}
	var second strings.Builder
	for scan := bufio.NewScanner(stdout); scan.Scan(); {
		second.WriteString(scan.Text() + "\n")
		if strings.HasPrefix(scan.Text(), "pass ") {
			lines++
			for _, m := range regexp.MustCompile(`(\d+) (recorded|resumed|replayed)`).FindAllStringSubmatch(scan.Text(), -1) {
				n, _ := strconv.Atoi(m[1])
				counts[m[2]] += n
			}
		}
	}
	err = cmd.Wait()
	t.Logf("second run, %s\n%s\n%s", time.Since(began), tail(second.String()), stderr)
	if err != nil || lines != packages*tests || counts["recorded"] != all-before || counts["resumed"] != 1 || counts["replayed"] != before-1 {
		t.Errorf("%v: %d tests, %v, of %d prompts %d were answered before", err, lines, counts, all, before)
	}
	if strings.Contains(second.String(), ".yaml.partial") {
		t.Error("the second run has left a journal")
	}
	if len(p.answered) != all {
		t.Errorf("%d of %d prompts were answered", len(p.answered), all)
	}
	for prompt, n := range p.answered {
		if n != 1 {
			t.Errorf("%q was paid for %d times", prompt, n)
		}
	}
}

// tail returns the end of an output.
func tail(text string) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[max(0, len(lines)-12):], "")
}
