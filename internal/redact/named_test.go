package redact

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// besideShapes are ways to write that NAME has the value VALUE.
var besideShapes = []string{
	`{"NAME":"VALUE"}`,
	`{"NAME": "VALUE", "x": 1}`,
	`{"NAME":{"stringValue":"VALUE"}}`,
	`{"NAME":{"string_value": "VALUE"}}`,
	"{\n  \"NAME\": {\n    \"S\": \"VALUE\"\n  }\n}",
	`{"NAME":{"SS":["VALUE"]}}`,
	`{"NAME":{"value":{"stringValue":"VALUE"}}}`,
	`{"NAME":["VALUE"]}`,
	`{"NAME": [ "VALUE", "VALUE" ]}`,
	`{"NAME":["[REDACTED]","VALUE"]}`,
	`{"NAME":["[REDACTED]", "effaced0effaced0effaced0effaced0", "VALUE"]}`,
	"{\"NAME\":[\n\"VALUE\",\n\"VALUE\"\n]}",
	`{"NAME":{"values":["VALUE","VALUE"]}}`,
	`{"name":"NAME","value":"VALUE"}`,
	`{"value":"VALUE","name":"NAME"}`,
	`{"name": "NAME", "type": "encrypted", "value": "VALUE"}`,
	`{"Value": "VALUE", "Type": "x", "n": 3, "Key": "NAME"}`,
	`{"key":"NAME","value":{"stringValue":"VALUE"}}`,
	`{"value":{"stringValue":"VALUE"},"key":"NAME"}`,
	`{"k":"NAME","v":"VALUE"}`,
	`[["NAME","VALUE"]]`,
	`a=b&NAME=VALUE&c=d`,
	"--x\r\nContent-Disposition: form-data; name=\"NAME\"\r\n\r\nVALUE\r\n--x--",
	"--x\r\nContent-Disposition: form-data; name=\"NAME\"\r\nContent-Type: text/plain\r\n\r\nVALUE\r\n--x--",
	`<a><NAME>VALUE</NAME></a>`,
	`<w:a><w:NAME Type="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText">VALUE</w:NAME></w:a>`,
	`<NAME x="y" z='1'><![CDATA[VALUE]]></NAME>`,
	`<NAME><![CDATA[VALUE]]></NAME>`,
	`<p><name>NAME</name><value>VALUE</value></p>`,
	`<p><Value>VALUE</Value><Name>NAME</Name></p>`,
	`<add key="NAME" value="VALUE"/>`,
	"NAME: VALUE\n",
	"NAME:\n  - VALUE\n",
	"export NAME=VALUE\n",
}

// A random value under the name of a secret is replaced, however it is written, also in nested
// JSON.
func TestBesideShapes(t *testing.T) {
	t.Parallel()
	names := strings.Fields(`api_key apiKey x-api-key access_key secret_access_key client_secret clientSecret app_secret secret secretId
		secret_id signing_secret signing_key webhook_secret encryption_key master_key private_key access_token refresh_token
		auth_token bot_token session_token identity_token IdentityToken oauth_token password passwd db_password Password passphrase
		routing_key integration_key baton credential SecretString consumer_secret consumer_key shared_secret jwt_secret`)
	values := []string{"k9Fq2xZr81LmPq7T", "Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1Fs5Gp0A", "9f8e7d6c5b4a39281706f5e4d3c2b1a0", "6a174c20-f6de-453c-94d2-6018fcceff64"}
	missed := map[string][]string{}
	for i, shape := range besideShapes {
		for k, name := range names {
			for n, value := range values {
				if (i+k)%len(values) != n && !full.Set() {
					continue
				}
				text := strings.NewReplacer("NAME", name, "VALUE", value).Replace(shape)
				for depth := range 3 {
					if got := redactedText(text); strings.Contains(got, value) {
						missed[fmt.Sprintf("depth %d of %s", depth, shape)] = append(missed[fmt.Sprintf("depth %d of %s", depth, shape)], got)
					}
					quoted, _ := json.Marshal(text)
					text = string(quoted)
				}
			}
		}
	}
	for what, texts := range missed {
		t.Errorf("%s: %d times, first %s", what, len(texts), texts[0])
	}
	for _, text := range []string{
		`{"token_count":[3]}`, `{"properties":{"password":{"type":"string","description":"k9Fq2xZr81LmPq7T"}}}`,
		`{"name":"api_key","description":"The key k9Fq2xZr81LmPq7T of the caller"}`, `{"name":"api_key"},{"name":"id","value":"k9Fq2xZr81LmPq7T"}`,
		`{"password":["correct horse","battery staple"]}`,
		`{"routing_key":"orders.created"}`, `{"id":"api_key","value":{"id":"k9Fq2xZr81LmPq7T"}}`, `<password>changeme</password><id>k9Fq2xZr81LmPq7T</id>`,
		`{"secret":"projects/p-1/secrets/Db2Password/versions/3"}`, `{"secret":"arn:aws:secretsmanager:eu-west-1:123456789012:secret:ProdDb2-AbCdEf"}`,
		`{"client_secret":"My application's secret, 2024 edition"}`, `{"password":"Use 12 characters, A-Z and 0-9"}`, `{"secret":"my-k8s-secret-Prod2024"}`,
		`{"accessKey":"process.env.ACCESS_KEY_2"}`, `{"api_key":"${API_KEY_2024_Prod}"}`, `{"authToken":"{{login.body.Token1}}"}`,
		`{"api_key":{"id":"key_k9Fq2xZr81LmPq7T","created":1}}`,
	} {
		if got := redactedText(text); got != text {
			t.Errorf("%s becomes %s", text, got)
		}
	}
}

// TestPasswordsByName: between quotes, a strong password is a secret under the name of a secret,
// but not under a name that data have, too, nor as the signature of a URL.
func TestPasswordsByName(t *testing.T) {
	t.Parallel()
	const password = "Blue9Horse-Kite4Xq"
	for name, isReplaced := range map[string]bool{
		"password":         true,
		"client_secret":    true,
		"routing_key":      false, // of PagerDuty, or of a message
		"X-Amz-Signature":  false,
		"X-Goog-Signature": false,
	} {
		text := fmt.Sprintf("%s = %q", name, password)
		if got := redactedText(text); (got != text) != isReplaced {
			t.Errorf("%s becomes %s", text, got)
		}
	}
}
