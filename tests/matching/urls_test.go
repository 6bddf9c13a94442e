package matching_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

// A request to an unknown endpoint is not answered by the recording of another path or query.
func TestPathAndQueryAreCompared(t *testing.T) {
	t.Parallel()
	things := request("https://files.example/v1/things?page=2")
	tokenOf := func(tenant string) must.Request {
		return must.Request{
			URL:  "https://login.example/" + tenant + "/token",
			Body: `{"grant_type":"client_credentials"}`,
		}
	}
	wantDifferent(t, []comparison{
		{"another path", things, request("https://files.example/v1/other?page=2")},
		{"an escaped slash", request("https://files.example/a%2Fb"), request("https://files.example/a/b")},
		{"another query", things, request("https://files.example/v1/things?page=3")},
		{"a wrong escape", request("https://x.example/s?q=%zz"), request("https://x.example/s?q=%25zz")},
		{"the token of another tenant", tokenOf("a"), tokenOf("b")},
	})
	wantSame(t, []comparison{
		{"needless escapes in a path", request("https://f.example/a%7Eb%3Ac"), request("https://f.example/a~b:c")},
		{"two escapes of a blank", request("https://s.example/s?q=a%20b"), request("https://s.example/s?q=a+b")},
	})
}

// Any two credentials in a URL match, and other values under such names are compared.
func TestCredentialInAURLIsNotCompared(t *testing.T) {
	t.Parallel()
	const hexKey = "b6907d289e10d714a6e88b30761fae22"
	get := func(key string) must.Request { return request("https://kv.example/get?key=" + key) }
	search := func(query string) must.Request { return request("https://s.example/?q=a" + query) }
	weather := func(key string) must.Request { return request("https://api.openweathermap.org/x?appid=" + key) }
	photo := func(width, signature string) must.Request {
		return request("https://b.oss-cn.aliyuncs.com/p.jpg?x-oss-process=image/resize,w_" + width +
			"&x-oss-signature=" + signature)
	}
	wantSame(t, []comparison{
		{"two random keys", get("Zk3vQ9pXw7RtLm2NcY8bHs5D"), get("dummy-key")},
		{"a name that can only be a credential's", search("&api_key=" + hexKey), search("&api_key=")},
		{"the key of OpenWeather", weather(hexKey), weather("ci")},
	})
	wantDifferent(t, []comparison{
		{"two words under the name of a key", get("alpha"), get("beta")},
		{
			"two UUIDs under the name of a key",
			get("3f2c8a11-90b4-4c9e-8a77-1d0a2b3c4d5e"),
			get("77aa8a11-90b4-4c9e-8a77-1d0a2b3c4d00"),
		},
		{
			"two files under the name of a key",
			get("photos/9f8a7B6c5D4e3F2a.jpg"),
			get("photos/1a2B3c4D5e6F7a8b.jpg"),
		},
		{"a credential and none", search("&api_key=" + hexKey), search("")},
		{"two images behind signed URLs", photo("100", "aa11"), photo("200", "bb22")},
	})
}

// Each of two spellings of one URL gets its own answer, in whatever order they are asked.
//
// A server may tell the spellings apart. To matching they mean the same, or may do so.
func TestSpellingsOfAURLGetTheirOwnAnswers(t *testing.T) {
	t.Parallel()
	spellings := map[string][2]string{
		"blank":                        {"http://h.example/w?q=a+b", "http://h.example/w?q=a%20b"},
		"at sign":                      {"http://h.example/w?mailto=a@b.c", "http://h.example/w?mailto=a%40b.c"},
		"comma":                        {"http://h.example/w?fields=a,b", "http://h.example/w?fields=a%2Cb"},
		"colon":                        {"http://h.example/w?q=a:b", "http://h.example/w?q=a%3Ab"},
		"slash":                        {"http://h.example/w?q=Ab/Cd/9fKx", "http://h.example/w?q=Ab%2FCd%2F9fKx"},
		"hex digits":                   {"http://h.example/w?q=%c3%a9", "http://h.example/w?q=%C3%A9"},
		"hex digits in the path":       {"http://h.example/%c3%a9", "http://h.example/%C3%A9"},
		"needless escape, and a plus":  {"http://h.example/w?q=a%62%20c", "http://h.example/w?q=ab+c"},
		"needless escape":              {"http://h.example/w?q=a%62%20c", "http://h.example/w?q=ab%20c"},
		"escaped tilde":                {"http://h.example/a~b", "http://h.example/a%7Eb"},
		"letter without an escape":     {"http://h.example/w?q=%C3%A9t%C3%A9+x", "http://h.example/w?q=été+x"},
		"escape in a name":             {"http://h.example/w?a%5B%5D=x", "http://h.example/w?a[]=x"},
		"escape in a longer name":      {"http://h.example/w?filter%5Bid%5D=a+b", "http://h.example/w?filter[id]=a+b"},
		"order of parameters":          {"http://h.example/w?a=1&b=2", "http://h.example/w?b=2&a=1"},
		"order of replaced parameters": {"http://h.example/w?a=x+y&b=y+z", "http://h.example/w?b=y+z&a=x+y"},
		"question mark":                {"http://h.example/w", "http://h.example/w?"},
		"ampersand":                    {"http://h.example/w?a=1", "http://h.example/w?a=1&"},
		"equals sign":                  {"http://h.example/w?a", "http://h.example/w?a="},
		"two slashes":                  {"http://h.example/a/b", "http://h.example/a//b"},
		"final slash":                  {"http://h.example/a", "http://h.example/a/"},
		"no path":                      {"http://h.example", "http://h.example/"},
		"capital letters of the host":  {"http://h.example/a", "http://H.Example/a"},
		"final dot of the host":        {"http://h.example/a", "http://h.example./a"},
		"default port":                 {"http://h.example/a", "http://h.example:80/a"},
		"scheme":                       {"http://h.example/a", "https://h.example/a"},
	}
	const chat, models = "/v1/chat/completions", "/v1/models/"
	for name, pair := range map[string][2]string{
		"blank":                       {"http://h.example" + chat + "?x=a+b", "http://h.example" + chat + "?x=a%20b"},
		"two slashes":                 {"http://h.example" + chat, "http://h.example/" + chat},
		"capital letters of the host": {"http://h.example" + chat, "http://H.EXAMPLE" + chat},
		"question mark":               {"http://h.example" + chat, "http://h.example" + chat + "?"},
		"escapes of the model": {
			"http://h.example" + models + "a%3Ab:generateContent",
			"http://h.example" + models + "a:b:generateContent",
		},
	} {
		spellings["of a model API, "+name] = pair
	}
	for name, urls := range spellings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const body = `{"model":"m","messages":[],"contents":[]}`
			first := must.Request{URL: urls[0], Body: body}
			second := must.Request{URL: urls[1], Body: body}
			file := must.RecordAnswers(t, []string{`{"answer":1}`, `{"answer":2}`}, []must.Request{first, second})
			r := replay(t, file)
			if got := second.Ask(t, r); got != `{"answer":2}` {
				t.Errorf("%s got %s", second.URL, got)
			}
			if got := first.Ask(t, r); got != `{"answer":1}` {
				t.Errorf("%s got %s", first.URL, got)
			}
			must.Close(t, r)
		})
	}
}
