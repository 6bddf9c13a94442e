package modes_test

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// loginToken is what a login answers. A cassette has a placeholder for it.
const loginToken = "Zk3vQ9pXw7RtLm2NcY8bHs5D"

// A placeholder for a credential in a replayed answer is never sent, and the cassette stays as it is.
//
// The program replays a login, and uses the token of its answer in a question that was edited.
func TestPlaceholderForACredentialIsNotSent(t *testing.T) {
	t.Parallel()
	const address = "https://api.example/ask"
	login := must.Request{
		URL:     "https://api.example/oauth/token",
		Body:    "grant_type=client_credentials&client_secret=" + loginToken[4:],
		Headers: []string{"Content-Type", "application/x-www-form-urlencoded"},
	}
	for _, tt := range []struct {
		place string // as the report names it
		ask   func(question, token string) must.Request
		sent  func(*http.Request) (token string)
	}{
		{
			place: "header authorization",
			ask: func(question, token string) must.Request {
				return must.Request{URL: address, Body: question, Headers: []string{"Authorization", "Bearer " + token}}
			},
			sent: func(req *http.Request) string {
				return strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
			},
		},
		{
			place: "cookie sid",
			ask: func(question, token string) must.Request {
				return must.Request{URL: address, Body: question, Headers: []string{"Cookie", "sid=" + token}}
			},
			sent: func(req *http.Request) string {
				return strings.TrimPrefix(req.Header.Get("Cookie"), "sid=")
			},
		},
		{
			place: "parameter access_token",
			ask: func(question, token string) must.Request {
				query := url.Values{"access_token": {token}}.Encode()
				return must.Request{URL: address + "?" + query, Body: question}
			},
			sent: func(req *http.Request) string {
				return strings.TrimPrefix(req.URL.RawQuery, "access_token=")
			},
		},
	} {
		t.Run(tt.place, func(t *testing.T) {
			t.Parallel()
			file, sent := filepath.Join(t.TempDir(), "c.yaml"), 0
			live := provider.Func(func(req *http.Request) (*http.Response, error) {
				if req.URL.Path == "/oauth/token" {
					return provider.Says(`{"access_token":"` + loginToken + `","token_type":"bearer"}`).RoundTrip(req)
				}
				sent++
				if tt.sent(req) != loginToken {
					t.Errorf("sent %s %v", req.URL, req.Header)
				}
				return provider.Says(`"answer"`).RoundTrip(req)
			})
			run := func(mode promptecho.Mode, question string) (answer string, errs []string) {
				r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(live))
				token := strings.Split(login.Ask(t, r), `"`)[3]
				answer = tt.ask(question, token).Ask(t, r)
				return answer, must.Finish(r, report.Outcome{}).Errors
			}
			if answer, errs := run(promptecho.ModeAll, "one"); answer != `"answer"` || len(errs) > 0 {
				t.Fatal(answer, errs)
			}
			before := must.Read(t, file)
			want := "has to be sent, but its " + tt.place + " has a placeholder for a secret, " +
				"from an answer that was replayed. To record everything again: PROMPTECHO_MODE=all"
			for _, mode := range []promptecho.Mode{promptecho.ModeUpdate, promptecho.ModeNewEpisodes} {
				answer, errs := run(mode, "two")
				if !strings.HasPrefix(answer, "status 418") || !strings.Contains(strings.Join(errs, "\n"), want) {
					t.Errorf("%s: %s, %q", mode, answer, errs)
				}
				if must.Read(t, file) != before {
					t.Errorf("%s changed the cassette:\n%s", mode, must.Read(t, file))
				}
			}

			// A run that records everything again gets a real token.
			answer, errs := run(promptecho.ModeAll, "two")
			if answer != `"answer"` || len(errs) > 0 || sent != 2 {
				t.Error(answer, errs, sent)
			}
		})
	}
}

// A placeholder is sent if it is not from a replayed credential, or if its request passes through.
func TestOtherPlaceholderIsSent(t *testing.T) {
	t.Parallel()
	login := must.Request{URL: "https://api.example/login", Body: "{}"}
	for _, tt := range []struct {
		name     string
		nothing  bool // is replayed
		question must.Request
	}{
		{
			name:    "the program's own, and nothing is replayed",
			nothing: true,
			question: must.Request{
				URL:     "https://api.example/own?api_key=[REDACTED]",
				Headers: []string{"Authorization", "Bearer [REDACTED]"},
			},
		},
		{
			name: "in a text",
			question: must.Request{
				URL:     "https://api.example/text?q=mail+of+[REDACTED]",
				Headers: []string{"X-Prompt", "mail of [REDACTED]"},
			},
		},
		{
			name: "in a cookie that is no login",
			question: must.Request{
				URL:     "https://api.example/jar",
				Headers: []string{"Cookie", "lang=[REDACTED]; SERVERID=[REDACTED]"},
			},
		},
		{
			name: "in a cookie of a request with a real key",
			question: must.Request{
				URL:     "https://api.example/key",
				Headers: []string{"Cookie", "sid=[REDACTED]", "Authorization", "Bearer " + loginToken},
			},
		},
		{
			name: "to a server whose requests pass through",
			question: must.Request{
				URL:     "https://app.example/me",
				Headers: []string{"Authorization", "Bearer [REDACTED]"},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			open := func(mode promptecho.Mode) *promptecho.Recorder {
				return must.Open(t, file,
					promptecho.InMode(mode),
					promptecho.PassThrough("http/app.example"),
					promptecho.Upstream(provider.Says(`{"access_token":"`+loginToken+`"}`)))
			}
			finish := func(r *promptecho.Recorder) {
				if errs := must.Finish(r, report.Outcome{Filtered: true}).Errors; len(errs) > 0 {
					t.Error(errs)
				}
			}
			r := open(promptecho.ModeAll)
			login.Ask(t, r)
			finish(r)

			r = open(promptecho.ModeNewEpisodes)
			if !tt.nothing {
				login.Ask(t, r)
			}
			if answer := tt.question.Ask(t, r); strings.HasPrefix(answer, "status") {
				t.Error(answer)
			}
			finish(r)
		})
	}
}

// The answer of a restarted local server is not recorded if earlier, replayed requests wrote to it.
//
// The program writes to a local server, which is replayed, and asks it a question that was edited.
// A server at another port is a new one.
func TestRestartedLocalServerIsNotRecorded(t *testing.T) {
	t.Parallel()
	const oldServer, newServer = "http://127.0.0.1:41001", "http://127.0.0.1:41002"
	for _, tt := range []struct {
		name    string
		write   string
		server  string
		refused bool
	}{
		{name: "a store is restarted", write: "/collections/docs/points", server: newServer, refused: true},
		{name: "a store goes on", write: "/collections/docs/points", server: oldServer},
		{name: "a server that stores nothing is restarted", write: "/geocode", server: newServer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			run := func(mode promptecho.Mode, server, question string) (errs string) {
				r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`{"result":[]}`)))
				must.Request{URL: server + tt.write, Body: `{"text":"the sky is blue"}`}.Ask(t, r)
				must.Request{URL: server + "/search", Body: question}.Ask(t, r)
				return strings.Join(must.Finish(r, report.Outcome{}).Errors, "\n")
			}
			if errs := run(promptecho.ModeAll, oldServer, `{"q":"one"}`); errs != "" {
				t.Fatal(errs)
			}
			before := must.Read(t, file)
			errs := run(promptecho.ModeUpdate, tt.server, `{"q":"two"}`)
			want := ""
			if tt.refused {
				want = file + ":4: this recording was replayed, and wrote something to a local server " +
					"(POST " + oldServer + tt.write + "). What was asked there later is not recorded, " +
					"because the server is a new one, at another port, and lacks that: " +
					"POST " + tt.server + "/search. To record everything again: PROMPTECHO_MODE=all. " +
					"If it needs nothing of that, say so with OnRecordError(Keep)"
			}
			if errs != want {
				t.Errorf("errors %s, want %s", errs, want)
			}
			if isKept := must.Read(t, file) == before; isKept != tt.refused {
				t.Errorf("the cassette is as it was: %v\n%s", isKept, must.Read(t, file))
			}
			if errs := run(promptecho.ModeAll, newServer, `{"q":"two"}`); errs != "" {
				t.Error(errs)
			}
		})
	}
}
