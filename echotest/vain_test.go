package echotest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
)

// TestOptionsInVain: an option of Main or of Serve that cannot mean anything is refused.
func TestOptionsInVain(t *testing.T) {
	for want, opts := range map[string][]MainOption{
		`echotest.AllowHosts() has no argument: name the hosts`: {AllowHosts()},
		`echotest.AllowHosts(""): write a name`:                 {AllowHosts("")},
		`echotest.AllowHosts("ftp://db"): write a name`:         {AllowHosts("db", "ftp://db")},
		`echotest.AllowHosts("db:x"): write a name`:             {AllowHosts("db:x")},
		`echotest.AllowHosts("db.*"): write a name`:             {AllowHosts("db.*")},
		`echotest.Fetch: pass it once`:                          {Fetch("true"), Fetch("false")},
		`echotest.Fetch: pass it once, with the`:                {Fetch("")},
	} {
		var c mainConfig
		for _, o := range opts {
			o(&c)
		}
		if c.err == nil || !strings.HasPrefix(c.err.Error(), want) {
			t.Errorf("%v, want %s", c.err, want)
		}
	}
	if status := Run(RunFunc(func() int { t.Error("the tests run"); return 0 }), AllowHosts()); status != 2 {
		t.Errorf("status %d", status)
	}
	for want, opts := range map[string][]ServeOption{
		"Through(nil)":         {Through(nil)},
		"Through is set twice": {Through(http.DefaultTransport), Through(http.DefaultTransport)},
	} {
		tb := &fakeTB{TB: t, name: "TestThrough"}
		tb.run(func(tb testing.TB) { Serve(tb, New(tb, promptecho.AllowUnused()), opts...) })
		if !strings.Contains(tb.fatal, want) {
			t.Errorf("%q, want %s", tb.fatal, want)
		}
	}
}
