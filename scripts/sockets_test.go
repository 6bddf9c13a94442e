package scripts

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// Programs of Node.js with ws, and with the official client of OpenAI, are recorded by promptecho
// serve, and replay with their provider stopped.
func TestClientsOverWebSocket(t *testing.T) {
	t.Parallel()
	dir := nodeFolder(t)
	bin := command(t)
	tests := map[string]struct {
		contains []string // what the program prints
		field    string   // that a changed message differs in
	}{
		"realtime.mjs": {[]string{"session.updated", "You", "closed with 1000 OK"}, "session/instructions"},
		"chat.mjs":     {[]string{"protocol chat.v2", "00fffe", "closed with 4001 enough"}, "text"},
	}
	for script, tt := range tests {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			address, stop := startProvider(t, dir)
			cassette := filepath.Join(t.TempDir(), "c.yaml")
			run := func(word string, env ...string) (printed, report string, status int) {
				cmd := exec.Command(filepath.Join(bin, "promptecho"), "serve", "-cassette", cassette, "--", "node", script, word)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "CI=", "PROMPTECHO_MODE=", "OPENAI_API_KEY=echo-secret-of-scripts", "OPENAI_BASE_URL="+address+"/v1")
				cmd.Env = append(cmd.Env, env...)
				return output(t, cmd)
			}
			live, report, status := run("kind")
			stop()
			if status != 0 {
				t.Fatalf("recording: status %d\n%s\n%s", status, live, report)
			}
			for _, text := range tt.contains {
				if !strings.Contains(live, text) {
					t.Errorf("the program does not print %q:\n%s", text, live)
				}
			}
			for i := range full.Cases(5, 1000) {
				printed, report, status := run("kind", "CI=true")
				if status != 0 || printed != live {
					t.Fatalf("replay %d: status %d\n%s\n%s\nlive:\n%s", i, status, printed, report, live)
				}
			}
			printed, report, status := run("rude", "CI=true")
			if status == 0 || !strings.Contains(report, tt.field) || !strings.Contains(report, "rude") {
				t.Errorf("a changed message: status %d\n%s\n%s", status, printed, report)
			}
			if !strings.Contains(printed, "closed with 1008 promptecho: ") {
				t.Errorf("the program is not told why:\n%s", printed)
			}
		})
	}
}

// nodeFolder returns a folder with the programs and the packages that they need. It skips the test
// if Node.js or npm is not here.
func nodeFolder(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "sockets"))); err != nil {
		t.Fatal(err)
	}
	install := exec.Command("npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return dir
}

// startProvider starts the provider, and returns its address and what stops it.
func startProvider(t *testing.T, dir string) (address string, stop func()) {
	t.Helper()
	provider := exec.Command("node", "provider.mjs")
	provider.Dir = dir
	provider.Stderr = os.Stderr
	stdin, err := provider.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := provider.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := provider.Start(); err != nil {
		t.Fatal(err)
	}
	isStopped := false
	stop = func() {
		if isStopped {
			return
		}
		isStopped = true
		stdin.Close()
		_ = provider.Wait()
	}
	t.Cleanup(stop)
	port, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return "http://127.0.0.1:" + strings.TrimSpace(port), stop
}

// output runs a command. It returns what the command has printed, its report, and its status.
func output(t *testing.T, cmd *exec.Cmd) (printed, report string, status int) {
	t.Helper()
	var stdout, stderr strings.Builder
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}
