package containers_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/environ"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// What docs/CONTAINERS.md shows replays: the command of its image, with the variables of its Compose
// files, by the base URL and through the proxy.
//
// No Docker runs here. The recorder and the programs are in one network namespace, which has
// nothing but the recorder.
func TestComposeFilesReplay(t *testing.T) {
	t.Parallel()
	const secret = "secret0of0compose"
	dir := t.TempDir()
	recorded := must.RecordAnswers(t, []string{`{"answer":1}`, `{"answer":2}`}, []must.Request{
		{URL: must.ChatURL, Body: must.ChatBody("by the base URL")},
		{URL: must.ChatURL, Body: must.ChatBody("through the proxy")},
	})
	must.Write(t, filepath.Join(dir, "serve.yaml"), must.Read(t, recorded))
	c := newContainer(t)
	c.lead(t, c.address, "recorder")

	image := readImage(t)
	compose := must.Read(t, "testdata/compose.yaml")
	env := append(variablesOf(t, compose, "recorder", secret), "CI=true")
	recorder := c.command(t, env, append([]string{buildCommand(t)}, image.arguments...)...)
	recorder.Dir = dir
	var stderr bytes.Buffer
	recorder.Stderr = &stderr
	stdout, err := recorder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	err = recorder.Start()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	_, err = lines.ReadString('\n') // it prints the variables when it listens
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}

	curl := func(env []string, args ...string) string {
		out, err := c.command(t, env, append([]string{"curl", "-sS"}, args...)...).Output()
		if err != nil {
			t.Errorf("curl %q: %v %s", args, err, stderrOf(err))
		}
		return string(out)
	}
	if got := curl(nil, image.health); got != "ok\n" {
		t.Errorf("health: %q", got)
	}
	jsonBody := []string{"-H", "Content-Type: application/json", "--data-raw"}

	env = variablesOf(t, compose, "app", secret)
	url := environ.Value(env, "OPENAI_BASE_URL") + "/chat/completions"
	got := curl(env, append(jsonBody, must.ChatBody("by the base URL"), url)...)
	if got != `{"answer":1}` {
		t.Errorf("by the base URL: %s", got)
	}

	env = variablesOf(t, must.Read(t, "testdata/proxy.yaml"), "app", secret)
	certificate := filepath.Join(dir, "recorder.pem")
	curl(env, "-o", certificate, environ.Value(env, "CERTIFICATE_URL"))
	env = append(env, "SSL_CERT_FILE="+certificate)
	got = curl(env, append(jsonBody, must.ChatBody("through the proxy"), must.ChatURL)...)
	if got != `{"answer":2}` {
		t.Errorf("through the proxy: %s", got)
	}

	err = recorder.Process.Signal(syscall.SIGTERM) // as Compose stops it
	if err != nil {
		t.Error(err)
	}
	_, _ = io.Copy(io.Discard, lines) // returns when it has ended
	err = recorder.Wait()
	if err != nil {
		t.Errorf("the recorder ends with %v\n%s", err, &stderr)
	}
}

// An image is what the Dockerfile says of the process.
type image struct {
	arguments []string // of promptecho
	health    string   // the URL that the health check asks for
}

func readImage(t *testing.T) (i image) {
	t.Helper()
	text := must.Read(t, "testdata/recorder/Dockerfile")
	command := regexp.MustCompile(`(?m)^CMD (\[.*\])$`).FindStringSubmatch(text)
	health := regexp.MustCompile(`(?m)^HEALTHCHECK .* (http://\S+)$`).FindStringSubmatch(text)
	if command == nil || health == nil {
		t.Fatal("the Dockerfile has no CMD or no HEALTHCHECK")
	}
	err := json.Unmarshal([]byte(command[1]), &i.arguments)
	if err != nil {
		t.Fatal(err)
	}
	i.health = health[1]
	return i
}

// variablesOf returns the environment of a service in a Compose file, with the values of the
// variables that it names: the secret, and none for the others.
func variablesOf(t *testing.T, file, service, secret string) (env []string) {
	t.Helper()
	section := regexp.MustCompile(`(?m)^  ` + service + `:\n(    .*\n)+`).FindString(file)
	for _, m := range regexp.MustCompile(`(?m)^      ([A-Z_]+): (.*)$`).FindAllStringSubmatch(section, -1) {
		value := os.Expand(m[2], func(reference string) string {
			name, otherwise, _ := strings.Cut(reference, ":")
			if name == "PROMPTECHO_SECRET" {
				return secret
			}
			return strings.TrimPrefix(otherwise, "-")
		})
		env = append(env, m[1]+"="+value)
	}
	if len(env) == 0 {
		t.Fatalf("the service %s has no variables", service)
	}
	return env
}

// buildCommand builds promptecho, and returns its path.
func buildCommand(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "promptecho")
	out, err := exec.Command("go", "build", "-o", path, "../../cmd/promptecho").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}
