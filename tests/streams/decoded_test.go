package streams_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// TestDecoded: who decodes an answer and closes it when its function ends has the answer when all of it has come,
// whether the end came with the last bytes, as over HTTP/1.1, or by itself: others need not wait for that.
func TestDecoded(t *testing.T) {
	t.Parallel()
	for name, framed := range map[string]func(io.Reader) io.Reader{
		"end with the data": iotest.DataErrReader,
		"end by itself":     func(r io.Reader) io.Reader { return r },
	} {
		for _, media := range []string{"application/json", "text/event-stream"} {
			file := filepath.Join(t.TempDir(), "c.yaml")
			upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
				body, _ := io.ReadAll(req.Body)
				time.Sleep(time.Duration(1+strings.Count(string(body), "b")) * time.Millisecond)
				text := `{"ok":true}`
				if media != "application/json" {
					text = "data: " + text + "\n\n"
				}
				return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {media}}, ContentLength: -1,
					Body: io.NopCloser(framed(strings.NewReader(text))), Request: req}, nil
			})
			agent := func(r *promptecho.Recorder, name string, say func(string)) {
				for i := range 3 {
					req, _ := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://h/ask", strings.NewReader(fmt.Sprintf(`{"n":"%s%d"}`, name, i)))
					resp, err := r.Client().Do(req)
					if err != nil {
						say(err.Error())
						return
					}
					defer resp.Body.Close()
					in := io.Reader(resp.Body)
					if media != "application/json" {
						_, _ = io.ReadFull(in, make([]byte, len("data: ")))
					}
					if err := json.NewDecoder(in).Decode(&struct{ OK bool }{}); err != nil {
						say(err.Error())
					}
					say(fmt.Sprint(name, i))
				}
			}
			var recorded string
			for run, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeNone} {
				synctest.Test(t, func(t *testing.T) {
					r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
					began := time.Now()
					var mu sync.Mutex
					var said []string
					var agents sync.WaitGroup
					for _, name := range []string{"a", "b"} {
						agents.Go(func() {
							agent(r, name, func(text string) {
								mu.Lock()
								defer mu.Unlock()
								said = append(said, text)
							})
						})
					}
					agents.Wait()
					got := strings.Join(said, " ")
					switch {
					case run == 0:
						recorded = got
					case got != recorded:
						t.Errorf("%s, %s: %s, recorded %s", name, media, got, recorded)
					case time.Since(began) > time.Millisecond:
						t.Errorf("%s, %s: it took %v", name, media, time.Since(began))
					}
					must.Pass(t, r)
				})
			}
		}
	}
}
