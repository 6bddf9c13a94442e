package secrets_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// A namedSecret is a secret under its name, written in a shape.
type namedSecret struct {
	shape  secretShape
	name   string
	value  string
	number int // of the name in the list
}

// body returns the shape with a value under the name.
func (s namedSecret) body(value string) string {
	if s.shape.media == "application/x-www-form-urlencoded" {
		value = url.QueryEscape(value)
	}
	return strings.NewReplacer("NAME", s.name, "VALUE2", value[1:]+"3", "VALUE", value).Replace(s.shape.body)
}

// eachNamedSecret runs a test for each shape and for each name; with FULL=1 for each name in each shape.
func eachNamedSecret(t *testing.T, test func(t *testing.T, s namedSecret)) {
	for i, shape := range secretShapes {
		for j, name := range secretNames {
			isChosen := j%len(secretShapes) == i
			if !isChosen && !full.Set() {
				continue
			}
			value := secretValues[(i+j)%len(secretValues)]
			t.Run(shape.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				test(t, namedSecret{shape: shape, name: name, value: value, number: j})
			})
		}
	}
}

// A secretShape is a body that says that NAME has the value VALUE, and sometimes another one, VALUE2.
type secretShape struct{ name, media, body string }

var secretShapes = []secretShape{
	{
		name:  "member of an object",
		media: "application/json",
		body:  `{"NAME":"VALUE"}`,
	},
	{
		name:  "typed value",
		media: "application/json",
		body:  `{"NAME":{"stringValue":"VALUE"}}`,
	},
	{
		name:  "typed value in an object",
		media: "application/json",
		body:  `{"fields":{"NAME":{"string_value": "VALUE"}}}`,
	},
	{
		name:  "attribute of DynamoDB",
		media: "application/json",
		body:  `{"Item":{"NAME":{"S":"VALUE"},"n":{"N":"1"}}}`,
	},
	{
		name:  "list of one",
		media: "application/json",
		body:  `{"NAME":["VALUE"]}`,
	},
	{
		name:  "list of two",
		media: "application/json",
		body:  `{"NAME":["VALUE","VALUE2"]}`,
	},
	{
		name:  "list in an object",
		media: "application/json",
		body:  `{"NAME":{"values":["VALUE","VALUE2"]}}`,
	},
	{
		name:  "name and value",
		media: "application/json",
		body:  `{"env":[{"name":"NAME","value":"VALUE"}]}`,
	},
	{
		name:  "value and name",
		media: "application/json",
		body:  `{"env":[{"value":"VALUE","name":"NAME"}]}`,
	},
	{
		name:  "key, type and value",
		media: "application/json",
		body:  `[{"key":"NAME","type":"encrypted","value":"VALUE"}]`,
	},
	{
		name:  "key and typed value",
		media: "application/json",
		body:  `{"attributes":[{"key":"NAME","value":{"stringValue":"VALUE"}}]}`,
	},
	{
		name:  "k and v",
		media: "application/json",
		body:  `[{"k":"NAME","v":"VALUE"}]`,
	},
	{
		name:  "pair in a list",
		media: "application/json",
		body:  `{"pairs":[["NAME","VALUE"]]}`,
	},
	{
		name:  "form",
		media: "application/x-www-form-urlencoded",
		body:  `a=b&NAME=VALUE&c=d`,
	},
	{
		name:  "multipart form",
		media: "multipart/form-data; boundary=x",
		body:  "--x\r\nContent-Disposition: form-data; name=\"NAME\"\r\n\r\nVALUE\r\n--x--\r\n",
	},
	{
		name:  "XML element",
		media: "text/xml",
		body:  `<a><NAME>VALUE</NAME></a>`,
	},
	{
		name:  "XML element with an attribute",
		media: "text/xml",
		body: `<w:a><w:NAME Type="http://docs.oasis-open.org/wss/2004/01/profile-1.0#Text">` +
			`VALUE</w:NAME></w:a>`,
	},
	{
		name:  "CDATA",
		media: "text/xml",
		body:  `<NAME><![CDATA[VALUE]]></NAME>`,
	},
	{
		name:  "XML name and value",
		media: "text/xml",
		body:  `<p><name>NAME</name><value>VALUE</value></p>`,
	},
	{
		name:  "XML attributes",
		media: "text/xml",
		body:  `<add key="NAME" value="VALUE"/>`,
	},
	{
		name:  "shell",
		media: "text/plain",
		body:  "export NAME=VALUE\n",
	},
	{
		name:  "YAML list",
		media: "application/yaml",
		body:  "NAME:\n  - VALUE\n  - VALUE2\n",
	},
	{
		name:  "JSON in JSON",
		media: "application/json",
		body:  `{"arguments":"{\"NAME\": {\"value\": \"VALUE\"}}"}`,
	},
	{
		name:  "JSON in JSON in JSON",
		media: "application/json",
		body:  `{"a":"{\"b\":\"{\\\"NAME\\\":[\\\"VALUE\\\",\\\"VALUE2\\\"]}\"}"}`,
	},
}

var secretNames = strings.Fields(`api_key apiKey x-api-key secret_access_key client_secret clientSecret secret
	secret_id signing_secret webhook_secret encryption_key private_key access_token refresh_token auth_token
	bot_token session_token identityToken password db_password passphrase routing_key integration_key baton
	credential auth_key server_key client_key writeKey ingestion_key instrumentation_key deploy_key application_key
	app_key session_key recovery_code secret_token csrf_token reset_token invite_token magic_token remember_token
	npm_token gh_token job_token vault_token sasToken id_token client_assertion device_code code_verifier
	access_code credentials db_pass one_time_password`)

var secretValues = []string{
	"k9Fq2xZr81LmPq7T",
	"Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1Fs5Gp0A",
	"9f8e7d6c5b4a39281706f5e4d3c2b1a0",
	"6a174c20-f6de-453c-94d2-6018fcceff64",
	"kJ8dQ2mVx+7LrT0aYw3ZbN6cHs9EfUg1",
}
