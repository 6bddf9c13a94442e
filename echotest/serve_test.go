package echotest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/testing/full"
)

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// network is a network in which every host is the stand-in.
func network(p *fakeprovider.Server) promptecho.Option {
	at, _ := url.Parse(p.URL)
	own := http.DefaultTransport.(*http.Transport).Clone()
	return promptecho.Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
		out := req.Clone(req.Context())
		out.URL.Scheme, out.URL.Host, out.Host = at.Scheme, at.Host, ""
		return own.RoundTrip(out)
	}))
}

// chat asks a question as a client of another language does, with headers of its own.
func chat(ctx context.Context, client *http.Client, base, question string) (string, error) {
	body := fmt.Sprintf(`{"model": "stand-in", "stream": true, "messages": [{"role": "user", "content": %q}]}`, question)
	req, err := http.NewRequestWithContext(ctx, "POST", base+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer echo-secret-of-echotest", "Content-Type": "application/json", "Accept": "application/json",
		"Accept-Encoding": "gzip, deflate", "User-Agent": "OpenAI/Python 2.6.1", "X-Stainless-Lang": "python",
	} {
		req.Header.Set(name, value)
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return fmt.Sprintf("%d %s", resp.StatusCode, text), err
}

const openAI = "https://api.openai.com/v1"

// A cassette that was recorded through Serve answers a client of this process, and the
// other way round; what is written is the same.
func TestServeAndClientShareACassette(t *testing.T) {
	inDir(t)
	p := fakeprovider.New()
	defer p.Close()
	through := func(serving bool) func(testing.TB, *promptecho.Recorder) []string {
		return func(tb testing.TB, rec *promptecho.Recorder) (said []string) {
			client, base := rec.Client(), openAI
			if serving {
				client, base = new(http.Client), Serve(tb, rec).URL(openAI)
			}
			for _, question := range []string{"one", "two", "one"} {
				text, err := chat(t.Context(), client, base, question)
				if err != nil || !strings.HasPrefix(text, "200 ") {
					t.Errorf("serving %v: %s, %v", serving, text, err)
				}
				said = append(said, text)
			}
			return said
		}
	}
	var files []string
	for _, recordedThroughServe := range []bool{true, false} {
		name := fmt.Sprintf("TestServed%v", recordedThroughServe)
		var live []string
		for i, serving := range []bool{recordedThroughServe, !recordedThroughServe, recordedThroughServe} {
			tb := &fakeTB{TB: t, name: name}
			tb.run(func(tb testing.TB) {
				said := through(serving)(tb, New(tb, network(p)))
				if i == 0 {
					live = said
				} else if !slices.Equal(said, live) {
					t.Errorf("%s, serving %v: got %q\nlive %q", name, serving, said, live)
				}
			})
			if len(tb.errors) > 0 || i > 0 && len(tb.logs) > 0 {
				t.Errorf("%s, serving %v: %q %q", name, serving, tb.errors, tb.logs)
			}
		}
		file, err := os.ReadFile("testdata/cassettes/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		requests := regexp.MustCompile(`(?s)  request:\n.*?  response:\n`).FindAllString(string(file), -1)
		files = append(files, strings.Join(requests, ""))
	}
	if p.Requests() != 6 {
		t.Errorf("%d requests reached the provider, want 6", p.Requests())
	}
	if files[0] != files[1] || strings.Count(files[0], "    url: https://api.openai.com/v1/chat/completions\n") != 3 {
		t.Errorf("through Serve:\n%s\nby a client:\n%s", files[0], files[1])
	}
}

// Many clients ask at once, each gets its own answer.
func TestServeConcurrently(t *testing.T) {
	inDir(t)
	p := fakeprovider.New()
	defer p.Close()
	for range 2 { // recorded, replayed
		tb := &fakeTB{TB: t, name: "TestX"}
		tb.run(func(tb testing.TB) {
			server := Serve(tb, New(tb, network(p)))
			var wg sync.WaitGroup
			for i := range 20 {
				wg.Go(func() {
					question := fmt.Sprintf("question %d.", i)
					text, err := chat(t.Context(), new(http.Client), server.URL(openAI), question)
					if err != nil || !strings.HasPrefix(text, "200 ") || !strings.Contains(text, fmt.Sprint(i)) {
						t.Errorf("%s: %s, %v", question, text, err)
					}
				})
			}
			wg.Wait()
		})
		if len(tb.errors) > 0 {
			t.Error(tb.errors)
		}
	}
	if p.Requests() != 20 {
		t.Errorf("%d requests reached the provider, want 20", p.Requests())
	}
}

// Processes that ask the same at once get ids and stay in the conversations that these name.
func TestServeKeepsConversationsApart(t *testing.T) {
	inDir(t)
	var made atomic.Int32
	threads := promptecho.Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
		body, _ := io.ReadAll(req.Body)
		id := regexp.MustCompile(`resp_[0-9a-f]+`).FindString(string(body))
		if id == "" {
			id = fmt.Sprintf("resp_%032x", made.Add(1))
		}
		answer := fmt.Sprintf(`{"object":"response","id":%q,"output":[{"type":"message","content":[{"type":"output_text","text":"this is %[1]s"}]}]}`, id)
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: req}, nil
	}))
	for range full.Cases(3, 10) { // recorded, replayed
		tb := &fakeTB{TB: t, name: "TestThreads"}
		tb.run(func(tb testing.TB) {
			url := Serve(tb, New(tb, threads)).URL(openAI) + "/responses"
			ask := func(body string) string {
				resp, err := http.Post(url, "application/json", strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return ""
				}
				defer resp.Body.Close()
				text, _ := io.ReadAll(resp.Body)
				return string(text)
			}
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					first := ask(`{"model":"m","input":"hi"}`)
					id := regexp.MustCompile(`resp_[0-9a-f]+`).FindString(first)
					for range 2 {
						if got := ask(fmt.Sprintf(`{"model":"m","input":"go on","previous_response_id":%q}`, id)); got != first {
							t.Errorf("%s and then %s", first, got)
						}
					}
				})
			}
			wg.Wait()
		})
		if len(tb.errors) > 0 {
			t.Fatal(tb.errors)
		}
	}
}

// A database of the test run passes, for a process that is served and for code that takes no client.
func TestPassThroughWithoutAClient(t *testing.T) {
	inDir(t)
	asked := 0
	db := promptecho.Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
		asked++
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(fmt.Sprint("row ", asked))), Request: req}, nil
	}))
	for run := range 2 {
		tb := &fakeTB{TB: t, name: "TestRows"}
		tb.run(func(tb testing.TB) {
			rec := New(tb, db, promptecho.InMode(promptecho.ModeNone), promptecho.PassThrough("http/db.example.com"))
			SetDefault(tb, rec)
			for i, url := range []string{Serve(tb, rec).URL("https://db.example.com") + "/rows", "https://db.example.com/rows"} {
				resp, err := http.Get(url)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if want := fmt.Sprint("row ", 2*run+i+1); string(body) != want {
					t.Errorf("%s: %s, want %s", url, body, want)
				}
			}
		})
		if len(tb.errors) > 0 {
			t.Error(tb.errors)
		}
	}
}

// cassetteOfX is the cassette of TestX, as messages name it.
var cassetteOfX = filepath.FromSlash("testdata/cassettes/TestX.yaml")

// A miss reaches the process as an answer that no SDK retries, and fails the test with the
// program's name.
func TestServeMiss(t *testing.T) {
	inDir(t)
	p := fakeprovider.New()
	defer p.Close()
	ask := func(tb testing.TB, question string) (server *Server, text string) {
		server = Serve(tb, New(tb, network(p)))
		text, err := chat(t.Context(), new(http.Client), server.URL(openAI), question)
		if err != nil {
			t.Error(err)
		}
		return server, text
	}
	(&fakeTB{TB: t, name: "TestX"}).run(func(tb testing.TB) { ask(tb, "What is the capital of France?") })
	tb := &fakeTB{TB: t, name: "TestX"}
	var address string
	tb.run(func(tb testing.TB) {
		server, text := ask(tb, "What is the capital of Spain?")
		address = strings.TrimSuffix(server.URL(openAI), "/v1")
		const begins = `418 {"error":{"code":"promptecho_miss","message":"promptecho: not recorded: `
		namesPlace := strings.Contains(text, `TestX.yaml:4: `)
		saysWhy := strings.Contains(text, `differs in messages/0/content: recorded \"What is`)
		if !strings.HasPrefix(text, begins) || !namesPlace || !saysWhy {
			t.Errorf("the process got %s", text)
		}
	})
	// The golden failure: every line is what docs/PROCESSES.md shows.
	want := `promptecho: 1 request has no recording (mode once, the default; 0 of 1 recordings used)

` + cassetteOfX + `:4: the nearest recording differs in messages/0/content
  asked:  llm/openai.chat, model stand-in, "What is the capital of Spain?"
  caller: OpenAI/Python 2.6.1, through ADDRESS for https://api.openai.com
  messages/0/content
    recorded: "What is the capital of France?"
    incoming: "What is the capital of Spain?"
    change:   What is the capital of [-France-]{+Spain+}?

To record it again:
  ` + recordCommand("TestX") + `

More about request-changed: https://github.com/promptecho/promptecho/blob/main/docs/MISSES.md#request-changed`
	if len(tb.errors) != 1 || strings.ReplaceAll(tb.errors[0], address, "ADDRESS") != want {
		t.Errorf("errors %s\nwant %s", strings.Join(tb.errors, "\n"), want)
	}
}

// A client that goes away while it reads is recorded as one of this process is: what came so
// far, closed. The test ends without waiting for the stream.
func TestServeClientGoesAway(t *testing.T) {
	inDir(t)
	gone := make(chan bool)
	tb := &fakeTB{TB: t, name: "TestX"}
	tb.run(func(tb testing.TB) {
		upstream := roundTripFunc(func(req *http.Request) (*http.Response, error) {
			r, w := io.Pipe()
			go func() {
				io.WriteString(w, "data: {\"choices\":[]}\n\n")
				<-req.Context().Done()
				w.CloseWithError(req.Context().Err())
				close(gone)
			}()
			return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: r, ContentLength: -1, Request: req}, nil
		})
		server := Serve(tb, New(tb, promptecho.Upstream(upstream)))
		ctx, cancel := context.WithCancel(t.Context())
		req, _ := http.NewRequestWithContext(ctx, "POST", server.URL(openAI)+"/chat/completions", strings.NewReader(`{"model":"m","stream":true,"messages":[]}`))
		resp, err := new(http.Client).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 10)); err != nil {
			t.Error(err)
		}
		cancel()
		resp.Body.Close()
		<-gone
	})
	file, err := os.ReadFile("testdata/cassettes/TestX.yaml")
	if err != nil || !strings.Contains(string(file), "end: closed\n") || len(tb.errors) > 0 {
		t.Errorf("%v %q\n%s", err, tb.errors, file)
	}
}

// A server that is used wrongly says so.
func TestServeRefuses(t *testing.T) {
	inDir(t)
	var server *Server
	tb := &fakeTB{TB: t, name: "TestX"}
	tb.run(func(tb testing.TB) {
		server = Serve(tb, New(tb, promptecho.AllowUnused()))
		server.URL("api.openai.com")
	})
	if want := `promptecho: Serve: URL("api.openai.com"): an upstream is an address such as https://api.example.com/v1, without user, query and fragment`; tb.fatal != want {
		t.Errorf("got %s\nwant %s", tb.fatal, want)
	}
	t.Setenv("ANTHROPIC_BASE_URL", "here")
	tb = &fakeTB{TB: t, name: "TestX"}
	tb.run(func(tb testing.TB) { Serve(tb, New(tb, promptecho.AllowUnused())).Env() })
	if want := "promptecho: Serve: ANTHROPIC_BASE_URL: an upstream is an address such as"; !strings.HasPrefix(tb.fatal, want) {
		t.Errorf("got %s\nwant %s", tb.fatal, want)
	}
}

// Keys are dummies only where nothing is sent upstream.
func TestServeKeys(t *testing.T) {
	inDir(t)
	t.Setenv("OPENAI_API_KEY", "echo-secret-of-the-environment")
	for mode, want := range map[string]string{"all": "OPENAI_API_KEY=echo-secret-of-the-environment", "new_episodes": "OPENAI_API_KEY=echo-secret-of-the-environment", "none": "OPENAI_API_KEY=promptecho-replay-OPENAI_API_KEY"} {
		t.Setenv("PROMPTECHO_MODE", mode)
		(&fakeTB{TB: t, name: "TestX"}).run(func(tb testing.TB) {
			got := ""
			for _, v := range Serve(tb, New(tb, promptecho.AllowUnused())).Env() {
				if strings.HasPrefix(v, "OPENAI_API_KEY=") {
					got = v
				}
			}
			if got != want {
				t.Errorf("mode %s: %q, want %q", mode, got, want)
			}
		})
	}
}

// A request that a process has signed for a listener with a key that is not known here is
// not sent, and the test fails.
func TestServeUnknownSignature(t *testing.T) {
	inDir(t)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	command := `eval "$(aws configure export-credentials --format env)"`
	if runtime.GOOS == "windows" {
		command = "aws configure export-credentials --format powershell | Out-String | Invoke-Expression"
	}
	var address string
	tb := &fakeTB{TB: t, name: "TestX"}
	tb.run(func(tb testing.TB) {
		server := Serve(tb, New(tb, promptecho.Upstream(roundTripFunc(func(*http.Request) (*http.Response, error) {
			t.Error("it was sent")
			return nil, errors.New("sent")
		}))))
		address = server.URL("https://bedrock-runtime.us-east-1.amazonaws.com")
		req, _ := http.NewRequestWithContext(t.Context(), "POST", address+"/model/m/converse", strings.NewReader(`{"messages":[]}`))
		req.Header.Set("X-Amz-Date", "20260131T000000Z")
		req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260131/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature="+strings.Repeat("0", 64))
		resp, err := new(http.Client).Do(req)
		if err != nil || resp.StatusCode != http.StatusTeapot {
			t.Fatal(resp, err)
		}
		resp.Body.Close()
	})
	want := `promptecho: ` + cassetteOfX + `: mode once (the default): POST https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse has to be sent, but it is signed for HOST with the AWS key AKIDEXAMPLE, and AWS_SECRET_ACCESS_KEY is not the secret of that key, so promptecho cannot sign it again for bedrock-runtime.us-east-1.amazonaws.com: run
	` + command + `
and record again`
	if len(tb.errors) != 1 || strings.ReplaceAll(tb.errors[0], strings.TrimPrefix(address, "http://"), "HOST") != want {
		t.Errorf("errors %s\nwant %s", strings.Join(tb.errors, "\n"), want)
	}
}
