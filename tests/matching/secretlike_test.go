package matching_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Two requests that differ in a value which only looks like a secret each get their own answer.
//
// They are asked in the other order in replay. Such a value is not searched for elsewhere either:
// what is asked after it keeps it. The addresses of Ethereum are public, the other values are
// made up.
func TestValueThatOnlyLooksSecretTellsRequestsApart(t *testing.T) {
	t.Parallel()
	const (
		api       = "https://api.example/v1/"
		coin      = "0x6B175474E89094C44Da98b954EedeAC495271d0F"
		otherCoin = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
	)
	get := func(path string) must.Request { return request(api + path) }
	post := func(path, body string, headers ...string) must.Request {
		return must.Request{URL: api + path, Body: body, Headers: headers}
	}
	chat := func(prompt string, headers ...string) must.Request {
		return must.Request{URL: must.ChatURL, Body: must.ChatBody(prompt), Headers: headers}
	}
	tests := []struct {
		name          string
		before        []must.Request // in each run
		first, second must.Request
		header        [2]string // name and value, of each answer
	}{{
		name:   "a token that is sold",
		first:  get("price?sellToken=" + coin),
		second: get("price?sellToken=" + otherCoin),
	}, {
		name:   "a token with a public address",
		first:  get("price?token=" + coin),
		second: get("price?token=" + otherCoin),
	}, {
		name:   "prompts with such a token",
		before: []must.Request{get("price?token=" + coin), get("price?sellToken=" + otherCoin)},
		first:  chat("Is " + coin + " safe?"),
		second: chat("Is " + otherCoin + " safe?"),
	}, {
		name:   "the key of an object",
		first:  get("get?objectKey=Zk3vQ9pXw7RtLm2NcY8bHs5D"),
		second: get("get?objectKey=Qm8sT4vXy2PwKn6LbZ9cRj3F"),
	}, {
		name:   "the key of a race",
		first:  get("laps?session_key=9161"),
		second: get("laps?session_key=9222"),
	}, {
		name:   "the length of a password",
		first:  get("make?password_length=12"),
		second: get("make?password_length=20"),
	}, {
		name:   "a file name with the word api",
		first:  get("get?key=docs/sample-api-one.json"),
		second: get("get?key=docs/sample-api-two.json"),
	}, {
		name:   "the address of the user who is logged in",
		first:  chat("Who is alice@example.com?", "X-Auth-Request-Email", "alice@example.com"),
		second: chat("Who is bob@example.com?", "X-Auth-Request-Email", "bob@example.com"),
	}, {
		name:   "the key of a message",
		first:  post("send", `{"to":"customer-000123"}`, "X-Message-Key", "customer-000123"),
		second: post("send", `{"to":"customer-000456"}`, "X-Message-Key", "customer-000456"),
	}, {
		name:   "a cookie with a city",
		first:  post("near", `{"in":"San Francisco, CA"}`, "Cookie", "city=San%20Francisco%2C%20CA"),
		second: post("near", `{"in":"New York City, NY"}`, "Cookie", "city=New%20York%20City%2C%20NY"),
	}, {
		name:   "keys of a cache in an answer",
		before: []must.Request{get("page")},
		first:  chat("Explain global-warming"),
		second: chat("Explain quantum physics"),
		header: [2]string{"Surrogate-Key", "climate-change global-warming"},
	}, {
		name:   "a cookie with the path of the page",
		first:  get("products/blue-shirt"),
		second: get("products/green-shirt"),
		header: [2]string{"Set-Cookie", "_landing_page=%2Fv1%2Fproducts%2Fblue-shirt"},
	}, {
		name:   "a grant of shares, with a code",
		first:  post("shares", `{"grantType":"RSU","code":"A1-2026"}`),
		second: post("shares", `{"grantType":"RSU","code":"A2-2026"}`),
	}, {
		name:   "the number of an interaction",
		first:  get("interactions/123456789012345678/9f86d081884c7d659a2feaa0c55ad0159f86d081"),
		second: get("interactions/123456789012345678/60303ae22b998861bce3b28f33eec1be60303ae2"),
	}, {
		name:   "the tools of a workshop",
		first:  post("jobs", `{"tools":[{"type":"drill"},{"type":"mill"}]}`),
		second: post("jobs", `{"tools":[{"type":"mill"},{"type":"drill"}]}`),
	}, {
		name:   "a prompt with a placeholder of the user's own",
		first:  chat("My number is [REDACTED]. Help me."),
		second: chat("My number is 123-45-6789. Help me."),
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			asked := 0
			upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
				asked++
				resp, err := provider.Says(fmt.Sprintf(`"answer %d"`, asked-len(tt.before))).RoundTrip(req)
				if tt.header[0] != "" {
					resp.Header.Set(tt.header[0], tt.header[1])
				}
				return resp, err
			})
			ask := func(r *promptecho.Recorder, req must.Request, want string) {
				if got := req.Ask(t, r); got != want {
					t.Errorf("%s %s got %s, want %s", req.URL, req.Body, got, want)
				}
			}
			r := recordAll(t, file, promptecho.Upstream(upstream))
			for _, req := range tt.before {
				req.Ask(t, r)
			}
			ask(r, tt.first, `"answer 1"`)
			ask(r, tt.second, `"answer 2"`)
			must.Close(t, r)

			r = replay(t, file)
			for _, req := range tt.before {
				req.Ask(t, r)
			}
			ask(r, tt.second, `"answer 2"`)
			ask(r, tt.first, `"answer 1"`)
			must.Close(t, r)
		})
	}
}
