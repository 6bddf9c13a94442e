package matching_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// byHost is an upstream that answers with the last digit of the host that is asked.
func byHost(req *http.Request) (*http.Response, error) {
	return provider.Says(fmt.Sprintf("%q", req.URL.Host[len(req.URL.Host)-1:])).RoundTrip(req)
}

func local(port string) must.Request { return must.Request{URL: "http://127.0.0.1:" + port + "/x"} }

// A cassette does not become whole while it holds two servers that cannot be told
// apart, whatever runs come after the one that recorded them.
func TestClashIsNotWashedOut(t *testing.T) {
	t.Parallel()
	clash := func(t *testing.T, file string, ports []string, opts ...promptecho.Option) {
		t.Helper()
		r := must.Open(t, file, append(opts, promptecho.InMode(promptecho.ModeOnce), promptecho.Upstream(provider.Func(byHost)))...)
		for _, p := range ports {
			local(p).Ask(t, r)
		}
		rep := must.Finish(r, report.Outcome{})
		if len(rep.Errors) != 1 || !strings.Contains(rep.Errors[0], "answered the same request (POST /x) differently") {
			t.Errorf("asked %s: errors %q", ports, rep.Errors)
		}
		if f, err := cassette.Load(file); err != nil || !f.Partial {
			t.Errorf("asked %s: whole: %v", ports, err)
		}
	}
	for name, again := range map[string]struct {
		ports []string
		opts  []promptecho.Option
	}{
		"same ports":               {[]string{"1001", "1002"}, nil},
		"same ports, other order":  {[]string{"1002", "1001"}, nil},
		"other ports":              {[]string{"2001", "2002"}, nil},
		"one of them, AllowUnused": {[]string{"1001"}, []promptecho.Option{promptecho.AllowUnused()}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			clash(t, file, []string{"1001", "1002"})
			clash(t, file, again.ports, again.opts...)
			clash(t, file, again.ports, again.opts...)
		})
	}
	t.Run("the second is recorded by the second run", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeOnce), promptecho.Upstream(provider.Func(byHost)))
		local("1001").Ask(t, r)
		if rep := must.Finish(r, report.Outcome{Failed: true}); len(rep.Errors) != 0 {
			t.Error(rep.Errors)
		}
		clash(t, file, []string{"2001", "2002"})
	})
	t.Run("a whole cassette stays as it was", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeOnce), promptecho.Upstream(provider.Func(byHost)))
		local("1001").Ask(t, r)
		must.Pass(t, r)
		before := must.Read(t, file)
		r = must.Open(t, file, promptecho.InMode(promptecho.ModeNewEpisodes), promptecho.Upstream(provider.Func(byHost)))
		local("1001").Ask(t, r)
		local("1002").Ask(t, r)
		rep := must.Finish(r, report.Outcome{})
		if text := strings.Join(rep.Errors, "\n"); !strings.Contains(text, "differently") || !strings.Contains(text, "not written: it would hold recordings that replay cannot tell apart. What this run recorded is in "+file+".failed") {
			t.Error(text)
		}
		if must.Read(t, file) != before {
			t.Errorf("now it is\n%s", must.Read(t, file))
		}
		if _, err := os.Stat(file + ".failed"); err != nil {
			t.Error(err)
		}
	})
	t.Run("one server that is polled, on another port each run", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "c.yaml")
		for i, ports := range [][]string{{"1001"}, {"2002", "2002"}, {"3003", "3003", "3003"}} {
			up := provider.Func(func(req *http.Request) (*http.Response, error) { return provider.Says(fmt.Sprint(i)).RoundTrip(req) })
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeNewEpisodes), promptecho.Upstream(up))
			for _, p := range ports {
				local(p).Ask(t, r)
			}
			must.Pass(t, r)
		}
	})
}

// Which answers of two local servers are told apart, and which are no sign of two.
func TestClashOfServers(t *testing.T) {
	t.Parallel()
	status := func(first int) http.RoundTripper {
		return provider.Func(func(req *http.Request) (*http.Response, error) {
			if req.URL.Port() == "1001" {
				return provider.Statuses(`"none"`, first).RoundTrip(req)
			}
			return provider.Says(`"oauth"`).RoundTrip(req)
		})
	}
	redirect := func(to string) http.RoundTripper {
		return provider.Func(func(req *http.Request) (*http.Response, error) {
			header := http.Header{"Location": {strings.NewReplacer("HOST", req.URL.Host, "PORT", req.URL.Port()).Replace(to)}}
			return &http.Response{StatusCode: http.StatusSeeOther, Header: header, Body: http.NoBody, Request: req}, nil
		})
	}
	at := func(path string, hosts ...string) (list []must.Request) {
		for _, h := range hosts {
			list = append(list, must.Request{URL: "http://" + h + path})
		}
		return list
	}
	two := at("/.well-known/x", "127.0.0.1:1001", "127.0.0.1:1002")
	model := at("/v1/chat/completions", "127.0.0.1:1001", "127.0.0.1:1002")
	for i := range model {
		model[i].Body = must.Chat("").Body
	}
	tests := []struct {
		name  string
		up    http.RoundTripper
		asked []must.Request
		opts  []promptecho.Option
		clash bool
	}{
		{"two ports", provider.Func(byHost), two, nil, true},
		{"two ports that say the same", provider.Says(`"same"`), two, nil, false},
		{"Ignore(host)", provider.Func(byHost), two, []promptecho.Option{promptecho.Ignore("host")}, false},
		{"404 of one (MCP authorization)", status(404), two, nil, true},
		{"401 of one", status(401), two, nil, true},
		{"503, which is tried again", status(503), two, nil, false},
		{"429, which is tried again", status(429), two, nil, false},
		{"Location", redirect("/of/PORT"), two, nil, true},
		{"Location of itself", redirect("http://HOST/there"), two, nil, false},
		{"one server under two names, polled", provider.InTurn(`"pending"`, `"done"`), at("/x", "localhost:1001", "127.0.0.1:1001"), nil, false},
		{"two names of a proxy", provider.InTurn(`"jira"`, `"github"`), at("/x", "jira.localhost:1001", "github.localhost:1001"), nil, true},
		{"two that are polled", provider.InTurn(`1`, `1`, `2`, `1`, `2`), at("/x", "a:1", "a:1", "a:1", "b:1", "b:1"), nil, false},
		{"two that are polled in turn", provider.InTurn(`1`, `1`, `2`, `2`), at("/x", "a:1", "b:1", "a:1", "b:1"), nil, false},
		{"two that go on differently", provider.InTurn(`1`, `1`, `2`, `3`), at("/x", "a:1", "b:1", "a:1", "b:1"), nil, true},
		{"model servers, whose answers differ by chance", provider.Func(byHost), model, nil, false},
		{"model servers, Match(host)", provider.Func(byHost), model, []promptecho.Option{promptecho.Match("host")}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), append(tt.opts, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(tt.up), promptecho.OnRecordError(promptecho.Keep))...)
			for _, a := range tt.asked {
				req, _ := http.NewRequest("POST", a.URL, strings.NewReader(a.Body))
				resp, err := r.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			if err := r.Close(); (err != nil) != tt.clash || err != nil && !strings.Contains(err.Error(), "differently. Local hosts count as one origin") {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

// The lines that are printed can be pasted: a fixed port as it is, a port that is new in
// each run as the server's own address.
func TestClashIsPrinted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	up := func(req *http.Request) (*http.Response, error) { return provider.Says(req.URL.Port()).RoundTrip(req) }
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Func(up)))
	for _, host := range []string{"qdrant:6333", "127.0.0.1:41235", "[::1]:50001", "qdrant:6333"} {
		must.Request{URL: "http://" + host + "/x"}.Ask(t, r)
	}
	want := `promptecho: FILE: qdrant:6333, 127.0.0.1:41235 and [::1]:50001 answered the same request (POST /x) differently. Local hosts count as one origin, because their ports change from run to run: name those that differ, and give nodes of one service the same name:
  promptecho.Alias("http://qdrant:6333", "server1"),
  promptecho.Alias(server.URL, "server2"), // server: the *httptest.Server at http://127.0.0.1:41235
  promptecho.Alias(server.URL, "server3"), // server: the *httptest.Server at http://[::1]:50001
and record again:
  set PROMPTECHO_MODE=all, and run the program that uses FILE`
	if err := r.Close(); err == nil || strings.ReplaceAll(err.Error(), file, "FILE") != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// Requests that differ in what is not written, and were answered differently, are told
// when they are recorded; what is new with each call, retries and polls are not.
func TestUnsaid(t *testing.T) {
	t.Parallel()
	const thing, dated = "https://api.example/v1/thing", "https://api.example/2010-04-01/"
	with := func(name, value string) must.Request { return must.Request{URL: thing, Headers: []string{name, value}} }
	pair := func(name, a, b string) []must.Request { return []must.Request{with(name, a), with(name, b)} }
	token := func(claims string) string {
		encode := base64.RawURLEncoding.EncodeToString
		return "Bearer " + encode([]byte(`{"alg":"none"}`)) + "." + encode([]byte(claims)) + "." + encode([]byte("NOTREAL"))
	}
	aws := func(key, sig string) string {
		return "AWS4-HMAC-SHA256 Credential=" + key + "/20260102/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=" + sig
	}
	const (
		written = " To write it to the cassette and compare it, add\n  promptecho.Match(%[1]q),\nor, if it does not matter, promptecho.Ignore(%[1]q). Then record again:\n  set PROMPTECHO_MODE=all, and run the program that uses FILE"
		hashed  = " If it is a credential, use two cassettes, one per account. Otherwise, to write a hash of it and compare that, add\n  promptecho.Match(%[1]q),\nor, if it does not matter, promptecho.Ignore(%[1]q). Then record again:\n  set PROMPTECHO_MODE=all, and run the program that uses FILE"
		sign    = "QmFzZTY0IG9mIGEgc2lnbmF0dXJl"
		secret  = " It may be a credential, which is never written: use two cassettes, one per account. If it does not matter, add promptecho.Ignore(%q)"
	)
	tests := []struct {
		name, field, path string // field: empty if it is not told
		way               string
		asked             []must.Request
		opts              []promptecho.Option
	}{
		{"account", "header stripe-account", "header/stripe-account", written, pair("Stripe-Account", "acct_red", "acct_blue"), nil},
		{"tenant", "header x-tenant-id", "header/x-tenant-id", written, pair("X-Tenant-ID", "red", "blue"), nil},
		{"organization of an endpoint that is not known", "header openai-organization", "header/openai-organization", written, pair("OpenAI-Organization", "org-a", "org-b"), nil},
		{"one has it, one not", "header x-tenant-id", "header/x-tenant-id", written, []must.Request{{URL: thing}, with("X-Tenant-ID", "blue")}, nil},
		{"two pages of a list", "header x-page-token", "header/x-page-token", written, pair("X-Page-Token", "Zk3vQ9pXw7RtLm2NcY8bHs5D", "Qm8sT4vXy2PwKn6LbZ9cRj3F"), nil},
		{"two tokens", "header authorization", "header/authorization", secret, pair("Authorization", "Bearer NOTREAL-red", "Bearer NOTREAL-blue"), nil},
		{"two keys", "header x-api-key", "header/x-api-key", secret, pair("X-Api-Key", "NOTREAL-red", "NOTREAL-blue"), nil},
		{"two keys that sign", "header authorization", "header/authorization", secret, pair("Authorization", aws("AKIANOTREALRED", "1"), aws("AKIANOTREALBLUE", "2")), nil},
		{"two subjects of a web token", "header authorization", "header/authorization", secret, pair("Authorization", token(`{"sub":"red"}`), token(`{"sub":"blue"}`)), nil},
		{"two keys of a web token", "header authorization", "header/authorization", secret, pair("Authorization", token(`{"api_key":"red","exp":1}`), token(`{"api_key":"blue","exp":2}`)), nil},
		{"two keys before a signature", "header authorization", "header/authorization", secret, pair("Authorization", "acs RED:"+sign+"a=", "acs BLUE:"+sign+"b="), nil},
		{"two keys of Baidu", "header authorization", "header/authorization", secret, pair("Authorization", "bce-auth-v1/red/2026-01-02T03:04:05Z/1800/host/1", "bce-auth-v1/blue/2026-01-02T03:04:06Z/1800/host/2"), nil},
		{"two keys of a shared access signature", "header authorization", "header/authorization", secret, pair("Authorization", "SharedAccessSignature sr=a&sig=1&se=1&skn=red", "SharedAccessSignature sr=a&sig=2&se=2&skn=blue"), nil},
		{"two passwords of a user", "header authorization", "header/authorization", secret, pair("Authorization", "Bearer root:"+sign+"a", "Bearer root:"+sign+"b"), nil},
		{"two filters", "header x-filter", "header/x-filter", written, pair("X-Filter", "name eq:red", "name eq:blue"), nil},
		{"two logins", "cookie sid", "header/cookie/sid", secret, pair("Cookie", "sid=red; __cf_bm=1", "sid=blue; __cf_bm=1"), nil},
		{"tenant with a number", "header x-tenant-id", "header/x-tenant-id", written, pair("X-Tenant-ID", "1001", "1002"), nil},
		{"user with a UUID", "header x-user-id", "header/x-user-id", written, pair("X-User-ID", "9022bbce-7872-4001-991b-d872b93f257d", "1f2a3b4c-5d6e-4001-8a9b-0c1d2e3f4a5b"), nil},
		{"user for whom an administrator asks", "header sudo", "header/sudo", written, pair("Sudo", "17", "42"), nil},
		{"company with a long number", "header procore-company-id", "header/procore-company-id", written, pair("Procore-Company-Id", "562949953425831", "562949953425832"), nil},
		{"site with a UUID", "header wix-site-id", "header/wix-site-id", written, pair("wix-site-id", "9022bbce-7872-4001-991b-d872b93f257d", "1f2a3b4c-5d6e-4001-8a9b-0c1d2e3f4a5b"), nil},
		{"scope", "header amazon-advertising-api-scope", "header/amazon-advertising-api-scope", written, pair("Amazon-Advertising-API-Scope", "1234567890123", "1234567890124"), nil},
		{"entities", "header zuora-entity-ids", "header/zuora-entity-ids", written, pair("Zuora-Entity-Ids", "2c92a0f96bd69165016bdcbf55ad5e62", "2c92a0f96bd69165016bdcbf55ad5e63"), nil},
		{"team with a UUID", "header x-team-id", "header/x-team-id", written, pair("X-Team-Id", "9022bbce-7872-4001-991b-d872b93f257d", "1f2a3b4c-5d6e-4001-8a9b-0c1d2e3f4a5b"), nil},
		{"company with a number", "header x-company-id", "header/x-company-id", written, pair("X-Company-Id", "1", "2"), nil},
		{"page", "header x-page", "header/x-page", written, pair("X-Page", "1", "2"), nil},
		{"offset", "header x-offset", "header/x-offset", written, pair("X-Offset", "0", "100"), nil},
		{"logins in hexadecimal", "cookie connect.sid", "header/cookie/connect.sid", secret, pair("Cookie", "connect.sid=9f86d081884c7d659a2feaa0c55ad015", "connect.sid=60303ae22b998861bce3b28f33eec1be"), nil},
		{"logins of PHP", "cookie PHPSESSID", "header/cookie/PHPSESSID", secret, pair("Cookie", "PHPSESSID=9f86d081884c7d659a2feaa0c55ad015", "PHPSESSID=60303ae22b998861bce3b28f33eec1be"), nil},
		{"key in the URL", "query parameter api_key", "query/api_key", hashed, []must.Request{{URL: thing + "?api_key=" + "Zk3vQ9pXw7RtLm2NcY8bHs5D"}, {URL: thing + "?api_key=" + "Qm8sT4vXy2PwKn6LbZ9cRj3F"}}, nil},

		{"appid", "query parameter appid", "query/appid", hashed, []must.Request{{URL: thing + "?appid=9f86d081884c7d659a2feaa0c55ad015"}, {URL: thing + "?appid=60303ae22b998861bce3b28f33eec1be"}}, nil},
		{"key in a path with a date", "path", "path", secret, []must.Request{{URL: dated + "fc-9f86d081884c7d659a2feaa0c55ad015"}, {URL: dated + "fc-60303ae22b998861bce3b28f33eec1be"}}, nil},

		{"Match of a parameter", "", "", "", []must.Request{{URL: thing + "?code=Zk3vQ9pXw7RtLm2NcY8bHs5D"}, {URL: thing + "?code=Qm8sT4vXy2PwKn6LbZ9cRj3F"}}, []promptecho.Option{promptecho.Match("query/code")}},
		{"Match", "", "", "", pair("Stripe-Account", "acct_red", "acct_blue"), []promptecho.Option{promptecho.Match("header/stripe-account")}},
		{"Ignore", "", "", "", pair("Stripe-Account", "acct_red", "acct_blue"), []promptecho.Option{promptecho.Ignore("header/Stripe-Account")}},
		{"Redact", "", "", "", pair("X-Customer", "red", "blue"), []promptecho.Option{promptecho.RedactFields("x-customer")}},
		{"poll", "", "", "", pair("Authorization", "Bearer NOTREAL-red", "Bearer NOTREAL-red"), nil},
		{"model API", "", "", "", []must.Request{{URL: must.ChatURL, Body: must.Chat("").Body, Headers: []string{"OpenAI-Organization", "a"}}, {URL: must.ChatURL, Body: must.Chat("").Body, Headers: []string{"OpenAI-Organization", "b"}}}, nil},
		{"user agent", "", "", "", pair("User-Agent", "a", "b"), nil},
		{"trace", "", "", "", pair("traceparent", "00-1", "00-2"), nil},
		{"request id", "", "", "", pair("X-Ms-Client-Request-Id", "1", "2"), nil},
		{"trace of B3", "", "", "", pair("X-B3-TraceId", "1", "2"), nil},
		{"attempt", "", "", "", pair("X-Stainless-Retry-Count", "0", "1"), nil},
		{"attempt of AWS", "", "", "", pair("Amz-Sdk-Request", "attempt=1", "attempt=2"), nil},
		{"date", "", "", "", pair("X-Amz-Date", "20260102T030405Z", "20260102T030406Z"), nil},
		{"UUID that says nothing", "", "", "", pair("X-Ray", "9022bbce-7872-4001-991b-d872b93f257d", "1f2a3b4c-5d6e-4001-8a9b-0c1d2e3f4a5b"), nil},
		{"number that is drawn", "", "", "", pair("X-Ray", "89601180", "41776023"), nil},
		{"count of polls", "", "", "", pair("X-Poll", "1", "2"), nil},
		{"attempt of many", "", "", "", pair("X-Attempts-So-Far-Count", "1", "2"), nil},
		{"what is left of a deadline", "", "", "", pair("X-Remaining-Ms", "2999", "1877"), nil},
		{"code of the moment", "", "", "", pair("X-GitHub-OTP", "123456", "654321"), nil},
		{"nonce", "", "", "", pair("X-Nonce", "1", "2"), nil},
		{"idempotency", "", "", "", pair("Idempotency-Key", "1", "2"), nil},
		{"signature", "", "", "", pair("Authorization", aws("AKIANOTREALRED", "1"), aws("AKIANOTREALRED", "2")), nil},
		{"digest", "", "", "", pair("Authorization", `Digest username="u", nonce="1", response="a"`, `Digest username="u", nonce="2", response="b"`), nil},
		{"shared key", "", "", "", pair("Authorization", `SharedKey account:MTIz`, `SharedKey account:NDU2`), nil},
		{"web token that was renewed", "", "", "", pair("Authorization", token(`{"sub":"red","exp":1}`), token(`{"sub":"red","exp":2}`)), nil},
		{"web token of a key", "", "", "", pair("Authorization", token(`{"api_key":"red","exp":1,"timestamp":1}`), token(`{"api_key":"red","exp":2,"timestamp":2}`)), nil},
		{"web token of an app", "", "", "", pair("Authorization", token(`{"application_id":"red","iat":1,"nbf":1,"jti":"a"}`), token(`{"application_id":"red","iat":2,"nbf":2,"jti":"b"}`)), nil},
		{"web token with times alone", "", "", "", pair("Authorization", token(`{"iat":1,"exp":1}`), token(`{"iat":2,"exp":2}`)), nil},
		{"key before a signature", "", "", "", pair("Authorization", "Qiniu RED:"+sign+"a=", "Qiniu RED:"+sign+"b="), nil},
		{"Baidu", "", "", "", pair("Authorization", "bce-auth-v1/red/2026-01-02T03:04:05Z/1800/host/1", "bce-auth-v1/red/2026-01-02T03:04:06Z/1800/host/2"), nil},
		{"shared access signature", "", "", "", pair("Authorization", "SharedAccessSignature sr=a&sig=1&se=1&skn=red", "SharedAccessSignature sr=a&sig=2&se=2&skn=red"), nil},
		{"Cosmos DB", "", "", "", pair("Authorization", "type%3dmaster%26ver%3d1.0%26sig%3da", "type%3dmaster%26ver%3d1.0%26sig%3db"), nil},
		{"Akamai", "", "", "", pair("Authorization", "EG1-HMAC-SHA256 client_token=a;access_token=b;nonce=1;signature=1", "EG1-HMAC-SHA256 client_token=a;access_token=b;nonce=2;signature=2"), nil},
		{"header that is a signature", "", "", "", pair("OK-Access-Sign", sign+"a=", sign+"b="), nil},
		{"cookies of a network", "", "", "", pair("Cookie", "__cf_bm=1; AWSALB=1", "__cf_bm=2; AWSALB=2"), nil},
		{"cookie that an answer has set", "", "", "", []must.Request{{URL: thing}, with("Cookie", "sid=red")}, nil},
		{"signed URL", "", "", "", []must.Request{
			{URL: thing + "?X-Amz-Credential=AKIANOTREAL%2F20260101&X-Amz-Date=1&X-Amz-Signature=aa11"},
			{URL: thing + "?X-Amz-Credential=AKIANOTREAL%2F20260102&X-Amz-Date=2&X-Amz-Signature=bb22"},
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			for _, given := range [][]string{{`"same"`, `"same"`}, {`"one"`, `"two"`}} {
				r := must.Open(t, file, append(tt.opts, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.InTurn(given...)))...)
				for _, a := range tt.asked {
					a.Ask(t, r)
				}
				got, want := "", ""
				if tt.field != "" && given[0] != given[1] {
					endpoint := "http/api.example POST /v1/thing"
					if strings.HasPrefix(tt.asked[0].URL, dated) {
						endpoint = "http/api.example POST /2010-04-01/%5BREDACTED%5D"
					}
					if strings.Contains(tt.asked[0].Body, "jsonrpc") {
						endpoint = "llm/jsonrpc.tools/list"
					}
					want = "promptecho: FILE: as written here, interactions 1 and 2 have the same request (" + endpoint + "), but different answers. The requests that were sent differ in " + tt.field +
						", which is not written, so replay could not tell them apart." + fmt.Sprintf(tt.way, tt.path)
				}
				if err := r.Close(); err != nil {
					got = strings.ReplaceAll(err.Error(), file, "FILE")
				}
				if got != want {
					t.Errorf("got %s\nwant %s", got, want)
				}
				os.Remove(file)
			}
		})
	}
}

// TestToldApart: what only looks like a secret, or stands where one may, keeps two requests apart, even if they come in
// the other order; and it is not searched for elsewhere. Addresses of Ethereum are public; the others are made up.
func TestToldApart(t *testing.T) {
	t.Parallel()
	const api, coin, other = "https://api.example/v1/", "0x6B175474E89094C44Da98b954EedeAC495271d0F", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
	asJSON := []string{"Content-Type", "application/json"}
	get := func(a, b string) []must.Request { return []must.Request{{URL: api + a}, {URL: api + b}} }
	post := func(path, a, b string) []must.Request {
		return []must.Request{{URL: api + path, Body: a, Headers: asJSON}, {URL: api + path, Body: b, Headers: asJSON}}
	}
	says := func(text string) must.Request {
		return must.Request{URL: must.ChatURL, Body: `{"model":"m","messages":[{"role":"user","content":"` + text + `"}]}`, Headers: asJSON}
	}
	saying := func(a, b string, headers ...string) []must.Request {
		return []must.Request{{URL: must.ChatURL, Body: says(a).Body, Headers: headers}, {URL: must.ChatURL, Body: says(b).Body, Headers: headers}}
	}
	for _, tt := range []struct {
		name   string
		before []must.Request // what comes before them in each run
		two    []must.Request
		header []string // of the answers
	}{
		{"token that is sold", nil, get("price?sellToken="+coin, "price?sellToken="+other), nil},
		{"token of a public address", nil, get("price?token="+coin, "price?token="+other), nil},
		{"prompt after it", []must.Request{{URL: api + "price?token=" + coin}, {URL: api + "price?sellToken=" + other}}, saying("Is "+coin+" safe?", "Is "+other+" safe?"), nil},
		{"key of an object", nil, get("get?objectKey=Zk3vQ9pXw7RtLm2NcY8bHs5D", "get?objectKey=Qm8sT4vXy2PwKn6LbZ9cRj3F"), nil},
		{"key of a race", nil, get("laps?session_key=9161", "laps?session_key=9222"), nil},
		{"length of a password", nil, get("make?password_length=12", "make?password_length=20"), nil},
		{"path that says sample", nil, get("get?key=docs/sample-api-one.json", "get?key=docs/sample-api-two.json"), nil},
		{"who is logged in", nil, []must.Request{
			{URL: must.ChatURL, Body: says("Who is alice@example.com?").Body, Headers: []string{"X-Auth-Request-Email", "alice@example.com"}},
			{URL: must.ChatURL, Body: says("Who is bob@example.com?").Body, Headers: []string{"X-Auth-Request-Email", "bob@example.com"}},
		}, nil},
		{"key of a message", nil, []must.Request{
			{URL: api + "send", Body: `{"to":"customer-000123"}`, Headers: []string{"X-Message-Key", "customer-000123"}},
			{URL: api + "send", Body: `{"to":"customer-000456"}`, Headers: []string{"X-Message-Key", "customer-000456"}},
		}, nil},
		{"cookie with a city", nil, []must.Request{
			{URL: api + "near", Body: `{"in":"San Francisco, CA"}`, Headers: []string{"Cookie", "city=San%20Francisco%2C%20CA"}},
			{URL: api + "near", Body: `{"in":"New York City, NY"}`, Headers: []string{"Cookie", "city=New%20York%20City%2C%20NY"}},
		}, nil},
		{"keys of a cache", []must.Request{{URL: api + "page"}}, saying("Explain global-warming", "Explain quantum physics"), []string{"Surrogate-Key", "climate-change global-warming"}},
		{"page that a cookie repeats", nil, get("products/blue-shirt", "products/green-shirt"), []string{"Set-Cookie", "_landing_page=%2Fv1%2Fproducts%2Fblue-shirt"}},
		{"grant that is none", nil, post("shares", `{"grantType":"RSU","code":"A1-2026"}`, `{"grantType":"RSU","code":"A2-2026"}`), nil},
		{"number of an interaction", nil, get("interactions/123456789012345678/9f86d081884c7d659a2feaa0c55ad0159f86d081", "interactions/123456789012345678/60303ae22b998861bce3b28f33eec1be60303ae2"), nil},
		{"tools of a workshop", nil, post("jobs", `{"tools":[{"type":"drill"},{"type":"mill"}]}`, `{"tools":[{"type":"mill"},{"type":"drill"}]}`), nil},
		{"what a scrubber puts", nil, saying("My number is [REDACTED]. Help me.", "My number is 123-45-6789. Help me."), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			asked := 0
			live := provider.Func(func(req *http.Request) (*http.Response, error) {
				resp, err := provider.Says(fmt.Sprintf(`"answer %d"`, asked-len(tt.before))).RoundTrip(req)
				if asked++; tt.header != nil {
					resp.Header.Set(tt.header[0], tt.header[1])
				}
				return resp, err
			})
			for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
				r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(live))
				for _, a := range tt.before {
					a.Ask(t, r)
				}
				order := []int{0, 1}
				if mode == promptecho.ModeNone {
					order = []int{1, 0}
				}
				for _, i := range order {
					if got, want := tt.two[i].Ask(t, r), fmt.Sprintf(`"answer %d"`, i); got != want {
						t.Errorf("%s: %s got %s", mode, tt.two[i].URL+" "+tt.two[i].Body, got)
					}
				}
				must.Close(t, r)
			}
		})
	}
}

// A placeholder that an answer gives is sent back in replay where the live run sent the secret.
func TestPlaceholderSentBack(t *testing.T) {
	t.Parallel()
	const secret = "Zk3vQ9pXw7RtLm2NcY8bHs5D"
	asJSON := []string{"Content-Type", "application/json"}
	file := filepath.Join(t.TempDir(), "c.yaml")
	live := provider.Func(func(req *http.Request) (*http.Response, error) {
		resp, err := provider.Says(`"ok"`).RoundTrip(req)
		resp.Header.Set("X-Upload-Token", secret)
		return resp, err
	})
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		var notes []string
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(live), promptecho.Log(func(note string) { notes = append(notes, note) }))
		req, _ := http.NewRequest("GET", "https://api.example/start", nil)
		resp, err := r.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		// A second secret in the body, so that the two requests are not equal byte for byte.
		body := `{"upload":"` + resp.Header.Get("X-Upload-Token") + `","github":"ghp_` + "Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j" + `"}`
		if got := (must.Request{URL: "https://api.example/use", Body: body, Headers: asJSON}).Ask(t, r); got != `"ok"` {
			t.Errorf("%s: %s", mode, got)
		}
		must.Close(t, r)
		if mode == promptecho.ModeNone && len(notes) > 0 {
			t.Error(notes)
		}
	}
	if strings.Contains(must.Read(t, file), secret) {
		t.Error(must.Read(t, file))
	}
}

// A request that was refused is sent again with a new token, and one that failed with
// another one: that is no other account.
func TestUnsaidOfARetry(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 429, 503} {
		r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Statuses(`"x"`, status, 200)))
		for _, token := range []string{"old", "new"} {
			must.Request{URL: "https://api.example/x", Headers: []string{"Authorization", "Bearer NOTREAL-" + token}}.Ask(t, r)
		}
		must.Close(t, r)
	}
}

// What is printed works, a run in between changes nothing, and no value of what is not
// written stands in a file or a message.
func TestUnsaidIsNotWashedOut(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	list := []must.Request{
		{URL: "https://api.example/me", Headers: []string{"X-Tenant", "tenant-CANARY1"}},
		{URL: "https://api.example/me", Headers: []string{"X-Tenant", "tenant-CANARY2"}},
	}
	proposed := ""
	for run := range 3 {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeOnce), promptecho.Upstream(provider.InTurn(`"red"`, `"blue"`)))
		for _, a := range list {
			a.Ask(t, r)
		}
		rep := must.Finish(r, report.Outcome{})
		if len(rep.Errors) != 1 {
			t.Fatalf("run %d: %q", run, rep.Errors)
		}
		if m := regexp.MustCompile(`promptecho\.Match\("(.*?)"\)`).FindStringSubmatch(rep.Errors[0]); len(m) == 2 {
			proposed = m[1]
		}
		if text := must.Read(t, file) + strings.Join(rep.Errors, "") + strings.Join(rep.Notes, ""); strings.Contains(text, "CANARY") || !strings.Contains(text, "partial: true") {
			t.Errorf("run %d:\n%s", run, text)
		}
	}
	r := must.Open(t, file, promptecho.Match(proposed), promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.InTurn(`"red"`, `"blue"`)))
	for _, a := range list {
		a.Ask(t, r)
	}
	must.Pass(t, r)
	r = must.Open(t, file, promptecho.Match(proposed), promptecho.InMode(promptecho.ModeNone))
	if a, b := list[1].Ask(t, r), list[0].Ask(t, r); a != `"blue"` || b != `"red"` {
		t.Errorf("asked in another order: %s, %s", a, b)
	}
	must.Pass(t, r)
}

// Who is asked is said by the Host header and by the request line, not by the address
// of the connection alone.
func TestWhoIsAsked(t *testing.T) {
	t.Parallel()
	host := func(address, host string) *http.Request {
		req, _ := http.NewRequest("GET", address, nil)
		req.Host = host
		return req
	}
	line := func(host, opaque string) *http.Request {
		return &http.Request{Method: "GET", URL: &url.URL{Scheme: "https", Host: host, Opaque: opaque, RawQuery: "q=1"}, Header: http.Header{}}
	}
	tests := []struct {
		name    string
		a, b    *http.Request
		written string // URL of a
		same    bool
	}{
		{"virtual hosts", host("http://203.0.113.7/x", "a.example"), host("http://203.0.113.7/x", "b.example"), "http://a.example/x", false},
		{"one host on two addresses", host("http://203.0.113.7/x", "a.example"), host("http://203.0.113.8/x", "a.example"), "http://a.example/x", true},
		{"no Host", host("http://a.example/x", ""), host("http://a.example/x", "a.example"), "http://a.example/x", true},
		{"request line as it is", line("a.example", "/x%2Fy"), line("b.example", "/x%2Fy"), "https://a.example/x%2Fy?q=1", false},
		{"request lines that differ", line("a.example", "/x"), line("a.example", "/y"), "https://a.example/x?q=1", false},
		{"request line with a host", line("203.0.113.7", "//a.example/x"), host("https://a.example/x?q=1", ""), "https://a.example/x?q=1", true},
		{"request line with a host alone", line("203.0.113.7", "//a.example"), host("https://a.example?q=1", ""), "https://a.example?q=1", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`"answer"`)))
			if got := roundTrip(t, r, tt.a); got != 200 {
				t.Fatal(got)
			}
			must.Close(t, r)
			if text := must.Read(t, file); !strings.Contains(text, "url: "+tt.written+"\n") {
				t.Errorf("not %s:\n%s", tt.written, text)
			}
			r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			if got := roundTrip(t, r, tt.b); got == 200 != tt.same {
				t.Errorf("the same: %v, want %v", !tt.same, tt.same)
			}
			r.Close()
		})
	}
}

func roundTrip(t *testing.T, r *promptecho.Recorder, req *http.Request) (status int) {
	t.Helper()
	resp, err := r.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return resp.StatusCode
}

// A server with a name leads to itself under that name: what it writes as its address
// is today's when it is replayed, and what leads elsewhere stays.
func TestAliasOfRedirects(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	defer s.Close()
	mux.HandleFunc("/a", func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Link", "<"+s.URL+"/a?page=2>; rel=\"next\", <https://jira.example/b>; rel=\"alternate\"")
		http.Redirect(w, req, s.URL+"/b?back="+s.URL, http.StatusFound)
	})
	mux.HandleFunc("/b", func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Location", "http://jira.example/b")
		fmt.Fprint(w, "end")
	})
	visit := func(r *promptecho.Recorder, address string) (header http.Header, end *http.Response) {
		c := r.Client()
		c.CheckRedirect = func(req *http.Request, _ []*http.Request) error { header = req.Response.Header; return nil }
		end, err := c.Get(address + "/a")
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, end.Body)
		end.Body.Close()
		return header, end
	}
	r := must.Open(t, file, promptecho.Alias(s.URL, "jira"), promptecho.InMode(promptecho.ModeAll))
	if header, _ := visit(r, s.URL); header.Get("Location") != s.URL+"/b?back="+s.URL {
		t.Errorf("what the client got while recording: %v", header)
	}
	must.Close(t, r)
	text := must.Read(t, file)
	for _, want := range []string{"http://jira/b?back=", "<http://jira/a?page=2>; rel=\"next\", <https://jira.example/b>", "http://jira.example/b"} {
		if !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}

	const today = "http://127.0.0.1:9009"
	before := must.Read(t, file)
	f, err := cassette.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if back := f.Interactions[0].Response.Headers.Get("location"); strings.Count(back, "jira") != 1 {
		t.Errorf("only the address is a server's, not the query: %s", back)
	}
	for range 2 {
		r = must.Open(t, file, promptecho.Alias(today, "jira"), promptecho.InMode(promptecho.ModeNone))
		header, end := visit(r, today)
		if end.StatusCode != 200 || end.Request.URL.Host != "127.0.0.1:9009" || !strings.HasPrefix(header.Get("Location"), today+"/b?") ||
			header.Get("Link") != "<"+today+"/a?page=2>; rel=\"next\", <https://jira.example/b>; rel=\"alternate\"" || end.Header.Get("Content-Location") != "http://jira.example/b" {
			t.Errorf("replayed %d, %v, then %v", end.StatusCode, header, end.Header)
		}
		must.Close(t, r)
	}
	if must.Read(t, file) != before {
		t.Error("the cassette changed")
	}
}

// An alias that no request needs is noted: most likely it is of another port.
func TestAliasOfNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`"x"`)), promptecho.Alias("http://127.0.0.1:1001", "jira"), promptecho.Alias("http://127.0.0.1:1002", "github"))
		local("1001").Ask(t, r)
		var notes []string
		for _, note := range must.Finish(r, report.Outcome{}).Notes {
			if !strings.HasPrefix(note, "saved") {
				notes = append(notes, note)
			}
		}
		if want := file + `: Alias("http://127.0.0.1:1002", "github") has no effect: no request went to this server`; len(notes) != 1 || notes[0] != want {
			t.Errorf("%v: notes %q, want %q", mode, notes, want)
		}
	}
}

// An answer that one client has read to its end and another one in part is the same answer.
func TestReadInPartIsNoOtherAnswer(t *testing.T) {
	t.Parallel()
	answer := `{"text": "` + strings.Repeat("all work and no play ", 5000) + `"}` + "\n"
	read := map[string]func(io.Reader) error{
		"not":  func(io.Reader) error { return nil },
		"half": func(r io.Reader) error { _, err := io.ReadFull(r, make([]byte, len(answer)/2)); return err },
		"as a JSON value": func(r io.Reader) error {
			var v any
			return json.NewDecoder(r).Decode(&v)
		},
	}
	for name, read := range read {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, other := range []bool{false, true} {
				body := answer
				r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll))
				var servers []*httptest.Server
				for range 2 {
					servers = append(servers, httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) })))
					defer servers[len(servers)-1].Close()
				}
				for i, how := range []func(io.Reader) error{read, func(r io.Reader) error { _, err := io.ReadAll(r); return err }} {
					resp, err := r.Client().Get(servers[i].URL + "/health")
					if err != nil {
						t.Fatal(err)
					}
					if err := how(resp.Body); err != nil {
						t.Fatal(err)
					}
					resp.Body.Close()
					if other {
						body = `{"other": true}`
					}
				}
				err := r.Close()
				if isOther := err != nil && strings.Contains(err.Error(), "differently"); isOther != (other && name != "not") {
					t.Errorf("with another answer: %t; %v", other, err)
				}
			}
		})
	}
}

// Two servers that say the same at first, which nobody reads, and then something else, answer differently; so do two of
// which one says more than the other, and two streams of which one is left in the middle of an event do not.
func TestClashOfAnswersReadInPart(t *testing.T) {
	t.Parallel()
	long := "x" + strings.Repeat("all work and no play ", 10_000)
	stream := "data: {\"n\":1}\n\ndata: {\"n\":2}\n\ndata: [DONE]\n\n"
	for name, test := range map[string]struct {
		answers [2][]string // of each server
		read    []int       // bytes of each answer; -1 is all
		clash   bool
	}{
		"the second one differs": {[2][]string{{"starting", "a"}, {"starting", "b"}}, []int{0, -1}, true},
		"one says more":          {[2][]string{{long}, {"x"}}, []int{5000}, true},
		"half an event":          {[2][]string{{stream}, {stream}}, []int{20}, false},
		"another event":          {[2][]string{{stream}, {strings.ReplaceAll(stream, "1", "7")}}, []int{33}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll))
			for i, answers := range test.answers {
				n := 0
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					if strings.HasPrefix(answers[n], "data:") {
						w.Header().Set("Content-Type", "text/event-stream")
					}
					io.WriteString(w, answers[n])
				}))
				defer server.Close()
				for ; n < len(answers); n++ {
					resp, err := r.Client().Get(server.URL + "/state")
					if err != nil {
						t.Fatal(err)
					}
					size := int64(test.read[n])
					if size < 0 || i == 1 && len(test.read) == 1 {
						size = 1 << 30
					}
					io.CopyN(io.Discard, resp.Body, size)
					resp.Body.Close()
				}
			}
			err := r.Close()
			if clash := err != nil && strings.Contains(err.Error(), "differently"); clash != test.clash {
				t.Errorf("clash %t, want %t: %v", clash, test.clash, err)
			}
		})
	}
}

// A host that is ignored does not choose: the answers come in the recorded order, whichever host is asked first.
func TestIgnoredHostDoesNotChoose(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for i, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.InTurn("1", "2", "3", "4")), promptecho.Ignore("host"))
		for n := range 4 {
			a := must.Request{URL: fmt.Sprintf("https://es%d.example/_search", (n+i)%2), Body: `{"q":"a"}`}
			if got, want := a.Ask(t, r), fmt.Sprint(n+1); got != want {
				t.Errorf("%s: %s, want %s", mode, got, want)
			}
		}
		must.Close(t, r)
	}
}

// A client that goes on at the address which an answer names is at that of the recording in replay, where its own server
// has another port.
func TestAddressFromAnAnswer(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, port := range []string{"40001", "50001"} {
		mode := map[string]promptecho.Mode{"40001": promptecho.ModeAll, "50001": promptecho.ModeNone}[port]
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.InTurn("1", "2", "3")))
		for n, address := range []string{port, "40001", "40001"} {
			if got, want := (must.Request{URL: "http://127.0.0.1:" + address + "/docs/_count", Body: "{}"}).Ask(t, r), fmt.Sprint(n+1); got != want {
				t.Errorf("%s: %s, want %s", mode, got, want)
			}
		}
		must.Pass(t, r)
	}
}

// Two servers that have names, of which the client picks one by chance, get one name; their addresses are not in the cassette.
func TestNodesWithNames(t *testing.T) {
	t.Parallel()
	for _, port := range []string{"1001", "1002"} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		names := []promptecho.Option{promptecho.Alias("http://127.0.0.1:1001", "server1"), promptecho.Alias("http://127.0.0.1:1002", "server2"), promptecho.AllowUnused()}
		r := must.Open(t, file, append(names, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says("1")))...)
		local(port).Ask(t, r)
		r.Close()
		r = must.Open(t, file, append(names, promptecho.InMode(promptecho.ModeNone))...)
		local(map[string]string{"1001": "1002", "1002": "1001"}[port]).Ask(t, r)
		want := `give both the same name with the option Alias: "server1", and not "server2", and record again`
		if err := r.Close(); err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
}
