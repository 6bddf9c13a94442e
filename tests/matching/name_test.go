package matching_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Equal requests with names of their own each get their own answer, in whatever order they are
// sent.
//
// The same holds for equal calls of a wrapped function. The requests are samples of one prompt,
// recorded at once.
func TestNamedRequestsGetTheirOwnAnswersInAnyOrder(t *testing.T) {
	t.Parallel()
	numbered := newNumbered(t)
	file := filepath.Join(t.TempDir(), "c.yaml")

	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	var recorded [5]sample
	var calls sync.WaitGroup
	for i := range recorded {
		calls.Go(func() { recorded[i] = numbered.take(t, rec, i) })
	}
	calls.Wait()
	must.Close(t, rec)
	if text := must.Read(t, file); strings.Count(text, "\n  name: sample 3\n") != 2 {
		t.Errorf("the cassette does not name the samples:\n%s", text)
	}

	for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 4, 0, 3, 1}} {
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		var replayed [5]sample
		for _, i := range order {
			replayed[i] = numbered.take(t, rec, i)
		}
		must.Close(t, rec)
		if !slices.Equal(replayed[:], recorded[:]) {
			t.Errorf("asked in the order %v: %q, want %q", order, replayed, recorded)
		}
	}
}

// A sample has what a request and a function with the same name were answered.
type sample struct{ response, result string }

// A numbered provider gives each answer a number.
type numbered struct {
	*httptest.Server
	mu      sync.Mutex
	answers int
}

func newNumbered(t *testing.T) *numbered {
	n := &numbered{}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, n.answer())
	}))
	t.Cleanup(n.Close)
	return n
}

func (n *numbered) answer() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answers++
	return fmt.Sprint("answer ", n.answers)
}

// take sends a request and calls a function, both under the name of the sample.
func (n *numbered) take(t *testing.T, rec *promptecho.Recorder, i int) (s sample) {
	ctx := promptecho.WithName(t.Context(), fmt.Sprint("sample ", i))

	body := strings.NewReader(must.ChatBody("a word"))
	req, err := http.NewRequestWithContext(ctx, "POST", n.URL+"/v1/chat/completions", body)
	if err != nil {
		t.Error(err)
		return s
	}
	resp, err := rec.Client().Do(req)
	if err != nil {
		t.Error(err)
		return s
	}
	defer resp.Body.Close()
	response, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	s.response = string(response)

	dice := promptecho.Wrap(rec, "tool/dice", func(context.Context, int) (string, error) {
		return n.answer(), nil
	})
	s.result, err = dice(ctx, 6)
	if err != nil {
		t.Error(err)
	}
	return s
}
