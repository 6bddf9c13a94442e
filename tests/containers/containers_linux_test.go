package containers_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/testing/environ"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// python is a program that posts its second argument to the URL in the first.
const python = `
import os, sys, urllib.request
headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
request = urllib.request.Request(sys.argv[1], sys.argv[2].encode(), headers)
try:
    print(urllib.request.urlopen(request).read().decode(), end="")
except urllib.error.HTTPError as e:
    print(e.read().decode(), end="")
`

// programs are what runs in a container: each posts a body to a URL, and prints the answer.
var programs = []struct {
	name    string
	command func(t *testing.T, url, body string) []string
}{
	{"curl", func(_ *testing.T, url, body string) []string {
		return []string{
			"curl", "-sS", "-H", "Content-Type: application/json", "--data-raw", body, url,
		}
	}},
	{"Go", func(t *testing.T, url, body string) []string {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		return []string{self, askCommand, url, body}
	}},
	{"Python", func(_ *testing.T, url, body string) []string {
		return []string{"/usr/bin/python3", "-c", python, url, body}
	}},
}

// ways are how programs reach the recorder.
var ways = []struct {
	name   string
	url    func(env []string) string   // the URL that a program posts to
	server func(address string) string // what a report calls the server at an address
}{
	{
		"base URL",
		func(env []string) string { return environ.Value(env, "OPENAI_BASE_URL") + "/chat/completions" },
		func(address string) string { return "http://" + address },
	},
	{
		"proxy",
		func([]string) string { return must.ChatURL },
		func(string) string { return "the proxy" },
	},
}

// serve serves a container, which reaches this machine by a name.
func serve(t *testing.T, rec *promptecho.Recorder, c *container, name string) (*observed, *echotest.Server) {
	t.Helper()
	ran := &observed{TB: t}
	listen := echotest.Listen(net.JoinHostPort(c.host, "0"), name)
	return ran, echotest.Serve(ran, rec, listen, echotest.Proxy())
}

// Unchanged programs in a container are recorded, and replayed without an upstream, by base URLs
// and through the proxy.
//
// The server listens at the address that leads to the container. Each name of this machine that
// containers use is tried: those of Docker and Testcontainers, a service, and the address itself.
func TestProgramsInContainersAreRecordedAndReplayed(t *testing.T) {
	t.Parallel()
	names := []string{"recorder", "host.docker.internal", "host.testcontainers.internal", ""}
	for _, name := range names[:full.Cases(2, len(names))] {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newContainer(t, name)
			file := filepath.Join(t.TempDir(), "c.yaml")
			answers := map[promptecho.Mode][]string{}
			for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
				upstream := provider.Func(streamed)
				if mode == promptecho.ModeNone {
					upstream = func(req *http.Request) (*http.Response, error) {
						return nil, fmt.Errorf("a replay asks %s", req.URL)
					}
				}
				rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
				ran, server := serve(t, rec, c, name)
				for _, way := range ways {
					for _, program := range programs {
						env := append(server.Env(), "OPENAI_API_KEY=echo-secret-of-containers")
						body := must.ChatBody(program.name + " by " + way.name)
						out, err := c.command(t, env, program.command(t, way.url(env), body)...).Output()
						if err != nil {
							t.Errorf("%s by %s: %v %s", program.name, way.name, err, stderrOf(err))
						}
						answers[mode] = append(answers[mode], string(out))
					}
				}
				ran.end()
				must.Close(t, rec)
				const want = "log: promptecho: other machines reach this test at "
				said := ran.said()
				if !strings.HasPrefix(said, want) || strings.Contains(said, "\n") {
					t.Errorf("%s: the test says %s, want only %s", mode, said, want)
				}
			}

			live := answers[promptecho.ModeAll]
			for _, answer := range live {
				if !strings.Contains(answer, "[DONE]") {
					t.Errorf("a program got %q", answer)
				}
			}
			if !slices.Equal(answers[promptecho.ModeNone], live) {
				t.Errorf("replayed %q\nrecorded %q", answers[promptecho.ModeNone], live)
			}
			recorded := must.Load(t, file)
			for _, interaction := range recorded.Interactions {
				if interaction.Request.URL != must.ChatURL {
					t.Errorf("the cassette has a request to %s", interaction.Request.URL)
				}
			}
			if want := len(ways) * len(programs); len(recorded.Interactions) != want {
				t.Errorf("the cassette has %d interactions, want %d", len(recorded.Interactions), want)
			}
		})
	}
}

// streamed answers as a chat completion that streams, with the request in its text.
func streamed(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	event := fmt.Sprintf("data: {\"choices\":[{\"delta\":{\"content\":%q}}]}\n\n", body)
	stream := strings.NewReader(event + "data: [DONE]\n\n")
	return provider.EventStream(io.NopCloser(stream)), nil
}

// stderrOf returns what a command has printed that failed.
func stderrOf(err error) []byte {
	if failed, ok := err.(*exec.ExitError); ok {
		return failed.Stderr
	}
	return nil
}

// An observed is a test whose errors and logs are kept, and not printed.
type observed struct {
	testing.TB
	mu       sync.Mutex // guards what follows
	texts    []string
	cleanups []func()
}

func (o *observed) Helper()          {}
func (o *observed) Cleanup(f func()) { o.cleanups = append(o.cleanups, f) }

func (o *observed) Errorf(format string, args ...any) {
	o.keep("error: " + fmt.Sprintf(format, args...))
}
func (o *observed) Logf(format string, args ...any) { o.keep("log: " + fmt.Sprintf(format, args...)) }

func (o *observed) keep(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.texts = append(o.texts, text)
}

// end ends the test, as package testing does.
func (o *observed) end() {
	for _, f := range slices.Backward(o.cleanups) {
		f()
	}
	o.cleanups = nil
}

// said returns the errors and the logs, a line each.
func (o *observed) said() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.texts, "\n")
}
