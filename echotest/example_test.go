package echotest_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echofault"
	"github.com/promptecho/promptecho/echotest"
)

// capital is the code that is tested: it asks a model. A real program uses an SDK, which takes
// the same *http.Client.
func capital(client *http.Client, country string) (string, error) {
	resp, err := client.Get("https://api.example.com/capital?of=" + country)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return string(answer), err
}

// The first run records into testdata/cassettes/TestCapital.yaml, every later one replays that.
// It fails if a request was not recorded, or if a recording was not used.
func ExampleNew() {
	_ = func(t *testing.T) { // TestCapital
		rec := echotest.New(t)
		got, err := capital(rec.Client(), "France")
		if err != nil || got != "Paris" {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// Options say what matches, what may be left over, and what is never written.
func ExampleNew_options() {
	_ = func(t *testing.T) {
		rec := echotest.New(t,
			promptecho.Ignore("metadata/run_id"),
			promptecho.MaskTimes(),
			promptecho.RedactFields("customer"),
			promptecho.AllowRepeats("http/jobs.example.com"),
		)
		key := rec.Secret("OPENAI_API_KEY") // a dummy in replay
		_, _ = rec.Client(), key
	}
}

// Open gives the cassette a name of its own: a second one for the same test, or one that
// several tests share.
func ExampleOpen() {
	_ = func(t *testing.T) {
		agent := echotest.New(t)
		judge := echotest.Open(t, "testdata/cassettes/judge.yaml")
		_, _ = agent.Client(), judge.Client()
	}
}

// Code that takes no client asks http.DefaultTransport.
func ExampleSetDefault() {
	_ = func(t *testing.T) {
		echotest.SetDefault(t, echotest.New(t))
		got, err := capital(http.DefaultClient, "France")
		if err != nil || got != "Paris" {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// A program in any language asks the recorder by its base URL.
func ExampleServe() {
	_ = func(t *testing.T) {
		server := echotest.Serve(t, echotest.New(t))
		cmd := exec.Command("python3", "capital.py")
		cmd.Env = append(cmd.Environ(), server.Env()...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// What the program asks meets faults on its way to the recorder.
func ExampleThrough() {
	_ = func(t *testing.T) {
		rec := echotest.New(t)
		server := echotest.Serve(t, rec, echotest.Through(echofault.New(t, rec, echofault.FailFirst(2, 429))))
		fmt.Println(server.URL("https://api.openai.com/v1"))
	}
}

// With Main, a request without a recorder fails, and what is wrong with the package as a whole
// is said once.
func ExampleMain() {
	_ = func(m *testing.M) { // TestMain
		echotest.Main(m, echotest.AllowHosts("db.internal"))
	}
}

// What the tests need is set up and torn down in a function.
func ExampleRunFunc() {
	_ = func(m *testing.M) { // TestMain
		echotest.Main(echotest.RunFunc(func() int {
			dir, err := os.MkdirTemp("", "")
			if err != nil {
				return 1
			}
			defer os.RemoveAll(dir)
			return m.Run()
		}))
	}
}
