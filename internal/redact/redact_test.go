package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette"
)

const secret = "echo-secret-0123456789abcdef"

func headers(pairs ...string) cassette.Headers {
	var h cassette.Headers
	for i := 0; i < len(pairs); i += 2 {
		h = append(h, cassette.Header{Name: pairs[i], Values: []string{pairs[i+1]}})
	}
	return h
}

func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	p := &Policy{KeepHeaders: []string{"X-Tenant"}}
	req := cassette.Request{Method: "POST", URL: "https://api.openai.com/v1/x", Headers: headers(
		"authorization", "Bearer "+secret,
		"x-api-key", secret+"2",
		"cookie", "a=b",
		"x-goog-api-key", secret+"3",
		"x-made-up-yesterday", secret+"4",
		"openai-organization", "org-1",
		"anthropic-version", "2023-06-01",
		"Content-Type", "application/json",
		"x-tenant", "blue",
	)}
	p.Request(&req)
	want := headers("anthropic-version", "2023-06-01", "content-type", "application/json", "x-tenant", "blue")
	if !reflect.DeepEqual(req.Headers, want) {
		t.Errorf("headers = %v, want %v", req.Headers, want)
	}
}

func TestResponseHeaders(t *testing.T) {
	t.Parallel()
	var p Policy
	resp := cassette.Response{
		Headers: headers("content-type", "text/event-stream", "set-cookie", "__cf_bm=x", "date", "today",
			"openai-organization", "org-1", "x-request-id", "req_1", "x-amzn-bedrock-input-token-count", "3",
			"x-ratelimit-remaining-tokens", "1", "content-length", "12", "location", "https://u:p@host/a?sig=abc&alt=sse"),
		Trailers: headers("x-should-retry", "false", "x-secret", "x"),
	}
	p.Response(&cassette.Request{}, &resp)
	want := headers("content-length", "12", "content-type", "text/event-stream", "location", "https://host/a?sig=[REDACTED]&alt=sse",
		"x-amzn-bedrock-input-token-count", "3", "x-request-id", "req_1")
	if !reflect.DeepEqual(resp.Headers, want) {
		t.Errorf("headers = %v\nwant      %v", resp.Headers, want)
	}
	if want := headers("x-should-retry", "false"); !reflect.DeepEqual(resp.Trailers, want) {
		t.Errorf("trailers = %v, want %v", resp.Trailers, want)
	}
}

func TestURL(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1/chat/completions"},
		{"https://user:pa55word@host:8080/p", "https://host:8080/p"},
		{"https://user@host/p@q", "https://host/p@q"},
		{"https://host/m:gen?alt=sse&key=AIzaXYZ", "https://host/m:gen?alt=sse&key=[REDACTED]"},
		{"https://host/?%6bey=v", "https://host/?%6bey=[REDACTED]"},
		{"https://host/?api-version=2024-10-21&limit=5&after=abc&order=asc", "https://host/?api-version=2024-10-21&limit=5&after=abc&order=asc"},
		{"https://host/?X-Amz-Signature=a&X-Amz-Credential=b&X-Goog-Date=c&sig=d&upload_id=e&access_token=f", "https://host/?X-Amz-Signature=[REDACTED]&X-Amz-Credential=[REDACTED]&X-Goog-Date=[REDACTED]&sig=[REDACTED]&upload_id=[REDACTED]&access_token=[REDACTED]"},
		{"https://host/?flag&empty=&a=;b", "https://host/?flag&empty=&a=[REDACTED-" + "3d8b2b2c]"},
		{"https://host/?key=[REDACTED]", "https://host/?key=[REDACTED]"},
		{"https://host/#frag", "https://host/#frag"},
		{"/relative?key=x", "/relative?key=[REDACTED]"},
	}
	for _, tt := range tests {
		var p Policy
		got := p.url(tt.in)
		if strings.Contains(tt.want, "REDACTED-") {
			// The hash is of the value, so it is checked by its properties below.
			got, tt.want = got[:strings.Index(got, "REDACTED-")], tt.want[:strings.Index(tt.want, "REDACTED-")]
		}
		if got != tt.want {
			t.Errorf("url(%q) = %q, want %q", tt.in, got, tt.want)
		}
		if again := p.url(p.url(tt.in)); again != p.url(tt.in) {
			t.Errorf("cleaning %q twice gives %q", tt.in, again)
		}
	}
}

func TestIsSecret(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Authorization", "Proxy-Authorization", "x-api-key", "Api-Key", "apikey", "X-Goog-Api-Key", "X-Amz-Security-Token", "key",
		"access_token", "accessToken", "client.secret", "sig", "Cookie", "Set-Cookie", "Ocp-Apim-Subscription-Key", "X-Auth-Token", "password",
	} {
		if !isSecret(name) {
			t.Errorf("%s is no secret", name)
		}
	}
	for _, name := range []string{
		"keyword", "monkey", "author", "pageToken", "page_token", "nextToken", "continuation-token", "Idempotency-Key", "tokens", "q", "", "-", "cursor", "sort_key",
	} {
		if isSecret(name) {
			t.Errorf("%s is a secret", name)
		}
	}
}

// Two requests that differ in a parameter nobody knows must not become one,
// and the value must not be written.
func TestUnknownQueryValuesStayApart(t *testing.T) {
	t.Parallel()
	var p Policy
	for _, name := range []string{"cursor", "keyword", "author", "page_token", "q"} {
		a, b := p.url("https://host/?"+name+"=aaaa"), p.url("https://host/?"+name+"=bbbb")
		if a == b || strings.Contains(a, "aaaa") {
			t.Errorf("%q and %q", a, b)
		}
	}
}

func TestOwnCredentialsAreFound(t *testing.T) {
	t.Parallel()
	basic := base64.StdEncoding.EncodeToString([]byte("user:" + secret + "-password"))
	tests := []struct {
		name    string
		url     string
		headers cassette.Headers
		echo    string // what must not be written
	}{
		{"bearer", "https://h/", headers("authorization", "Bearer "+secret), secret},
		{"plain header", "https://h/", headers("X-Api-Key", secret), secret},
		{"basic password", "https://h/", headers("authorization", "Basic "+basic), secret + "-password"},
		{"AWS key id", "https://h/", headers("authorization", "AWS4-HMAC-SHA256 Credential=EXAMPLEKEYID0001/20250101/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=0123456789abcdef0123"), "EXAMPLEKEYID0001"},
		{"AWS signature", "https://h/", headers("authorization", "AWS4-HMAC-SHA256 Credential=EXAMPLEKEYID0001/20250101/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=0123456789abcdef0123"), "0123456789abcdef0123"},
		{"query", "https://h/?key=" + secret, nil, secret},
		{"userinfo", "https://u:" + secret + "@h/", nil, secret},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p Policy
			req := cassette.Request{URL: tt.url, Headers: tt.headers, Body: []byte("my key is " + tt.echo)}
			p.Request(&req)
			resp := cassette.Response{
				Body:    []byte(`{"error":"invalid key ` + tt.echo + `"}`),
				Headers: headers("x-request-id", "for "+tt.echo),
				Events:  []cassette.Event{{{Name: "data", Value: tt.echo}}},
				Text:    tt.echo,
				Error:   tt.echo,
			}
			p.Response(&cassette.Request{}, &resp)
			all := req.URL + string(req.Body) + string(resp.Body) + resp.Headers[0].Values[0] + resp.Events[0][0].Value + resp.Text + resp.Error
			if strings.Contains(all, tt.echo) {
				t.Errorf("the secret is still in %s", all)
			}
			if want := "my key is " + Placeholder; string(req.Body) != want {
				t.Errorf("body = %q, want %q", req.Body, want)
			}
		})
	}
}

// What only looks like a credential, or is too short to be searched for,
// leaves bodies alone.
func TestBodiesAreLeftAlone(t *testing.T) {
	t.Parallel()
	var p Policy
	p.AddSecret("short")
	p.AddSecret("REDACTED")
	req := cassette.Request{URL: "https://h/?key=test-key", Headers: headers(
		"authorization", "Bearer dummy", "idempotency-key", "0123456789abcdef", "user-agent", "openai-go/3.95.0",
		"x-goog-api-client", "genai-go/1.77.0", "x-amz-date", "20250101T000000Z"),
		Body: []byte("short dummy test-key openai-go/3.95.0 genai-go/1.77.0 0123456789abcdef 20250101T000000Z [REDACTED]")}
	want := string(req.Body)
	p.Request(&req)
	if string(req.Body) != want {
		t.Errorf("body = %q, want it as it was", req.Body)
	}
}

func TestCredentialFields(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"OAuth answer", `{"access_token": "ya29.x", "expires_in": 3599, "token_type": "Bearer", "id_token":"a\"b"}`, `{"access_token": "[REDACTED]", "expires_in": 3599, "token_type": "Bearer", "id_token":"[REDACTED]"}`},
		{"OAuth form", `grant_type=client_credentials&client_id=me&client_secret=s3cr%25et&scope=a`, `grant_type=client_credentials&client_id=me&client_secret=[REDACTED]&scope=a`},
		{"JWT bearer form", `assertion=eyJ.x.y&grant_type=urn%3Aietf`, `assertion=[REDACTED]&grant_type=urn%3Aietf`},
		{"multipart", "--b\r\nContent-Disposition: form-data; name=\"client_secret\"\r\n\r\ns3cret\r\n--b--\r\n", "--b\r\nContent-Disposition: form-data; name=\"client_secret\"\r\n\r\n[REDACTED]\r\n--b--\r\n"},
		{"multipart password", "--b\r\nContent-Disposition: form-data; name=\"password\"\r\nContent-Type: text/plain\r\n\r\np\r\n--b--\r\n", "--b\r\nContent-Disposition: form-data; name=\"password\"\r\nContent-Type: text/plain\r\n\r\n[REDACTED]\r\n--b--\r\n"},
		{"password form", `username=u&password=p`, `username=u&password=[REDACTED]`},
		{"instance metadata", `{"AccessKeyId":"id","SecretAccessKey":"k","Token":"t","Expiration":"2025-01-02T03:04:05Z"}`, `{"AccessKeyId":"id","SecretAccessKey":"[REDACTED]","Token":"[REDACTED]","Expiration":"2999-01-02T03:04:05Z"}`},
		{"STS request", `Action=AssumeRoleWithWebIdentity&RoleArn=arn&WebIdentityToken=eyJ`, `Action=AssumeRoleWithWebIdentity&RoleArn=arn&WebIdentityToken=[REDACTED]`},
		{"STS", `<Credentials><SecretAccessKey>k</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2025-01-02T03:04:05Z</Expiration></Credentials>`, `<Credentials><SecretAccessKey>[REDACTED]</SecretAccessKey><SessionToken>[REDACTED]</SessionToken><Expiration>2999-01-02T03:04:05Z</Expiration></Credentials>`},
		{"token counts", `{"usage":{"input_tokens":1,"max_tokens":"x","token":"the","completion_tokens_details":{}}}`, ""},
		{"logprobs", `{"token":"_secret","logprob":-1}`, ""},
		{"prose", `{"text":"set your client_secret=abc and access_token"}`, ""},
		{"code", `{"code":"assertion failed","private_key_file":"x"}`, ""},
		{"expiry of something else", `{"expiration":"2025-01-02T03:04:05Z"}`, ""},
	}
	for _, tt := range tests {
		if tt.want == "" {
			tt.want = tt.in
		}
		var p Policy
		resp := cassette.Response{Body: []byte(tt.in), Events: []cassette.Event{{{Name: "data", Value: tt.in}}}}
		p.Response(&cassette.Request{}, &resp)
		req := cassette.Request{URL: "https://h/", Body: []byte(tt.in)}
		p.Request(&req)
		for where, got := range map[string]string{"answer": string(resp.Body), "event": resp.Events[0][0].Value, "request": string(req.Body)} {
			if got != tt.want {
				t.Errorf("%s, %s: %s\nwant %s", tt.name, where, got, tt.want)
			}
		}
		if again := string(p.fields(p.fields([]byte(tt.in)))); again != tt.want {
			t.Errorf("%s: cleaned twice: %s", tt.name, again)
		}
	}
}

// TestPlaces: credentials for other servers that requests carry. The fields are
// those of the vendors' references (json.go names them).
func TestPlaces(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"Anthropic MCP", `{"mcp_servers":[{"type":"url","url":"https://x/","authorization_token":"a\"b"}]}`, `{"mcp_servers":[{"type":"url","url":"https://x/","authorization_token":"[REDACTED]"}]}`},
		{"Responses MCP", `{"tools": [ {"type":"mcp","authorization" : "tok"} ]}`, `{"tools": [ {"type":"mcp","authorization" : "[REDACTED]"} ]}`},
		{"echoed in an event", `{"type":"response.created","response":{"tools":[{"authorization":"tok"}]}}`, `{"type":"response.created","response":{"tools":[{"authorization":"[REDACTED]"}]}}`},
		{"secret headers", `{"tools":[{"headers":{"Authorization":"Bearer x","X-Api-Key":"k","Accept":"a"}}]}`, `{"tools":[{"headers":{"Authorization":"[REDACTED]","X-Api-Key":"[REDACTED]","Accept":"a"}}]}`},
		{"Azure search", `{"data_sources":[{"parameters":{"authentication":{"type":"api_key","key":"k"},"index_name":"i"}}]}`, `{"data_sources":[{"parameters":{"authentication":{"type":"api_key","key":"[REDACTED]"},"index_name":"i"}}]}`},
		{"Azure connection", `{"data_sources":[{"parameters":{"authentication":{"type":"connection_string","connection_string":"a=b"}}}]}`, `{"data_sources":[{"parameters":{"authentication":{"type":"connection_string","connection_string":"[REDACTED]"}}}]}`},
		{"realtime", `{"client_secret":{"value":"ek_1","expires_at":1}}`, `{"client_secret":{"value":"[REDACTED]","expires_at":1}}`},
		{"one JSON a line", "{\"a\":1}\n{\"tools\":[{\"authorization\":\"t\"}]}\n", "{\"a\":1}\n{\"tools\":[{\"authorization\":\"[REDACTED]\"}]}\n"},
		{"a tool's argument", `{"input":{"authorization":"please","headers":{"X-Api-Key":"k"}}}`, ""},
		{"a schema", `{"tools":[{"input_schema":{"properties":{"headers":{"type":"object"},"authorization":{"type":"string"}}}}]}`, ""},
		{"broken JSON", `{"tools":[{"authorization"`, ""},
		{"empty", `{"tools":[{"authorization":""}]}`, ""},
		{"no string", `{"tools":[{"authorization":null,"headers":{}}]}`, ""},
	}
	for _, tt := range tests {
		if tt.want == "" {
			tt.want = tt.in
		}
		var p Policy
		req := cassette.Request{URL: "https://h/", Body: []byte(tt.in)}
		p.Request(&req)
		if string(req.Body) != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, req.Body, tt.want)
		}
		p.Request(&req)
		if string(req.Body) != tt.want {
			t.Errorf("%s: cleaned twice: %s", tt.name, req.Body)
		}
		resp := cassette.Response{Events: []cassette.Event{{{Name: "data", Value: tt.in}}}}
		p.Response(&req, &resp)
		if got := resp.Events[0][0].Value; got != tt.want {
			t.Errorf("%s, event: %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// A header of a tool that is not plainly a secret may decide the answer: it is
// hidden, and told from others.
func TestToolHeadersStayApart(t *testing.T) {
	t.Parallel()
	clean := func(tenant string) string {
		var p Policy
		req := cassette.Request{URL: "https://h/", Body: []byte(`{"tools":[{"headers":{"X-Tenant":"` + tenant + `"}}]}`)}
		p.Request(&req)
		return string(req.Body)
	}
	if a, b := clean("north"), clean("south"); a == b || strings.Contains(a, "north") {
		t.Errorf("%s\n%s", a, b)
	}
}

// TestEscapedSecret: a known value is found in JSON, however it is escaped there.
func TestEscapedSecret(t *testing.T) {
	t.Parallel()
	const value = "-----BEGIN KEY-----\nMII<EvQ>&/+\"x\\y\n-----END KEY-----"
	html, err := json.Marshal(map[string]string{"text": value})
	if err != nil {
		t.Fatal(err)
	}
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]string{"text": value}); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{string(html), plain.String(), strings.ReplaceAll(plain.String(), "/", `\/`)} {
		var p Policy
		p.AddSecret(value)
		req := cassette.Request{URL: "https://h/", Body: []byte(body)}
		p.Request(&req)
		if want := `{"text":"[REDACTED]"}`; strings.TrimSpace(string(req.Body)) != want {
			t.Errorf("%s became %s", body, req.Body)
		}
	}
}

// TestCheckInteraction: what could not be replaced is found wherever it stands,
// also in a spelling that only a JSON reader understands.
func TestCheckInteraction(t *testing.T) {
	t.Parallel()
	odd := `"` + strings.Replace(secret, secret[:1], fmt.Sprintf(`\u%04x`, secret[0]), 1) + `"`
	tests := []struct {
		where string
		it    cassette.Interaction
	}{
		{"request.url", cassette.Interaction{Request: cassette.Request{URL: "https://h/" + secret}}},
		{"request.body", cassette.Interaction{Request: cassette.Request{Body: []byte(`{"a":[{"b":` + odd + `}]}`)}}},
		{"request.body", cassette.Interaction{Request: cassette.Request{Body: []byte(`{` + odd + `:1}`)}}},
		{"response.body", cassette.Interaction{Response: cassette.Response{Body: []byte(secret)}}},
		{"response.events[1]", cassette.Interaction{Response: cassette.Response{Events: []cassette.Event{{{Name: "data", Value: "a"}}, {{Name: "data", Value: odd}}}}}},
		{"response.text", cassette.Interaction{Response: cassette.Response{Text: secret}}},
		{"response.error", cassette.Interaction{Response: cassette.Response{Error: secret}}},
	}
	for _, tt := range tests {
		var p Policy
		if err := p.CheckInteraction("f.yaml", &tt.it); err != nil {
			t.Errorf("%s: nothing is known, yet %v", tt.where, err)
		}
		p.AddSecret(secret)
		err := p.CheckInteraction("f.yaml", &tt.it)
		if err == nil || !strings.HasPrefix(err.Error(), "f.yaml: "+tt.where+" would hold a known secret") || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", tt.where, err)
		}
	}
}

func TestSignedURLsInHeaders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Location", "Operation-Location", "Azure-AsyncOperation"} {
		var p Policy
		resp := cassette.Response{Headers: headers(name, "https://u:pw@h/op/1?api-version=1&t=6387&c=MIIHcert&s=SIGNATURE")}
		p.Response(&cassette.Request{}, &resp)
		got := resp.Headers[0].Values[0]
		if strings.Contains(got, "SIGNATURE") || strings.Contains(got, "pw@") || !strings.Contains(got, "api-version=1") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestNamesAndPatterns: what the user wants replaced, in every place.
func TestNamesAndPatterns(t *testing.T) {
	t.Parallel()
	p := &Policy{
		KeepHeaders: []string{"X-Customer", "X-Note"},
		Names:       []string{"customer", "Age", "x-customer"},
		Patterns:    []*regexp.Regexp{regexp.MustCompile(`[a-z]+@[a-z]+\.example`), regexp.MustCompile(`iban ([A-Z]{2}\d+)`)},
	}
	tests := []struct{ in, want string }{
		{`{"customer":"Ada","deep":[{"AGE": -36.5,"ages":[1]}],"n":1}`, `{"customer":"[REDACTED]","deep":[{"AGE": 0,"ages":[1]}],"n":1}`},
		{`customer=Ada&n=1`, `customer=[REDACTED]&n=1`},
		{"--b\r\nContent-Disposition: form-data; name=\"customer\"\r\n\r\nAda\r\n--b--\r\n", "--b\r\nContent-Disposition: form-data; name=\"customer\"\r\n\r\n[REDACTED]\r\n--b--\r\n"},
		{`write to ada@home.example, iban DE123`, `write to [REDACTED], iban [REDACTED]`},
		{`nothing of it`, `nothing of it`},
	}
	for _, tt := range tests {
		req := cassette.Request{URL: "https://h/ada@home.example?customer=Ada&limit=1", Headers: headers("x-customer", "Ada", "x-note", "ada@home.example"), Body: []byte(tt.in)}
		for range 2 { // cleaning a clean one changes nothing
			p.Request(&req)
			if string(req.Body) != tt.want {
				t.Errorf("%s\nwant %s", req.Body, tt.want)
			}
			if req.URL != "https://h/[REDACTED]?customer=[REDACTED]&limit=1" || req.Headers.Get("x-customer") != Placeholder || req.Headers.Get("x-note") != Placeholder {
				t.Errorf("%s %v", req.URL, req.Headers)
			}
		}
		resp := cassette.Response{Body: []byte(tt.in), Text: tt.in, Events: []cassette.Event{{{Name: "data", Value: tt.in}}}}
		p.Response(&req, &resp)
		if string(resp.Body) != tt.want || resp.Events[0][0].Value != tt.want {
			t.Errorf("%s\n%s\nwant %s", resp.Body, resp.Events[0][0].Value, tt.want)
		}
	}
}

// TestEnvironment: which variables hold a credential.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	var p Policy
	p.Environment([]string{
		"OPENAI_API_KEY=" + secret, "DB_PASSWORD=Tr0ub4dor&3xyz", "SSH_AUTH_SOCK=/tmp/ssh-XXXX0123/agent.1", "AUTH_MODE=interactive_login", "API_KEY=short",
		"HOME=/home/me0123456789", "NOT_A_VARIABLE", "KEYBOARD=de-latin1-0123456789", "TOKEN=",
		"MODEL_KEY=gpt-4o-mini-2024-07-18", "LANGFUSE_SECRET=0a1b2c3d-4e5f-6789-abcd-ef0123456789",
	})
	var got []string
	for _, v := range p.known() {
		got = append(got, v.plain)
	}
	if want := []string{"0a1b2c3d-4e5f-6789-abcd-ef0123456789", secret, "Tr0ub4dor&3xyz"}; !slices.Equal(got, want) {
		t.Errorf("known: %d values, want those of three variables", len(got))
	}
}

// TestSplitSecret: a model that says a key in pieces is not written.
func TestSplitSecret(t *testing.T) {
	t.Parallel()
	event := func(name, value string) cassette.Event { return cassette.Event{{Name: name, Value: value}} }
	delta := func(s string) cassette.Event {
		return event("data", fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%q}}],"id":"x"}`, s))
	}
	tests := []struct {
		name   string
		events []cassette.Event
		held   bool
	}{
		{"in two pieces of JSON", []cassette.Event{delta("key: " + secret[:9]), delta(secret[9:] + ".")}, true},
		{"letter by letter", func() (e []cassette.Event) {
			for _, c := range secret {
				e = append(e, delta(string(c)))
			}
			return e
		}(), true},
		{"in two pieces of text", []cassette.Event{event("data", secret[:9]), event("data", secret[9:])}, true},
		{"in two fields that nobody joins", []cassette.Event{event("data", secret[:9]), event("id", secret[9:])}, false},
		{"at two places that nobody joins", []cassette.Event{event("data", `{"a":"`+secret[:9]+`"}`), event("data", `{"b":"`+secret[9:]+`"}`)}, false},
		{"not at all", []cassette.Event{delta("hello"), delta("world")}, false},
	}
	for _, tt := range tests {
		var p Policy
		p.AddSecret(secret)
		err := p.CheckInteraction("f.yaml", &cassette.Interaction{Response: cassette.Response{Stream: "sse", Events: tt.events}})
		if (err != nil) != tt.held || err != nil && (!strings.Contains(err.Error(), "split over several") || strings.Contains(err.Error(), secret)) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestInstanceMetadataToken(t *testing.T) {
	t.Parallel()
	var p Policy
	req := cassette.Request{Method: "PUT", URL: "http://169.254.169.254/latest/api/token"}
	resp := cassette.Response{Status: 200, Body: []byte("AQAEANotReal==")}
	p.Response(&req, &resp)
	if string(resp.Body) != Placeholder {
		t.Errorf("body %q", resp.Body)
	}
}

func TestTheCallersBytesDoNotChange(t *testing.T) {
	t.Parallel()
	var p Policy
	p.AddSecret(secret)
	body := []byte("a " + secret)
	req := cassette.Request{URL: "https://h/", Body: body}
	p.Request(&req)
	if string(body) != "a "+secret {
		t.Errorf("the caller's body is now %q", body)
	}
	if string(req.Body) != "a "+Placeholder {
		t.Errorf("the clean body is %q", req.Body)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	var p Policy
	p.AddSecret(secret + "/+")
	for _, held := range []string{
		secret + "/+",
		url.QueryEscape(secret + "/+"),
		base64.StdEncoding.EncodeToString([]byte(secret + "/+")),
		base64.StdEncoding.EncodeToString([]byte(secret + "/+ and more")),
		base64.StdEncoding.EncodeToString([]byte("u:" + secret + "/+")),
		base64.StdEncoding.EncodeToString([]byte("u" + secret + "/+ and more")),
		base64.URLEncoding.EncodeToString([]byte(secret + "/+")),
		strings.ReplaceAll(secret+"/+", "/", `\/`),
	} {
		err := p.Check("f.yaml", []byte("line 1\nline 2 "+held+"\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "f.yaml: line 2 would hold a known secret (") {
			t.Errorf("Check of %q: %v", held, err)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
	if err := p.Check("f.yaml", []byte("all clean")); err != nil {
		t.Error(err)
	}
}

func TestLongestSecretFirst(t *testing.T) {
	t.Parallel()
	var p Policy
	p.AddSecret("abcdefgh")
	p.AddSecret("abcdefgh-ijklmnop")
	if got := string(p.Bytes([]byte("x abcdefgh-ijklmnop y"))); got != "x "+Placeholder+" y" {
		t.Errorf("got %q", got)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("https://u:p@host/a?key=v&limit=1#f", "body")
	f.Add("?a=%zz&&=", secret)
	f.Add("://@?#", "")
	f.Add("//tt:pymtRRRRRRRtpo@\xee?=\x7f", "") // url.Parse refuses it
	f.Add("https://h/", `{"tools":[{"authorization":"a","headers":{"a":"\\""}}]}`)
	f.Fuzz(func(t *testing.T, rawURL, body string) {
		var p Policy
		p.AddSecret(secret)
		req := cassette.Request{URL: rawURL, Body: []byte(body)}
		p.Request(&req)
		once := req
		p.Request(&req)
		if !reflect.DeepEqual(once, req) {
			t.Errorf("cleaning %q twice: %+v, then %+v", rawURL, once, req)
		}
		if strings.Contains(req.URL+"\n"+string(req.Body), secret) {
			t.Errorf("the secret is still in %q %q", req.URL, req.Body)
		}
	})
}
