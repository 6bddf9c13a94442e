package promptecho

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/report"
)

// TestPlaceholderIsNotSent: what a replayed answer has in the place of a token is not sent upstream, in a header, in a
// cookie or in a query, and nothing of the cassette is lost: a run that records everything again gets a real one.
func TestPlaceholderIsNotSent(t *testing.T) {
	t.Parallel()
	const token = "Zk3vQ9pXw7RtLm2NcY8bHs5D"
	login := asking{url: "https://api.example/oauth/token", body: "grant_type=client_credentials&client_secret=" + token[4:], headers: []string{"Content-Type", "application/x-www-form-urlencoded"}}
	for place, use := range map[string]func(question, token string) asking{
		"header authorization": func(question, token string) asking {
			return asking{url: "https://api.example/ask", body: question, headers: []string{"Authorization", "Bearer " + token}}
		},
		"cookie sid": func(question, token string) asking {
			return asking{url: "https://api.example/ask", body: question, headers: []string{"Cookie", "sid=" + token}}
		},
		"parameter access_token": func(question, token string) asking {
			return asking{url: "https://api.example/ask?" + url.Values{"access_token": {token}}.Encode(), body: question}
		},
	} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			file, sent := filepath.Join(t.TempDir(), "c.yaml"), 0
			live := roundTripFunc(func(req *http.Request) (*http.Response, error) {
				if req.URL.Path == "/oauth/token" {
					return canned(`{"access_token":"` + token + `","token_type":"bearer"}`).RoundTrip(req)
				}
				if sent++; use("", token).credential() != (asking{url: req.URL.String(), headers: headersOf(req)}).credential() {
					t.Errorf("sent %s %v", req.URL, req.Header)
				}
				return canned(`"answer"`).RoundTrip(req)
			})
			run := func(mode Mode, question string) (string, []string) {
				r := mustOpen(t, file, InMode(mode), Upstream(live))
				given := strings.Split(login.ask(t, r), `"`)
				return use(question, given[3]).ask(t, r), r.finish(report.Outcome{}).Errors
			}
			if got, errs := run(ModeAll, "one"); got != `"answer"` || len(errs) > 0 {
				t.Fatal(got, errs)
			}
			before := read(t, file)
			for _, mode := range []Mode{ModeUpdate, ModeNewEpisodes} {
				want := "has to be sent, but its " + place + " has a placeholder for a secret, from an answer that was replayed. To record everything again: PROMPTECHO_MODE=all"
				if got, errs := run(mode, "two"); !strings.HasPrefix(got, "status 418") || !strings.Contains(strings.Join(errs, "\n"), want) {
					t.Errorf("%s: %s, %q", mode, got, errs)
				}
				if read(t, file) != before {
					t.Errorf("%s changed the cassette:\n%s", mode, read(t, file))
				}
			}
			if got, errs := run(ModeAll, "two"); got != `"answer"` || len(errs) > 0 || sent != 2 {
				t.Error(got, errs, sent)
			}
		})
	}
}

// TestPlaceholderThatIsSent: one that the program made itself, one that is no credential, and one for a server whose
// requests pass are sent.
func TestPlaceholderThatIsSent(t *testing.T) {
	t.Parallel()
	const token = "Zk3vQ9pXw7RtLm2NcY8bHs5D"
	login := asking{url: "https://api.example/login", body: "{}"}
	for name, use := range map[string]asking{
		"its own, nothing is replayed": {url: "https://api.example/own?api_key=[REDACTED]", headers: []string{"Authorization", "Bearer [REDACTED]"}},
		"a text":                       {url: "https://api.example/text?q=mail+of+[REDACTED]", headers: []string{"X-Prompt", "mail of [REDACTED]"}},
		"a cookie that is no login":    {url: "https://api.example/jar", headers: []string{"Cookie", "lang=[REDACTED]; SERVERID=[REDACTED]"}},
		"a cookie beside a key":        {url: "https://api.example/key", headers: []string{"Cookie", "sid=[REDACTED]", "Authorization", "Bearer " + token}},
		"a server whose requests pass": {url: "https://app.example/me", headers: []string{"Authorization", "Bearer [REDACTED]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			for _, mode := range []Mode{ModeAll, ModeNewEpisodes} {
				r := mustOpen(t, file, InMode(mode), PassThrough("http/app.example"), Upstream(canned(`{"access_token":"`+token+`"}`)))
				if mode == ModeAll || !strings.HasPrefix(name, "its own") {
					login.ask(t, r)
				}
				if mode == ModeNewEpisodes {
					if got := use.ask(t, r); strings.HasPrefix(got, "status") {
						t.Error(got)
					}
				}
				if errs := r.finish(report.Outcome{Filtered: true}).Errors; len(errs) > 0 {
					t.Error(errs)
				}
			}
		})
	}
}

// credential returns what a request has of those of TestPlaceholderIsNotSent.
func (a asking) credential() string {
	_, query, _ := strings.Cut(a.url, "?")
	for i, name := range a.headers {
		if name == "Authorization" || name == "Cookie" {
			return a.headers[i+1]
		}
	}
	return query
}

func headersOf(req *http.Request) (list []string) {
	for name := range req.Header {
		list = append(list, name, req.Header.Get(name))
	}
	return list
}

// TestServerStartedAnew: a local server at another port lacks what was written to the one before, and a question to it
// after that was replayed is not recorded. One that is still there has it, and one that was only asked needs nothing.
func TestServerStartedAnew(t *testing.T) {
	t.Parallel()
	const old, other = "http://127.0.0.1:41001", "http://127.0.0.1:41002"
	for _, tt := range []struct {
		name, write, port string
		refused           bool
	}{
		{"a store in a container", "/collections/docs/points", other, true},
		{"a store that goes on", "/collections/docs/points", old, false},
		{"a server that computes", "/geocode", other, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			run := func(mode Mode, server, question string) string {
				r := mustOpen(t, file, InMode(mode), Upstream(canned(`{"result":[]}`)))
				asking{url: server + tt.write, body: `{"text":"the sky is blue"}`}.ask(t, r)
				asking{url: server + "/search", body: question}.ask(t, r)
				return strings.Join(r.finish(report.Outcome{}).Errors, "\n")
			}
			if errs := run(ModeAll, old, `{"q":"one"}`); errs != "" {
				t.Fatal(errs)
			}
			before := read(t, file)
			errs := run(ModeUpdate, tt.port, `{"q":"two"}`)
			want := file + ":4: this recording was replayed, and wrote something to a local server (POST " + old + tt.write + "). " +
				"What was asked there later is not recorded, because the server is a new one, at another port, and lacks that: POST " + tt.port + "/search. To record everything again: PROMPTECHO_MODE=all. If it needs nothing of that, say so with OnRecordError(Keep)"
			if tt.refused && (errs != want || read(t, file) != before) || !tt.refused && (errs != "" || read(t, file) == before) {
				t.Errorf("%s\n%s", errs, read(t, file))
			}
			if errs := run(ModeAll, other, `{"q":"two"}`); errs != "" {
				t.Error(errs)
			}
		})
	}
}

// TestFailureOfStatus200: an answer that says itself that it failed does not replace a good one, is told of when it is
// recorded first, and is refused where failures are.
func TestFailureOfStatus200(t *testing.T) {
	t.Parallel()
	const failure = `{"error":{"message":"Provider returned error","code":502}}`
	file := filepath.Join(t.TempDir(), "c.yaml")
	for i, run := range []struct {
		answer      string
		policy      RecordErrorPolicy
		errs, notes string
		has         string
	}{
		{failure, Fail, "OnRecordError(Fail) is set: POST " + chatURL + ": status 200, and an error in the answer", "", ""},
		{failure, Warn, "", "a failure is recorded: POST " + chatURL + ": status 200, and an error in the answer", "502"},
		{`{"choices":[],"error":null}`, Warn, "", "", "choices"},
		{failure, Warn, "not replaced: this recording is a success, and the new one a failure", "", "choices"},
		{failure, Keep, "", "", "502"},
	} {
		r := mustOpen(t, file, InMode(ModeAll), OnRecordError(run.policy), Upstream(canned(run.answer)))
		chat("").ask(t, r)
		rep := r.finish(report.Outcome{})
		errs, notes := strings.Join(rep.Errors, "\n"), strings.Join(rep.Notes, "\n")
		if (errs != "") != (run.errs != "") || !strings.Contains(errs, run.errs) || !strings.Contains(notes, run.notes) || run.notes == "" && strings.Contains(notes, "failure is recorded") {
			t.Errorf("run %d: errors %q, notes %q", i, errs, notes)
		}
		if run.has != "" && !strings.Contains(read(t, file), run.has) {
			t.Errorf("run %d: %s", i, read(t, file))
		}
	}
}
