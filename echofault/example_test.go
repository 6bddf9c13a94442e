package echofault_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echofault"
)

// answerWithRetries is the code under test: it asks up to three times.
func answerWithRetries(client *http.Client) (answer string, err error) {
	for range 3 {
		if answer, err = ask(client); err == nil {
			return answer, nil
		}
		fmt.Println("again, after", err)
	}
	return "", err
}

// ask asks for a stream and puts its text together.
func ask(client *http.Client) (string, error) {
	resp, err := client.Post("https://api.openai.com/v1/chat/completions", "application/json",
		strings.NewReader(`{"model":"gpt-5.4-mini","stream":true,"messages":[{"role":"user","content":"Say hello."}]}`))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("status %s", resp.Status)
	}
	text, lines := "", bufio.NewScanner(resp.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			return "", fmt.Errorf("%q and then what is no JSON", text)
		}
		text += chunk.Choices[0].Delta.Content
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("%q and then %w", text, err)
	}
	return text, nil
}

// The first request fails, the answer to the second one breaks off, the third one is
// answered. The test was recorded without faults, so the recording is asked for twice.
func Example() {
	t := &testing.T{} // yours

	rec, err := promptecho.Open("../testdata/cassettes/stream.yaml", promptecho.AllowRepeats())
	if err != nil {
		t.Fatal(err)
	}
	faulty := echofault.New(t, rec, echofault.FailFirst(1, 503), echofault.Cut(3))
	answer, err := answerWithRetries(faulty.Client())
	fmt.Println(answer, err)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	// Output:
	// again, after status 503 Service Unavailable
	// again, after "[stand-in] You" and then unexpected EOF
	// [stand-in] You said: Say hello. (1 message, 2 words, 8 letters) <nil>
}

// Each attempt at a request counts. Selectors say whose requests fail.
func ExampleFailFirst() {
	t := &testing.T{} // yours

	rec, err := promptecho.Open("../testdata/cassettes/stream.yaml")
	if err != nil {
		t.Fatal(err)
	}
	faulty := echofault.New(t, rec,
		echofault.FailFirst(2, 529, "llm/openai.chat"),
		echofault.FailFirst(1, 500, "http/api.example.com"),
	)
	answer, err := answerWithRetries(faulty.Client())
	fmt.Println(answer, err)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	// Output:
	// again, after status 529
	// again, after status 529
	// [stand-in] You said: Say hello. (1 message, 2 words, 8 letters) <nil>
}

// The fourth event of the recording, " said:", is no JSON any more.
func ExampleGarble() {
	t := &testing.T{} // yours

	rec, err := promptecho.Open("../testdata/cassettes/stream.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = ask(echofault.New(t, rec, echofault.Garble(4)).Client())
	fmt.Println(err)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	// Output: "[stand-in] You" and then what is no JSON
}
