package saving_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// TestWithName: five samples of one prompt, asked at once and kept by their index, each get
// their own answer, in whatever order they are asked; and so do the calls of a function.
func TestWithName(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	var mu sync.Mutex
	drawn := 0
	draw := func() string {
		mu.Lock()
		defer mu.Unlock()
		drawn++
		return fmt.Sprint("answer ", drawn)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, draw()) }))
	defer srv.Close()
	run := func(mode promptecho.Mode, order []int) (answers [10]string) {
		r := must.Open(t, file, promptecho.InMode(mode))
		tool := promptecho.Wrap(r, "tool/dice", func(context.Context, int) (string, error) { return draw(), nil })
		ask := func(i int) {
			ctx := promptecho.WithName(t.Context(), fmt.Sprint("sample ", i))
			req, _ := http.NewRequestWithContext(ctx, "POST", srv.URL+"/v1/chat/completions", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"a word"}]}`))
			resp, err := r.Client().Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			answers[i] = string(body)
			if answers[5+i], err = tool(ctx, 6); err != nil {
				t.Error(err)
			}
		}
		if mode == promptecho.ModeNone { // one after the other, so that the order is certain
			for _, i := range order {
				ask(i)
			}
		} else {
			var wg sync.WaitGroup
			for _, i := range order {
				wg.Go(func() { ask(i) })
			}
			wg.Wait()
		}
		must.Close(t, r)
		return answers
	}
	want := run(promptecho.ModeAll, []int{0, 1, 2, 3, 4})
	if text, _ := os.ReadFile(file); strings.Count(string(text), "\n  name: sample 3\n") != 2 {
		t.Errorf("the cassette does not name the samples:\n%s", text)
	}
	for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 4, 0, 3, 1}} {
		if got := run(promptecho.ModeNone, order); !slices.Equal(got[:], want[:]) {
			t.Errorf("asked in order %v: %q, want %q", order, got, want)
		}
	}
}
