package containers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/testing/environ"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A request of a container that has no recording is a miss with status 418, and the report names
// the program and the URL.
func TestMissOfAContainer(t *testing.T) {
	t.Parallel()
	c := newContainer(t, "host.docker.internal")
	file := must.RecordAnswers(t, []string{`{}`}, []must.Request{must.Chat("")})

	for _, way := range ways {
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		ran, server := serve(t, rec, c, "host.docker.internal")
		proxy := proxyOf(t, server)
		secret, _ := proxy.User.Password()
		cmd := c.command(t, server.Env(), "curl", "-sS", "-w", "%{http_code}", "-A", "greeter/1",
			"-H", "Content-Type: application/json", "--data-raw", must.ChatBody("new"), way.url(server.Env()))
		out, err := cmd.Output()
		isMiss := strings.Contains(string(out), "promptecho_miss") && strings.HasSuffix(string(out), "418")
		if err != nil || !isMiss {
			t.Errorf("%s: %v, the program got %s", way.name, err, out)
		}
		ran.end()
		report := fmt.Sprint(rec.Close())
		address := way.server(proxy.Host)
		caller := "caller: greeter/1, through " + address + " for https://api.openai.com\n"
		if !strings.Contains(report, caller) || !strings.Contains(report, `incoming: "new"`) {
			t.Errorf("%s: the report has not %q:\n%s", way.name, caller, report)
		}
		if strings.Contains(report, secret) {
			t.Errorf("%s: the report has the secret:\n%s", way.name, report)
		}
	}
}

// A request without the secret of the run gets no answer, and the log names its sender. The health
// of the server is told to all.
func TestContainerWithoutTheSecret(t *testing.T) {
	t.Parallel()
	c := newContainer(t, "host.docker.internal")
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		t.Errorf("%s is asked", req.URL)
		return provider.Says(`{}`).RoundTrip(req)
	})
	rec := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll),
		promptecho.Upstream(upstream), promptecho.AllowUnused())
	ran, server := serve(t, rec, c, "host.docker.internal")
	proxy := proxyOf(t, server)
	secret, _ := proxy.User.Password()
	base := "http://" + proxy.Host
	through := func(user, target string) []string {
		return []string{"--proxy", "http://" + user + proxy.Host, target}
	}

	var agents []string
	for _, tt := range []struct {
		name string
		args []string // of curl
		want string   // the status, and that of CONNECT
	}{
		{"health", []string{base + "/health"}, "200 000"},
		{"no secret", []string{base + "/https/api.openai.com/v1/models"}, "403 000"},
		{"no path", []string{base}, "403 000"},
		{"certificate", []string{base + "/ca.pem"}, "403 000"},
		{"wrong secret", []string{base + "/wrong/https/api.openai.com/v1/models"}, "403 000"},
		{"part of the secret", []string{base + "/" + secret[1:] + "/https/api.openai.com/v1/models"}, "403 000"},
		{"secret as a parameter", []string{base + "/https/api.openai.com/v1/models?" + secret}, "403 000"},
		{"no password", through("", "https://api.openai.com/v1/models"), "000 407"},
		{"wrong password", through("promptecho:wrong@", "https://api.openai.com/v1/models"), "000 407"},
		{"secret as the user", through(secret+":@", "https://api.openai.com/v1/models"), "000 407"},
		{"no password, without TLS", through("", "http://api.openai.com/v1/models"), "407 000"},
		{"proxy at itself", through("", base+"/"+secret+"/ca.pem"), "407 000"},
	} {
		if tt.want != "200 000" {
			agents = append(agents, tt.name)
		}
		args := append([]string{
			"curl", "-s", "-k", "-A", tt.name, "-o", "/dev/null", "-w", "%{http_code} %{http_connect}",
		}, tt.args...)
		got, _ := c.command(t, nil, args...).Output() // curl fails if CONNECT does
		if string(got) != tt.want {
			t.Errorf("%s: status %s, want %s", tt.name, got, tt.want)
		}
	}
	ran.end()
	must.Close(t, rec)
	said := ran.said()
	for _, agent := range agents {
		line := fmt.Sprintf("log: promptecho: 1 request of %s at %s came without the secret of the run",
			agent, c.address)
		if !strings.Contains(said, line) {
			t.Errorf("the log has no line %q", line)
		}
	}
	want := 1 + len(agents) // the first line says that other machines reach the test
	if lines := strings.Count(said, "\n") + 1; lines != want || strings.Contains(said, secret) {
		t.Errorf("the log has %d lines, want %d without the secret\n%s", lines, want, said)
	}
}

// proxyOf returns the URL of the proxy of a server.
func proxyOf(t *testing.T, s *echotest.Server) *url.URL {
	t.Helper()
	proxy, err := url.Parse(environ.Value(s.Env(), "HTTPS_PROXY"))
	if err != nil || proxy.User == nil {
		t.Fatalf("the URL of the proxy is %v: %v", proxy, err)
	}
	return proxy
}
