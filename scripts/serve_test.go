package scripts

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// TestMain lets the scripts run ask: a program that knows nothing of promptecho.
func TestMain(m *testing.M) { testscript.Main(tests{m}, map[string]func(){"ask": ask}) }

// tests are all tests of this package, with a folder for the programs that they run.
type tests struct{ *testing.M }

func (t tests) Run() int {
	dir, err := os.MkdirTemp("", "programs")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	programs = dir
	return t.M.Run()
}

// ask asks a question of $OPENAI_BASE_URL as curl does, with its headers, and prints the
// answer. Its status is 22 if that is an error, as with curl -f. $ASK_WITH has more fields.
func ask() {
	body := fmt.Sprintf(`{"model": "m", "stream": true, `+os.Getenv("ASK_WITH")+`"messages": [{"role": "user", "content": %q}]}`, strings.Join(os.Args[1:], " "))
	req, err := http.NewRequest("POST", os.Getenv("OPENAI_BASE_URL")+"/chat/completions", strings.NewReader(body))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	req.Header = http.Header{"User-Agent": {"curl/8.5.0"}, "Accept": {"*/*"}, "Content-Type": {"application/json"},
		"Authorization": {"Bearer " + os.Getenv("OPENAI_API_KEY")}}
	resp, err := new(http.Client).Do(req)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(7)
	}
	if _, err := io.Copy(os.Stdout, resp.Body); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(18)
	}
	if resp.StatusCode >= 400 {
		os.Exit(22)
	}
}

// A program of any language is recorded and replayed by promptecho serve. A provider is at
// $PROVIDER, and none at $NOBODY.
func TestServe(t *testing.T) {
	t.Parallel()
	bin := command(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "serve"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			p := fakeprovider.New()
			env.Defer(p.Close)
			env.Setenv("PROVIDER", p.URL)
			env.Setenv("NOBODY", "http://127.0.0.1:1")
			env.Setenv("CI", "")
			env.Setenv("PROMPTECHO_MODE", "")
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			return nil
		},
	})
}

// serving starts promptecho serve in a folder of its own. Its program is ask.
func serving(t *testing.T, provider string, args ...string) (cmd *exec.Cmd, stdout *bufio.Reader, stderr *bytes.Buffer) {
	t.Helper()
	cmd, stderr = exec.Command(filepath.Join(command(t), "promptecho"), append([]string{"serve"}, args...)...), new(bytes.Buffer)
	cmd.Dir, cmd.Stderr = t.TempDir(), stderr
	if _, err := cmd.StdinPipe(); err != nil { // which never ends
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "OPENAI_BASE_URL="+provider+"/v1", "OPENAI_API_KEY=echo-secret-of-scripts", "CI=", "PROMPTECHO_MODE=")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewReader(out), stderr
}

// Without a command the variables are printed, and what is asked until the end is saved.
func TestServeUntilStopped(t *testing.T) {
	t.Parallel()
	p := fakeprovider.New()
	defer p.Close()
	cmd, stdout, stderr := serving(t, p.URL)
	var env []string
	for {
		line, err := stdout.ReadString('\n')
		if err != nil {
			t.Fatalf("%v\n%s", err, stderr)
		}
		v, ok := strings.CutPrefix(strings.TrimSpace(line), "export ")
		if !ok || strings.Contains(line, "echo-secret") {
			t.Errorf("no line for a shell: %q", line)
		}
		env = append(env, v)
		if strings.HasPrefix(v, "no_proxy=") {
			break
		}
	}
	asking := exec.Command("ask", "hello") // testscript has put it on the PATH
	asking.Env = append(os.Environ(), append([]string{"OPENAI_API_KEY=echo-secret-of-scripts"}, env...)...)
	if out, err := asking.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("[DONE]")) {
		t.Errorf("%v\n%s", err, out)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	want := "promptecho: serve: serve.yaml answers until this is stopped (^C)\npromptecho: serve: saved 1 interaction to serve.yaml\n"
	if err != nil || stderr.String() != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, stderr, want)
	}
	cassette, err := os.ReadFile(filepath.Join(cmd.Dir, "serve.yaml"))
	if err != nil || bytes.Contains(cassette, []byte("partial: true")) || bytes.Contains(cassette, []byte("echo-secret")) || !bytes.Contains(cassette, []byte("content: hello\n")) {
		t.Errorf("%v\n%s", err, cassette)
	}
}

// An interrupted command leaves a partial cassette of what was answered, and nothing of what
// was not.
func TestServeInterrupted(t *testing.T) {
	t.Parallel()
	p := fakeprovider.New()
	defer p.Close()
	waits := make(chan bool, 1)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte("second")) {
			waits <- true
			<-r.Context().Done()
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		p.ServeHTTP(w, r)
	}))
	defer provider.Close()
	cmd, _, stderr := serving(t, provider.URL, "--", "sh", "-c", "ask first; ask second; read never")
	<-waits
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status says more
	if got, want := cmd.ProcessState.ExitCode(), 128+int(syscall.SIGTERM); got != want {
		t.Errorf("status %d, want %d\n%s", got, want, stderr)
	}
	cassette, err := os.ReadFile(filepath.Join(cmd.Dir, "serve.yaml"))
	if err != nil || !bytes.Contains(cassette, []byte("\npartial: true\n")) || !bytes.Contains(cassette, []byte("content: first\n")) || bytes.Contains(cassette, []byte("second")) {
		t.Errorf("%v\n%s", err, cassette)
	}
}
