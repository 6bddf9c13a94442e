package saving_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Of two concurrent calls of Close, both return the same error, once the run is judged.
func TestConcurrentClosesReturnTheSameError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mayLog := make(chan struct{})
		rec := must.Open(t, newCassette(t),
			promptecho.OnRecordError(promptecho.Fail),
			promptecho.Upstream(provider.Statuses(`{}`, http.StatusInternalServerError)),
			promptecho.Ignore("nothing"), // it has no effect, and a note says so
			promptecho.Log(func(string) { <-mayLog }))
		resp, err := rec.Client().Post("http://h/x", "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()

		errs := make(chan error, 2)
		for range 2 {
			go func() { errs <- rec.Close() }()
		}
		synctest.Wait() // one is in Log, the other waits for it
		if len(errs) != 0 {
			t.Error("a Close returned before the run was judged")
		}
		close(mayLog)

		first, second := <-errs, <-errs
		if first == nil || second == nil || first.Error() != second.Error() {
			t.Errorf("%v and %v", first, second)
		}
	})
}

// A request that is under way when the recorder is closed gets its whole answer, or an error.
func TestCloseTakesNoAnswerAway(t *testing.T) {
	t.Parallel()
	const n = 40
	filling := strings.Repeat("All work and no play makes a dull cassette. ", 50)
	var chats []string
	for i := range n {
		chats = append(chats, fmt.Sprint(i, filling), fmt.Sprint("answer ", i))
	}
	file := must.Save(t, must.Chats(chats...))
	for range 5 {
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
		var requests sync.WaitGroup
		for i := range n {
			requests.Go(func() {
				body := strings.NewReader(must.ChatBody(fmt.Sprint(i, filling)))
				resp, err := rec.Client().Post(server+"/v1/chat/completions", "application/json", body)
				if err != nil {
					return // closed while its recording was read
				}
				defer resp.Body.Close()
				if resp.StatusCode == http.StatusTeapot {
					return // it came after the recorder was closed
				}
				answer, err := io.ReadAll(resp.Body)
				if err != nil || string(answer) != fmt.Sprint("answer ", i) {
					t.Errorf("%d: %s %v", i, answer, err)
				}
			})
		}
		rec.Close()
		requests.Wait()
	}
}

// A request from a cleanup after Close is refused, and the answer says to make the recorder first.
//
// Cleanups run in reverse order, so one that was registered before the recorder was made runs
// after its Close.
func TestCleanupThatRunsAfterCloseIsToldWhy(t *testing.T) {
	t.Parallel()
	var answer string
	t.Run("test", func(t *testing.T) {
		var rec *promptecho.Recorder
		t.Cleanup(func() {
			var status int
			// The context of the test is canceled here.
			status, answer = must.PostIn(t, context.Background(), rec, server+"/v1/files/delete", "{}")
			if status != http.StatusTeapot {
				t.Errorf("status %d", status)
			}
		})
		rec = must.Open(t, newCassette(t), promptecho.Upstream(provider.Says(`{"answer":1}`)))
		must.Ask(t, rec, server, "hi")
		must.Close(t, rec)
	})
	for _, want := range []string{"registered before the recorder was made", "make the recorder first"} {
		if !strings.Contains(answer, want) {
			t.Errorf("the answer does not say %q: %q", want, answer)
		}
	}
}
