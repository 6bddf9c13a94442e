package echofake_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echofake"
)

// A handler that waits for the end of the request gives the client the error of its context, before and within a body.
func TestHandlerEndsWithTheRequest(t *testing.T) {
	for _, within := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := echofake.New(t, echofake.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if within {
					io.WriteString(w, "begun")
				}
				<-r.Context().Done()
			})))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, chatURL, strings.NewReader(chatBody("hi")))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := p.Client().Do(req)
			if within {
				if err != nil {
					t.Fatal(err)
				}
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("within a body %v: got %v", within, err)
			}
		})
	}
}

// Handlers get the wildcards of their patterns, and their responses say that they are fake.
func TestHandlerHasItsPattern(t *testing.T) {
	t.Parallel()
	p := echofake.New(t)
	p.Handle("GET /v1/files/{id}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.PathValue("id"))
	}))
	resp, err := p.Client().Get("https://api.openai.com/v1/files/file-1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || string(data) != "file-1" || resp.Header.Get("X-Promptecho-Provider") != "fake" {
		t.Errorf("got %v %v %s", err, resp.Header, data)
	}
}

// What a test sets on the turn of a function holds for what the function returns.
func TestFuncKeepsWhatItsTurnSets(t *testing.T) {
	t.Parallel()
	p := echofake.New(t, echofake.Func(func(*promptecho.Request) echofake.Turn {
		return echofake.ToolCall("unknown", nil)
	}).Unchecked().Header("X-One", "1").Finish(echofake.Length).Usage(7, 8))
	got := chat(t, p.Client(), "hi", weatherTool)
	if got.Header.Get("X-One") != "1" || !strings.Contains(got.body, `"length"`) ||
		!strings.Contains(got.body, `"prompt_tokens": 7`) {
		t.Errorf("got %v %s", got.Header, got.body)
	}
}

// A request that counts tokens takes no turn, and a wrong one fails the test.
func TestCountingTakesNoTurn(t *testing.T) {
	t.Parallel()
	const url = "https://api.anthropic.com/v1/messages/count_tokens"
	p := echofake.New(t)
	got := post(t, p.Client(), url, `{"model":"m","messages":[{"role":"user","content":"hi"}]}`)
	if got.StatusCode != http.StatusOK || len(p.Requests()) != 1 {
		t.Errorf("got %d %s; %d requests", got.StatusCode, got.body, len(p.Requests()))
	}
	errs := errorsOf(nil, func(p *echofake.Provider) {
		if got := post(t, p.Client(), url, `{"messages":[]}`); got.StatusCode != http.StatusBadRequest {
			t.Errorf("got %d %s", got.StatusCode, got.body)
		}
	})
	if !strings.Contains(errs, "the provider refuses") {
		t.Errorf("got %q", errs)
	}
}

// A stream that waits for its test ends with it.
func TestHeldStreamEndsWithTheTest(t *testing.T) {
	t.Parallel()
	var f fakeTB
	ended := make(chan error)
	f.run(func() {
		p := echofake.New(&f, echofake.Text("a", "b").Hold(make(chan struct{})))
		resp, err := p.Client().Post(chatURL, "application/json", strings.NewReader(chatBody("hi", `"stream":true`)))
		if err != nil {
			t.Error(err)
			return
		}
		go func() {
			_, err := io.ReadAll(resp.Body)
			ended <- err
		}()
	})
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "the test has ended") {
		t.Errorf("got %v", err)
	}
}
