package gate

import (
	"encoding/base64"
	"fmt"
	"net/http/httptest"
	"testing"
)

const secret = "0123456789ABCDEF"

// Only a path that begins with the secret gets in.
func TestPathNeedsTheSecret(t *testing.T) {
	t.Parallel()
	g := New(secret)
	for _, tt := range []struct {
		path, below string
		ok          bool
	}{
		{"/" + secret + "/https/api.openai.com/v1", "/https/api.openai.com/v1", true},
		{"/" + secret, "/", true},
		{"/" + secret + "/", "/", true},
		{"/" + secret + "X/https", "", false},
		{"/" + secret[:10] + "/https", "", false},
		{"//" + secret + "/https", "", false},
		{"/https/" + secret, "", false},
		{"/", "", false},
		{"", "", false},
	} {
		below, ok := g.Below(tt.path)
		if below != tt.below || ok != tt.ok {
			t.Errorf("%q: got %q, %v", tt.path, below, ok)
		}
	}
}

// Only a client with the secret as its password may use the proxy.
func TestPasswordIsTheSecret(t *testing.T) {
	t.Parallel()
	g := New(secret)
	basic := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	for _, tt := range []struct {
		header, user string
		ok           bool
	}{
		{basic("suite:" + secret), "suite", true},
		{"basic" + basic("suite:" + secret)[len("Basic"):], "suite", true}, // RFC 7235: in any case
		{basic(":" + secret), "", true},
		{basic("suite:" + secret + "x"), "suite", false},
		{basic("suite:"), "suite", false},
		{basic(secret), secret, false},
		{"Bearer " + secret, "", false},
		{"Basic !", "", false},
		{"", "", false},
	} {
		r := httptest.NewRequest("CONNECT", "api.openai.com:443", nil)
		r.Header.Set("Proxy-Authorization", tt.header)
		user, ok := g.User(r)
		if user != tt.user || ok != tt.ok {
			t.Errorf("%q: got %q, %v", tt.header, user, ok)
		}
	}
}

// A report names who came without the secret, but not a client that sent it when it was asked for.
func TestStrangersAreNamed(t *testing.T) {
	t.Parallel()
	g := New(secret)
	from := func(address, agent string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = address
		r.Header.Set("User-Agent", agent)
		g.Refused(r)
		if agent == "git/2.39" {
			g.Admitted(r)
		}
	}
	from("10.0.0.7:1001", "curl/8.5.0")
	from("10.0.0.7:1002", "curl/8.5.0")
	from("10.0.0.8:1003", "")
	from("10.0.0.9:1004", "git/2.39")
	got := fmt.Sprint(g.Strangers())
	want := "[2 requests of curl/8.5.0 at 10.0.0.7 came without the secret of the run, and got no answer" +
		" 1 request of a client at 10.0.0.8 came without the secret of the run, and got no answer]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A scan from many machines does not fill the memory.
func TestStrangersAreLimited(t *testing.T) {
	t.Parallel()
	g := New(secret)
	for i := range 1000 {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = fmt.Sprintf("10.0.0.7:%d", i+1)
		r.Header.Set("User-Agent", fmt.Sprint(i))
		g.Refused(r)
	}
	if n := len(g.Strangers()); n != maxStrangers {
		t.Errorf("%d strangers are kept", n)
	}
}

// Two runs never have the same secret, and a secret stands in a path as it is.
func TestSecretsDiffer(t *testing.T) {
	t.Parallel()
	a, b := NewSecret(), NewSecret()
	if a == b || len(a) < MinSecret {
		t.Errorf("%q, %q", a, b)
	}
	if _, ok := New(a).Below("/" + a + "/x"); !ok {
		t.Errorf("%q is not found in a path", a)
	}
}
