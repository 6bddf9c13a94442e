package redact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A secret in a header of an answer is found by its name or its format, and replaced elsewhere,
// too. All others stay as they are.
func TestSecretsInAnswerHeaders(t *testing.T) {
	t.Parallel()
	const random = "k7Qx2mPz9Vw4Lr8Tn3Yb6"
	secrets := map[string]string{
		"Set-Cookie":                     "session=" + random + "; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly",
		"Authorization":                  "Bearer " + random,
		"Authentication-Token":           random,
		"X-Auth-Token":                   "correct-horse",
		"X-Subject-Token":                random,
		"X-Csrf-Token":                   "tiny",
		"X-Xsrf-Token":                   random,
		"X-Vault-Token":                  "hvs." + strings.Repeat("CAESIJ3x9Qm2Vw7Lr4Tn8Yb1Kp5Zc0Hf6Jg2Rs", 2),
		"X-Api-Key":                      "hunter2",
		"Api-Key":                        "12345",
		"X-Amz-Security-Token":           random,
		"X-Goog-Iam-Authorization-Token": random,
		"X-Ms-Encryption-Key":            random,
		"X-Access-Token":                 random,
		"X-Refresh-Token":                random,
		"X-Session-Token":                random,
		"X-Session-Id":                   random,
		"X-Gitlab-Token":                 random,
		"X-Shopify-Access-Token":         random,
		"X-Client-Secret":                "s3cret",
		"X-Password":                     "swordfish",
		"X-Otp":                          "123456",
		"X-Hub-Signature":                random,
		"Jwt":                            random,
		"X-Plex-Token":                   random,
		"X-Credential":                   random,
		"Ticket":                         random,
		"Cookie":                         "a=" + random,
		"X-Made-Up":                      "sk-proj-" + strings.Repeat("k7Qx2mPz9Vw4", 4),
		"X-Repository":                   "https://user:" + random + "@git.example/a",
		"X-Settings":                     `{"client_secret":"` + random + `"}`,
		"X-Echo":                         "Authorization: Bearer " + random,
		"X-Github-Something":             "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
		"Location":                       "https://files.example/a?X-Amz-Signature=" + random + random + "&X-Amz-Credential=x&X-Amz-Algorithm=a&X-Amz-Date=b&X-Amz-SignedHeaders=host",
		"X-Google-Something":             "AIza" + "SyD3x9Qm2Vw7Lr4Tn8Yb1Kp5Zc0Hf6Jg2Rs",
		"X-Connection":                   "postgres://app:" + random + "@db.example/app",
	}
	for name, value := range secrets {
		var p Policy
		secret := value
		if strings.Contains(value, random) {
			secret = random
		}
		resp := interaction.Response{Status: 200, Headers: headers(name, value), Body: []byte("it is " + secret), Trailers: headers("x-echo", secret)}
		p.Response(&interaction.Request{}, &resp)
		text := fmt.Sprint(resp.Headers)
		if strings.Contains(text, secret) || len(resp.Headers) != 1 {
			t.Errorf("%s: %s", name, text)
		}
		if isSecretHeader(strings.ToLower(name), value) && looksSecret(secret, false) && strings.Contains(string(resp.Body)+fmt.Sprint(resp.Trailers), secret) {
			t.Errorf("%s: it stands elsewhere: %s %v", name, resp.Body, resp.Trailers)
		}
		if found := Findings(&interaction.Interaction{Response: resp}); found != nil {
			t.Errorf("%s: as written: %q", name, found)
		}
		again := interaction.Response{Status: 200, Headers: resp.Headers}
		new(Policy).Response(&interaction.Request{}, &again)
		if fmt.Sprint(again.Headers) != text {
			t.Errorf("%s: redacted again: %s, before %s", name, again.Headers, text)
		}
	}
	if cookie := (&Policy{}); true {
		got, _ := cookie.cookie(secrets["Set-Cookie"])
		if want := "session=[REDACTED]; Path=/; Expires=Fri, 31 Dec 2999 23:59:59 GMT; HttpOnly"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got, kept := cookie.cookie("__cf_bm=" + random + "; path=/"); kept {
			t.Errorf("a cookie of a network is kept: %s", got)
		}
	}
}

// None of 400 headers that services send is taken for a secret.
func TestHarmlessAnswerHeaders(t *testing.T) {
	t.Parallel()
	names := strings.Fields(`X-Total-Count X-Next-Cursor X-Next-Page-Token X-Page-Token X-Token-Count X-Tokens-Used X-Key-Count X-Sort-Key
		X-Partition-Key Idempotency-Key X-Auth-Provider X-Token-Type X-Password-Policy X-Session-Affinity Etag X-Linked-Etag
		Docker-Content-Digest X-Amz-Version-Id X-Ms-Continuationtoken Grpc-Status Grpc-Message Www-Authenticate X-Elastic-Product
		Mcp-Session-Id X-Goog-Hash Content-Md5 X-Linked-Size X-Repo-Commit Last-Modified Link Api-Version Ostype X-Keyword X-Author
		X-Secretary X-Signed-Off X-Tokenizer X-Cookies-Allowed X-Key-Version Upload-Offset`)
	values := []string{"1", "317", "0.25", "true", "2026-11-24T23:10:00Z", "en-US", "gpt-5.4-mini", "public", "GET, HEAD", "bytes"}
	for _, name := range names {
		for _, value := range values {
			var p Policy
			resp := interaction.Response{Status: 200, Headers: headers(name, value)}
			p.Response(&interaction.Request{}, &resp)
			if got := resp.Headers.Get(strings.ToLower(name)); got != value {
				t.Errorf("%s: %s becomes %q", name, value, got)
			}
		}
	}
	for name, value := range map[string]string{
		"Etag": `W/"10865-v+lbiX46u2KZt0PAeIc+tRLqHrI"`, "Docker-Content-Digest": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"X-Repo-Commit": "990580e27d329c7408b3741ecff85876e128e203", "Mcp-Session-Id": "9UMRWQ6K4FX3JMZ7N5T2VHBPCD",
		"Www-Authenticate": `Digest realm="r", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", qop="auth"`, "X-Goog-Hash": "crc32c=n03x6A==, md5=Ojk9c3dhfxgoKVVHYwFbHQ==",
		"X-Next-Cursor": "eyJpZCI6MTIzfQ", "X-Amz-Version-Id": "3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY", "Link": `<https://api.github.com/x?page=2>; rel="next"`,
	} {
		var p Policy
		resp := interaction.Response{Status: 200, Headers: headers(strings.ToLower(name), value)}
		p.Response(&interaction.Request{}, &resp)
		if got := resp.Headers.Get(strings.ToLower(name)); got != value {
			t.Errorf("%s: %s becomes %q", name, value, got)
		}
	}
}
