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

const (
	promptOfItaly   = "What is the capital of Italy?"
	promptOfNorway  = "What is the capital of Norway?"
	editedForNorway = "What is the capital city of Norway?"
	promptOfFaust   = "Who wrote Faust?"
)

// After mode new_episodes has recorded an edited prompt, the old recording is reported as replaced.
func TestRecordingOfAnEditedPromptIsReportedAsReplaced(t *testing.T) {
	t.Parallel()
	file := recordEditOfConcurrentPrompts(t)
	text := replayConcurrently(t, file, promptOfItaly, editedForNorway, promptOfFaust)
	if !strings.Contains(text, "1 of 4 recordings not used") ||
		!strings.Contains(text, "the program sends an edited request now") {
		t.Errorf("the report does not say that the request was edited:\n%s", text)
	}
	if strings.Contains(text, "background") || strings.Contains(text, "in flight") {
		t.Errorf("an edit is reported as a request that was lost in the background:\n%s", text)
	}
}

// An unused recording that was concurrent with others is reported as a request in the background.
func TestUnusedConcurrentRecordingIsReportedAsBackgroundRequest(t *testing.T) {
	t.Parallel()
	file := recordEditOfConcurrentPrompts(t)
	text := replayConcurrently(t, file, promptOfItaly, editedForNorway)
	if !strings.Contains(text, "it was recorded while another request was in flight") {
		t.Errorf("a request that was not sent is not reported as one of the background:\n%s", text)
	}
}

// recordEditOfConcurrentPrompts records three concurrent prompts in mode all, and then, in mode
// new_episodes, an edit of one of them.
func recordEditOfConcurrentPrompts(t *testing.T) (file string) {
	t.Helper()
	var arrived sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived.Done()
		arrived.Wait() // so that the answers overlap
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"answer":1}`)
	}))
	t.Cleanup(server.Close)
	file = filepath.Join(t.TempDir(), "c.yaml")
	for _, run := range []struct {
		mode    promptecho.Mode
		sent    int
		prompts []string
	}{
		{mode: promptecho.ModeAll, sent: 3, prompts: []string{promptOfItaly, promptOfNorway, promptOfFaust}},
		{mode: promptecho.ModeNewEpisodes, sent: 1, prompts: []string{promptOfItaly, editedForNorway, promptOfFaust}},
	} {
		arrived.Add(run.sent)
		r := must.Open(t, file, promptecho.InMode(run.mode), promptecho.Alias(server.URL, "provider"))
		askConcurrently(t, r, server.URL, run.prompts...)
		r.Close()
	}
	return file
}

// replayConcurrently asks prompts all at once in mode none, and returns what Close reports.
func replayConcurrently(t *testing.T, file string, prompts ...string) string {
	t.Helper()
	const base = "http://127.0.0.1:9"
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Alias(base, "provider"))
	askConcurrently(t, r, base, prompts...)
	return fmt.Sprint(r.Close())
}

func askConcurrently(t *testing.T, r *promptecho.Recorder, base string, prompts ...string) {
	t.Helper()
	var all sync.WaitGroup
	for _, prompt := range prompts {
		all.Go(func() { must.Ask(t, r, base, prompt) })
	}
	all.Wait()
}
