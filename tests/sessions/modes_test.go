package sessions_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/socket"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A countingServer answers each message with the number of the live session, and the message.
type countingServer struct{ opened atomic.Int32 }

func (s *countingServer) upstream() promptecho.Option {
	return promptecho.Upstream(socket.Transport(func(_ *http.Request, c *socket.Conn) {
		s.handle(c)
	}))
}

func (s *countingServer) handle(c *socket.Conn) {
	n := s.opened.Add(1)
	for {
		m, err := c.Receive()
		if err != nil {
			return
		}
		if m.Opcode == websocket.Close {
			_ = c.SendClose(1000, "")
			return
		}
		_ = c.Send(fmt.Sprintf(`{"session":%d,"to":%s}`, n, m.Data))
	}
}

// askIn opens a session, and asks prompts one after the other. It returns the answers, such as
// "1a 1b": the number of the live session and the prompt. What is no answer is "!" and the text.
func askIn(ctx context.Context, rec *promptecho.Recorder, url, prompts string) string {
	c, err := socket.Dialer{Client: rec.Client()}.Dial(ctx, url)
	var refused *socket.Refused
	switch {
	case errors.As(err, &refused):
		return fmt.Sprint("!", refused.Status)
	case err != nil:
		return "!" + err.Error()
	}
	defer c.Drop()
	var answers []string
	for prompt := range strings.FieldsSeq(prompts) {
		if err := c.Send(fmt.Sprintf(`{"type":"ask","prompt":%q}`, prompt)); err != nil {
			answers = append(answers, "!"+err.Error())
			break
		}
		m, err := c.Receive()
		var session int
		var asked string
		_, scanErr := fmt.Sscanf(string(m.Data), `{"session":%d,"to":{"type":"ask","prompt":%q}}`, &session, &asked)
		if err != nil || scanErr != nil {
			answers = append(answers, "!miss")
			break
		}
		answers = append(answers, fmt.Sprint(session, asked))
	}
	_ = c.SendClose(1000, "")
	_, _ = c.Receive()
	return strings.Join(answers, " ")
}

// recordAsked records sessions, which are numbered from 1.
func recordAsked(t *testing.T, file, url string, sessions []string, opts ...promptecho.Option) {
	t.Helper()
	var server countingServer
	rec := record(t, file, append(opts, server.upstream())...)
	for _, prompts := range sessions {
		askIn(t.Context(), rec, url, prompts)
	}
	must.Pass(t, rec)
}

// Each mode replays, records, or passes a session through as it does a request.
//
// The cassette has the sessions "a b". Live sessions are numbered from 101.
func TestSessionInEachMode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		mode     promptecho.Mode
		isAbsent bool // there is no cassette
		outcome  report.Outcome
		sessions []string
		want     []string
		saved    string // all prompts of the cassette after the run
		err      string
	}{
		{name: "once records", mode: promptecho.ModeOnce, isAbsent: true, sessions: []string{"a b"}, want: []string{"101a 101b"}, saved: "a b"},
		{name: "once replays", mode: promptecho.ModeOnce, sessions: []string{"a b"}, want: []string{"1a 1b"}, saved: "a b"},
		{name: "once, another message", mode: promptecho.ModeOnce, sessions: []string{"a c"}, want: []string{"1a !miss"}, saved: "a b", err: `incoming: "c"`},
		{name: "none replays", mode: promptecho.ModeNone, sessions: []string{"a b"}, want: []string{"1a 1b"}, saved: "a b"},
		{name: "none without a cassette", mode: promptecho.ModeNone, isAbsent: true, sessions: []string{"a b"}, want: []string{"!418"}, err: "does not exist"},
		{name: "none, a second session", mode: promptecho.ModeNone, sessions: []string{"a b", "a b"}, want: []string{"1a 1b", "!418"}, saved: "a b", err: "asked more often than recorded"},
		{name: "new_episodes replays", mode: promptecho.ModeNewEpisodes, sessions: []string{"a b"}, want: []string{"1a 1b"}, saved: "a b"},
		{name: "new_episodes records a second session", mode: promptecho.ModeNewEpisodes, sessions: []string{"a b", "c"}, want: []string{"1a 1b", "101c"}, saved: "a b c"},
		{name: "new_episodes, another message", mode: promptecho.ModeNewEpisodes, sessions: []string{"a c"}, want: []string{"1a !miss"}, saved: "a b", err: `incoming: "c"`},
		{name: "update records anew", mode: promptecho.ModeUpdate, sessions: []string{"a c"}, want: []string{"101a 101c"}, saved: "a c"},
		{name: "update adds if the test fails", mode: promptecho.ModeUpdate, outcome: report.Outcome{Failed: true}, sessions: []string{"a c"}, want: []string{"101a 101c"}, saved: "a b a c"},
		{name: "update of a part of the test adds", mode: promptecho.ModeUpdate, outcome: report.Outcome{Filtered: true}, sessions: []string{"a c"}, want: []string{"101a 101c"}, saved: "a b a c"},
		{name: "all records anew", mode: promptecho.ModeAll, sessions: []string{"c"}, want: []string{"101c"}, saved: "c"},
		{name: "live passes through", mode: promptecho.ModeLive, sessions: []string{"c"}, want: []string{"101c"}, saved: "a b"},
		{name: "compare replays and sends nothing", mode: promptecho.ModeCompare, sessions: []string{"a b"}, want: []string{"1a 1b"}, saved: "a b"},
		{name: "accepted replays", mode: must.ModeAccepted, sessions: []string{"a b"}, want: []string{"1a 1b"}, saved: "a b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := newCassette(t)
			if !tt.isAbsent {
				recordAsked(t, file, realtimeURL, []string{"a b"})
			}
			var server countingServer
			server.opened.Store(100)
			rec := must.Open(t, file, promptecho.InMode(tt.mode), server.upstream())
			must.Begin(rec, tt.outcome)
			for i, prompts := range tt.sessions {
				if got := askIn(t.Context(), rec, realtimeURL, prompts); got != tt.want[i] {
					t.Errorf("session %d: got %q, want %q", i, got, tt.want[i])
				}
			}
			rep := must.Finish(rec, tt.outcome)
			errs := fmt.Sprint(rep.Errors)
			isFine := tt.err == "" && len(rep.Errors) == 0 || tt.err != "" && strings.Contains(errs, tt.err)
			if !isFine {
				t.Errorf("errors %s, want %q", errs, tt.err)
			}
			if hasOpened := server.opened.Load() > 100; hasOpened != strings.Contains(fmt.Sprint(tt.want), "101") {
				t.Errorf("%d sessions were opened", server.opened.Load()-100)
			}
			if got := savedPrompts(t, file); got != tt.saved {
				t.Errorf("saved %q, want %q", got, tt.saved)
			}
		})
	}
}

// One old session renews all sessions of its cassette, since they are opened by one request.
func TestOldSessionsAreRecordedAgain(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	recordAsked(t, file, realtimeURL, []string{"a b", "c"})
	var server countingServer
	server.opened.Store(100)
	run := func(mode promptecho.Mode, prompts ...string) (answers []string) {
		rec := must.Open(t, file, promptecho.InMode(mode), server.upstream())
		must.Begin(rec, report.Outcome{})
		for _, p := range prompts {
			answers = append(answers, askIn(t.Context(), rec, realtimeURL, p))
		}
		if rep := must.Finish(rec, report.Outcome{}); len(rep.Errors) > 0 {
			t.Errorf("mode %s: %s", mode, rep.Errors)
		}
		return answers
	}
	f := must.Load(t, file)
	if f.Interactions[0].Recorded == "" || f.Interactions[1].Recorded == "" {
		t.Fatal("a session has no day")
	}
	must.Edit(t, file, "recorded: "+string(f.Interactions[0].Recorded), "recorded: 2020-02-02")

	if got := run(promptecho.ModeNone, "a b", "c"); got[0] != "1a 1b" || got[1] != "2c" {
		t.Errorf("replayed %q", got)
	}
	before := must.ModeBefore("2021-01-01")
	if got := run(before, "a b", "c"); got[0] != "101a 101b" || got[1] != "102c" {
		t.Errorf("recorded %q", got)
	}
	if got := savedPrompts(t, file); got != "a b c" {
		t.Errorf("saved %q", got)
	}
	if got := run(before, "a b", "c"); got[0] != "101a 101b" || got[1] != "102c" || server.opened.Load() != 102 {
		t.Errorf("replayed %q", got)
	}
}

// savedPrompts returns the prompts of all sessions of a cassette, which may be absent.
func savedPrompts(t *testing.T, file string) string {
	t.Helper()
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	var prompts []string
	for _, it := range must.Load(t, file).Interactions {
		for _, m := range it.Response.SentMessages() {
			var prompt string
			if _, err := fmt.Sscanf(m.Data, `{"type":"ask","prompt":%q}`, &prompt); err == nil {
				prompts = append(prompts, prompt)
			}
		}
	}
	return strings.Join(prompts, " ")
}
