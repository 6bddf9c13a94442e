package concurrency_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// AllowRaced accepts unused recordings of requests that ran next to another one, and of no others.
func TestAllowRacedAcceptsUnusedConcurrentRecordings(t *testing.T) {
	t.Parallel()
	const base, work, title, more = "https://api.openai.com", "do the work", "a title, please", "and more"
	file := filepath.Join(t.TempDir(), "c.yaml")
	synctest.Test(t, func(t *testing.T) {
		slow := provider.Func(func(req *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return provider.Says(`"answer"`).RoundTrip(req)
		})
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(slow))
		var background sync.WaitGroup
		background.Go(func() { must.Ask(t, rec, base, title) })
		must.Ask(t, rec, base, work)
		background.Wait()
		must.Ask(t, rec, base, more)
		must.Close(t, rec)
	})
	if text := must.Read(t, file); strings.Count(text, "concurrent: asked ") != 2 {
		t.Fatalf("not two of the requests are concurrent:\n%s", text)
	}
	tests := []struct {
		name  string
		opts  []promptecho.Option
		asked []string
		want  string // part of the error of Close; "" if there is none
	}{{
		name:  "all are asked",
		asked: []string{work, title, more},
	}, {
		name:  "a concurrent one is not asked",
		asked: []string{work, more},
		want:  "it was recorded while another request was in flight",
	}, {
		name:  "a concurrent one is not asked, with AllowRaced",
		opts:  []promptecho.Option{promptecho.AllowRaced()},
		asked: []string{work, more},
	}, {
		name:  "the one that ran alone is not asked, with AllowRaced",
		opts:  []promptecho.Option{promptecho.AllowRaced()},
		asked: []string{work, title},
		want:  "1 of 3 recordings not used",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range full.Cases(3, 50) {
				rec := must.Open(t, file, append(tt.opts, promptecho.InMode(promptecho.ModeNone))...)
				var all sync.WaitGroup
				for _, prompt := range tt.asked {
					all.Go(func() { must.Ask(t, rec, base, prompt) })
				}
				all.Wait()
				err := rec.Close()
				if tt.want == "" && err != nil {
					t.Fatalf("Close: %v", err)
				}
				if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
					t.Fatalf("Close: %v, want %s", err, tt.want)
				}
			}
		})
	}
}
