package promptecho_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/promptecho/promptecho"
)

// complete asks a model for one answer over plain HTTP. A real program uses an
// SDK, which takes the same *http.Client.
func complete(client *http.Client, prompt string) (string, error) {
	body, err := json.Marshal(map[string]any{
		"model":    "gpt-5.4-mini",
		"messages": []map[string]string{{"role": "user", "content": prompt}},
	})
	if err != nil {
		return "", err
	}
	resp, err := client.Post("https://api.openai.com/v1/chat/completions", "application/json", strings.NewReader(string(body)))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct {
		Choices []struct{ Message struct{ Content string } }
		Error   struct{ Message string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return "", err
	}
	if len(answer.Choices) == 0 {
		return "", fmt.Errorf("status %d: %s", resp.StatusCode, answer.Error.Message)
	}
	return answer.Choices[0].Message.Content, nil
}

// Outside of tests, or under a name of your own, a recorder is opened on a
// file. Inside of a test, echotest.New does this and gives the report.
func ExampleOpen() {
	rec, err := promptecho.Open("testdata/cassettes/capital.yaml")
	if err != nil {
		log.Fatal(err)
	}
	answer, err := complete(rec.Client(), "What is the capital of France?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
	// Close saves what was recorded and complains of what was not used.
	if err := rec.Close(); err != nil {
		log.Fatal(err)
	}
	// Output: [stand-in] You said: What is the capital of France? (1 message, 6 words, 24 letters)
}

// A stream comes back event by event.
func ExampleRecorder_Client_stream() {
	rec, err := promptecho.Open("testdata/cassettes/stream.yaml")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	resp, err := rec.Client().Post("https://api.openai.com/v1/chat/completions", "application/json",
		strings.NewReader(`{"model":"gpt-5.4-mini","stream":true,"messages":[{"role":"user","content":"Say hello."}]}`))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	events := 0
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "data: ") {
			events++
		}
	}
	fmt.Println(events, "events")
	// Output: 14 events
}

// A request that was never recorded is answered at once with an error, and the
// miss tells what changed.
func ExampleRecorder_Misses() {
	rec, err := promptecho.Open("testdata/cassettes/capital.yaml", promptecho.InMode(promptecho.ModeNone))
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	if _, err := complete(rec.Client(), "What is the capital of Spain?"); err != nil {
		fmt.Println(err)
	}
	for _, miss := range rec.Misses() {
		fmt.Printf("%s:%d: %s\n%s", miss.File, miss.Line, miss.Reason, miss.Diff)
	}
	// Output:
	// status 418: promptecho: not recorded: testdata/cassettes/capital.yaml:4: differs in messages/0/content: recorded "What is the capital of France?", incoming "What is the capital of Spain?"
	// testdata/cassettes/capital.yaml:4: the nearest recording differs in messages/0/content
	//   messages/0/content
	//     recorded: "What is the capital of France?"
	//     incoming: "What is the capital of Spain?"
	//     change:   What is the capital of [-France-]{+Spain+}?
}

// A prompt that holds today's date matches its recording on every day.
func ExampleMaskTimes() {
	rec, err := promptecho.Open("testdata/cassettes/dated.yaml", promptecho.MaskTimes())
	if err != nil {
		log.Fatal(err)
	}
	today := "2031-12-24" // time.Now().Format(time.DateOnly)
	answer, err := complete(rec.Client(), "It is "+today+". Greet me.")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
	if err := rec.Close(); err != nil {
		log.Fatal(err)
	}
	// Output: [stand-in] You said: It is 2026-01-02. Greet me. (1 message, 5 words, 19 letters)
}

// Only the messages are compared: an answer of another model is replayed.
func ExampleMatchOnly() {
	rec, err := promptecho.Open("testdata/cassettes/capital.yaml",
		promptecho.InMode(promptecho.ModeNone), promptecho.MatchOnly("llm", "messages"))
	if err != nil {
		log.Fatal(err)
	}
	resp, err := rec.Client().Post("https://api.openai.com/v1/chat/completions", "application/json",
		strings.NewReader(`{"model":"another","messages":[{"role":"user","content":"What is the capital of France?"}]}`))
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	fmt.Println(resp.Status)
	if err := rec.Close(); err != nil {
		log.Fatal(err)
	}
	// Output: 200 OK
}

// The part of a text that differs in each run is replaced in both requests
// before they are compared.
func ExampleMask() {
	rec, err := promptecho.Open("testdata/cassettes/dated.yaml",
		promptecho.Mask(`\bIt is \S+\.`, "It is DAY."))
	if err != nil {
		log.Fatal(err)
	}
	answer, err := complete(rec.Client(), "It is Christmas. Greet me.")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
	if err := rec.Close(); err != nil {
		log.Fatal(err)
	}
	// Output: [stand-in] You said: It is 2026-01-02. Greet me. (1 message, 5 words, 19 letters)
}

// The cassette has one recording, which answers all requests that are equal.
func ExampleAllowRepeats() {
	rec, err := promptecho.Open("testdata/cassettes/capital.yaml", promptecho.AllowRepeats("llm/openai.chat"))
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		answer, err := complete(rec.Client(), "What is the capital of France?")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer)
	}
	if err := rec.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [stand-in] You said: What is the capital of France? (1 message, 6 words, 24 letters)
	// [stand-in] You said: What is the capital of France? (1 message, 6 words, 24 letters)
}

// Five samples of one prompt are kept by their index. Each name gets the answer
// that was recorded under it, whichever request comes first.
func ExampleWithName() {
	sample := func(ctx context.Context, client *http.Client) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://api.openai.com/v1/chat/completions",
			strings.NewReader(`{"model":"gpt-5.4-mini","messages":[{"role":"user","content":"Tell a joke."}]}`))
		if err != nil {
			return nil, err
		}
		return client.Do(req)
	}
	_ = func(ctx context.Context, rec *promptecho.Recorder) {
		var wait sync.WaitGroup
		samples := make([]*http.Response, 5)
		for i := range samples {
			wait.Go(func() {
				named := promptecho.WithName(ctx, fmt.Sprint("sample ", i))
				samples[i], _ = sample(named, rec.Client())
			})
		}
		wait.Wait()
	}
}

// The error of Close has the misses. The code says what happened, and the hint
// is an option that would make the request match.
func ExampleMissError() {
	rec, err := promptecho.Open("testdata/cassettes/dated.yaml", promptecho.InMode(promptecho.ModeNone))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := complete(rec.Client(), "It is 2031-12-24. Greet me."); err != nil {
		fmt.Println("the program gets an error")
	}
	var miss *promptecho.MissError
	if errors.As(rec.Close(), &miss) {
		fmt.Println(miss.Code, miss.Call)
		fmt.Println(miss.Change)
		fmt.Println(miss.Hint)
	}
	// Output:
	// the program gets an error
	// request-changed llm/openai.chat
	// recorded "It is 2026-01-02. Greet me.", incoming "It is 2031-12-24. Greet me."
	// promptecho.MaskTimes()
}

// A provider stands for the API of a model.
type provider struct{ answer string }

func (p provider) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		Status:     "200 OK",
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(strings.NewReader(p.answer)),
		Request:    req,
	}, nil
}

// The program gets the answer as it is. The cassette has placeholders in the request and in
// the answer.
func ExampleRedact() {
	dir, err := os.MkdirTemp("", "redact")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "customer.yaml")

	rec, err := promptecho.Open(file,
		promptecho.InMode(promptecho.ModeAll),
		promptecho.Upstream(provider{`{"choices":[{"message":{"role":"assistant","content":"Dear Acme"}}]}`}),
		promptecho.Redact("Acme"),
	)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := complete(rec.Client(), "Write to Acme.")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the program:", answer)
	if err := rec.Close(); err != nil {
		log.Fatal(err)
	}

	cassette, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(cassette)) {
		if strings.Contains(line, "content: ") {
			fmt.Println("the cassette:", strings.TrimLeft(strings.TrimSpace(line), "- "))
		}
	}
	// Output:
	// the program: Dear Acme
	// the cassette: content: Write to [REDACTED].
	// the cassette: content: Dear [REDACTED]
}
