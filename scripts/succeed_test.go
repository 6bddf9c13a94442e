package scripts

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// A poorProvider answers prompts with streams, and keeps count. It is made up by us. Of the requests that
// it takes, it fails some and cuts some; when its quota is used up, it answers none.
type poorProvider struct {
	mu       sync.Mutex
	requests int
	quota    int            // whole answers that are left
	whole    map[string]int // whole answers, by prompt
}

func (p *poorProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Messages []struct{ Content string } }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) != 1 {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	n := p.requests
	const half = `data: {"choices":[{"delta":{"role":"assistant","content":"ye"}}]}` + "\n\n"
	switch {
	case p.quota == 0:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"error":{"code":"insufficient_quota","message":"You exceeded your current quota."}}`)
	case n%7 == 3:
		w.Header().Set("Retry-After-Ms", "5")
		http.Error(w, "slow down", http.StatusTooManyRequests)
	case n%5 == 0:
		http.Error(w, "overloaded", http.StatusInternalServerError)
	case n%10 == 4:
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, half)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, half+`data: {"choices":[{"delta":{"content":"s"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":3}}`+"\n\ndata: [DONE]\n\n")
		p.quota--
		p.whole[body.Messages[0].Content]++
	}
}

// answers returns how many whole answers there are, and how many of them answered a prompt again.
func (p *poorProvider) answers() (all, again int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.whole {
		all += n
		again += n - 1
	}
	return all, again
}

// tokensOfAnswer is how many each answer of a poorProvider has.
const tokensOfAnswer = 13

// poorTests writes a module of packages with tests that ask two prompts each, and ask again, as
// SDKs do, after status 429 and 500.
func poorTests(t *testing.T, packages, tests int) (dir string) {
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
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/echotest"
)

func Ask(t *testing.T, pkg string) {
	if os.Getenv("SEQUENTIAL") == "" {
		t.Parallel()
	}
	rec := echotest.New(t)
	for i := range 2 {
		ask(t, rec.Client(), fmt.Sprint(pkg, " ", t.Name(), " ", i))
	}
}

func ask(t *testing.T, client *http.Client, prompt string) {
	body := fmt.Sprintf("{\"model\":\"gpt-x\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}", prompt)
	for try := 0; ; try++ {
		resp, err := client.Post(os.Getenv("PROVIDER")+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		isTemporary := resp.StatusCode == 429 || resp.StatusCode == 500
		if isTemporary && try < 2 {
			continue
		}
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%s: %v: %s", resp.Status, err, text)
		}
		return
	}
}
`)
	for p := range packages {
		pkg := fmt.Sprintf("pkg%d", p)
		text := "package " + pkg + "\n\nimport (\n\t\"testing\"\n\n\t\"example.com/app/ask\"\n)\n\n"
		for n := range tests {
			text += fmt.Sprintf("func Test%02d(t *testing.T) { ask.Ask(t, %q) }\n", n, pkg)
		}
		write(pkg+"/x_test.go", text)
	}
	return dir
}

// A poorRun runs promptecho record in a module of [poorTests].
type poorRun struct {
	dir      string
	bin      string
	linked   string // the folder of linkonce
	provider *poorProvider
	url      string

	sequential string // not empty if one test runs at a time
}

// startPoor writes a module, and starts its provider.
func startPoor(t *testing.T, packages, tests, quota int) *poorRun {
	t.Helper()
	p := &poorProvider{quota: quota, whole: map[string]int{}}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return &poorRun{
		dir:      poorTests(t, packages, tests),
		bin:      command(t),
		linked:   t.TempDir(),
		provider: p,
		url:      server.URL,
	}
}

// record returns the output of promptecho record.
func (r *poorRun) record(t *testing.T, args ...string) (output string) {
	t.Helper()
	args = append([]string{"record"}, args...)
	cmd := exec.Command(filepath.Join(r.bin, "promptecho"), args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(),
		"PROVIDER="+r.url,
		"LINKED="+r.linked,
		"SEQUENTIAL="+r.sequential,
		"GOFLAGS=-vet=off -ldflags=-w "+linkFlag(),
		"GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off", "NO_PROXY=*", "CI=")
	out, err := cmd.CombinedOutput()
	t.Logf("promptecho %s\n%s%v", strings.Join(args, " "), out, err)
	return string(out)
}

// A provider that throttles, fails, cuts streams and runs out of quota is recorded in three runs, and nothing
// is paid twice. No run passes its budget by more than one answer.
func TestRecordingSucceeds(t *testing.T) {
	t.Parallel()
	packages, tests := 2, full.Cases(4, 50)
	all := packages * tests * 2
	r := startPoor(t, packages, tests, all*6/10)
	flags := []string{"-tries=9", "-rps=1000", "-prove=0"}

	// The budget ends the first run.
	budget := all / 4 * tokensOfAnswer
	first := r.record(t, append(flags, fmt.Sprintf("-max-tokens=%d", budget))...)
	paid, again := r.provider.answers()
	if used := paid * tokensOfAnswer; used == 0 || used > budget+tokensOfAnswer {
		t.Errorf("%d tokens were used of %d", used, budget)
	}
	if !strings.Contains(first, "\nNot sent: ") {
		t.Error("the first run does not say what was not sent")
	}

	// The quota of the provider ends the second one.
	second := r.record(t, flags...)
	paidByThen, againByThen := r.provider.answers()
	if paidByThen != all*6/10 || !strings.Contains(second, "says that the account has no quota left") {
		t.Errorf("%d answers were paid by the second run, want %d", paidByThen, all*6/10)
	}

	r.provider.mu.Lock()
	r.provider.quota = all
	r.provider.mu.Unlock()
	third := r.record(t, flags...)
	paidInAll, againInAll := r.provider.answers()
	if paidInAll != all || again+againByThen+againInAll != 0 {
		t.Errorf("%d answers were paid for %d prompts; %d, %d and %d of them again",
			paidInAll, all, again, againByThen, againInAll)
	}
	if strings.Contains(third, "failed. To run") {
		t.Error("tests failed in the third run")
	}
	left, err := filepath.Glob(filepath.Join(r.dir, "*", "testdata", "cassettes", "*.partial"))
	if err != nil || left != nil {
		t.Errorf("journals are left: %q, %v", left, err)
	}
}

// The person who ran promptecho record sees on one screen what succeeded, what did not and why, and what to
// do next.
func TestRecordingSummary(t *testing.T) {
	t.Parallel()
	const screen = 40 // lines
	r := startPoor(t, 1, 8, 12)
	r.sequential = "1"
	flags := []string{"-tries=5", "-prove=0"}
	for _, run := range []struct {
		name string
		args []string
	}{
		{"budget", append(flags, "-max-tokens=80")},
		{"quota", flags},
	} {
		output := r.record(t, run.args...)
		_, summary, _ := strings.Cut(output, "\n\n")
		summary = regexp.MustCompile(`\([0-9.]+m?s\)`).ReplaceAllString(summary, "(TIME)")
		summary = strings.ReplaceAll(summary, strings.TrimPrefix(r.url, "http://"), "HOST")
		if n := strings.Count(summary, "\n"); n > screen {
			t.Errorf("the summary has %d lines", n)
		}

		file := filepath.Join("testdata", "succeed", run.name+".txt")
		if *updateSummaries {
			if err := os.WriteFile(file, []byte(summary), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if summary != string(want) {
			t.Errorf("%s:\n%s\nwant\n%s", file, summary, want)
		}
	}
}

var updateSummaries = flag.Bool("update", false, "write the summaries in testdata/succeed")
