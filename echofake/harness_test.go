package echofake_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/internal/testing/environ"
)

func TestMain(m *testing.M) { environ.Main(m) }

// A fakeTB is a test that keeps its errors.
type fakeTB struct {
	testing.TB
	skipped  bool
	errors   []string
	cleanups []func()
}

func (f *fakeTB) Name() string      { return "TestX" }
func (f *fakeTB) Helper()           {}
func (f *fakeTB) Failed() bool      { return len(f.errors) > 0 }
func (f *fakeTB) Skipped() bool     { return f.skipped }
func (f *fakeTB) Cleanup(fn func()) { f.cleanups = append(f.cleanups, fn) }
func (f *fakeTB) Error(args ...any) { f.errors = append(f.errors, fmt.Sprint(args...)) }
func (f *fakeTB) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}
func (f *fakeTB) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	panic(f)
}

// run runs a test and its cleanups, as package testing does, and returns the errors.
func (f *fakeTB) run(test func()) string {
	defer func() {
		if p := recover(); p != nil && p != any(f) {
			panic(p)
		}
	}()
	func() {
		defer func() {
			for _, fn := range slices.Backward(f.cleanups) {
				fn()
			}
		}()
		test()
	}()
	return strings.Join(f.errors, "\n")
}

// errorsOf runs a test on a script and returns its errors.
func errorsOf(script []echofake.Step, test func(p *echofake.Provider)) (errors string) {
	f := &fakeTB{}
	defer func() { errors = strings.Join(f.errors, "\n") }()
	return f.run(func() { test(echofake.New(f, script...)) })
}

const chatURL = "https://api.openai.com/v1/chat/completions"

// chatBody returns the body of a request of a chat.
func chatBody(text string, more ...string) string {
	return fmt.Sprintf(`{"model":"gpt-5.4-mini","messages":[{"role":"user","content":%q}]%s}`,
		text, strings.Join(append([]string{""}, more...), ","))
}

const weatherTool = `"tools":[{"type":"function","function":{"name":"get_weather",` +
	`"parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}]`

// A result is a response that was read.
type result struct {
	*http.Response
	body string
}

// post sends a request and reads the response.
func post(t testing.TB, c *http.Client, url, body string) result {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer k")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return result{resp, string(data)}
}

// chat sends a request of a chat and reads the response.
func chat(t testing.TB, c *http.Client, text string, more ...string) result {
	t.Helper()
	return post(t, c, chatURL, chatBody(text, more...))
}
