package chat

import (
	"os"
	"strings"
	"testing"

	"gopkg.in/dnaeon/go-vcr.v4/pkg/recorder"
)

func TestAnswer(t *testing.T) {
	key := os.Getenv("OPENAI_API_KEY")
	if key == "" {
		t.Skip("OPENAI_API_KEY is not set")
	}
	r, err := recorder.New("testdata/fixtures/answer")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Stop(); err != nil {
			t.Error(err)
		}
	})
	client := &Client{HTTP: r.GetDefaultClient(), Key: key}
	got, err := client.Ask(t.Context(), "What is the capital of France?")
	if err != nil || !strings.Contains(got, "capital of France") {
		t.Errorf("%q, %v", got, err)
	}
}
