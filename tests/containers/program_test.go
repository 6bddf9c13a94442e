package containers_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// askCommand is the first argument that makes the executable of the tests the Go program of a
// container.
const askCommand = "ask"

// ask is the Go program: it posts a body to a URL with http.DefaultClient, and prints the answer.
func ask(url, body string) (exitCode int) {
	req, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer resp.Body.Close()
	_, err = io.Copy(os.Stdout, resp.Body)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
