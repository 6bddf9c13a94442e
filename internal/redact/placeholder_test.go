package redact

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	encoding "encoding/pem"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A typedSample is an answer with a secret, and how a client reads it.
type typedSample struct {
	answer string
	read   func(value string) error // of what stands at "x" in the answer
}

// samplesOfTypes are the rows of the table in docs/SECURITY.md, by their first cells.
func samplesOfTypes() map[string][]typedSample {
	const password = "Tr0ub4dorZq3vT8mK"
	asBase64 := func(enc *base64.Encoding) func(string) error {
		return func(s string) error { _, err := enc.DecodeString(s); return err }
	}
	asURL := func(s string) error {
		u, err := url.Parse(s)
		if err == nil && (u.Host == "" || strings.Contains(s, password)) {
			err = fmt.Errorf("%q", s)
		}
		return err
	}
	asTime := func(layout string) func(string) error {
		return func(s string) error { _, err := time.Parse(layout, s); return err }
	}
	asHex := func(s string) error { _, err := hex.DecodeString(s); return err }
	asJSON := func(s string) error { var v map[string]any; return json.Unmarshal([]byte(s), &v) }
	random := strings.Repeat("\x9a\x01\xfe\x33\x80\xc4", 8)
	key := base64.RawURLEncoding.EncodeToString([]byte(random[:32]))
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	asToken := func(s string) error {
		parts := strings.Split(s, ".")
		if len(parts) != 3 {
			return fmt.Errorf("%q", s)
		}
		claims, err := base64.RawURLEncoding.DecodeString(parts[1])
		if err != nil {
			return err
		}
		return asJSON(string(claims))
	}
	quoted := func(name, value string) string {
		b, _ := json.Marshal(map[string]string{name: value})
		return string(b)
	}
	private, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	der, _ := x509.MarshalPKCS8PrivateKey(private)
	block := &encoding.Block{Type: "PRIVATE KEY", Bytes: der}
	asKey := func(s string) error {
		block, _ := encoding.Decode([]byte(s))
		if block == nil {
			return fmt.Errorf("%q", s)
		}
		_, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		return err
	}
	return map[string][]typedSample{
		"a text":                               {{quoted("client_secret", password), func(string) error { return nil }}},
		"a JSON number":                        {{`{"x":492913774025}`, func(s string) error { var n int64; return json.Unmarshal([]byte(s), &n) }}},
		"hexadecimal digits, a UUID":           {{quoted("client_secret", "9f8e7d6c5b4a39281706f5e4d3c2b1a0"), asHex}, {quoted("client_secret", "9F8E7D6C5B4A39281706F5E4D3C2B1A0"), asHex}, {quoted("client_secret", "8f14e45f-ceea-467f-a8d5-3b1c7e9d2a60"), func(s string) error { return asHex(strings.ReplaceAll(s, "-", "")) }}},
		"digits":                               {{quoted("client_secret", "81723648551234"), func(s string) error { var n int64; return json.Unmarshal([]byte(`1`+s), &n) }}},
		"base32":                               {{quoted("client_secret", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXQ"), func(s string) error { _, err := base32.StdEncoding.DecodeString(s); return err }}},
		"a date or time under a name you gave": {{`{"x":"1990-05-04"}`, asTime(time.DateOnly)}, {`{"x":"1990-05-04T03:02:01Z"}`, asTime(time.RFC3339)}, {`{"x":"1990-05-04T03:02:01.123+02:00"}`, asTime(time.RFC3339Nano)}},
		"the user, password or host of a URL":  {{quoted("x", "postgres://owner:"+password+"@db.example/app?sslmode=require"), asURL}, {quoted("x", "see https://bot:"+password+"@git.example/a.git"), func(s string) error { return asURL(strings.TrimPrefix(s, "see ")) }}},
		"a parameter of a URL":                 {{quoted("x", "https://h.example/a?api_key="+password+"&b=1"), asURL}},
		"base64 of a text (either alphabet, with padding or without)":           {{quoted("client_secret", base64.StdEncoding.EncodeToString([]byte(password))), asBase64(base64.StdEncoding)}, {quoted("client_secret", base64.StdEncoding.EncodeToString([]byte("AWS:"+password+"1"))), asBase64(base64.StdEncoding)}},
		"base64 of other bytes, if padding, `+` or `/` tells that it is base64": {{quoted("client_secret", base64.StdEncoding.EncodeToString([]byte(random[:32]))), asBase64(base64.StdEncoding)}},
		"a private member of a JSON Web Key":                                    {{fmt.Sprintf(`{"kty":"EC","crv":"P-256","d":%q}`, key), asBase64(base64.RawURLEncoding)}, {fmt.Sprintf(`{"k":%q,"kty":"oct"}`, key), asBase64(base64.RawURLEncoding)}},
		"a signed JSON Web Token":                                               {{quoted("access_token", part(`{"alg":"HS256"}`)+"."+part(`{"sub":"1","exp":1708593608}`)+"."+strings.Repeat("c2ln", 12)), asToken}},
		"a private key in PEM":                                                  {{quoted("private_key", string(encoding.EncodeToMemory(block))), asKey}},
		"a JSON object, also in a string or in base64":                          {{quoted("SecretString", `{"username":"app","password":"`+password+`"}`), asJSON}},
		"a cookie": nil, // has a test of its own
	}
}

// TestPlaceholderKeepsType: what a client parses, it can parse in replay. The table in
// docs/SECURITY.md has a row for each type, and each row is tested.
func TestPlaceholderKeepsType(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "### What stands for a secret")
	table, _, _ = strings.Cut(table, "\n### ")
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \|$`).FindAllStringSubmatch(table, -1)
	samples := samplesOfTypes()
	if len(rows) != len(samples)+1 {
		t.Errorf("the table has %d rows and a head, there are samples of %d types", len(rows)-1, len(samples))
	}
	for _, row := range rows[1:] {
		all, ok := samples[row[1]]
		if !ok {
			t.Errorf("the row %q has no sample", row[1])
		}
		for _, sample := range all {
			checkType(t, row[1], sample)
		}
	}
}

func checkType(t *testing.T, row string, sample typedSample) {
	t.Helper()
	p := Policy{Names: []string{"x"}}
	if strings.HasPrefix(row, "the user") || strings.HasPrefix(row, "a parameter") {
		p.Names = nil
	}
	it := &interaction.Interaction{
		Request:  interaction.Request{Method: "POST", URL: "https://auth.example/oauth/token", Body: []byte("grant_type=client_credentials")},
		Response: interaction.Response{Status: 200, Body: []byte(sample.answer)},
	}
	p.Interaction(it)
	out := string(it.Response.Body)
	if out == sample.answer {
		t.Errorf("%s: %s is written as it is", row, out)
		return
	}
	var before, after map[string]json.RawMessage
	if err := json.Unmarshal([]byte(sample.answer), &before); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out), &after); err != nil {
		t.Errorf("%s: %s: %v", row, out, err)
		return
	}
	for name, raw := range after {
		if string(raw) == string(before[name]) {
			continue
		}
		value := string(raw)
		_ = json.Unmarshal(raw, &value) // a number stays as it is
		if err := sample.read(value); err != nil {
			t.Errorf("%s: %s: %v", row, out, err)
		}
	}
	again := interaction.Response{Status: 200, Body: []byte(out)}
	p.Response(&it.Request, &again)
	if string(again.Body) != out {
		t.Errorf("%s: %s becomes %s", row, out, again.Body)
	}
}

// TestPlaceholderOfCookie: a cookie is read as one, and has not expired.
func TestPlaceholderOfCookie(t *testing.T) {
	t.Parallel()
	resp := interaction.Response{Status: 200, Headers: headers("set-cookie", "sid=Zq3vT8mKx2Lw9pRb4NcY; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly")}
	new(Policy).Response(&interaction.Request{}, &resp)
	c, err := http.ParseSetCookie(resp.Headers[0].Values[0])
	if err != nil || c.Value != Placeholder || c.Expires.Year() != 2999 || c.Path != "/" {
		t.Errorf("%+v, %v: %v", c, err, resp.Headers)
	}
}
