package matching_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A header that is not written but decides the answer fails the recording, which names it.
func TestUnwrittenHeaderThatDecidesFailsTheRecording(t *testing.T) {
	t.Parallel()
	const uuid1, uuid2 = "9022bbce-7872-4001-991b-d872b93f257d", "1f2a3b4c-5d6e-4001-8a9b-0c1d2e3f4a5b"
	tests := []struct{ name, header, first, second string }{
		{"an account", "Stripe-Account", "acct_red", "acct_blue"},
		{"a tenant", "X-Tenant-ID", "red", "blue"},
		{"a tenant that only one request has", "X-Tenant-ID", "", "blue"},
		{"a tenant with a number", "X-Tenant-ID", "1001", "1002"},
		{"an organization, at an unknown endpoint", "OpenAI-Organization", "org-a", "org-b"},
		{"a random token of a page", "X-Page-Token", "Zk3vQ9pXw7RtLm2NcY8bHs5D", "Qm8sT4vXy2PwKn6LbZ9cRj3F"},
		{"a filter", "X-Filter", "name eq:red", "name eq:blue"},
		{"a user with a UUID", "X-User-ID", uuid1, uuid2},
		{"a user for whom an administrator asks", "Sudo", "17", "42"},
		{"a company with a long number", "Procore-Company-Id", "562949953425831", "562949953425832"},
		{"a company with a short number", "X-Company-Id", "1", "2"},
		{"a site with a UUID", "wix-site-id", uuid1, uuid2},
		{"a scope", "Amazon-Advertising-API-Scope", "1234567890123", "1234567890124"},
		{"an entity", "Zuora-Entity-Ids", "2c92a0f96bd69165016bdcbf55ad5e62", "2c92a0f96bd69165016bdcbf55ad5e63"},
		{"a team with a UUID", "X-Team-Id", uuid1, uuid2},
		{"a page", "X-Page", "1", "2"},
		{"an offset", "X-Offset", "0", "100"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			first := request(unknownURL)
			if tt.first != "" {
				first = request(unknownURL, tt.header, tt.first)
			}
			name := strings.ToLower(tt.header)
			want := differIn("POST /v1/thing", "header "+name) + fmt.Sprintf(
				" To write it to the cassette and compare it, add\n  promptecho.Match(%[1]q),\n"+
					"or, if it does not matter, promptecho.Ignore(%[1]q). Then record again:\n"+
					"  set PROMPTECHO_MODE=all, and run the program that uses FILE", "header/"+name)
			wantReport(t, want, []must.Request{first, request(unknownURL, tt.header, tt.second)})
		})
	}
}

// A header that is not written but decides the answer of a JSON-RPC server fails the recording.
func TestUnwrittenHeaderOfJSONRPCThatDecidesFailsTheRecording(t *testing.T) {
	t.Parallel()
	red, blue := listTools("https://mcp.example"), listTools("https://mcp.example")
	red.Headers = []string{"X-Tenant-ID", "red"}
	blue.Headers = []string{"X-Tenant-ID", "blue"}
	answers := []string{`{"jsonrpc":"2.0","id":1,"result":"red"}`, `{"jsonrpc":"2.0","id":1,"result":"blue"}`}
	r := recordAll(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.Upstream(provider.InTurn(answers...)))
	red.Ask(t, r)
	blue.Ask(t, r)
	err := r.Close()
	for _, want := range []string{
		"have the same request (llm/jsonrpc.tools/list), but different answers",
		"differ in header x-tenant-id, which is not written",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Close: %v\nwant %s", err, want)
		}
	}
}

// unknownURL is an endpoint that no API of a provider has.
const unknownURL = "https://api.example/v1/thing"

// differIn is the first part of the error about two requests that differ in a field.
func differIn(endpoint, field string) string {
	return "promptecho: FILE: as written here, interactions 1 and 2 have the same request " +
		"(http/api.example " + endpoint + "), but different answers. The requests that were sent differ in " +
		field + ", which is not written, so replay could not tell them apart."
}

// wantReport records two requests twice: once they get the same answer, and nothing may be
// reported; then they get two answers, and a report is wanted, or "".
func wantReport(t *testing.T, want string, asked []must.Request, opts ...promptecho.Option) {
	t.Helper()
	record := func(answers ...string) string {
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := recordAll(t, file, append(opts, promptecho.Upstream(provider.InTurn(answers...)))...)
		for _, req := range asked {
			req.Ask(t, r)
		}
		err := r.Close()
		if err == nil {
			return ""
		}
		return strings.ReplaceAll(err.Error(), file, "FILE")
	}
	if got := record(`"same"`, `"same"`); got != "" {
		t.Errorf("with the same answers: %s", got)
	}
	if got := record(`"one"`, `"two"`); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// Credentials that decide the answer fail the recording, which advises a cassette for each account.
func TestCredentialThatDecidesFailsTheRecording(t *testing.T) {
	t.Parallel()
	const red, blue = "9f86d081884c7d659a2feaa0c55ad015", "60303ae22b998861bce3b28f33eec1be"
	advice := func(path string) string {
		return fmt.Sprintf(" It may be a credential, which is never written: use two cassettes, one per account. "+
			"If it does not matter, add promptecho.Ignore(%q)", path)
	}
	for name, tokens := range map[string][2]string{
		"bearer tokens":              {"Bearer NOTREAL-red", "Bearer NOTREAL-blue"},
		"keys that sign":             {awsSignature("AKIANOTREALRED", "1"), awsSignature("AKIANOTREALBLUE", "2")},
		"subjects of web tokens":     {webToken(`{"sub":"red"}`), webToken(`{"sub":"blue"}`)},
		"keys in web tokens":         {webToken(`{"api_key":"red","exp":1}`), webToken(`{"api_key":"blue","exp":2}`)},
		"keys before a signature":    {"acs RED:" + base64Text + "a=", "acs BLUE:" + base64Text + "b="},
		"keys of Baidu":              {baiduSignature("red", "05Z", "1"), baiduSignature("blue", "06Z", "2")},
		"shared access signatures":   {sharedAccessSignature("1", "red"), sharedAccessSignature("2", "blue")},
		"two passwords of one login": {"Bearer root:" + base64Text + "a", "Bearer root:" + base64Text + "b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := differIn("POST /v1/thing", "header authorization") + advice("header/authorization")
			wantReport(t, want, pairOf("Authorization", tokens[0], tokens[1]))
		})
	}
	tests := []struct {
		name        string
		asked       []must.Request
		endpoint    string
		field, path string // of the report, and of the option that it names
	}{{
		name:     "keys in a header",
		asked:    pairOf("X-Api-Key", "NOTREAL-red", "NOTREAL-blue"),
		endpoint: "POST /v1/thing",
		field:    "header x-api-key",
		path:     "header/x-api-key",
	}, {
		name:     "cookies of a login",
		asked:    pairOf("Cookie", "sid=red; __cf_bm=1", "sid=blue; __cf_bm=1"),
		endpoint: "POST /v1/thing",
		field:    "cookie sid",
		path:     "header/cookie/sid",
	}, {
		name:     "cookies of a login, hexadecimal",
		asked:    pairOf("Cookie", "connect.sid="+red, "connect.sid="+blue),
		endpoint: "POST /v1/thing",
		field:    "cookie connect.sid",
		path:     "header/cookie/connect.sid",
	}, {
		name:     "sessions of PHP",
		asked:    pairOf("Cookie", "PHPSESSID="+red, "PHPSESSID="+blue),
		endpoint: "POST /v1/thing",
		field:    "cookie PHPSESSID",
		path:     "header/cookie/PHPSESSID",
	}, {
		name: "keys in a path that has a date",
		asked: []must.Request{
			request("https://api.example/2010-04-01/fc-" + red),
			request("https://api.example/2010-04-01/fc-" + blue),
		},
		endpoint: "POST /2010-04-01/%5BREDACTED%5D",
		field:    "path",
		path:     "path",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantReport(t, differIn(tt.endpoint, tt.field)+advice(tt.path), tt.asked)
		})
	}
}

// pairOf returns two requests to an unknown endpoint that differ in a header.
func pairOf(header, first, second string) []must.Request {
	return []must.Request{request(unknownURL, header, first), request(unknownURL, header, second)}
}

// A replaced query parameter that decides the answer fails the recording, which proposes its hash.
func TestReplacedParameterThatDecidesFailsTheRecording(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][2]string{
		"api_key": {"Zk3vQ9pXw7RtLm2NcY8bHs5D", "Qm8sT4vXy2PwKn6LbZ9cRj3F"},
		"appid":   {"9f86d081884c7d659a2feaa0c55ad015", "60303ae22b998861bce3b28f33eec1be"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := differIn("POST /v1/thing", "query parameter "+name) + fmt.Sprintf(
				" If it is a credential, use two cassettes, one per account. "+
					"Otherwise, to write a hash of it and compare that, add\n  promptecho.Match(%[1]q),\n"+
					"or, if it does not matter, promptecho.Ignore(%[1]q). Then record again:\n"+
					"  set PROMPTECHO_MODE=all, and run the program that uses FILE", "query/"+name)
			wantReport(t, want, []must.Request{
				request(unknownURL + "?" + name + "=" + values[0]),
				request(unknownURL + "?" + name + "=" + values[1]),
			})
		})
	}
}

// Match, Ignore or RedactFields for a field that is not written ends the error about it.
func TestOptionEndsTheErrorAboutAnUnwrittenField(t *testing.T) {
	t.Parallel()
	accounts := pairOf("Stripe-Account", "acct_red", "acct_blue")
	tests := []struct {
		name   string
		asked  []must.Request
		option promptecho.Option
	}{{
		name: "Match of a parameter",
		asked: []must.Request{
			request(unknownURL + "?code=Zk3vQ9pXw7RtLm2NcY8bHs5D"),
			request(unknownURL + "?code=Qm8sT4vXy2PwKn6LbZ9cRj3F"),
		},
		option: promptecho.Match("query/code"),
	}, {
		name:   "Match of a header",
		asked:  accounts,
		option: promptecho.Match("header/stripe-account"),
	}, {
		name:   "Ignore of a header",
		asked:  accounts,
		option: promptecho.Ignore("header/Stripe-Account"),
	}, {
		name:   "RedactFields of a header",
		asked:  pairOf("X-Customer", "red", "blue"),
		option: promptecho.RedactFields("x-customer"),
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantReport(t, "", tt.asked, tt.option)
		})
	}
}

// The option that an error about an unwritten header proposes ends it, and no value is shown.
func TestProposedMatchTellsUnwrittenHeadersApart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	red := request("https://api.example/me", "X-Tenant", "tenant-CANARY1")
	blue := request("https://api.example/me", "X-Tenant", "tenant-CANARY2")
	run := func(mode promptecho.Mode, opts ...promptecho.Option) report.Report {
		upstream := promptecho.Upstream(provider.InTurn(`"red"`, `"blue"`))
		r := must.Open(t, file, append(opts, promptecho.InMode(mode), upstream)...)
		red.Ask(t, r)
		blue.Ask(t, r)
		return must.Finish(r, report.Outcome{})
	}

	option := regexp.MustCompile(`promptecho\.Match\("(.*?)"\)`)
	proposed := ""
	for range 3 {
		rep := run(promptecho.ModeOnce)
		if len(rep.Errors) != 1 {
			t.Fatalf("errors: %q", rep.Errors)
		}
		if m := option.FindStringSubmatch(rep.Errors[0]); m != nil {
			proposed = m[1]
		}
		cassette := must.Read(t, file)
		if !strings.Contains(cassette, "partial: true") {
			t.Errorf("the cassette is complete:\n%s", cassette)
		}
		text := cassette + strings.Join(rep.Errors, "") + strings.Join(rep.Notes, "")
		if strings.Contains(text, "CANARY") {
			t.Errorf("a value is shown:\n%s", text)
		}
	}

	if errs := run(promptecho.ModeAll, promptecho.Match(proposed)).Errors; len(errs) > 0 {
		t.Fatal(errs)
	}
	r := replay(t, file, promptecho.Match(proposed))
	if got := blue.Ask(t, r); got != `"blue"` {
		t.Errorf("blue got %s", got)
	}
	if got := red.Ask(t, r); got != `"red"` {
		t.Errorf("red got %s", got)
	}
	must.Pass(t, r)
}

// Match of a replaced query parameter writes a hash of its value, which tells requests apart.
func TestMatchOfAParameterComparesItsHash(t *testing.T) {
	t.Parallel()
	const first, second = "Zk3vQ9pXw7RtLm2NcY8bHs5D", "Qm8sT4vXy2PwKn6LbZ9cRj3F"
	match := promptecho.Match("query/code")
	file := must.RecordAnswers(t,
		[]string{`"first"`, `"second"`},
		[]must.Request{request(unknownURL + "?code=" + first), request(unknownURL + "?code=" + second)},
		match)
	if text := must.Read(t, file); strings.Contains(text, first) || strings.Contains(text, second) {
		t.Errorf("a value is in the cassette:\n%s", text)
	}
	r := replay(t, file, match)
	if got := request(unknownURL+"?code="+second).Ask(t, r); got != `"second"` {
		t.Errorf("the second request got %s", got)
	}
	if got := request(unknownURL+"?code="+first).Ask(t, r); got != `"first"` {
		t.Errorf("the first request got %s", got)
	}
	must.Close(t, r)
}

// A page that redirects to a login and back is recorded, though the cookie decides the answer.
func TestLoginRedirectIsRecorded(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := r.Cookie("session")
		switch {
		case r.URL.Path == "/login":
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "1", Path: "/"})
			http.Redirect(w, r, "/page", http.StatusFound)
		case err != nil:
			http.Redirect(w, r, "/login", http.StatusFound)
		default:
			fmt.Fprint(w, r.Header.Get("Cache-Control")+r.Header.Get("Origin"))
		}
	}))
	defer s.Close()
	r := recordAll(t, filepath.Join(t.TempDir(), "c.yaml"))
	client := r.Client()
	client.Jar, _ = cookiejar.New(nil)
	resp, err := client.Get(s.URL + "/page")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	must.Close(t, r)
}

// Recording accepts a session cookie that each answer sets to another value.
func TestCookieThatAnswersSetMayChange(t *testing.T) {
	t.Parallel()
	visits := 0
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		visits++
		return &http.Response{
			StatusCode: http.StatusOK,
			Header:     http.Header{"Set-Cookie": {fmt.Sprintf("sid=%032x", visits)}},
			Body:       io.NopCloser(strings.NewReader(fmt.Sprint(visits))),
			Request:    req,
		}, nil
	})
	r := recordAll(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.Upstream(upstream))
	client := r.Client()
	client.Jar, _ = cookiejar.New(nil)
	for range 3 {
		resp, err := client.Get(unknownURL)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	must.Close(t, r)
}
