package secrets_test

import (
	"crypto/md5"
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

// A login by cookie and anti-forgery token works in replay, and the cassette has neither. The program takes the token
// from a hidden field of the page, and from a cookie for a header.
func TestLoginByCookieWorksInReplay(t *testing.T) {
	t.Parallel()
	const session, forgeryToken = "kQx2mPz9Vw4Lr8Tn3Yb6Jd5Hg0Rs", "Zk3vQ9+Xw7R/tLm2NcY8bHs5D9f8a7B6c5D4e=="
	server := http.NewServeMux()
	server.HandleFunc("GET /form", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("Set-Cookie", "sid="+session+"; Path=/; HttpOnly; Expires=Wed, 21 Oct 2099 07:28:00 GMT")
		w.Header().Add("Set-Cookie", "XSRF-TOKEN="+url.QueryEscape(forgeryToken)+"; Path=/")
		fmt.Fprintf(w, `<form method="post"><input type="hidden" name="authenticity_token" value="%s"></form>`,
			forgeryToken)
	})
	server.HandleFunc("POST /post", func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie("sid")
		isLoggedIn := err == nil && cookie.Value == session
		isFromForm := r.PostFormValue("authenticity_token") == forgeryToken
		isFromPage := r.Header.Get("X-Xsrf-Token") == forgeryToken
		if !isLoggedIn || !isFromForm || !isFromPage {
			http.Error(w, "forged", http.StatusForbidden)
			return
		}
		io.WriteString(w, "welcome")
	})
	use := func(t *testing.T, p *loginProgram) {
		_, page := p.send(t, must.NewRequest(t, t.Context(), "GET", p.server+"/form", ""))
		hidden := regexp.MustCompile(`value="([^"]*)"`).FindStringSubmatch(page)[1]
		form := url.Values{"authenticity_token": {hidden}, "text": {"hi"}}.Encode()
		req := must.NewRequest(t, t.Context(), "POST", p.server+"/post", form)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		cookies := p.client.Jar.Cookies(req.URL)
		if len(cookies) != 2 {
			t.Errorf("%d cookies", len(cookies))
		}
		for _, cookie := range cookies {
			if plain, err := url.QueryUnescape(cookie.Value); err == nil && cookie.Name == "XSRF-TOKEN" {
				req.Header.Set("X-Xsrf-Token", plain)
			}
		}
		p.send(t, req)
	}
	checkLogin(t, server, use,
		"/form 200\n/post 200 welcome\n", session, forgeryToken, url.QueryEscape(forgeryToken))
}

// A login by a token in an answer's header works in replay, and the cassette does not have the token.
func TestLoginByTokenInAHeaderWorksInReplay(t *testing.T) {
	t.Parallel()
	const token = "gAAAAk7Qx2mPz9Vw4Lr8Tn3Yb6"
	server := http.NewServeMux()
	server.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Subject-Token", token)
		w.WriteHeader(http.StatusCreated)
	})
	server.HandleFunc("GET /v3/projects", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Auth-Token") != token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.WriteString(w, `{"projects":[]}`)
	})
	use := func(t *testing.T, p *loginProgram) {
		login := `{"auth":{"identity":{"methods":["password"]}}}`
		header, _ := p.send(t, must.NewRequest(t, t.Context(), "POST", p.server+"/v3/auth/tokens", login))
		req := must.NewRequest(t, t.Context(), "GET", p.server+"/v3/projects", "")
		req.Header.Set("X-Auth-Token", header.Get("X-Subject-Token"))
		p.send(t, req)
	}
	checkLogin(t, server, use, "/v3/auth/tokens 201\n/v3/projects 200 {\"projects\":[]}\n", token)
}

// A login by Digest (RFC 7616) works in replay with the recorded challenge, which is no secret.
func TestLoginByDigestWorksInReplay(t *testing.T) {
	t.Parallel()
	const nonce, opaque = "dcd98b7102dd2f0e8b11d0f600bfb0c093", "5ccc069c403ebaf9f0171e9517f40e41"
	server := http.NewServeMux()
	server.HandleFunc("GET /digest", func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Authorization"), nonce) {
			w.Header().Set("Www-Authenticate",
				`Digest realm="r", nonce="`+nonce+`", qop="auth", opaque="`+opaque+`"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.WriteString(w, "in")
	})
	use := func(t *testing.T, p *loginProgram) {
		header, _ := p.send(t, must.NewRequest(t, t.Context(), "GET", p.server+"/digest", ""))
		challenge := regexp.MustCompile(`nonce="([^"]*)"`).FindStringSubmatch(header.Get("Www-Authenticate"))
		if challenge == nil || challenge[1] != nonce {
			t.Fatalf("challenge %q", header)
		}
		req := must.NewRequest(t, t.Context(), "GET", p.server+"/digest", "")
		req.Header.Set("Authorization", fmt.Sprintf(
			`Digest username="u", realm="r", nonce="%s", uri="/digest", qop=auth, nc=00000001, `+
				`cnonce="0a4f113b", response="%x"`,
			nonce, md5.Sum([]byte(nonce))))
		p.send(t, req)
	}
	checkLogin(t, server, use, "/digest 401\n/digest 200 in\n")
}

// checkLogin records a program that logs in at a server, and replays it. The program must get the wanted answers in
// each run, and the cassette must not have the secrets.
func checkLogin(
	t *testing.T, handler http.Handler, use func(*testing.T, *loginProgram), want string, secrets ...string,
) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode) (answers string) {
		r := must.Open(t, file, promptecho.InMode(mode))
		p := newLoginProgram(t, r, server.URL)
		use(t, p)
		must.Close(t, r)
		return p.answers.String()
	}
	if got := run(promptecho.ModeAll); got != want {
		t.Fatalf("recording: the program gets\n%s\nwant\n%s", got, want)
	}
	text := must.Read(t, file)
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("the cassette has %s:\n%s", secret, text)
		}
	}
	for range full.Cases(2, 200) {
		if got := run(promptecho.ModeNone); got != want {
			t.Errorf("replay: the program gets\n%s\nwant\n%s\n%s", got, want, text)
		}
	}
}

// A loginProgram uses a server through a recorder, and keeps cookies.
type loginProgram struct {
	client  *http.Client
	server  string
	answers strings.Builder // a line for each: its path, its status, and its body unless that is a page
}

func newLoginProgram(t *testing.T, r *promptecho.Recorder, server string) *loginProgram {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := r.Client()
	client.Jar = jar
	return &loginProgram{client: client, server: server}
}

// send sends a request. A page, whose hidden field is another one in replay, is not kept as an answer.
func (p *loginProgram) send(t *testing.T, req *http.Request) (header http.Header, body string) {
	t.Helper()
	resp, err := p.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text := must.Body(t, resp)
	line := fmt.Sprintf("%s %d", req.URL.Path, resp.StatusCode)
	if isPage := strings.HasPrefix(text, "<"); !isPage && len(text) > 0 {
		line += " " + text
	}
	fmt.Fprintln(&p.answers, line)
	return resp.Header, text
}
