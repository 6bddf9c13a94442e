package redact

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	encoding "encoding/pem"
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A placeholder decodes as its secret does, holds nothing of it, and is not taken for a secret. It
// says what it is where its type allows that, and redaction does not change it.
func TestStandIns(t *testing.T) {
	t.Parallel()
	b64, random := base64.StdEncoding.EncodeToString, "\x8f\x01\xfeZ\x91\x00\xd7\x13\xaa\xbc\xefQ\xe0\x1d\x9c\x77\x8f\x21\xfeZ\x91\x00\xd7\x13\xaa\xbc\xefQ\xe0\x1d\x9c\x70"
	for secret, want := range map[string]string{
		"Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1Fs5Gp0A":                                 "[REDACTED]",
		"Tr0ub4dor&3":                                                      "[REDACTED]",
		"9f8e7d6c5b4a39281706f5e4d3c2b1a0":                                 "effaced0effaced0effaced0effaced0",
		"9F8E7D6C5B4A39281706F5E4D3C2B1A0FF":                               "EFFACED0EFFACED0EFFACED0EFFACED0EF",
		"6a174c20-f6de-453c-94d2-6018fcceff64":                             "effaced0-0000-4000-a000-000000000000",
		"6A174C20-F6DE-453C-94D2-6018FCCEFF64":                             "EFFACED0-0000-4000-A000-000000000000",
		"424242":                                                           "000000",
		b64([]byte("Tr0ub4dor3xK9Lm2")):                                    b64([]byte("[REDACTED]")),
		b64([]byte("AWS:Tr0ub4dor3xK9Lm2")):                                b64([]byte("AWS:[REDACTED]")),
		b64([]byte("k7Qx2mPz9Vw4Lr8Tn3Yb6:")):                              b64([]byte("[REDACTED]:[REDACTED]")),
		b64([]byte("k7Qx2mPz9Vw4Lr8Tn3Yb6:Tr0ub4dor3xK9Lm2")):              b64([]byte("[REDACTED]:[REDACTED]")),
		base64.RawURLEncoding.EncodeToString([]byte("Tr0ub4d?r3xK9Lm2~~")): base64.RawURLEncoding.EncodeToString([]byte("[REDACTED]")),
		b64([]byte(random)):                                                "REDACTEDREDACTEDREDACTEDREDACTEDREDACTEDRED=",
		`{"username":"bob","password":"Tr0ub4dor","port":5432}`:            `{"username":"[REDACTED]","password":"[REDACTED]","port":5432}`,
		b64([]byte(`{"auths":{"h":{"password":"Tr0ub4dor"}}}`)):            b64([]byte(`{"auths":{"h":{"password":"[REDACTED]"}}}`)),
	} {
		got := typedPlaceholder(secret)
		if got != want {
			t.Errorf("%s: %s, want %s", secret, got, want)
		}
		if again := typedPlaceholder(got); again != got {
			t.Errorf("%s: %s becomes %s", secret, got, again)
		}
		text := fmt.Sprintf(`{"api_key":"%s","password":"%[1]s"}`, got)
		if out := redactedAnswer(text); out != text {
			t.Errorf("%s becomes %s", text, out)
		}
		_, isBase64 := decodeBase64(got)
		isTextInBase64 := isBase64 != nil && got != b64([]byte(Placeholder)) && !strings.HasPrefix(got, "REDACTED")
		if out := redactedRequest(got); got[0] != '{' && got != "000000" && out != Placeholder && len(got) < 44 && !isTextInBase64 {
			t.Errorf("in a request %s becomes %s", got, out)
		}
	}
}

// TestOwnStandIn: redaction ends where the stand-in of a value is that value: this is {"id":123}.
func TestOwnStandIn(t *testing.T) {
	t.Parallel()
	if got := redactedAnswer(`{"api_key":"eyJpZCI6MTIzfQ"}`); got != `{"api_key":"[REDACTED]"}` {
		t.Error(got)
	}
}

// A JSON Web Token keeps its claims, without those about persons, loses its signature, and expires
// late. A private key becomes one of the same type that can be used.
func TestTokensAndKeys(t *testing.T) {
	t.Parallel()
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	token := part(`{"alg":"RS256"}`) + "." + part(`{"sub":"u1","tid":"t","exp":1999999999,"email":"ada@home.example","name":"Ada","upn":"x","roles":["a"]}`) + "." + part(strings.Repeat("signature", 9))
	parts := strings.Split(typedPlaceholder(token), ".")
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if want := `{"sub":"u1","tid":"t","exp":32472144000,"email":"[REDACTED]","name":"[REDACTED]","upn":"[REDACTED]","roles":["a"]}`; string(claims) != want || err != nil {
		t.Errorf("claims %s, want %s (%v)", claims, want, err)
	}
	if parts[0] != part(`{"alg":"RS256"}`) || parts[2] != "REDACTED" {
		t.Errorf("%q", parts)
	}
	rsaKey, _ := rsa.GenerateKey(rand.Reader, 2048)
	ecKey, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	_, edKey, _ := ed25519.GenerateKey(rand.Reader)
	der := func(b []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, block := range []encoding.Block{
		{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(rsaKey)},
		{Type: "EC PRIVATE KEY", Bytes: der(x509.MarshalECPrivateKey(ecKey))},
		{Type: "PRIVATE KEY", Bytes: der(x509.MarshalPKCS8PrivateKey(rsaKey))},
		{Type: "PRIVATE KEY", Bytes: der(x509.MarshalPKCS8PrivateKey(ecKey))},
		{Type: "PRIVATE KEY", Bytes: der(x509.MarshalPKCS8PrivateKey(edKey))},
	} {
		text := string(encoding.EncodeToMemory(&block))
		for _, body := range []string{`{"kind":"Secret","data":{"tls.key":"` + base64.StdEncoding.EncodeToString([]byte(text)) + `"}}`, `{"data":{"tls.key":` + quoteJSON(text) + `}}`} {
			var p Policy
			it := &interaction.Interaction{Request: interaction.Request{URL: "https://h/api/v1/namespaces/n/secrets/s"}, Response: interaction.Response{Status: 200, Body: []byte(body)}}
			p.Interaction(it)
			var secret struct{ Data map[string]string }
			if err := json.Unmarshal(it.Response.Body, &secret); err != nil {
				t.Fatal(err)
			}
			got := []byte(secret.Data["tls.key"])
			if raw, err := base64.StdEncoding.DecodeString(string(got)); err == nil {
				got = raw
			}
			ours, _ := encoding.Decode(got)
			if ours == nil || ours.Type != block.Type || string(ours.Bytes) == string(block.Bytes) {
				t.Fatalf("%s: %s", block.Type, got)
			}
			var kind, want any
			switch block.Type {
			case "RSA PRIVATE KEY":
				kind, err = x509.ParsePKCS1PrivateKey(ours.Bytes)
			case "EC PRIVATE KEY":
				kind, err = x509.ParseECPrivateKey(ours.Bytes)
			default:
				kind, err = x509.ParsePKCS8PrivateKey(ours.Bytes)
				want, _ = x509.ParsePKCS8PrivateKey(block.Bytes)
			}
			if err != nil || want != nil && fmt.Sprintf("%T", kind) != fmt.Sprintf("%T", want) {
				t.Errorf("%s: %T, want %T (%v)", block.Type, kind, want, err)
			}
			if found := Findings(it); found != nil {
				t.Errorf("%s: found %q", block.Type, found)
			}
			if err := p.CheckInteraction("f.yaml", it, Result{}); err != nil {
				t.Error(err)
			}
			once := string(it.Response.Body)
			if p.Interaction(it); string(it.Response.Body) != once {
				t.Errorf("cleaned twice: %s", it.Response.Body)
			}
		}
	}
}

func quoteJSON(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// What a service is known to give or take as a secret is replaced, whatever it looks like. What is
// next to it stays.
func TestServices(t *testing.T) {
	t.Parallel()
	const word = "correct-horse"
	hex := strings.Repeat("9f8e7d6c5b4a3928", 4)
	b64 := base64.StdEncoding.EncodeToString([]byte(word))
	for _, tt := range []struct{ url, body, want string }{
		{"https://k/api/v1/namespaces/n/secrets/s", `{"kind":"Secret","metadata":{"name":"s"},"type":"Opaque","data":{"p":"` + b64 + `"}}`, `{"kind":"Secret","metadata":{"name":"s"},"type":"Opaque","data":{"p":"W1JFREFDVEVEXQ=="}}`},
		{"https://k/api/v1/secrets?limit=5", `{"items":[{"data":{"p":"` + b64 + `"}}]}`, `{"items":[{"data":{"p":"W1JFREFDVEVEXQ=="}}]}`},
		{"https://secretmanager.googleapis.com/v1/projects/p/secrets/s/versions/1:access", `{"name":"projects/p","payload":{"data":"` + b64 + `"}}`, `{"name":"projects/p","payload":{"data":"W1JFREFDVEVEXQ=="}}`},
		{"https://v.vault.azure.net/secrets/s/1?api-version=7.4", `{"value":"` + word + `","id":"https://v/secrets/s/1"}`, `{"value":"[REDACTED]","id":"https://v/secrets/s/1"}`},
		{"https://management.azure.com/x/storageAccounts/a/listKeys?api-version=1", `{"keys":[{"keyName":"key1","value":"` + word + `","permissions":"FULL"}]}`, `{"keys":[{"keyName":"key1","value":"[REDACTED]","permissions":"FULL"}]}`},
		{"https://vault/v1/secret/data/a", `{"request_id":"r","lease_duration":0,"data":{"data":{"p":"` + word + `"},"metadata":{"version":1,"created_time":"t"}}}`, `{"request_id":"r","lease_duration":0,"data":{"data":{"p":"[REDACTED]"},"metadata":{"version":1,"created_time":"t"}}}`},
		{"https://vault/v1/secret/metadata/a?list=true", `{"lease_duration":0,"data":{"keys":["a/"]}}`, `{"lease_duration":0,"data":{"keys":["a/"]}}`},
		{"https://vault/v1/transit/export/encryption-key/k", `{"lease_duration":0,"data":{"keys":{"1":"` + word + `"}}}`, `{"lease_duration":0,"data":{"keys":{"1":"[REDACTED]"}}}`},
		{"https://vault/v1/auth/approle/login", `{"lease_duration":0,"auth":{"client_token":"` + word + `","policies":["default"]}}`, `{"lease_duration":0,"auth":{"client_token":"[REDACTED]","policies":["default"]}}`},
		{"https://ssm/", `{"Parameters":[{"Name":"a","Type":"SecureString","Value":"` + word + `"},{"Name":"b","Type":"String","Value":"` + word + `"}]}`, `{"Parameters":[{"Name":"a","Type":"SecureString","Value":"[REDACTED]"},{"Name":"b","Type":"String","Value":"` + word + `"}]}`},
		{"https://ssm/", `{"Value":"` + word + `","Version":3,"Type":"SecureString"}`, `{"Value":"[REDACTED]","Version":3,"Type":"SecureString"}`},
		{"https://sm/", `{"Name":"n","SecretString":"` + word + `"}`, `{"Name":"n","SecretString":"[REDACTED]"}`},
		{"https://d/auth", `{"Status":"ok","IdentityToken":"` + word + `"}`, `{"Status":"ok","IdentityToken":"[REDACTED]"}`},
		{"https://meili/keys?limit=2", `{"results":[{"name":"n","actions":["search"],"key":"` + hex + `","uid":"1f2a3b4c-5d6e-4001-8a9b-0c1d2e3f4a5b"}]}`, `{"results":[{"name":"n","actions":["search"],"key":"` + strings.Repeat("effaced0", 8) + `","uid":"1f2a3b4c-5d6e-4001-8a9b-0c1d2e3f4a5b"}]}`},
		{"https://typesense/keys", `{"id":1,"actions":["*"],"value":"Zk3vQ9pXw7RtLm2NcY8bHs5DqW1eT6uA","value_prefix":"Zk3v"}`, `{"id":1,"actions":["*"],"value":"[REDACTED]","value_prefix":"Zk3v"}`},
		{"https://store/keys", `{"keys":[{"key":"user:1","value":"` + hex + `"}]}`, `{"keys":[{"key":"user:1","value":"` + hex + `"}]}`},
		{"https://es/_security/service/elastic/fleet-server/credential/token/t1", `{"created":true,"token":{"name":"t1","value":"` + word + `"}}`, `{"created":true,"token":{"name":"t1","value":"[REDACTED]"}}`},
		{"https://api.x.ai/v1/realtime/client_secrets", `{"value":"Zk3vQ9pXw7RtLm2NcY8bHs5D","expires_at":1}`, `{"value":"[REDACTED]","expires_at":1}`},
		{"https://h/api/data/x", `{"data":{"p":"` + word + `"},"value":"` + word + `"}`, `{"data":{"p":"` + word + `"},"value":"` + word + `"}`},
	} {
		var p Policy
		it := &interaction.Interaction{Request: interaction.Request{URL: tt.url}, Response: interaction.Response{Status: 200, Body: []byte(tt.body)}}
		if p.Interaction(it); string(it.Response.Body) != tt.want {
			t.Errorf("%s: %s\n gives %s\n  want %s", tt.url, tt.body, it.Response.Body, tt.want)
		}
		if found := Findings(it); found != nil {
			t.Errorf("%s: found %q", tt.url, found)
		}
	}
	for url, want := range map[string]string{
		"https://mainnet.infura.io/v3/9f8e7d6c5b4a39281706f5e4d3c2b1a0":                                                            "https://mainnet.infura.io/v3/[REDACTED]",
		"https://eth-mainnet.g.alchemy.com/v2/Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1Fs5Gp0A":                                                    "https://eth-mainnet.g.alchemy.com/v2/[REDACTED]",
		"https://hooks.zapier.com/hooks/catch/123456/b0x1yz2":                                                                      "https://hooks.zapier.com/hooks/catch/[REDACTED]",
		"https://hook.eu1.make.com/q3r8ub1yxk7w2v9m4t6n":                                                                           "https://hook.eu1.make.com/[REDACTED]",
		"https://discord.com/api/v10/interactions/123456789012345678/aW50ZXJhY3Rpb246MTIzNDU2Nzg5MDEyMzQ1Njc4OlpxOHZOM3g/callback": "https://discord.com/api/v10/interactions/123456789012345678/[REDACTED]/callback",
		"https://x.webhook.office.com/webhookb2/6a174c20-f6de-453c-94d2-6018fcceff64@6a174c20-f6de-453c-94d2-6018fcceff64/IncomingWebhook/9f8e7d6c5b4a39281706f5e4d3c2b1a0/6a174c20-f6de-453c-94d2-6018fcceff64": "https://x.webhook.office.com/webhookb2/[REDACTED]",
		"https://h/v3/models/my-long-name-of-a-model-with-many-words": "https://h/v3/models/my-long-name-of-a-model-with-many-words",
	} {
		var p Policy
		req := interaction.Request{URL: url}
		if p.Request(&req); req.URL != want {
			t.Errorf("%s becomes %s, want %s", url, req.URL, want)
		}
	}
	node := interaction.Request{URL: "http://127.0.0.1:8545/v3/9f8e7d6c5b4a39281706f5e4d3c2b1a0", Body: []byte(`{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}`)}
	var p Policy
	if p.Request(&node); node.URL != "http://127.0.0.1:8545/v3/[REDACTED]" {
		t.Error(node.URL)
	}
	picture := interaction.Request{URL: "http://127.0.0.1:8545/v3/9f8e7d6c5b4a39281706f5e4d3c2b1a0", Body: []byte(`{"method":"crop"}`)}
	var another Policy
	if another.Request(&picture); strings.Contains(picture.URL, "REDACTED") {
		t.Error(picture.URL)
	}
}
