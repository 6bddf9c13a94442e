package secrets_test

import (
	"crypto/md5"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// TestLogins: what an answer gives for the next requests works in replay, and the cassette does
// not have it: cookies, tokens against forgery in cookies, pages and headers, tokens in headers,
// and the challenge of Digest (RFC 7616), which is no secret.
func TestLogins(t *testing.T) {
	t.Parallel()
	const session, csrf, token, nonce = "kQx2mPz9Vw4Lr8Tn3Yb6Jd5Hg0Rs", "Zk3vQ9+Xw7R/tLm2NcY8bHs5D9f8a7B6c5D4e==", "gAAAAk7Qx2mPz9Vw4Lr8Tn3Yb6", "dcd98b7102dd2f0e8b11d0f600bfb0c093"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/form":
			w.Header().Add("Set-Cookie", "sid="+session+"; Path=/; HttpOnly; Expires=Wed, 21 Oct 2099 07:28:00 GMT")
			w.Header().Add("Set-Cookie", "XSRF-TOKEN="+url.QueryEscape(csrf)+"; Path=/")
			fmt.Fprintf(w, `<form method="post"><input type="hidden" name="authenticity_token" value="%s"></form>`, csrf)
		case "/post":
			cookie, err := r.Cookie("sid")
			if err != nil || cookie.Value != session || r.PostFormValue("authenticity_token") != csrf || r.Header.Get("X-Xsrf-Token") != csrf {
				http.Error(w, "forged", http.StatusForbidden)
				return
			}
			io.WriteString(w, "welcome")
		case "/v3/auth/tokens":
			w.Header().Set("X-Subject-Token", token)
			w.WriteHeader(201)
		case "/v3/projects":
			if r.Header.Get("X-Auth-Token") != token {
				w.WriteHeader(401)
				return
			}
			io.WriteString(w, `{"projects":[]}`)
		case "/digest":
			if !strings.Contains(r.Header.Get("Authorization"), nonce) {
				w.Header().Set("Www-Authenticate", `Digest realm="r", nonce="`+nonce+`", qop="auth", opaque="5ccc069c403ebaf9f0171e9517f40e41"`)
				w.WriteHeader(401)
				return
			}
			io.WriteString(w, "in")
		}
	}))
	defer server.Close()
	use := func(r *promptecho.Recorder) (said string) {
		jar, _ := cookiejar.New(nil)
		client := r.Client()
		client.Jar = jar
		send := func(req *http.Request) (*http.Response, string) {
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, _ := io.ReadAll(resp.Body)
			said += fmt.Sprintln(req.URL.Path, resp.StatusCode)
			return resp, string(body)
		}
		get := func(path string) *http.Request {
			req, _ := http.NewRequest("GET", server.URL+path, nil)
			return req
		}
		_, page := send(get("/form"))
		hidden := regexp.MustCompile(`value="([^"]*)"`).FindStringSubmatch(page)[1]
		req, _ := http.NewRequest("POST", server.URL+"/post", strings.NewReader(url.Values{"authenticity_token": {hidden}, "text": {"hi"}}.Encode()))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for _, cookie := range jar.Cookies(req.URL) {
			if plain, err := url.QueryUnescape(cookie.Value); err == nil && cookie.Name == "XSRF-TOKEN" {
				req.Header.Set("X-Xsrf-Token", plain)
			}
		}
		if got := len(jar.Cookies(req.URL)); got != 2 {
			t.Errorf("%d cookies", got)
		}
		_, body := send(req)
		said += body + "\n"

		req, _ = http.NewRequest("POST", server.URL+"/v3/auth/tokens", strings.NewReader(`{"auth":{"identity":{"methods":["password"]}}}`))
		resp, _ := send(req)
		req = get("/v3/projects")
		req.Header.Set("X-Auth-Token", resp.Header.Get("X-Subject-Token"))
		_, body = send(req)
		said += fmt.Sprintln(json.Valid([]byte(body)))

		resp, _ = send(get("/digest"))
		asked := regexp.MustCompile(`nonce="([^"]*)"`).FindStringSubmatch(resp.Header.Get("Www-Authenticate"))
		if asked == nil || asked[1] != nonce {
			t.Fatalf("challenge %q", resp.Header)
		}
		req = get("/digest")
		req.Header.Set("Authorization", fmt.Sprintf(`Digest username="u", realm="r", nonce="%s", uri="/digest", qop=auth, nc=00000001, cnonce="0a4f113b", response="%x"`, asked[1], md5.Sum([]byte(asked[1]))))
		_, body = send(req)
		return said + body
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	want := use(r)
	must.Close(t, r)
	if !strings.Contains(want, "welcome") || !strings.HasSuffix(want, "in") || strings.Contains(want, "403") {
		t.Fatalf("recorded %s", want)
	}
	text := must.Read(t, file)
	for _, secret := range []string{session, csrf, url.QueryEscape(csrf), token} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in the cassette:\n%s", secret, text)
		}
	}
	for range full.Cases(2, 200) {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		if got := use(r); got != want {
			t.Errorf("replayed %s\nwant %s\n%s", got, want, text)
		}
		must.Close(t, r)
	}
}
