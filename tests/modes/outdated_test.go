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

// TestPlaceholderIsNotSent: what a replayed answer has in the place of a token is not sent upstream, in a header, in a
// cookie or in a query, and nothing of the cassette is lost: a run that records everything again gets a real one.
func TestPlaceholderIsNotSent(t *testing.T) {
	t.Parallel()
	const token = "Zk3vQ9pXw7RtLm2NcY8bHs5D"
	login := must.Request{URL: "https://api.example/oauth/token", Body: "grant_type=client_credentials&client_secret=" + token[4:], Headers: []string{"Content-Type", "application/x-www-form-urlencoded"}}
	for place, use := range map[string]func(question, token string) must.Request{
		"header authorization": func(question, token string) must.Request {
			return must.Request{URL: "https://api.example/ask", Body: question, Headers: []string{"Authorization", "Bearer " + token}}
		},
		"cookie sid": func(question, token string) must.Request {
			return must.Request{URL: "https://api.example/ask", Body: question, Headers: []string{"Cookie", "sid=" + token}}
		},
		"parameter access_token": func(question, token string) must.Request {
			return must.Request{URL: "https://api.example/ask?" + url.Values{"access_token": {token}}.Encode(), Body: question}
		},
	} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			file, sent := filepath.Join(t.TempDir(), "c.yaml"), 0
			live := provider.Func(func(req *http.Request) (*http.Response, error) {
				if req.URL.Path == "/oauth/token" {
					return provider.Says(`{"access_token":"` + token + `","token_type":"bearer"}`).RoundTrip(req)
				}
				if sent++; credential(use("", token)) != credential(must.Request{URL: req.URL.String(), Headers: headersOf(req)}) {
					t.Errorf("sent %s %v", req.URL, req.Header)
				}
				return provider.Says(`"answer"`).RoundTrip(req)
			})
			run := func(mode promptecho.Mode, question string) (string, []string) {
				r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(live))
				given := strings.Split(login.Ask(t, r), `"`)
				return use(question, given[3]).Ask(t, r), must.Finish(r, report.Outcome{}).Errors
			}
			if got, errs := run(promptecho.ModeAll, "one"); got != `"answer"` || len(errs) > 0 {
				t.Fatal(got, errs)
			}
			before := must.Read(t, file)
			for _, mode := range []promptecho.Mode{promptecho.ModeUpdate, promptecho.ModeNewEpisodes} {
				want := "has to be sent, but its " + place + " has a placeholder for a secret, from an answer that was replayed. To record everything again: PROMPTECHO_MODE=all"
				if got, errs := run(mode, "two"); !strings.HasPrefix(got, "status 418") || !strings.Contains(strings.Join(errs, "\n"), want) {
					t.Errorf("%s: %s, %q", mode, got, errs)
				}
				if must.Read(t, file) != before {
					t.Errorf("%s changed the cassette:\n%s", mode, must.Read(t, file))
				}
			}
			if got, errs := run(promptecho.ModeAll, "two"); got != `"answer"` || len(errs) > 0 || sent != 2 {
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
	login := must.Request{URL: "https://api.example/login", Body: "{}"}
	for name, use := range map[string]must.Request{
		"its own, nothing is replayed": {URL: "https://api.example/own?api_key=[REDACTED]", Headers: []string{"Authorization", "Bearer [REDACTED]"}},
		"a text":                       {URL: "https://api.example/text?q=mail+of+[REDACTED]", Headers: []string{"X-Prompt", "mail of [REDACTED]"}},
		"a cookie that is no login":    {URL: "https://api.example/jar", Headers: []string{"Cookie", "lang=[REDACTED]; SERVERID=[REDACTED]"}},
		"a cookie beside a key":        {URL: "https://api.example/key", Headers: []string{"Cookie", "sid=[REDACTED]", "Authorization", "Bearer " + token}},
		"a server whose requests pass": {URL: "https://app.example/me", Headers: []string{"Authorization", "Bearer [REDACTED]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNewEpisodes} {
				r := must.Open(t, file, promptecho.InMode(mode), promptecho.PassThrough("http/app.example"), promptecho.Upstream(provider.Says(`{"access_token":"`+token+`"}`)))
				if mode == promptecho.ModeAll || !strings.HasPrefix(name, "its own") {
					login.Ask(t, r)
				}
				if mode == promptecho.ModeNewEpisodes {
					if got := use.Ask(t, r); strings.HasPrefix(got, "status") {
						t.Error(got)
					}
				}
				if errs := must.Finish(r, report.Outcome{Filtered: true}).Errors; len(errs) > 0 {
					t.Error(errs)
				}
			}
		})
	}
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
			run := func(mode promptecho.Mode, server, question string) string {
				r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`{"result":[]}`)))
				must.Request{URL: server + tt.write, Body: `{"text":"the sky is blue"}`}.Ask(t, r)
				must.Request{URL: server + "/search", Body: question}.Ask(t, r)
				return strings.Join(must.Finish(r, report.Outcome{}).Errors, "\n")
			}
			if errs := run(promptecho.ModeAll, old, `{"q":"one"}`); errs != "" {
				t.Fatal(errs)
			}
			before := must.Read(t, file)
			errs := run(promptecho.ModeUpdate, tt.port, `{"q":"two"}`)
			want := file + ":4: this recording was replayed, and wrote something to a local server (POST " + old + tt.write + "). " +
				"What was asked there later is not recorded, because the server is a new one, at another port, and lacks that: POST " + tt.port + "/search. To record everything again: PROMPTECHO_MODE=all. If it needs nothing of that, say so with OnRecordError(Keep)"
			if tt.refused && (errs != want || must.Read(t, file) != before) || !tt.refused && (errs != "" || must.Read(t, file) == before) {
				t.Errorf("%s\n%s", errs, must.Read(t, file))
			}
			if errs := run(promptecho.ModeAll, other, `{"q":"two"}`); errs != "" {
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
		policy      promptecho.RecordErrorPolicy
		errs, notes string
		has         string
	}{
		{failure, promptecho.Fail, "OnRecordError(Fail) is set: POST " + must.ChatURL + ": status 200, and an error in the answer", "", ""},
		{failure, promptecho.Warn, "", "a failure is recorded: POST " + must.ChatURL + ": status 200, and an error in the answer", "502"},
		{`{"choices":[],"error":null}`, promptecho.Warn, "", "", "choices"},
		{failure, promptecho.Warn, "not replaced: this recording is a success, and the new one a failure", "", "choices"},
		{failure, promptecho.Keep, "", "", "502"},
	} {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.OnRecordError(run.policy), promptecho.Upstream(provider.Says(run.answer)))
		must.Chat("").Ask(t, r)
		rep := must.Finish(r, report.Outcome{})
		errs, notes := strings.Join(rep.Errors, "\n"), strings.Join(rep.Notes, "\n")
		if (errs != "") != (run.errs != "") || !strings.Contains(errs, run.errs) || !strings.Contains(notes, run.notes) || run.notes == "" && strings.Contains(notes, "failure is recorded") {
			t.Errorf("run %d: errors %q, notes %q", i, errs, notes)
		}
		if run.has != "" && !strings.Contains(must.Read(t, file), run.has) {
			t.Errorf("run %d: %s", i, must.Read(t, file))
		}
	}
}

// credential returns the value of Authorization or Cookie, or else the query.
func credential(r must.Request) string {
	for i, name := range r.Headers {
		if name == "Authorization" || name == "Cookie" {
			return r.Headers[i+1]
		}
	}
	_, query, _ := strings.Cut(r.URL, "?")
	return query
}
