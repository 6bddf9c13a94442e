//go:build unix

package scripts

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// TestServeKilled: serve, its program, or both are ended at random moments. What the program had
// read in full is kept, what was cut is asked again, and the next run has every answer whole.
func TestServeKilled(t *testing.T) {
	t.Parallel()
	bin := command(t)
	p := fakeprovider.New()
	t.Cleanup(p.Close)
	var again, replaying atomic.Int64 // a request of who was killed may come when it is gone: the key tells whose it is
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch key := r.Header.Get("Authorization"); {
		case strings.HasSuffix(key, "new_episodes"):
			again.Add(1)
		case strings.HasSuffix(key, "none"):
			replaying.Add(1)
		}
		p.ServeHTTP(slowly{w}, r)
	}))
	t.Cleanup(provider.Close)
	times := full.Cases(10, 200)
	const prompts = 6
	for i := range times {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			dir := t.TempDir()
			serve := func(mode string) (*exec.Cmd, *bytes.Buffer) {
				var out bytes.Buffer
				cmd := exec.Command(filepath.Join(bin, "promptecho"), "serve", "-mode", mode, "--", "sh", "-c", "echo $$ >pid; for n in 1 2 3 4 5 6; do ask hello $n || exit 1; echo WHOLE; done")
				cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, io.Discard
				cmd.Env = append(os.Environ(), "OPENAI_BASE_URL="+provider.URL+"/v1", "OPENAI_API_KEY=echo-secret-of-scripts-"+mode, "CI=", "PROMPTECHO_MODE=")
				return cmd, &out
			}
			cmd, out := serve("once")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(rand.IntN(400)) * time.Millisecond) // the moment is what is tried
			signal := [...]syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}[rand.IntN(3)]
			switch whom := rand.IntN(3); whom {
			case 0: // as a terminal interrupts both
				_ = syscall.Kill(-cmd.Process.Pid, signal)
			case 1:
				_ = cmd.Process.Signal(signal)
			case 2:
				text, _ := os.ReadFile(filepath.Join(dir, "pid"))
				var pid int
				if fmt.Sscan(string(text), &pid); pid > 0 {
					_ = syscall.Kill(pid, signal)
				}
			}
			_ = cmd.Wait() // until the program has ended, too, which has the output
			had := strings.Count(out.String(), "WHOLE")
			again.Store(0)
			cmd, out = serve("new_episodes")
			if err := cmd.Run(); err != nil || strings.Count(out.String(), "WHOLE") != prompts {
				t.Errorf("%v by %v: %v\n%s", had, signal, err, out)
			}
			if n := int(again.Load()); n > prompts-had {
				t.Errorf("%v: %d of %d had been read, and %d were asked again", signal, had, prompts, n)
			}
			cmd, replayed := serve("none")
			if err := cmd.Run(); err != nil || replayed.String() != out.String() || replaying.Load() > 0 {
				t.Errorf("%v: %v\n%s\n%s", signal, err, out, replayed)
			}
		})
	}
}

// slowly sends what is written to it with a pause behind each part.
type slowly struct{ http.ResponseWriter }

func (w slowly) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.ResponseWriter.(http.Flusher).Flush()
	time.Sleep(2 * time.Millisecond)
	return n, err
}

func (w slowly) Flush() {}
