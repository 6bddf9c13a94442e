package redact

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/coding"
	"github.com/promptecho/promptecho/internal/testing/encode"
)

const secret = "echo-secret-0123456789abcdef"

func headers(pairs ...string) interaction.Headers {
	var h interaction.Headers
	for i := 0; i < len(pairs); i += 2 {
		h = append(h, interaction.Header{Name: pairs[i], Values: []string{pairs[i+1]}})
	}
	return h
}

// Only request headers of an allow-list are written, and those that KeepHeaders names.
func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	p := &Policy{KeepHeaders: []string{"x-tenant"}}
	req := interaction.Request{Method: "POST", URL: "https://api.openai.com/v1/x", Headers: headers(
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

// Response headers are written without those that are noise, and with their secrets replaced.
func TestResponseHeaders(t *testing.T) {
	t.Parallel()
	var p Policy
	resp := interaction.Response{
		Headers: headers("content-type", "text/event-stream", "set-cookie", "__cf_bm=x", "date", "today",
			"openai-organization", "org-1", "x-request-id", "req_1", "x-amzn-bedrock-input-token-count", "3",
			"x-ratelimit-remaining-tokens", "1", "content-length", "12", "location", "https://u:p@host/a?sig=k7Qx2mPz9Vw4Lr8Tn3Yb6&alt=sse"),
		Trailers: headers("x-should-retry", "false", "x-secret", "x"),
	}
	p.Response(&interaction.Request{}, &resp)
	want := headers("content-length", "12", "content-type", "text/event-stream", "location", "https://host/a?sig=[REDACTED]&alt=sse",
		"x-amzn-bedrock-input-token-count", "3", "x-request-id", "req_1")
	if !reflect.DeepEqual(resp.Headers, want) {
		t.Errorf("headers = %v\nwant      %v", resp.Headers, want)
	}
	if want := headers("x-secret", Placeholder, "x-should-retry", "false"); !reflect.DeepEqual(resp.Trailers, want) {
		t.Errorf("trailers = %v, want %v", resp.Trailers, want)
	}
}

// A checksum of a body in which a secret was replaced is one of another body: a client that checks it would refuse the
// answer.
func TestSumsOfBodies(t *testing.T) {
	t.Parallel()
	for body, kept := range map[string]bool{`{"text": "hello"}`: true, `{"text": "my key is ` + secret + `"}`: false} {
		var p Policy
		p.AddSecret(secret)
		sums := headers("content-md5", "x", "docker-content-digest", "sha256:x", "x-amz-checksum-sha256", "x", "x-goog-hash", "crc32c=x")
		resp := interaction.Response{Status: 200, Body: []byte(body), Headers: slices.Concat(sums, headers("etag", "x")), Trailers: headers("repr-digest", "x")}
		p.Response(&interaction.Request{URL: "https://h/"}, &resp)
		if want := map[bool]int{true: len(sums) + 2, false: 1}[kept]; len(resp.Headers)+len(resp.Trailers) != want {
			t.Errorf("%s: %v, %v", resp.Body, resp.Headers, resp.Trailers)
		}
	}
}

// drawnKey is made up: it looks drawn by lot, as keys do.
const drawnKey = "NOTREALk7Qx2mPz9Vw4Lr8Tn3Yb6"

// A URL is written without user and password, and with its credentials and unusual values replaced.
func TestURL(t *testing.T) {
	t.Parallel()
	key := strings.ReplaceAll(drawnKey, "NOTREAL", "")
	tests := []struct{ in, want string }{
		{"https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1/chat/completions"},
		{"https://user:pa55word@host:8080/p", "https://host:8080/p"},
		{"https://user@host/p@q", "https://host/p@q"},
		{"https://host/m:gen?alt=sse&key=" + key, "https://host/m:gen?alt=sse&key=[REDACTED]"},
		{"https://host/?%6bey=" + key + "&API-KEY=" + key + "&accesstoken=" + key, "https://host/?%6bey=[REDACTED]&API-KEY=[REDACTED]&accesstoken=[REDACTED]"},
		{"https://host/?api-version=2024-10-21&limit=5&after=abc&order=asc", "https://host/?api-version=2024-10-21&limit=5&after=abc&order=asc"},
		{"https://host/?password=hunter2&passwd=x", "https://host/?password=[REDACTED]&passwd=[REDACTED]"},
		{"https://host/?flag&empty=&a=;b%00", "https://host/?flag&empty=&a=" + hashed(";b\x00")},
		{"https://host/?key=[REDACTED]&q=%5BREDACTED-0123abcd%5D", "https://host/?key=[REDACTED]&q=[REDACTED-0123abcd]"},
		{"https://host/?q=[REDACTED]%20and%20more", "https://host/?q=" + hashed("[REDACTED] and more")},
		{"https://host/#frag", "https://host/#frag"},
		{"/relative?key=" + key, "/relative?key=[REDACTED]"},
	}
	for _, tt := range tests {
		var p Policy
		if got := p.redactURL(tt.in); got != tt.want {
			t.Errorf("url(%q) = %q, want %q", tt.in, got, tt.want)
		}
		if again := p.redactURL(p.redactURL(tt.in)); again != p.redactURL(tt.in) {
			t.Errorf("cleaning %q twice gives %q", tt.in, again)
		}
	}
}

// A value that looks like a key, under a URL parameter that may have one, is replaced; others stay
// apart.
func TestQueryCredentials(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		"k7Qx2mPz9Vw4Lr8Tn3Yb6", "AIza" + "SyD3x9Qm2Vw7Lr4Tn8Yb1Kp5Zc0Hf6Jg2Rs", "9f86d081884c7d659a2feaa0c55ad015", `correct"horse\battery`, `correct/horse"\battery`, "k7Qx2mPz9Vw4/Lr8Tn3Yb6+Jd5Hg0Rs==", "Zk3vQ9.pXw7RtLm2NcY8bHs5D.9f8a7B6c5D4e",
		"dummy", "fake-key", "PLACEHOLDER", "test-key", "test_api_key", "your-api-key", "YOUR_TOKEN", "promptecho-replay-SERP_KEY", "sk-test", "changeme", "xxxxxxxx",
	} {
		for _, name := range []string{"key", "api_key", "apikey", "X-Api-Key", "token", "code", "sig"} {
			var p Policy
			if got := p.redactURL("https://h/?" + name + "=" + url.QueryEscape(value)); got != "https://h/?"+name+"=[REDACTED]" {
				t.Errorf("%s=%s is %s", name, value, got)
			}
		}
	}
	// These are data, or may be: two of them must not become one.
	var p Policy
	seen := map[string]string{}
	for _, value := range []string{
		"alpha", "beta", "A-1", "A-2", "test", "test-1", "test-2", "demo", "foo", "latest-key", "snowflake", "2024-01-02T03:04:05Z", "2024-01-03T03:04:05Z",
		"customer-2024-0001", "customer-2024-0002", "invoices/2024/report-17.pdf", "invoices/2024/report-18.pdf", "report2024q3final", "report2024q4final", "users.by.name", "users.by.9f8a7B6c5D4e3F2a", "users.by.1a2B3c4D5e6F7a8b",
		"photos/9f8a7B6c5D4e3F2a.jpg", "photos/1a2B3c4D5e6F7a8b.jpg", "9f8a7B6c5D4e3F2a.PNG", "1a2B3c4D5e6F7a8b.PNG", "/9f8a7B6c5D4e3F2a", "/1a2B3c4D5e6F7a8b",
		"2024/9f8a7B6c5D4e3F2a", "2024/1a2B3c4D5e6F7a8b", "3f/2c/8a1190b44c9e8a77", "3f/2d/8a1190b44c9e8a77",
		"3f2c8a11-90b4-4c9e-8a77-1d0a2b3c4d5e", "77aa8a11-90b4-4c9e-8a77-1d0a2b3c4d00", "1234567890123456", "1234567890123457", "US", "DE",
		`"customer-2024-1"`, `"customer-2024-2"`, `HKLM\Software\Version1`, `HKLM\Software\Version2`, "<Root> & <Leaf> one", "<Root> & <Leaf> two",
	} {
		req := interaction.Request{URL: "https://h/?key=" + url.QueryEscape(value)}
		p.Request(&req)
		if other := seen[req.URL]; other != "" {
			t.Errorf("%s and %s are both %s", other, value, req.URL)
		}
		seen[req.URL] = value
		if issue := p.redactURL("https://h/?issueKey=" + url.QueryEscape(value)); !strings.Contains(issue, "[REDACTED-") {
			t.Errorf("issueKey=%s is %s", value, issue)
		}
	}
	if p.Count() > 0 {
		t.Error("data became a known secret")
	}
}

// Hardly any key in base64, which may have slashes, is taken for a path.
func TestKeysAreNoPaths(t *testing.T) {
	t.Parallel()
	d := drawer{rand.New(rand.NewPCG(21, 22))}
	const draws = 5000
	missed := 0
	for range draws {
		for _, v := range []string{d.from(stdSet, 32), d.from(stdSet, 40), d.from(stdSet, 88), d.from(urlSet, 36) + "." + d.from(urlSet, 43)} {
			if isPath(v) {
				missed++
			}
		}
	}
	if missed*100 > 4*draws {
		t.Errorf("%d of %d are paths, want 1 in 100 at most", missed, 4*draws)
	}
}

// A value under a URL parameter that can only be a credential is replaced, whatever it looks like.
func TestCertainCredentials(t *testing.T) {
	t.Parallel()
	const uuid, hex = "3f2b8c1e-7a4d-4e9b-a1c6-5d8e0f2a7b94", "9f86d081884c7d659a2feaa0c55ad015"
	values := []string{"", "test", "x", "none", "abc123", "ci", "your-key", "a/b.txt", "%zz", uuid, hex, drawnKey}
	for _, q := range []string{
		"https://h/?api_key", "https://h/?apikey", "https://h/?api-key", "https://h/?X-Api-Key", "https://h/?apiKey", "https://h/?serp_api_key",
		"https://h/?access_token", "https://h/?accesstoken", "https://h/?accessToken", "https://h/?auth_token", "https://h/?%61uth_token",
		"https://h/?subscription-key", "https://h/?Ocp-Apim-Subscription-Key", "https://h/?client_secret", "https://h/?password", "https://h/?session_token",
		"https://maps.googleapis.com/?key", "https://generativelanguage.googleapis.com:443/?key",
		"https://api.openweathermap.org/?appid", "https://API.OpenWeatherMap.org/?APPID", "https://api.trello.com/?token",
	} {
		for _, v := range values {
			var p Policy
			if got := p.redactURL(q + "=" + v + "&q=a"); got != q+"=[REDACTED]&q=a" || p.redactURL(got) != got {
				t.Errorf("%s=%s is %s", q, v, got)
			}
		}
		var p Policy
		if got := p.redactURL(q + "&q=a"); got != q+"=[REDACTED]&q=a" {
			t.Errorf("%s is %s", q, got)
		}
	}
	if a, b := new(Policy).redactURL("https://h/?appid="+hex), new(Policy).redactURL("https://h/?appid=wx9f86d081884c7d65"); a != "https://h/?appid=[REDACTED]" || b == a {
		t.Errorf("%s and %s", a, b)
	}
	if got := (&Policy{Names: []string{"key"}}).redactURL("https://h/?key="); got != "https://h/?key=[REDACTED]" {
		t.Errorf("a name that the user gave: %s", got)
	}
	// These are data, or may be: two of them must not become one, and none is the
	// parameter that is not there.
	for _, q := range []string{
		"https://h/?key", "https://h/?token", "https://h/?code", "https://h/?session", "https://h/?auth", "https://h/?sig", "https://h/?appid", "https://h/?accountKey",
		"https://api.trello.com.example/?key", "https://notgoogleapis.com/?key", "https://maps.googleapis.com/?token", "https://h/?requires_api_key", "https://h/?page_token", "https://h/?api_key_id",
	} {
		values := []string{"", "x", "none", "abc123"}
		if strings.HasSuffix(q, "requires_api_key") {
			values = []string{"true", "false"}
		}
		var p Policy
		seen := map[string]string{p.redactURL(strings.Split(q, "?")[0]): "none at all"}
		for _, v := range values {
			req := interaction.Request{URL: q + "=" + v}
			p.Request(&req)
			if other, ok := seen[req.URL]; ok {
				t.Errorf("%s: %s and %s are both %s", q, other, v, req.URL)
			}
			seen[req.URL] = v
		}
		if p.Count() > 0 {
			t.Errorf("%s: data became a known secret", q)
		}
	}
}

// TestWrongEscapes: what is escaped wrongly is not what it looks like when it is
// escaped well, wherever it goes.
func TestWrongEscapes(t *testing.T) {
	t.Parallel()
	var p Policy
	seen := map[string]string{}
	for _, v := range []string{"%zz", "%25zz", "%2525zz", "%00%25zz", "%00%00%25zz", "%", "%25"} {
		got := p.redactURL("https://h/?q=" + v)
		if other, ok := seen[got]; ok {
			t.Errorf("%s and %s are both %s", other, v, got)
		}
		seen[got] = v
	}
}

// TestQuerySpellings: a value is the same however it is escaped, and names are known
// in every spelling.
func TestQuerySpellings(t *testing.T) {
	t.Parallel()
	var p Policy
	for _, same := range [][]string{
		{"q=who%20are+you%3F", "q=who+are%20you%3f"},
		{"q=a%2Fb%3Ac%40d", "q=a/b:c@d"},
	} {
		if a, b := p.redactURL("https://h/?"+same[0]), p.redactURL("https://h/?"+same[1]); a != b {
			t.Errorf("%s is %s, %s is %s", same[0], a, same[1], b)
		}
	}
	if a, b := p.redactURL("https://h/?q=a%2Bb+c"), p.redactURL("https://h/?q=a+b+c"); a == b {
		t.Errorf("a plus and a space are both %s", a)
	}
}

// The signature of a signed URL becomes a constant, and what the URL asks for stays.
func TestSignedURLs(t *testing.T) {
	t.Parallel()
	const r = "[REDACTED]"
	tests := []struct{ name, in, want string }{
		{"AWS", "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=NOTREAL%2F20250101&X-Amz-Date=20250101T000000Z&X-Amz-Expires=900&X-Amz-Signature=ab&X-Amz-SignedHeaders=host&x-id=GetObject",
			"X-Amz-Algorithm=" + r + "&X-Amz-Credential=" + r + "&X-Amz-Date=" + r + "&X-Amz-Expires=" + r + "&X-Amz-Signature=" + r + "&X-Amz-SignedHeaders=" + r + "&x-id=GetObject"},
		{"Google", "X-Goog-Date=20250101T000000Z&X-Goog-Signature=ab&X-Goog-Expires=900&generation=3", "X-Goog-Date=" + r + "&X-Goog-Signature=" + r + "&X-Goog-Expires=" + r + "&generation=3"},
		{"Azure", "st=2024-01-01T00%3A00%3A00Z&se=2024-01-02&sp=r&sv=2021-08-06&sr=b&rscd=inline&skoid=1&sig=a%2Fb", "st=" + r + "&se=" + r + "&sp=" + r + "&sv=" + r + "&sr=" + r + "&rscd=inline&skoid=" + r + "&sig=" + r},
		{"CloudFront", "Policy=x&Signature=y&Key-Pair-Id=K1&Expires=1700000000&size=2", "Policy=" + r + "&Signature=" + r + "&Key-Pair-Id=" + r + "&Expires=" + r + "&size=2"},
		{"Alibaba", "x-oss-process=resize&x-oss-date=20250101T000000Z&x-oss-expires=900&x-oss-credential=NOTREAL&x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-additional-headers=host&x-oss-security-token=a%2Fb&x-oss-signature=ab&response-content-type=text",
			"x-oss-process=resize&x-oss-date=" + r + "&x-oss-expires=" + r + "&x-oss-credential=" + r + "&x-oss-signature-version=" + r + "&x-oss-additional-headers=" + r + "&x-oss-security-token=" + r + "&x-oss-signature=" + r + "&response-content-type=text"},
		// What is asked for, although it is named as what signs.
		{"of AWS", "X-Amz-Signature=ab&x-amz-checksum-mode=ENABLED&X-Amz-Security-Token=a%2Fb", "X-Amz-Signature=" + r + "&x-amz-checksum-mode=ENABLED&X-Amz-Security-Token=" + r},
		{"of Google", "X-Goog-Signature=ab&x-goog-meta-size=2&X-Goog-SignedHeaders=host", "X-Goog-Signature=" + r + "&x-goog-meta-size=2&X-Goog-SignedHeaders=" + r},
		// Not signed: these are parameters like any other.
		{"no signature", "X-Amz-Date=20250101T000000Z&se=SE&sp=ES&sv=sv&Expires=1700000000&Policy=retain", ""},
	}
	for _, tt := range tests {
		if tt.want == "" {
			tt.want = tt.in
		}
		var p Policy
		got := p.redactURL("https://h/a?" + tt.in)
		if got != "https://h/a?"+tt.want || p.redactURL(got) != got {
			t.Errorf("%s: %s\nwant %s", tt.name, got, tt.want)
		}
	}

	// A picture in two sizes is two pictures.
	picture := func(process, signature string) string {
		return new(Policy).redactURL("https://b.oss-cn-hangzhou.aliyuncs.com/p.jpg?x-oss-process=image/resize," + process + "&x-oss-signature=" + signature)
	}
	if a, b, again := picture("w_100", "aa11"), picture("w_200", "bb22"), picture("w_100", "cc33"); a == b || a != again {
		t.Errorf("%s\n%s\n%s", a, b, again)
	}

	// The same in a request's body, however "&" is escaped there. An answer keeps
	// everything but the signature.
	sign := func(day string) string {
		return `{"image":"https://h/a.png?size=2\u0026X-Amz-Date=202501` + day + `T000000Z\u0026X-Amz-Signature=` + strings.Repeat("0a7f3c9e", 7) + `5b1d82` + day + `", "se":"` + day + `"}`
	}
	clean := func(body string) string {
		var p Policy
		req := interaction.Request{URL: "https://h/", Body: []byte(body)}
		p.Request(&req)
		once := string(req.Body)
		if p.Request(&req); string(req.Body) != once {
			t.Errorf("cleaned twice: %s", req.Body)
		}
		return once
	}
	if a, b := clean(sign("01")), clean(strings.ReplaceAll(sign("02"), `"02"`, `"01"`)); a != b || !strings.Contains(a, "size=2") {
		t.Errorf("signed anew:\n%s\n%s", a, b)
	}
	if a, b := clean(sign("01")), clean(strings.Replace(sign("01"), "size=2", "size=3", 1)); a == b {
		t.Errorf("two sizes are both %s", a)
	}
	var p Policy
	resp := interaction.Response{Body: []byte(sign("01"))}
	if p.Response(&interaction.Request{}, &resp); !strings.Contains(string(resp.Body), "X-Amz-Date=20250101T000000Z") || !strings.Contains(string(resp.Body), "X-Amz-Signature=effaced0effaced0") {
		t.Errorf("answer: %s", resp.Body)
	}

	// So do the answers of other services, also in events.
	for _, query := range []string{
		"Expires=1795000000&OSSAccessKeyId=u&Signature=SECRET", "GoogleAccessId=x&Expires=1795000000&Signature=SECRET", "Expires=1795000000&Signature=SECRET&Key-Pair-Id=K2",
		"X-Tos-Expires=86400&X-Tos-Signature=SECRET", "q-sign-algorithm=sha1&q-sign-time=1&q-signature=SECRET", "x-oss-expires=900&x-oss-signature=SECRET&x-oss-process=a",
	} {
		for _, and := range []string{"&", `\u0026`, "&amp;"} {
			const secret = "k9Fq2xZr81LmPq7T"
			was := `{"url":"https://h/a.png?` + strings.ReplaceAll(query, "&", and) + `"}`
			text := strings.Replace(was, "SECRET", secret, 1)
			resp := interaction.Response{Body: []byte(text), Events: []interaction.Event{{{Name: "data", Value: text}}}}
			new(Policy).Response(&interaction.Request{}, &resp)
			if want := strings.Replace(was, "SECRET", r, 1); string(resp.Body) != want || resp.Events[0][0].Value != want {
				t.Errorf("%s\nand event %s\nwant %s", resp.Body, resp.Events[0][0].Value, want)
			}
		}
	}
}

// A cursor that looks like a credential becomes a hash, so the request for the next page finds its
// recording.
func TestCursors(t *testing.T) {
	t.Parallel()
	d := drawer{rand.New(rand.NewPCG(9, 9))}
	for _, cursor := range []string{"42", "opaque_Zk3vQ9", "sk-" + d.from(alnums, 48), d.jwt(), d.jwt(), "https://h/v1/items?limit=2&cursor=" + d.jwt(), "/items?page_token=" + d.jwt() + "&limit=2"} {
		for _, name := range []string{"next_page_token", "nextPageToken", "next", "nextCursor", "@odata.nextLink", "continuationToken", "resumptionToken"} {
			for _, ask := range []func(cursor string) interaction.Request{
				func(c string) interaction.Request {
					if strings.Contains(c, "?") {
						return interaction.Request{URL: c}
					}
					return interaction.Request{URL: "https://h/v1/items?page_token=" + url.QueryEscape(c)}
				},
				func(c string) interaction.Request {
					return interaction.Request{URL: "https://h/v1/items?starting_after=" + c + "&limit=2"}
				},
				func(c string) interaction.Request {
					return interaction.Request{URL: "https://h/v1/items?$skipToken=" + c}
				},
				func(c string) interaction.Request {
					return interaction.Request{URL: "https://h/", Body: []byte(`{"params": {"cursor" : "` + c + `"}}`)}
				},
				func(c string) interaction.Request {
					return interaction.Request{URL: "https://h/", Body: []byte(`limit=2&PageToken=` + c)}
				},
			} {
				var p Policy
				recorded := ask(cursor)
				p.Request(&recorded)
				answer := interaction.Response{Body: []byte(`{"data":[],"` + name + `": "` + cursor + `"}`)}
				p.Response(&interaction.Request{}, &answer)
				var got map[string]any
				if err := json.Unmarshal(answer.Body, &got); err != nil {
					t.Fatal(err)
				}
				replayed := ask(got[name].(string))
				p.Request(&replayed)
				if !reflect.DeepEqual(replayed, recorded) {
					t.Errorf("%s is %s\nrecorded %s %s\nreplayed %s %s", name, got[name], recorded.URL, recorded.Body, replayed.URL, replayed.Body)
				}
				third := ask(strings.NewReplacer(cursor[max(0, len(cursor)-6):], "Qw3rTz").Replace(cursor))
				if p.Request(&third); reflect.DeepEqual(third, recorded) {
					t.Errorf("two pages are both %s %s", recorded.URL, recorded.Body)
				}
			}
		}
	}
}

// A value in a URL that cannot be a secret stays readable.
func TestPlainQueryValues(t *testing.T) {
	t.Parallel()
	plain := []string{
		"true", "False", "on", "mp3", "linear16", "1080p", "30d", "en-US", "nova-3-general", "aura-2-thalia-en", "created_at", "-createdAt", "Ada", "GET",
		"42", "-0.7", "1739096063", "1739096063123", "2024-02-15", "2024-02-15T03:04:05Z", "2024-02-15T03%3A04%3A05.678%2B01:00", "20240215T030405Z", "03:04",
		"id,name,-createdAt", "1,2,3", "json;enum-encoding",
	}
	for _, v := range plain {
		var p Policy
		if got := p.redactURL("https://h/?x=" + v); got != "https://h/?x="+v {
			t.Errorf("%s is %s", v, got)
		}
	}
	known := "hollow-word-list"
	for _, v := range []string{
		"ada@home.example", "Ada+Lovelace", "c1234567-2222-2222-3333-444444444444", "k7Qx2mPz9Vw4", "kQzRtYwPxMnB", "9f86d081884c7d659a2feaa0c55ad015", "4915123456789", "5551234567",
		"4111111111111111", "what+is+it", known, "x" + known, "qzxkvwptgh", "JBSWYDPEHPK", "id,k7Qx2mPz9Vw4", "a/b", "%00", "{}", strings.Repeat("a,", 17) + "b",
	} {
		var p Policy
		p.AddSecret(known)
		if got := p.redactURL("https://h/?x=" + v); !strings.Contains(got, "[REDACTED") || strings.Contains(got, v) {
			t.Errorf("%s is %s", v, got)
		}
	}
}

// TestUploads: a client goes on at the URL that an answer gave it, and asks for what
// is recorded; another upload is another one.
func TestUploads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ header, url string }{
		{"X-Goog-Upload-Url", "https://g/upload/v1beta/files?upload_id=AbCdEf0123456789AbCdEf&upload_protocol=resumable"},
		{"Location", "https://g/upload/storage/v1/b/x/o?uploadType=resumable&upload_id=ABPnzm7Kq3xVb-Lw0PyT"},
		{"Location", "/files/24e533e02ec3bc40c387f1a0e460e216"}, // tus 1.0
		{"Operation-Location", "https://r.cognitiveservices.azure.com/documentModels/x/analyzeResults/3f2b8c1e-7a4d-4e9b-a1c6-5d8e0f2a7b94?api-version=2024-11-30"},
		{"Location", "https://acct.blob.core.windows.net/c/b?comp=block&blockid=QUFB&sv=2021-08-06&sr=b&sp=w&se=2024-01-01T00%3A00%3A00Z&sig=NOTREAL%3D"},
		{"Content-Location", "/v1/uploads/upload_abc123/parts?partNumber=1"},
		{"Link", "https://api.github.com/repositories/1/issues?page=2&after=Y3Vyc29yOnYyOpK5MjAy"},
	} {
		var p Policy
		value := tt.url
		if tt.header == "Link" {
			value = "<" + tt.url + `>; rel="next", <https://h/last>; rel="last"`
		}
		recorded := interaction.Request{Method: "PUT", URL: tt.url}
		p.Request(&recorded)
		answer := interaction.Response{Headers: headers(tt.header, value)}
		p.Response(&interaction.Request{}, &answer)
		if len(answer.Headers) == 0 {
			t.Errorf("%s is not written", tt.header)
			continue
		}
		given := answer.Headers[0].Values[0]
		if tt.header == "Link" {
			given, _, _ = strings.Cut(given[1:], ">")
		}
		for _, spelled := range []string{given, strings.NewReplacer("[", "%5B", "]", "%5D").Replace(given)} {
			replayed := interaction.Request{Method: "PUT", URL: spelled}
			if p.Request(&replayed); replayed.URL != recorded.URL {
				t.Errorf("%s: recorded %s, replayed %s", tt.header, recorded.URL, replayed.URL)
			}
		}
	}
	var p Policy
	if a, b := p.redactURL("https://g/upload?upload_id=AbCdEf0123456789AbCdEf"), p.redactURL("https://g/upload?upload_id=BbCdEf0123456789AbCdEf"); a == b || strings.Contains(a, "AbCdEf") {
		t.Errorf("two uploads: %s and %s", a, b)
	}
}

func TestIsSecret(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Authorization", "Proxy-Authorization", "x-api-key", "Api-Key", "apikey", "X-Goog-Api-Key", "X-Amz-Security-Token", "key",
		"access_token", "accessToken", "client.secret", "sig", "APIKEY", "accesstoken", "subscriptionkey", "auth[token]", "x-jwt-secret", "Cookie", "Set-Cookie", "Ocp-Apim-Subscription-Key", "X-Auth-Token", "password",
	} {
		if !isSecret(name) {
			t.Errorf("%s is no secret", name)
		}
	}
	for _, name := range []string{
		"keyword", "monkey", "author", "cursor_token", "Next-Page-Token", "pageToken", "page_token", "nextToken", "continuation-token", "Idempotency-Key", "tokens", "q", "", "-", "cursor", "sort_key",
	} {
		if isSecret(name) {
			t.Errorf("%s is a secret", name)
		}
	}
}

// Unusual values in URLs become hashes, so that requests which differ in one stay apart.
func TestUnknownQueryValuesStayApart(t *testing.T) {
	t.Parallel()
	var p Policy
	for _, name := range []string{"keyword", "author", "q"} {
		a, b := p.redactURL("https://host/?"+name+"=k7Qx2mPz9Vw4"), p.redactURL("https://host/?"+name+"=k7Qx2mPz9Vw5")
		if a == b || strings.Contains(a, "k7Qx") {
			t.Errorf("%q and %q", a, b)
		}
	}
}

// A credential that a request sends in its headers, cookies or URL is replaced wherever else it
// appears.
func TestOwnCredentialsAreFound(t *testing.T) {
	t.Parallel()
	basic := base64.StdEncoding.EncodeToString([]byte("user:" + secret + "-password"))
	tests := []struct {
		name    string
		url     string
		headers interaction.Headers
		echo    string // what must not be written
	}{
		{"bearer", "https://h/", headers("authorization", "Bearer "+secret), secret},
		{"plain header", "https://h/", headers("X-Api-Key", secret), secret},
		{"basic password", "https://h/", headers("authorization", "Basic "+basic), secret + "-password"},
		{"basic password of words and a number", "https://h/", headers("authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("u:summer-2024-paris"))), "summer-2024-paris"},
		{"basic password of letters", "https://h/", headers("authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("u:pplnibbeeteqxzez"))), "pplnibbeeteqxzez"},
		{"bearer of letters", "https://h/", headers("authorization", "Bearer tRqWzLpKmXvNbHgFdSaJ"), "tRqWzLpKmXvNbHgFdSaJ"},
		{"key like the name of a model, but random", "https://h/", headers("X-Api-Key", "tr-9f8e7d6c5b4a3928"), "tr-9f8e7d6c5b4a3928"},
		{"userinfo with a number", "https://u:Elasticsearch2024@h/", nil, "Elasticsearch2024"},
		{"AWS key id", "https://h/", headers("authorization", "AWS4-HMAC-SHA256 Credential=EXAMPLEKEYID0001/20250101/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=0123456789abcdef0123"), "EXAMPLEKEYID0001"},
		{"AWS signature", "https://h/", headers("authorization", "AWS4-HMAC-SHA256 Credential=EXAMPLEKEYID0001/20250101/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=0123456789abcdef0123"), "0123456789abcdef0123"},
		{"token with parameters", "https://h/", headers("authorization", `Token token="`+secret+`", nonce="abc"`), secret},
		{"cookie", "https://h/", headers("cookie", "theme=dark; session="+secret), secret},
		{"quoted cookie", "https://h/", headers("Cookie", `id="`+secret+`"`), secret},
		{"digest response", "https://h/", headers("authorization", `Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`), "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"},
		{"digest nonce", "https://h/", headers("proxy-authorization", `Digest username="Mufasa", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", response="753927fa0e85d155"`), "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"},
		{"OAuth token", "https://h/", headers("authorization", `OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_token="nnch734d00sl2jdk", oauth_signature="74KNZJeDHnMBp0EMJ9ZHt%2FXKycU%3D"`), "nnch734d00sl2jdk"},
		{"OAuth consumer key", "https://h/", headers("authorization", `OAuth oauth_consumer_key="dpf43f3p2l4k3l03",oauth_token="nnch734d00sl2jdk"`), "dpf43f3p2l4k3l03"},
		{"OAuth signature", "https://h/", headers("authorization", `OAuth oauth_signature="74KNZJeDHnMBp0EMJ9ZHt%2FXKycU%3D"`), "74KNZJeDHnMBp0EMJ9ZHt/XKycU="},
		{"HTTP signature", "https://h/", headers("authorization", `Signature keyId="k1",signature="Zk3vQ9pXw7RtLm2NcY8bHs5D"`), "Zk3vQ9pXw7RtLm2NcY8bHs5D"},
		{"shared access signature", "https://h/", headers("authorization", `SharedAccessSignature sr=h&sig=Zk3vQ9pXw7RtLm2NcY8bHs5D%3D&se=1&skn=n`), "Zk3vQ9pXw7RtLm2NcY8bHs5D="},
		{"shared key", "https://h/", headers("authorization", `SharedKey account:Zk3vQ9pXw7RtLm2NcY8bHs5D=`), "Zk3vQ9pXw7RtLm2NcY8bHs5D="},
		{"a key of two parts", "https://h/", headers("x-api-key", "k1:Zk3vQ9pXw7RtLm2NcY8bHs5D"), "k1:Zk3vQ9pXw7RtLm2NcY8bHs5D"},
		{"key of FCM", "https://h/", headers("authorization", "key="+secret), secret},
		{"X-JWT", "https://h/", headers("X-JWT", secret), secret},
		{"X-Session-Id", "https://h/", headers("X-Session-Id", "Zk3vQ9pXw7RtLm2NcY8bHs5D"), "Zk3vQ9pXw7RtLm2NcY8bHs5D"},
		{"X-Passphrase", "https://h/", headers("X-Passphrase", "correct horse battery"), "correct horse battery"},
		{"X-Access-Code", "https://h/", headers("X-Access-Code", secret), secret},
		{"X-CSRF", "https://h/", headers("X-Xsrf", secret), secret},
		{"query", "https://h/?key=k7Qx2mPz9Vw4Lr8Tn3Yb6", nil, "k7Qx2mPz9Vw4Lr8Tn3Yb6"},
		{"password in a query", "https://h/?password=correct+horse+battery", nil, "correct horse battery"},
		{"userinfo", "https://u:" + secret + "@h/", nil, secret},
		{"a key for a user", "https://h/", headers("authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("k7Qx2mPz9Vw4Lr8Tn3Yb6:"))), "k7Qx2mPz9Vw4Lr8Tn3Yb6"},
		{"a key for a user in userinfo", "https://k7Qx2mPz9Vw4Lr8Tn3Yb6@h/", nil, "k7Qx2mPz9Vw4Lr8Tn3Yb6"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p Policy
			req := interaction.Request{URL: tt.url, Headers: tt.headers, Body: []byte("my key is " + tt.echo)}
			p.Request(&req)
			resp := interaction.Response{
				Body:    []byte(`{"error":"invalid key ` + tt.echo + `"}`),
				Headers: headers("x-request-id", "for "+tt.echo),
				Events:  []interaction.Event{{{Name: "data", Value: tt.echo}}},
				Text:    tt.echo,
				Error:   tt.echo,
			}
			p.Response(&interaction.Request{}, &resp)
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

// Parts of credential headers that are no secrets, such as a realm or a theme, are left alone in
// bodies.
func TestHarmlessHeaders(t *testing.T) {
	t.Parallel()
	body := "http-auth@example.org /dir/index.html SHA-256 Photos and more dark-mode-of-night 2024-01-02T03:04:05Z 3f2b8c1e-7a4d-4e9b-a1c6-5d8e0f2a7b94 Zk3vQ9pXw7RtLm2NcY8bHs5D us-east-1/bedrock content-type;host;x-amz-date"
	var p Policy
	req := interaction.Request{URL: "https://h/", Body: []byte(body), Headers: headers(
		"authorization", `Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=SHA-256`,
		"proxy-authorization", `OAuth realm="Photos and more", oauth_version="1.0"`,
		"cookie", "theme=dark-mode-of-night; seen=2024-01-02T03:04:05Z",
		"x-session-id", "3f2b8c1e-7a4d-4e9b-a1c6-5d8e0f2a7b94", "mcp-session-id", "Zk3vQ9pXw7RtLm2NcY8bHs5D",
	)}
	if p.Request(&req); string(req.Body) != body {
		t.Errorf("body = %s", req.Body)
	}
}

// The signature of a request is replaced in its answer, and is forgotten after many more signed
// requests.
func TestSignaturesAreForgotten(t *testing.T) {
	t.Parallel()
	var p Policy
	for i := range 1000 {
		signature := fmt.Sprintf("%064x", sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
		req := interaction.Request{URL: "https://h/", Headers: headers("authorization", "AWS4-HMAC-SHA256 Credential=EXAMPLEKEYID0001/20250101/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature="+signature)}
		p.Request(&req)
		it := interaction.Interaction{Request: req, Response: interaction.Response{Body: []byte("signed " + signature)}}
		if err := p.CheckInteraction("f.yaml", &it, Result{}); err == nil {
			t.Fatalf("request %d: the signature could be written", i)
		}
		if p.Response(&it.Request, &it.Response); string(it.Response.Body) != "signed "+strings.Repeat("effaced0", 8) {
			t.Fatalf("request %d: %s", i, it.Response.Body)
		}
	}
	if p.Count() != 1 {
		t.Errorf("%d values are known, want the key's id", p.Count())
	}
}

// TestMatcher: many values are found in one pass as they are one by one.
func TestMatcher(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{1, 16, 17, 300} {
		var m matcher
		var b []byte
		var texts []string
		for i := range n {
			text := fmt.Sprintf("%d-%x", i, rng.Uint64())
			if i%3 == 0 && i > 0 {
				text = texts[i-1][2:] + "more text"
			}
			m.add(spelling{noKind, text})
			texts = append(texts, text)
			b = append(append(b, "some text "...), text[rng.IntN(2):]...)
		}
		got := map[[2]int]int{}
		m.find(string(b), func(found match) { got[[2]int{found.start, found.end}]++ })
		want := map[[2]int]int{}
		for _, text := range texts {
			for at := 0; at < len(b); at++ {
				if bytes.HasPrefix(b[at:], []byte(text)) {
					want[[2]int{at, at + len(text)}]++
				}
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("of %d texts %d are found, want %d", n, len(got), len(want))
		}
	}
	// Values that overlap go together: nothing of either stays.
	var p Policy
	for _, v := range []string{"abcdefghij", "hijklmnopq", "cdefghij"} {
		p.AddSecret(v)
	}
	if got := hidden(t, &p, "-abcdefghijklmnopq-cdefghij-"); got != "-[REDACTED]-[REDACTED]-" {
		t.Errorf("%s", got)
	}
}

// What only looks like a credential, or is too short to be searched for,
// leaves bodies alone.
func TestBodiesAreLeftAlone(t *testing.T) {
	t.Parallel()
	var p Policy
	p.AddSecret("short")
	p.AddSecret("REDACTED")
	req := interaction.Request{URL: "https://h/?key=test-key", Headers: headers(
		"authorization", "Bearer dummy", "idempotency-key", "0123456789abcdef", "user-agent", "openai-go/3.95.0",
		"x-goog-api-client", "genai-go/1.77.0", "x-amz-date", "20250101T000000Z"),
		Body: []byte("short dummy test-key openai-go/3.95.0 genai-go/1.77.0 0123456789abcdef 20250101T000000Z [REDACTED]")}
	want := string(req.Body)
	p.Request(&req)
	if string(req.Body) != want {
		t.Errorf("body = %q, want it as it was", req.Body)
	}
}

// Credential fields of OAuth, AWS and others are replaced; fields that may be data only where
// credentials are exchanged.
func TestCredentialFields(t *testing.T) {
	t.Parallel()
	const anywhere, exchange = "https://h/v1/things", "https://h/oauth/token"
	tests := []struct{ name, url, in, want string }{
		{"OAuth answer", anywhere, `{"access_token": "ya29.x", "expires_in": 3599, "token_type": "Bearer", "id_token":"a\"b"}`, `{"access_token": "[REDACTED]", "expires_in": 3599, "token_type": "Bearer", "id_token":"[REDACTED]"}`},
		{"OAuth form", anywhere, `grant_type=client_credentials&client_id=me&client_secret=s3cr%25et&scope=a`, `grant_type=client_credentials&client_id=me&client_secret=[REDACTED]&scope=a`},
		{"JWT bearer form", anywhere, `assertion=eyJ.x.y&grant_type=urn%3Aietf`, `assertion=[REDACTED]&grant_type=urn%3Aietf`},
		{"JWT bearer JSON", anywhere, `{"grant_type": "client_credentials", "assertion": "a.b.c", "code": "c"}`, `{"grant_type": "client_credentials", "assertion": "[REDACTED]", "code": "[REDACTED]"}`},
		{"multipart", anywhere, "--b\r\nContent-Disposition: form-data; name=\"client_secret\"\r\n\r\ns3cret\r\n--b--\r\n", "--b\r\nContent-Disposition: form-data; name=\"client_secret\"\r\n\r\n[REDACTED]\r\n--b--\r\n"},
		{"multipart password", anywhere, "--b\r\nContent-Disposition: form-data; name=\"password\"\r\nContent-Type: text/plain\r\n\r\np\r\n--b--\r\n", "--b\r\nContent-Disposition: form-data; name=\"password\"\r\nContent-Type: text/plain\r\n\r\n[REDACTED]\r\n--b--\r\n"},
		{"password form", anywhere, `username=u&password=p`, `username=u&password=[REDACTED]`},
		{"STS request", anywhere, `Action=AssumeRoleWithWebIdentity&RoleArn=arn&WebIdentityToken=eyJ`, `Action=AssumeRoleWithWebIdentity&RoleArn=arn&WebIdentityToken=[REDACTED]`},
		{"IBM IAM", "https://iam.cloud.ibm.com/identity/token", `grant_type=urn%3Aibm%3Aparams%3Aoauth%3Agrant-type%3Aapikey&apikey=NOTREAL`, `grant_type=urn%3Aibm%3Aparams%3Aoauth%3Agrant-type%3Aapikey&apikey=[REDACTED]`},
		{"a token endpoint", exchange, `{"assertion":"a","private_key":"b","id_token":"c","device_code":"d","token":"e"}`, `{"assertion":"[REDACTED]","private_key":"[REDACTED]","id_token":"[REDACTED]","device_code":"[REDACTED]","token":"[REDACTED]"}`},
		{"a device", "https://h/login/device/code", `{"device_code":"d","user_code":"WDJB-MJHT"}`, `{"device_code":"[REDACTED]","user_code":"WDJB-MJHT"}`},
		{"hidden by the server", exchange, `{"access_token":"<redacted>","refresh_token":"****","client_secret":"","token_type":"x"}`, ""},
		// The same names anywhere else are somebody's data.
		{"what a test claims", anywhere, `{"assertion":"the sky is blue"}`, ""},
		{"other data", anywhere, `{"private_key":"a","id_token":"b","device_code":"c","token":"d","code":"e","apikey":"f"}`, ""},
		{"a form of data", anywhere, `assertion=the+sky+is+blue&code=x`, ""},
		{"when it expires, which a request says", anywhere, `{"access_token":"a","expires_at":1710085141}`, `{"access_token":"[REDACTED]","expires_at":1710085141}`},
		{"a schema", anywhere, `{"properties":{"grant_type":{"type":"string"},"assertion":{"type":"string","default":"x"}},"assertion":"blue"}`, ""},
		{"talk about it", anywhere, `{"content":"{\"grant_type\":\"x\",\"assertion\":\"y\"}","assertion":"blue"}`, ""},
		{"token counts", anywhere, `{"usage":{"input_tokens":1,"max_tokens":"x","token":"the","completion_tokens_details":{}}}`, ""},
		{"logprobs", anywhere, `{"token":"_secret","logprob":-1}`, ""},
		{"prose", anywhere, `{"text":"set your client_secret=abc and access_token"}`, ""},
		{"code", anywhere, `{"code":"assertion failed","private_key_file":"x"}`, ""},
	}
	for _, tt := range tests {
		if tt.want == "" {
			tt.want = tt.in
		}
		var p Policy
		req := interaction.Request{URL: tt.url, Body: []byte(tt.in)}
		for _, when := range []string{"once", "twice"} {
			p.Request(&req)
			if string(req.Body) != tt.want {
				t.Errorf("%s, cleaned %s: %s\nwant %s", tt.name, when, req.Body, tt.want)
			}
		}
	}
}

// The answer to an exchange of credentials has its secrets replaced, and does not look expired in
// replay.
func TestAnswersOfExchanges(t *testing.T) {
	t.Parallel()
	grant := interaction.Request{Method: "POST", URL: "https://h/login", Body: []byte("grant_type=password")}
	get := interaction.Request{Method: "GET", URL: "https://h/things"}
	tests := []struct {
		name     string
		req      interaction.Request
		in, want string
	}{
		{"OpenID Connect", grant, `{"id_token":"a","code":"an error's","expires_in":3600}`, `{"id_token":"[REDACTED]","code":"an error's","expires_in":3600}`},
		{"no exchange", get, `{"id_token":"a","assertion":"b","token":" word"}`, ""},
		{"no exchange, and something random", get, `{"token":"k9Fq2xZr81LmPq7T","assertion": "k9Fq2xZr81LmPq7T","session_id":"k9Fq2xZr81LmPq7T","code":"k9Fq2xZr81LmPq7T"}`, ""},
		{"a token that is refreshed", interaction.Request{URL: "https://h/auth/refresh"}, `{"token":"NOTREAL"}`, `{"token":"[REDACTED]"}`},
		{"OAuth, whoever asked", get, `{"access_token":"a","token_type":"Bearer","id_token":"b"}`, `{"access_token":"[REDACTED]","token_type":"Bearer","id_token":"[REDACTED]"}`},
		{"instance metadata", get, `{"AccessKeyId":"id","SecretAccessKey":"k","Token":"t","Expiration":"2025-01-02T03:04:05Z"}`, `{"AccessKeyId":"id","SecretAccessKey":"[REDACTED]","Token":"[REDACTED]","Expiration":"2999-01-02T03:04:05Z"}`},
		{"STS", get, `<Credentials><SecretAccessKey>k</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2025-01-02T03:04:05Z</Expiration></Credentials>`, `<Credentials><SecretAccessKey>[REDACTED]</SecretAccessKey><SessionToken>[REDACTED]</SessionToken><Expiration>2999-01-02T03:04:05Z</Expiration></Credentials>`},
		{"AWS SSO, milliseconds", get, `{"roleCredentials":{"secretAccessKey":"k","sessionToken":"t","expiration":1767256602000}}`, `{"roleCredentials":{"secretAccessKey":"[REDACTED]","sessionToken":"[REDACTED]","expiration":32472144000000}}`},
		{"IBM IAM, seconds", grant, `{"access_token":"a","expires_in":3600,"expiration": 1710085141 , "scope":"x"}`, `{"access_token":"[REDACTED]","expires_in":3600,"expiration": 32472144000 , "scope":"x"}`},
		{"Azure, a text", grant, `{"access_token":"a","expires_on":"1710085141"}`, `{"access_token":"[REDACTED]","expires_on":"32472144000"}`},
		{"Copilot", interaction.Request{URL: "https://api.github.com/copilot_internal/v2/token"}, `{"token":"tid=NOTREAL","expires_at":1710085141}`, `{"token":"[REDACTED]","expires_at":32472144000}`},
		{"GitHub App", interaction.Request{URL: "https://api.github.com/app/installations/1/access_tokens"}, `{"token":"NOTREAL","expires_at":"2016-07-11T22:14:10Z"}`, `{"token":"[REDACTED]","expires_at":"2999-07-11T22:14:10Z"}`},
		{"Google IAM", interaction.Request{URL: "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/x:generateAccessToken"}, `{"accessToken":"NOTREAL","expireTime":"2016-07-11T22:14:10Z"}`, `{"accessToken":"[REDACTED]","expireTime":"2999-07-11T22:14:10Z"}`},
		{"OpenAI, realtime", get, `{"client_secret":{"value":"ek_NOTREAL","expires_at":1710085141}}`, `{"client_secret":{"value":"[REDACTED]","expires_at":32472144000}}`},
		{"a file that expires, beside a tool", get, `{"tools":[{"authorization":"NOTREAL"}],"expires_at":1710085141}`, `{"tools":[{"authorization":"[REDACTED]"}],"expires_at":1710085141}`},
		{"how long, not until when", grant, `{"access_token":"a","expires_at":3600,"expires_on":"soon"}`, `{"access_token":"[REDACTED]","expires_at":3600,"expires_on":"soon"}`},
		{"expiry of something else", get, `{"expiration":"2025-01-02T03:04:05Z","expires_at":1710085141}`, ""},
		{"expiry of an exchange that failed", grant, `{"error":"expired","expires_at":1710085141}`, ""},
	}
	for _, tt := range tests {
		if tt.want == "" {
			tt.want = tt.in
		}
		var p Policy
		resp := interaction.Response{Body: []byte(tt.in)}
		for _, when := range []string{"once", "twice"} {
			p.Response(&tt.req, &resp)
			if string(resp.Body) != tt.want {
				t.Errorf("%s, cleaned %s: %s\nwant %s", tt.name, when, resp.Body, tt.want)
			}
		}
	}
}

// Credentials that a request carries for other servers, as for MCP and data sources, are replaced.
// The fields are those of the vendors' references (paths.go names them).
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
		req := interaction.Request{URL: "https://h/", Body: []byte(tt.in)}
		p.Request(&req)
		if string(req.Body) != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, req.Body, tt.want)
		}
		p.Request(&req)
		if string(req.Body) != tt.want {
			t.Errorf("%s: cleaned twice: %s", tt.name, req.Body)
		}
		resp := interaction.Response{Events: []interaction.Event{{{Name: "data", Value: tt.in}}}}
		p.Response(&req, &resp)
		if got := resp.Events[0][0].Value; got != tt.want {
			t.Errorf("%s, event: %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// A key that an agent stores for other servers is replaced in requests and answers, if it looks
// like one.
func TestVaults(t *testing.T) {
	t.Parallel()
	const key = "Zt3kQ9vXw2LmR1rNcZ9sGd3uKe7fPa5b"
	for _, tt := range []struct{ url, body string }{
		{"https://api.openai.com/v1/agents/vaults/v/credentials", `{"name":"n","auth":{"type":"static_bearer","token":"KEY"}}`},
		{"https://api.anthropic.com/v1/vaults/v/credentials?beta=true", `{"auth":{"token":"KEY","type":"static_bearer","mcp_server_url":"https://m/"}}`},
		{"https://generativelanguage.googleapis.com/v1beta/credentials", `{"id":"x","type":"bearer_token","token":"KEY"}`},
		{"https://generativelanguage.googleapis.com/v1beta/credentials", `{"id":"x","type":"environment_variable","value":"KEY"}`},
		{"https://api.openai.com/v1/containers", `{"network_policy":{"domain_secrets":[{"domain":"a.com","name":"SERVICE","value":"KEY"}]}}`},
		{"https://huggingface.co/api/jobs/me", `{"secrets":{"SERVICE":"KEY"},"command":["run"]}`},
		{"https://api.vercel.com/v10/projects/p/env", `{"key":"OIDC","value":"KEY","type":"encrypted"}`},
		{"https://x.snowflakecomputing.com/session/v1/login-request", `{"data":{"token":"KEY","sessionId":1}}`},
	} {
		var p Policy
		req := interaction.Request{Method: "POST", URL: tt.url, Body: []byte(strings.Replace(tt.body, "KEY", key, 1))}
		resp := interaction.Response{Status: 200, Body: slices.Clone(req.Body)}
		p.Request(&req)
		p.Response(&req, &resp)
		if want := strings.Replace(tt.body, "KEY", Placeholder, 1); string(req.Body) != want || string(resp.Body) != want {
			t.Errorf("%s: asked %s, answered %s", tt.url, req.Body, resp.Body)
		}
		elsewhere := interaction.Request{Method: "POST", URL: tt.url, Body: []byte(strings.Replace(tt.body, "KEY", "a value", 1))}
		if p.Request(&elsewhere); !strings.Contains(string(elsewhere.Body), "a value") {
			t.Errorf("%s: %s", tt.url, elsewhere.Body)
		}
	}
}

// Headers of tools that may be secrets become hashes, so that requests with different values stay
// apart.
func TestToolHeadersStayApart(t *testing.T) {
	t.Parallel()
	clean := func(tenant string) string {
		var p Policy
		req := interaction.Request{URL: "https://h/", Body: []byte(`{"tools":[{"headers":{"X-Tenant":"` + tenant + `"}}]}`)}
		p.Request(&req)
		return string(req.Body)
	}
	if a, b := clean("north"), clean("south"); a == b || strings.Contains(a, "north") {
		t.Errorf("%s\n%s", a, b)
	}
}

// A known value is found in JSON, however it is escaped there.
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
	for _, body := range []string{string(html), plain.String(), strings.ReplaceAll(plain.String(), "/", `\/`), strings.ReplaceAll(string(html), "+", `\u002B`)} {
		var p Policy
		p.AddSecret(value)
		req := interaction.Request{URL: "https://h/", Body: []byte(body)}
		p.Request(&req)
		if want := `{"text":"[REDACTED]"}`; strings.TrimSpace(string(req.Body)) != want {
			t.Errorf("%s became %s", body, req.Body)
		}
	}
}

// A secret that was not replaced is found before it is written, wherever it is and however JSON
// spells it.
func TestCheckInteraction(t *testing.T) {
	t.Parallel()
	odd := `"` + strings.Replace(secret, secret[:1], fmt.Sprintf(`\u%04x`, secret[0]), 1) + `"`
	tests := []struct {
		where string
		it    interaction.Interaction
	}{
		{"request.url", interaction.Interaction{Request: interaction.Request{URL: "https://h/" + secret}}},
		{"request.body", interaction.Interaction{Request: interaction.Request{Body: []byte(`{"a":[{"b":` + odd + `}]}`)}}},
		{"request.body", interaction.Interaction{Request: interaction.Request{Body: []byte(`{` + odd + `:1}`)}}},
		{"response.body", interaction.Interaction{Response: interaction.Response{Body: []byte(secret)}}},
		{"response.events[1]", interaction.Interaction{Response: interaction.Response{Events: []interaction.Event{{{Name: "data", Value: "a"}}, {{Name: "data", Value: odd}}}}}},
		{"response.text", interaction.Interaction{Response: interaction.Response{Text: secret}}},
		{"response.error", interaction.Interaction{Response: interaction.Response{Error: secret}}},
	}
	for _, tt := range tests {
		var p Policy
		if err := p.CheckInteraction("f.yaml", &tt.it, Result{}); err != nil {
			t.Errorf("%s: nothing is known, yet %v", tt.where, err)
		}
		p.AddSecret(secret)
		err := p.CheckInteraction("f.yaml", &tt.it, Result{})
		if err == nil || !strings.HasPrefix(err.Error(), "f.yaml: "+tt.where+" would contain a known secret") || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", tt.where, err)
		}
	}
}

// A signed URL in a header of an answer loses its signature and its password.
func TestSignedURLsInHeaders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Location", "Operation-Location", "Azure-AsyncOperation"} {
		var p Policy
		resp := interaction.Response{Headers: headers(name, "https://u:pw@h/op/1?api-version=1&t=6387&c=MIIHcertQ2x9&s=SIGNATUREk7Qx2mPz9Vw4Lr8Tn3Yb6")}
		p.Response(&interaction.Request{}, &resp)
		got := resp.Headers[0].Values[0]
		if strings.Contains(got, "SIGNATURE") || strings.Contains(got, "pw@") || !strings.Contains(got, "api-version=1") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// What RedactFields and Redact name is replaced in every place of a request and an answer.
func TestNamesAndPatterns(t *testing.T) {
	t.Parallel()
	p := &Policy{
		KeepHeaders: []string{"x-customer", "x-note"},
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
		req := interaction.Request{URL: "https://h/ada@home.example?customer=Ada&limit=1", Headers: headers("x-customer", "Ada", "x-note", "ada@home.example"), Body: []byte(tt.in)}
		for range 2 { // cleaning a clean one changes nothing
			p.Request(&req)
			if string(req.Body) != tt.want {
				t.Errorf("%s\nwant %s", req.Body, tt.want)
			}
			if req.URL != "https://h/[REDACTED]?customer=[REDACTED]&limit=1" || req.Headers.Get("x-customer") != Placeholder || req.Headers.Get("x-note") != Placeholder {
				t.Errorf("%s %v", req.URL, req.Headers)
			}
		}
		resp := interaction.Response{Body: []byte(tt.in), Text: tt.in, Events: []interaction.Event{{{Name: "data", Value: tt.in}}}}
		p.Response(&req, &resp)
		if string(resp.Body) != tt.want || resp.Events[0][0].Value != tt.want {
			t.Errorf("%s\n%s\nwant %s", resp.Body, resp.Events[0][0].Value, tt.want)
		}
	}
}

// Values of environment variables that are named and look like credentials are known secrets.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	var p Policy
	p.Environment([]string{
		"OPENAI_API_KEY=" + secret, "DB_PASSWORD=Tr0ub4dor&3xyz", "SSH_AUTH_SOCK=/tmp/ssh-XXXX0123/agent.1", "AUTH_MODE=interactive_login", "API_KEY=short",
		"HOME=/home/me0123456789", "NOT_A_VARIABLE", "KEYBOARD=de-latin1-0123456789", "TOKEN=",
		"MODEL_KEY=gpt-4o-mini-2024-07-18", "LANGFUSE_SECRET=0a1b2c3d-4e5f-6789-abcd-ef0123456789",
	})
	got := slices.Collect(maps.Keys(p.known))
	slices.Sort(got)
	want := []string{secret, "Tr0ub4dor&3xyz", "0a1b2c3d-4e5f-6789-abcd-ef0123456789"}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("known: %d values, want those of three variables", len(got))
	}
}

// A known secret whose pieces are in several events of a stream is found before it is written.
func TestSplitSecret(t *testing.T) {
	t.Parallel()
	event := func(name, value string) interaction.Event { return interaction.Event{{Name: name, Value: value}} }
	delta := func(s string) interaction.Event {
		return event("data", fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%q}}],"id":"x"}`, s))
	}
	tests := []struct {
		name   string
		events []interaction.Event
		held   bool
	}{
		{"in two pieces of JSON", []interaction.Event{delta("key: " + secret[:9]), delta(secret[9:] + ".")}, true},
		{"letter by letter", func() (e []interaction.Event) {
			for _, c := range secret {
				e = append(e, delta(string(c)))
			}
			return e
		}(), true},
		{"in two pieces of text", []interaction.Event{event("data", secret[:9]), event("data", secret[9:])}, true},
		{"in two fields that nobody joins", []interaction.Event{event("data", secret[:9]), event("id", secret[9:])}, false},
		{"at two places that nobody joins", []interaction.Event{event("data", `{"a":"`+secret[:9]+`"}`), event("data", `{"b":"`+secret[9:]+`"}`)}, false},
		{"not at all", []interaction.Event{delta("hello"), delta("world")}, false},
	}
	for _, tt := range tests {
		var p Policy
		p.AddSecret(secret)
		err := p.CheckInteraction("f.yaml", &interaction.Interaction{Response: interaction.Response{Stream: "sse", Events: tt.events}}, Result{})
		if (err != nil) != tt.held || err != nil && (!strings.Contains(err.Error(), "split over several") || strings.Contains(err.Error(), secret)) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// The token that the instance metadata of AWS returns as a text is replaced.
func TestInstanceMetadataToken(t *testing.T) {
	t.Parallel()
	var p Policy
	req := interaction.Request{Method: "PUT", URL: "http://169.254.169.254/latest/api/token"}
	resp := interaction.Response{Status: 200, Body: []byte("AQAEANotReal==")}
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
	req := interaction.Request{URL: "https://h/", Body: body}
	p.Request(&req)
	if string(body) != "a "+secret {
		t.Errorf("the caller's body is now %q", body)
	}
	if string(req.Body) != "a "+Placeholder {
		t.Errorf("the clean body is %q", req.Body)
	}
}

// A text with a known secret, in any of its encodings, is refused with its line before it is
// written.
func TestKnownSecretIsRefusedBeforeItIsWritten(t *testing.T) {
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
		hex.EncodeToString([]byte(secret + "/+")),
		strings.ToUpper(hex.EncodeToString([]byte("key " + secret + "/+ and more"))),
		"\xff\xfe" + strings.Join(strings.Split(secret+"/+", ""), "\x00") + "\x00",
		"\x00" + strings.Join(strings.Split(secret+"/+", ""), "\x00"),
	} {
		err := p.Check("f.yaml", []byte("line 1\nline 2 "+held+"\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "f.yaml: line 2 would contain a known secret (") {
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

// A secret in a compressed body is replaced, and the body of an answer stays compressed.
func TestCompressed(t *testing.T) {
	t.Parallel()
	text := []byte(`{"text":"my key is ` + secret + strings.Repeat(" indeed", 50) + `"}`)
	var zipped, flated, twice, stored bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(text)
	z.Close()
	f := zlib.NewWriter(&flated)
	f.Write(text)
	f.Close()
	z = gzip.NewWriter(&twice)
	z.Write(zipped.Bytes())
	z.Close()
	z, _ = gzip.NewWriterLevel(&stored, gzip.NoCompression) // as Go 1.27 writes short texts
	z.Write(text)
	z.Close()
	var key bytes.Buffer
	z, _ = gzip.NewWriterLevel(&key, gzip.NoCompression)
	io.WriteString(z, `{"text":"my key is ghp_Zt3kQ9vXw2LmR1rNcZ9sGd3uKe7fPa5bQ1wE"}`)
	z.Close()
	it := interaction.Interaction{Request: interaction.Request{URL: "https://h/"}, Response: interaction.Response{Body: key.Bytes()}}
	new(Policy).Interaction(&it)
	if plain, _ := coding.Decompress(it.Response.Body); string(plain) != `{"text":"my key is [REDACTED]"}` {
		t.Errorf("what looks like a secret in stored blocks: %q", plain)
	}
	for name, body := range map[string][]byte{"gzip": zipped.Bytes(), "zlib": flated.Bytes(), "twice": twice.Bytes(), "stored": stored.Bytes()} {
		var p Policy
		p.AddSecret(secret)
		it := interaction.Interaction{Request: interaction.Request{URL: "https://h/", Body: body}, Response: interaction.Response{Body: body}}
		p.Request(&it.Request)
		if want := strings.ReplaceAll(string(text), secret, Placeholder); string(it.Request.Body) != want {
			t.Errorf("%s: %q", name, it.Request.Body)
		}
		if err := p.CheckInteraction("f.yaml", &it, Result{}); err == nil || !strings.Contains(err.Error(), "response.body would contain a known secret") {
			t.Errorf("%s: %v", name, err)
		}
		result := p.Response(&it.Request, &it.Response)
		if plain, ok := coding.Decompress(it.Response.Body); !ok || string(plain) != string(it.Request.Body) {
			t.Errorf("%s: the answer is %q", name, plain)
		}
		if err := p.CheckInteraction("f.yaml", &it, result); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// Of what is cut off or goes on behind its end, nothing can be read that has the secret.
		for _, odd := range [][]byte{body[:len(body)-5], append(bytes.Clone(body), "/v1/more"...)} {
			req := interaction.Request{URL: "https://h/", Body: odd}
			p.Request(&req)
			if bytes.Equal(req.Body, odd) || encode.Holds(string(req.Body), secret) {
				t.Errorf("%s: %q became %q", name, odd, req.Body)
			}
		}
		// What only begins so stays.
		for _, odd := range [][]byte{body[:3], []byte("x\x9c is no zlib"), nil} {
			req := interaction.Request{URL: "https://h/", Body: odd}
			if p.Request(&req); !bytes.Equal(req.Body, bytes.ReplaceAll(odd, []byte(secret), []byte(Placeholder))) {
				t.Errorf("%s: %q became %q", name, odd, req.Body)
			}
		}
	}
}

// TestDrawnPasswords: what a machine drew is a credential beside "password" as it is
// beside "api_key"; what people make up, and what code has there, stays.
func TestDrawnPasswords(t *testing.T) {
	t.Parallel()
	d := drawer{rand.New(rand.NewPCG(19, 20))}
	missed := 0
	for range 500 {
		uuid := fmt.Sprintf("%s-%s-4%s-a%s-%s", d.from(hexDigits, 8), d.from(hexDigits, 4), d.from(hexDigits, 3), d.from(hexDigits, 3), d.from(hexDigits, 12))
		for _, v := range []string{d.from(hexDigits, 32), d.from(hexDigits, 40), uuid, d.from(stdSet, 24), d.from(alnums, 20), d.from(base32Set, 32)} {
			for _, format := range []string{`{"password":"%s"}`, `{"api_key":"%s"}`, "password: %s\n", "DB_PASSWORD='%s'"} {
				text := fmt.Sprintf(format, v)
				if got := redactedText(text); got != fmt.Sprintf(format, Placeholder) {
					if missed++; missed > 240 {
						t.Fatalf("%d missed; %s is %s", missed, text, got)
					}
				}
			}
		}
	}
	t.Logf("%d of 12000 are not replaced exactly: they have no digit, or look like words", missed)
	for _, text := range []string{
		`{"password":"correct-horse-battery-staple"}`, `{"password":"hunter2"}`, `{"password":"the-password-of-user-42"}`, `password = get_password_from_vault2(user)`,
		`password: ${DB_PASSWORD_1234567}`, `{"password":"********************"}`, `password=PASSWORD1234567890`, `password=MYSECRETPASSWORD2`, `api_key=CORRECTHORSE2BATTERY`, `{"password":"string (8 to 32 characters)"}`,
	} {
		if got := redactedText(text); got != text {
			t.Errorf("%s is %s", text, got)
		}
	}
}

func TestLongestSecretFirst(t *testing.T) {
	t.Parallel()
	var p Policy
	p.AddSecret("abcdefgh")
	p.AddSecret("abcdefgh-ijklmnop")
	if got := hidden(t, &p, "x abcdefgh-ijklmnop y"); got != "x "+Placeholder+" y" {
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
		req := interaction.Request{URL: rawURL, Body: []byte(body)}
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

// TestShortSpellings: a secret of few characters has spellings that are shorter than any
// secret (UTF-16), and those are not looked for.
func TestShortSpellings(t *testing.T) {
	t.Parallel()
	var p Policy
	p.AddSecret("日本語")
	p.AddSecret("\xe6\x97\xa5\xe6\x97\xa5\xff\xff")
	p.AddSecret(secret)
	if err := p.Check("f.yaml", []byte("see 日本語")); err == nil {
		t.Error("it is not found")
	}
	if err := p.Check("f.yaml", []byte("see 日本")); err != nil {
		t.Error(err)
	}
}

// What is a grant of an exchange, and what only has the name.
func TestGrantType(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"client_credentials": true, "clientCredentials": true, "ClientCredentials": true, "CLIENT_CREDENTIALS": true, "password": true, "PASSWORD": true,
		"refreshToken": true, "urn:ietf:params:oauth:grant-type:jwt-bearer": true, "otp": true, "authorization-code": true,
		"RSU": false, "research": false, "NSF": false, "": false,
	} {
		for _, name := range []string{"grant_type", "grantType", "granttype"} {
			if got := grantType().MatchString(`{"` + name + `": "` + value + `"}`); got != want {
				t.Errorf("%s %q: %v", name, value, got)
			}
		}
	}
}

// A cookie that people read is searched for nowhere; one with a random part is, whatever stands beside that.
func TestReadableCookies(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"%2Fproducts%2Fblue-shirt": true, "San%20Francisco%2C%20CA": true, "alice@example.com": true, "dark": true,
		"9F8E7D6C5B4A39281706F5E4D3C2B1A0.node1": false, "%7B%22id%22%3A%201%2C%20%22t%22%3A%20%22Zk3vQ9pXw7RtLm2NcY8bHs5D%22%7D": false,
		"Bearer Zk3vQ9pXw7RtLm2NcY8bHs5D": false, "Zk3vQ9pXw7RtLm2NcY8bHs5D@example.com": false, "alice Zk3vQ9pXw7RtLm2NcY8bHs5D": false,
	} {
		if got := isReadable(value); got != want {
			t.Errorf("%s: %v", value, got)
		}
	}
}

// Which names may be those of secrets, which of data, and which can only be secrets.
func TestMeanings(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]meaning{
		"token": {secret: true, whole: true}, "app_key": {secret: true, whole: true}, "x-token": {secret: true, whole: true}, "user_key": {secret: true, whole: true},
		"api_key": {secret: true, whole: true, certain: true}, "password_confirmation": {secret: true, certain: true}, "file_access_token": {secret: true, whole: true, certain: true},
		"sellToken": {secret: true, data: true}, "tokenAddress": {secret: true, data: true}, "objectKey": {secret: true, data: true}, "surrogate-key": {secret: true, data: true},
		"password_length": {secret: true, data: true}, "x-auth-request-email": {secret: true, data: true}, "session_key": {secret: true, whole: true},
		"keyword": {}, "author": {}, "pageToken": {cursor: true},
		"$skipToken": {cursor: true}, "skip_token": {cursor: true}, "resumptionToken": {cursor: true}, "resumption-token": {cursor: true}, "PaginationToken": {cursor: true},
		"deltatoken": {cursor: true}, "prev_token": {cursor: true}, "LastEvaluatedKey": {cursor: true},
		"streamKey": {secret: true, whole: true}, "resume_password": {secret: true, certain: true, whole: true}, "lastAccessToken": {secret: true, certain: true, whole: true},
	} {
		got := meaningOf(name)
		if got.session = false; got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}
