package echofake_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echofault"
)

// A fault of package echofault cuts a stream of the fake.
func TestFaultCutsStream(t *testing.T) {
	t.Parallel()
	p := echofake.New(t, echofake.Text("one ", "two ", "three"))
	faulty := echofault.New(t, p, echofault.Cut(3, "llm/openai.chat"))
	resp, err := faulty.Client().Post(chatURL, "application/json", strings.NewReader(chatBody("hi", `"stream":true`)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != io.ErrUnexpectedEOF || !strings.Contains(string(data), "two") || strings.Contains(string(data), "three") {
		t.Errorf("got %v, %s", err, data)
	}
	if resp.StatusCode != http.StatusOK {
		t.Errorf("got %s", resp.Status)
	}
}
