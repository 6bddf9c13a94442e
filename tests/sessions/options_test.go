package sessions_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/socket"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Two sessions that are equal but for their names replay by their names, whichever is opened
// first.
func TestSessionsAreToldApartByName(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	named := func(name string) context.Context { return promptecho.WithName(t.Context(), name) }
	var server countingServer
	rec := record(t, file, server.upstream())
	askIn(named("first"), rec, realtimeURL, "a b")
	askIn(named("second"), rec, realtimeURL, "a b")
	must.Pass(t, rec)

	rec = replay(t, file)
	for _, want := range []struct{ name, answers string }{{"second", "2a 2b"}, {"first", "1a 1b"}} {
		if got := askIn(named(want.name), rec, realtimeURL, "a b"); got != want.answers {
			t.Errorf("%s: got %q, want %q", want.name, got, want.answers)
		}
	}
	if got := askIn(named("third"), rec, realtimeURL, "a b"); got != "!418" {
		t.Errorf("a name that is not recorded: got %q", got)
	}
	rec.Close()
}

// A session that a wrapped function opens is not needed in a replay, which does not call the function.
// If the function is live, the session replays.
func TestSessionOfAWrappedFunctionReplays(t *testing.T) {
	t.Parallel()
	run := func(rec *promptecho.Recorder) (string, error) {
		ask := promptecho.Wrap(rec, "tool/ask", func(ctx context.Context, prompts string) (string, error) {
			return askIn(ctx, rec, realtimeURL, prompts), nil
		})
		return ask(t.Context(), "a b")
	}
	file := newCassette(t)
	var server countingServer
	rec := record(t, file, server.upstream())
	want, err := run(rec)
	if want != "1a 1b" || err != nil {
		t.Fatal(want, err)
	}
	must.Pass(t, rec)
	text := must.Read(t, file)
	if !strings.Contains(text, "within: tool/ask") {
		t.Errorf("the session is not within the function:\n%s", text)
	}

	for _, opts := range [][]promptecho.Option{nil, {promptecho.Live("tool/ask")}} {
		rec := replay(t, file, opts...)
		got, err := run(rec)
		if got != want || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
		must.Pass(t, rec)
	}
}

// Live runs a session for real and leaves the cassette as it is; Frozen never does.
func TestLiveAndFrozenSessions(t *testing.T) {
	t.Parallel()
	const name = "llm/openai.realtime"
	for _, tt := range []struct {
		name   string
		mode   promptecho.Mode
		option promptecho.Option
		want   string
		saved  string
	}{
		{"live", promptecho.ModeNewEpisodes, promptecho.Live(name), "101a 101b", "a b"},
		{"live in mode none", promptecho.ModeNone, promptecho.Live(name), "1a 1b", "a b"},
		{"frozen in mode all", promptecho.ModeAll, promptecho.Frozen(name), "1a 1b", "a b"},
		{"frozen in mode update", promptecho.ModeUpdate, promptecho.Frozen(name), "1a 1b", "a b"},
		{"frozen in mode live", promptecho.ModeLive, promptecho.Frozen(name), "1a 1b", "a b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := newCassette(t)
			recordAsked(t, file, realtimeURL, []string{"a b"})
			var server countingServer
			server.opened.Store(100)
			rec := must.Open(t, file, promptecho.InMode(tt.mode), tt.option, server.upstream())
			must.Begin(rec, report.Outcome{})
			if got := askIn(t.Context(), rec, realtimeURL, "a b"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			must.Pass(t, rec)
			if got := savedPrompts(t, file); got != tt.saved {
				t.Errorf("saved %q, want %q", got, tt.saved)
			}
			derived, err := filepath.Glob(strings.TrimSuffix(file, ".yaml") + ".derived.yaml")
			isLive := strings.HasPrefix(tt.want, "101")
			if err != nil || (len(derived) == 1) != isLive {
				t.Errorf("derived cassettes %v, %v", derived, err)
			}
		})
	}
}

// A frozen session that is not recorded is a miss in every mode.
func TestFrozenSessionIsNotOpened(t *testing.T) {
	t.Parallel()
	var server countingServer
	rec := record(t, newCassette(t), promptecho.Frozen("llm/openai.realtime"), server.upstream())
	if got := askIn(t.Context(), rec, realtimeURL, "a"); got != "!418" {
		t.Errorf("got %q", got)
	}
	if rec.Close() == nil || server.opened.Load() != 0 {
		t.Error("the session was opened")
	}
}

// AllowRepeats plays a session again, and AllowUnused accepts one that is not opened.
func TestRepeatedAndUnusedSessions(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	recordAsked(t, file, realtimeURL, []string{"a b", "c"})
	rec := replay(t, file, promptecho.AllowRepeats(), promptecho.AllowUnused())
	for range 3 {
		if got := askIn(t.Context(), rec, realtimeURL, "c"); got != "2c" {
			t.Errorf("got %q", got)
		}
	}
	must.Pass(t, rec)

	rec = replay(t, file)
	askIn(t.Context(), rec, realtimeURL, "c")
	rep := must.Finish(rec, report.Outcome{})
	isUnused := strings.Contains(fmt.Sprint(rep.Errors), "not used")
	if !isUnused {
		t.Errorf("a session was not opened, and the run has the errors %v", rep.Errors)
	}
}

// Pace plays messages with the delays that were recorded, in a bubble in no time; without it they
// come at once.
func TestPacedSession(t *testing.T) {
	t.Parallel()
	const pause = 1500 * time.Millisecond
	file := newCassette(t)
	upstream := promptecho.Upstream(socket.Transport(func(_ *http.Request, c *socket.Conn) {
		for n := range 3 {
			time.Sleep(pause)
			_ = c.Send(fmt.Sprintf(`{"n":%d}`, n))
		}
		_ = c.SendClose(1000, "")
		_, _ = c.Receive()
	}))
	for _, tt := range []struct {
		opts []promptecho.Option
		want time.Duration
	}{
		{[]promptecho.Option{promptecho.InMode(promptecho.ModeAll), upstream}, 3 * pause},
		{[]promptecho.Option{promptecho.InMode(promptecho.ModeNone), promptecho.Pace(1)}, 3 * pause},
		{[]promptecho.Option{promptecho.InMode(promptecho.ModeNone), promptecho.Pace(2)}, 6 * pause},
		{[]promptecho.Option{promptecho.InMode(promptecho.ModeNone)}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			rec := must.Open(t, file, tt.opts...)
			start := time.Now()
			c := dial(t, context.Background(), rec, realtimeURL)
			for n := range 3 {
				if got := received(c.Receive()); got != fmt.Sprintf(`{"n":%d}`, n) {
					t.Errorf("message %d is %s", n, got)
				}
			}
			_ = received(c.Receive())
			_ = c.SendClose(1000, "")
			_, _ = c.Receive()
			c.Drop()
			if took := time.Since(start); took != tt.want {
				t.Errorf("the session took %v, want %v", took, tt.want)
			}
			must.Close(t, rec)
		})
	}
}

// PassThrough opens a session in every mode, and records nothing of it.
func TestSessionPassesThrough(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	var server countingServer
	rec := replay(t, file, promptecho.PassThrough("api.openai.com"), server.upstream())
	if got := askIn(t.Context(), rec, realtimeURL, "a b"); got != "1a 1b" {
		t.Errorf("got %q", got)
	}
	must.Pass(t, rec)
}

// The options about fields apply to messages as they apply to the bodies of requests.
func TestOptionsApplyToFieldsOfMessages(t *testing.T) {
	t.Parallel()
	const recorded = `{"type":"ask","prompt":"Acme at 2026-01-02T03:04:05Z","id":"a","temperature":1,"tags":["x","y"]}`
	for _, tt := range []struct {
		name    string
		url     string
		option  promptecho.Option
		message string
		matches bool
	}{
		{"none, another id", "", nil, strings.Replace(recorded, `"a"`, `"b"`, 1), false},
		{"Ignore", "", promptecho.Ignore("id"), strings.Replace(recorded, `"a"`, `"b"`, 1), true},
		{"MatchOnly", "", promptecho.MatchOnly("*", "type"), `{"type":"ask"}`, true},
		{"MatchOnly, another type", "", promptecho.MatchOnly("*", "type"), `{"type":"tell"}`, false},
		{"Mask", "", promptecho.Mask(`Acme|Bolt`, "company"), strings.Replace(recorded, "Acme", "Bolt", 1), true},
		{"MaskTimes", "", promptecho.MaskTimes(), strings.Replace(recorded, "03:04", "04:05", 1), true},
		{"Redact", "", promptecho.Redact("Acme|Bolt"), strings.Replace(recorded, "Acme", "Bolt", 1), true},
		{"RedactFields", "", promptecho.RedactFields("id"), strings.Replace(recorded, `"a"`, `"b"`, 1), true},
		{"Unordered", "", promptecho.Unordered("tags"), strings.Replace(recorded, `"x","y"`, `"y","x"`, 1), true},
		{"none, another order", "", nil, strings.Replace(recorded, `"x","y"`, `"y","x"`, 1), false},
		{
			"Match", realtimeURL, promptecho.Match("session/temperature"),
			`{"type":"session.update","session":{"temperature":2}}`, false,
		},
		{
			"MatchSampling", realtimeURL, promptecho.MatchSampling(),
			`{"type":"session.update","session":{"temperature":2}}`, false,
		},
		{"none, temperature", realtimeURL, nil, `{"type":"session.update","session":{"temperature":2}}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := mutatedFamily{url: tt.url, messages: []string{recorded}}
			if tt.url == "" {
				f.url = "https://chat.test/socket"
			} else {
				f.messages = []string{`{"type":"session.update","session":{"temperature":1}}`}
			}
			file := newCassette(t)
			f.run(t, record(t, file, tt.option, promptecho.Upstream(acknowledge{})), f.messages)
			rec := replay(t, file, tt.option)
			matches := f.talk(t, rec, []string{tt.message}) == 1
			if matches != tt.matches {
				t.Errorf("the message matches %v, want %v: %v", matches, tt.matches, rec.Close())
			}
			isRedacted := strings.HasPrefix(tt.name, "Redact")
			if isRedacted && !strings.Contains(must.Read(t, file), "[REDACTED]") {
				t.Errorf("nothing is redacted:\n%s", must.Read(t, file))
			}
		})
	}
}

// Alias tells the sessions of local servers apart, whose ports are others in each run.
func TestAliasOfALocalServerWithSessions(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	run := func(mode promptecho.Mode, first, second int32) (got []string) {
		var servers [2]countingServer
		servers[0].opened.Store(first)
		servers[1].opened.Store(second)
		var opts []promptecho.Option
		var bases []string
		for i, name := range []string{"one", "two"} {
			server := socket.NewServer(t, func(_ *http.Request, c *socket.Conn) { servers[i].handle(c) })
			opts = append(opts, promptecho.Alias(server.URL, name))
			bases = append(bases, server.URL)
		}
		rec := must.Open(t, file, append(opts, promptecho.InMode(mode))...)
		for i := range bases {
			base := bases[(i+int(first))%2] // in another order if first is odd
			got = append(got, askIn(t.Context(), rec, base+"/chat", "a b"))
		}
		must.Close(t, rec)
		return got
	}
	if got := strings.Join(run(promptecho.ModeAll, 0, 10), ", "); got != "1a 1b, 11a 11b" {
		t.Fatal(got)
	}
	if got := strings.Join(run(promptecho.ModeNone, 101, 201), ", "); got != "11a 11b, 1a 1b" {
		t.Error(got)
	}
	if text := must.Read(t, file); !strings.Contains(text, "http://one/chat") {
		t.Errorf("the cassette lacks the name:\n%s", text)
	}
}

// A session that is recorded and replayed in a bubble of testing/synctest needs a transport in the
// bubble, and no real time.
func TestSessionInABubble(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeOnce} {
		synctest.Test(t, func(t *testing.T) {
			var server countingServer
			rec := must.Open(t, file, promptecho.InMode(mode), server.upstream())
			got := askIn(context.Background(), rec, realtimeURL, "a b")
			if got != "1a 1b" {
				t.Errorf("mode %s: got %q", mode, got)
			}
			must.Close(t, rec)
		})
	}
}

// A session with a server on loopback can be recorded from a bubble with the default transport.
func TestSessionOverTheNetworkInABubble(t *testing.T) {
	t.Parallel()
	var counting countingServer
	server := socket.NewServer(t, func(_ *http.Request, c *socket.Conn) { counting.handle(c) })
	file := newCassette(t)
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		synctest.Test(t, func(t *testing.T) {
			rec := must.Open(t, file, promptecho.InMode(mode))
			if got := askIn(context.Background(), rec, server.URL+"/chat", "a b"); got != "1a 1b" {
				t.Errorf("mode %s: got %q", mode, got)
			}
			must.Close(t, rec)
		})
	}
}

// Sessions of two handshakes replay next to each other and next to requests, on one recorder.
func TestSessionsAndRequestsOnOneRecorder(t *testing.T) {
	t.Parallel()
	upstream := promptecho.Upstream(mixedUpstream{})
	file := newCassette(t)
	run := func(rec *promptecho.Recorder) {
		t.Helper()
		const each = 8
		done := make(chan string, 3*each)
		for k := range each {
			for _, model := range []string{"a", "b"} {
				go func() {
					address := "https://api.openai.com/v1/realtime?model=" + model
					prompt := fmt.Sprint("p", k)
					got := askIn(t.Context(), rec, address, prompt+" again")
					done <- wanted(got, fmt.Sprintf("7%s 7again", prompt))
				}()
			}
			go func() {
				status, body := must.Ask(t, rec, "https://api.openai.com", fmt.Sprint("q", k))
				done <- wanted(fmt.Sprint(status, body), `200{"ok":true}`)
			}()
		}
		for range 3 * each {
			if problem := <-done; problem != "" {
				t.Error(problem)
			}
		}
		must.Pass(t, rec)
	}
	run(record(t, file, upstream))
	for range 5 {
		run(replay(t, file))
	}
}

func wanted(got, want string) string {
	if got == want {
		return ""
	}
	return fmt.Sprintf("got %q, want %q", got, want)
}

// A mixedUpstream opens WebSockets, and answers other requests.
type mixedUpstream struct{}

func (mixedUpstream) RoundTrip(req *http.Request) (*http.Response, error) {
	if websocket.IsHandshake(req) {
		return socket.Transport(func(_ *http.Request, c *socket.Conn) {
			var server countingServer
			server.opened.Store(6)
			server.handle(c)
		}).RoundTrip(req)
	}
	return provider.Says(`{"ok":true}`).RoundTrip(req)
}

// A handshake is accepted in replay however the client spells the names of its headers. gorilla/websocket, for
// one, writes Sec-WebSocket-Key into the map of headers itself.
func TestHandshakeOfAnySpellingIsAccepted(t *testing.T) {
	t.Parallel()
	const url = "https://chat.test/socket"
	file := newCassette(t)
	open := func(what string, rec *promptecho.Recorder) {
		defer must.Close(t, rec)
		req := must.NewRequest(t, t.Context(), "GET", url, "")
		req.Header["Upgrade"] = []string{"websocket"}
		req.Header["Connection"] = []string{"Upgrade"}
		req.Header["Sec-WebSocket-Version"] = []string{"13"}
		req.Header["Sec-WebSocket-Key"] = []string{"dGhlIHNhbXBsZSBub25jZQ=="} // of RFC 6455, section 1.3
		resp, err := rec.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		accept := resp.Header.Get("Sec-WebSocket-Accept")
		if accept != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
			t.Errorf("%s: Sec-WebSocket-Accept is %q", what, accept)
		}
	}
	open("record", record(t, file, promptecho.Upstream(acknowledge{})))
	open("replay", replay(t, file))
}
