package secrets_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// secretShapes are ways to write that NAME has the value VALUE, by their media types.
var secretShapes = []struct{ media, body string }{
	{"application/json", `{"NAME":"VALUE"}`},
	{"application/json", `{"NAME":{"stringValue":"VALUE"}}`},
	{"application/json", `{"fields":{"NAME":{"string_value": "VALUE"}}}`},
	{"application/json", `{"Item":{"NAME":{"S":"VALUE"},"n":{"N":"1"}}}`},
	{"application/json", `{"NAME":["VALUE"]}`},
	{"application/json", `{"NAME":["VALUE","VALUE2"]}`},
	{"application/json", `{"NAME":{"values":["VALUE","VALUE2"]}}`},
	{"application/json", `{"env":[{"name":"NAME","value":"VALUE"}]}`},
	{"application/json", `{"env":[{"value":"VALUE","name":"NAME"}]}`},
	{"application/json", `[{"key":"NAME","type":"encrypted","value":"VALUE"}]`},
	{"application/json", `{"attributes":[{"key":"NAME","value":{"stringValue":"VALUE"}}]}`},
	{"application/json", `[{"k":"NAME","v":"VALUE"}]`},
	{"application/json", `{"pairs":[["NAME","VALUE"]]}`},
	{"application/x-www-form-urlencoded", `a=b&NAME=VALUE&c=d`},
	{"multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"NAME\"\r\n\r\nVALUE\r\n--x--\r\n"},
	{"text/xml", `<a><NAME>VALUE</NAME></a>`},
	{"text/xml", `<w:a><w:NAME Type="http://docs.oasis-open.org/wss/2004/01/profile-1.0#Text">VALUE</w:NAME></w:a>`},
	{"text/xml", `<NAME><![CDATA[VALUE]]></NAME>`},
	{"text/xml", `<p><name>NAME</name><value>VALUE</value></p>`},
	{"text/xml", `<add key="NAME" value="VALUE"/>`},
	{"text/plain", "export NAME=VALUE\n"},
	{"application/yaml", "NAME:\n  - VALUE\n  - VALUE2\n"},
	{"application/json", `{"arguments":"{\"NAME\": {\"value\": \"VALUE\"}}"}`},
	{"application/json", `{"a":"{\"b\":\"{\\\"NAME\\\":[\\\"VALUE\\\",\\\"VALUE2\\\"]}\"}"}`},
}

var namesOfSecrets = strings.Fields(`api_key apiKey x-api-key secret_access_key client_secret clientSecret secret secret_id signing_secret
	webhook_secret encryption_key private_key access_token refresh_token auth_token bot_token session_token identityToken password
	db_password passphrase routing_key integration_key baton credential auth_key server_key client_key writeKey
	ingestion_key instrumentation_key deploy_key application_key app_key session_key recovery_code secret_token csrf_token
	reset_token invite_token magic_token remember_token npm_token gh_token job_token vault_token sasToken id_token
	client_assertion device_code code_verifier access_code credentials db_pass one_time_password`)

var valuesOfSecrets = []string{"k9Fq2xZr81LmPq7T", "Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1Fs5Gp0A", "9f8e7d6c5b4a39281706f5e4d3c2b1a0",
	"6a174c20-f6de-453c-94d2-6018fcceff64", "kJ8dQ2mVx+7LrT0aYw3ZbN6cHs9EfUg1"}

// TestSecretsInEveryShape: a secret under its name is in no file, wherever it stands and however
// it is written, not even where it stands once more under no name, before or after; and what is
// recorded replays, for somebody with the same secret and for somebody with another.
func TestSecretsInEveryShape(t *testing.T) {
	t.Parallel()
	for i, shape := range secretShapes {
		for j, name := range namesOfSecrets {
			if j%len(secretShapes) != i && !full.Set() { // each shape and each name, but not all pairs
				continue
			}
			value := valuesOfSecrets[(i+j)%len(valuesOfSecrets)]
			bodyWith := func(value string) string {
				if strings.Contains(shape.media, "form-urlencoded") {
					value = url.QueryEscape(value)
				}
				return strings.NewReplacer("NAME", name, "VALUE2", value[1:]+"3", "VALUE", value).Replace(shape.body)
			}
			body := bodyWith(value)
			what := fmt.Sprintf("%s %s", shape.media, body)
			file := filepath.Join(t.TempDir(), "c.yaml")
			for i, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeNone} {
				value, body := value, body
				if i == 2 {
					value = "a-dummy"
					body = bodyWith(value)
				}
				answer := fmt.Sprintf(`{"said":%s}`, jsonText(body))
				r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(answer)))
				send := func(method, path, body, media string) {
					req, err := http.NewRequest(method, "http://h"+path, strings.NewReader(body))
					if err != nil {
						t.Fatal(err)
					}
					req.Header.Set("Content-Type", media)
					resp, err := r.RoundTrip(req)
					if err != nil {
						t.Fatal(err)
					}
					text, _ := io.ReadAll(resp.Body)
					if resp.StatusCode != 200 || mode == promptecho.ModeNone && strings.Contains(string(text), value) {
						t.Errorf("%s: %s: %s %s: %d %s", what, mode, method, path, resp.StatusCode, text)
					}
				}
				send("POST", "/before", `{"note":"`+value+`"}`, "application/json")
				send("GET", "/before/"+url.PathEscape(value)+"/x", "", "")
				send("POST", "/x", body, shape.media)
				send("POST", "/after", `{"arguments":"{\"note\":\"`+value+`\"}"}`, "application/json")
				send("GET", "/after?x="+url.QueryEscape(value), "", "")
				if mode == promptecho.ModeAll {
					if text := must.Read(t, file+must.JournalSuffix); strings.Contains(text, value) {
						t.Errorf("%s: the journal has it:\n%s", what, text)
					}
				}
				must.Close(t, r)
			}
			if text := must.Read(t, file); strings.Contains(text, value) {
				t.Errorf("%s: the cassette has it:\n%s", what, text)
			}
		}
	}
}

// TestLateSecretIsNotShown: what is known as a secret only by a later request of the recording
// run is shown by no miss of a replay, whatever else differs, and a note says why it plays.
func TestLateSecretIsNotShown(t *testing.T) {
	t.Parallel()
	const token = "Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1Fs5Gp0A"
	for _, first := range []struct{ path, body, media string }{
		{"/x", `{"device":"TOKEN","text":"WORD"}`, "application/json"},
		{"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"WORD: my key is TOKEN, use it"}]}`, "application/json"},
		{"/u/TOKEN/WORD", "", ""},
		{"/x", "device=TOKEN&text=WORD", "application/x-www-form-urlencoded"},
		{"/x", "device TOKEN\nWORD", "text/plain"},
		{"/x", "<device>TOKEN</device><p>WORD</p>", "text/xml"},
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		run := func(mode promptecho.Mode, token, word string, later bool) (shown string) {
			t.Helper()
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`{"ok":true}`)), promptecho.Log(func(note string) { shown += note + "\n" }))
			with := strings.NewReplacer("TOKEN", token, "WORD", word).Replace
			req, err := http.NewRequest("POST", "http://h"+with(first.path), strings.NewReader(with(first.body)))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", first.media)
			resp, err := r.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(resp.Body)
			shown += string(text)
			if later {
				must.Post(t, r, "http://h/later", `{}`, "Authorization", "Bearer "+token)
			}
			if err := r.Close(); err != nil {
				shown += err.Error()
			}
			return shown
		}
		if shown := run(promptecho.ModeAll, token, "hello", true); !strings.Contains(shown, "rec.Secret(NAME)") || strings.Contains(shown+must.Read(t, file), token) {
			t.Errorf("%+v: recorded: %s\n%s", first, shown, must.Read(t, file))
		}
		if shown := run(promptecho.ModeNone, token, "hello", true); strings.Contains(shown, "not recorded") || !strings.Contains(shown, file+":4: replayed, although the request has a different text where the recording has [REDACTED]") {
			t.Errorf("%+v: replayed: %s", first, shown)
		}
		for _, other := range []string{token, "Another-Secret-Of-Mine-9000"} {
			if shown := run(promptecho.ModeNone, other, "goodbye", false); !strings.Contains(shown, "not recorded") || strings.Contains(shown, other) || strings.Contains(shown, other[8:]) {
				t.Errorf("%+v: missed: %s", first, shown)
			}
		}
	}
}

// TestSecretsOfAnswers: a secret that an answer or one of its events names is in no file, not even in what was asked and
// answered before, or in the same call; and what is recorded replays, for a program that sends on
// what it was given.
func TestSecretsOfAnswers(t *testing.T) {
	t.Parallel()
	for i, shape := range secretShapes {
		for j, name := range namesOfSecrets {
			if j%len(secretShapes) != i && !full.Set() { // each shape and each name, but not all pairs
				continue
			}
			value := valuesOfSecrets[(i+j)%len(valuesOfSecrets)]
			escaped := value
			if strings.Contains(shape.media, "form-urlencoded") {
				escaped = url.QueryEscape(value)
			}
			body := strings.NewReplacer("NAME", name, "VALUE2", escaped[1:]+"3", "VALUE", escaped).Replace(shape.body)
			file := filepath.Join(t.TempDir(), "c.yaml")
			upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
				header, text := http.Header{"Content-Type": {"application/json"}}, `{"echo":"`+value+`"}`
				if req.URL.Path == "/give" {
					header.Set("Content-Type", shape.media)
					if text = body; shape.media == "application/json" && j%2 == 1 {
						header.Set("Content-Type", "text/event-stream")
						text = "data: {\"n\":1}\n\nevent: x\ndata: " + body + "\n\n"
					}
				}
				return &http.Response{StatusCode: 200, Header: header, Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text))}, nil
			})
			for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
				r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
				given := value
				if mode == promptecho.ModeNone {
					given = "[REDACTED]" // or whatever the program reads from the answer
				}
				for _, call := range [][2]string{{"/before", value}, {"/give", value}, {"/after", given}, {"/after/" + url.PathEscape(given), "x"}} {
					status, text := must.Post(t, r, "http://h"+call[0], `{"note":"`+call[1]+`"}`)
					if status != 200 || mode == promptecho.ModeNone && strings.Contains(text, value) {
						t.Errorf("%s: %s: %s: %d %s", body, mode, call[0], status, text)
					}
				}
				if mode == promptecho.ModeAll {
					if text := must.Read(t, file+must.JournalSuffix); strings.Contains(text, value) || strings.Count(text, "url:") != 4 {
						t.Errorf("%s: the journal:\n%s", body, text)
					}
				}
				must.Close(t, r)
			}
			if text := must.Read(t, file); strings.Contains(text, value) {
				t.Errorf("%s: the cassette has it:\n%s", body, text)
			}
		}
	}
}

// TestSecretsOfStores: what a secret store answers is in no file, whatever it looks like, not even
// where the program uses it, and a program that decodes it works in replay.
func TestSecretsOfStores(t *testing.T) {
	t.Parallel()
	const value = "hunter2-again"
	b64 := base64.StdEncoding.EncodeToString([]byte(value))
	for _, store := range []struct{ path, answer string }{
		{"/api/v1/namespaces/n/secrets/s", `{"kind":"Secret","data":{"x":"` + b64 + `"}}`},
		{"/v1/projects/p/secrets/s/versions/latest:access", `{"payload":{"data":"` + b64 + `"}}`},
		{"/secrets/s/1", `{"value":"` + value + `"}`},
		{"/x/providers/y/accounts/a/listKeys", `{"key1":"` + value + `"}`},
		{"/v1/secret/data/s", `{"lease_duration":0,"data":{"data":{"x":"` + value + `"}}}`},
		{"/", `{"Parameter":{"Name":"n","Type":"SecureString","Value":"` + value + `"}}`},
		{"/", `{"Name":"n","SecretString":"{\"x\":\"` + value + `\"}"}`},
		{"/", `{"authorizationData":[{"authorizationToken":"` + base64.StdEncoding.EncodeToString([]byte("AWS:"+value)) + `"}]}`},
		{"/v1.43/auth", `{"IdentityToken":"` + value + `"}`},
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(store.answer)))
			_, text := must.Post(t, r, "http://h"+store.path, `{}`)
			found := regexp.MustCompile(`\w+2-again|\[REDACTED\]|[A-Za-z0-9+/]{8,}=+`).FindString(text)
			for range 2 { // what is encoded, and in it
				if plain, err := base64.StdEncoding.DecodeString(found); err == nil {
					found = strings.TrimPrefix(string(plain), "AWS:")
				}
			}
			if want := map[promptecho.Mode]string{promptecho.ModeAll: value, promptecho.ModeNone: "[REDACTED]"}[mode]; found != want {
				t.Errorf("%s: %s: the program reads %q of %s", store.path, mode, found, text)
			}
			if status, text := must.Post(t, r, "http://h/use", `{"note":"`+found+`"}`); status != 200 {
				t.Errorf("%s: %s: %d %s", store.path, mode, status, text)
			}
			must.Close(t, r)
		}
		if text := must.Read(t, file); strings.Contains(text, value) || strings.Contains(text, b64) {
			t.Errorf("%s: the cassette has it:\n%s", store.path, text)
		}
	}
}

// jsonText returns a text as a value of JSON.
func jsonText(s string) string {
	text, _ := json.Marshal(s) // no string fails
	return string(text)
}
