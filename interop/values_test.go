package interop

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/cryptotest"

	"github.com/google/uuid"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// TestIDs: ids of google/uuid, drawn from the recorder, stand in prompts, from several
// goroutines at once. They are the same in every replay, in which there is no provider.
func TestIDs(t *testing.T) {
	t.Parallel()
	p := fakeprovider.New()
	defer p.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	const workers = 8
	run := func(mode promptecho.Mode) (answers [workers]string) {
		rec, err := promptecho.Open(file, promptecho.InMode(mode))
		if err != nil {
			t.Fatal(err)
		}
		client := openai.NewClient(option.WithHTTPClient(rec.Client()), option.WithBaseURL(p.URL+"/v1"), option.WithAPIKey(fakeKey))
		var wg sync.WaitGroup
		for i := range workers {
			wg.Go(func() {
				id, err := uuid.NewRandomFromReader(rec.Rand(fmt.Sprint("worker ", i)))
				if err != nil || id.Version() != 4 {
					t.Errorf("%v of version %d: %v", id, id.Version(), err)
				}
				answer, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
					Model:    rec.Env("PROMPTECHO_TEST_NO_MODEL") + openai.ChatModelGPT5_4Mini,
					Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(fmt.Sprintf("%s, %s", id, rec.Now()))},
				})
				if err != nil {
					t.Error(err)
					return
				}
				if answers[i] = answer.Choices[0].Message.Content; !strings.Contains(answers[i], id.String()) {
					t.Errorf("the answer to %s is %q", id, answers[i])
				}
			})
		}
		wg.Wait()
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
		return answers
	}
	want := run(promptecho.ModeAll)
	p.Close()
	for range 20 {
		if got := run(promptecho.ModeNone); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	}
}

// The global source of randomness is left alone, since TLS draws from it only while a test records.
// What is drawn from the recorder does not depend on it.
func TestGlobalRandomness(t *testing.T) {
	// Not parallel: cryptotest does not allow it.
	file := filepath.Join(t.TempDir(), "c.yaml")
	url := ""
	drawn := func(mode promptecho.Mode) (global, ours uuid.UUID) {
		t.Run(string(mode), func(t *testing.T) {
			cryptotest.SetGlobalRandom(t, 1)
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, `{}`)
			}))
			if mode == promptecho.ModeAll {
				url = server.URL
			}
			// Both ends of a connection draw until they have closed it, which must be before
			// the source is put back. A cleanup runs before those that were added earlier.
			var open sync.WaitGroup
			upstream := server.Client().Transport.(*http.Transport).Clone()
			upstream.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := new(net.Dialer).DialContext(ctx, network, addr)
				if err != nil {
					return nil, err
				}
				open.Add(1)
				return &closing{Conn: conn, closed: sync.OnceFunc(open.Done)}, nil
			}
			t.Cleanup(func() {
				upstream.CloseIdleConnections()
				server.Close()
				open.Wait()
			})
			rec, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.Upstream(upstream))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := rec.Client().Get(url)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			global = uuid.New()
			if ours, err = uuid.NewRandomFromReader(rec.Rand("ids")); err != nil {
				t.Error(err)
			}
			if err := rec.Close(); err != nil {
				t.Error(err)
			}
		})
		return global, ours
	}
	recorded, ours := drawn(promptecho.ModeAll)
	replayed, again := drawn(promptecho.ModeNone)
	if recorded == replayed {
		t.Errorf("the global source gave %s both times: what go doc says of Recorder.Rand is not true any more", recorded)
	}
	if ours != again {
		t.Errorf("the recorder gave %s and %s", ours, again)
	}
}

// closing is a connection that says when it is closed.
type closing struct {
	net.Conn
	closed func()
}

func (c *closing) Close() error {
	defer c.closed()
	return c.Conn.Close()
}
