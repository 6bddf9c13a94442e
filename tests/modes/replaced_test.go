package modes_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// One of three concurrent prompts is edited and recorded with mode new_episodes. The recording
// of the old prompt is told as replaced, and not as a request that was lost in the background.
func TestPromptEditedInNewEpisodesIsNotToldAsBackgroundRequest(t *testing.T) {
	t.Parallel()
	var arrived sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived.Done()
		arrived.Wait() // so that the answers overlap
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"answer":1}`)
	}))
	defer server.Close()

	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode, sent int, prompts ...string) string {
		arrived.Add(sent)
		r := must.Open(t, file, promptecho.InMode(mode))
		var all sync.WaitGroup
		for _, prompt := range prompts {
			all.Go(func() { must.Ask(t, r, server.URL, prompt) })
		}
		all.Wait()
		return fmt.Sprint(r.Close())
	}
	run(promptecho.ModeAll, 3, "What is the capital of Italy?", "What is the capital of Norway?", "Who wrote Faust?")
	run(promptecho.ModeNewEpisodes, 1, "What is the capital of Italy?", "What is the capital city of Norway?", "Who wrote Faust?")
	text := run(promptecho.ModeNone, 0, "What is the capital of Italy?", "What is the capital city of Norway?", "Who wrote Faust?")
	if !strings.Contains(text, "1 of 4 recordings not used") || !strings.Contains(text, "the program sends an edited request now") {
		t.Errorf("the report does not say that the request was edited:\n%s", text)
	}
	if strings.Contains(text, "background") || strings.Contains(text, "in flight") {
		t.Errorf("an edit is told as a request that was lost in the background:\n%s", text)
	}
	// The promise holds the other way round, too.
	text = run(promptecho.ModeNone, 0, "What is the capital of Italy?", "What is the capital city of Norway?")
	if !strings.Contains(text, "it was recorded while another request was in flight") {
		t.Errorf("a request that was not sent is not told as one of the background:\n%s", text)
	}
}
