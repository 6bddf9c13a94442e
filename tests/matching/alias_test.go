package matching_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Alias tells local servers apart: each gets its own recordings, on whatever ports they are.
func TestAliasTellsLocalServersApart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	jira, github := startMCP(t, "jira"), startMCP(t, "github")
	r := recordAll(t, file, promptecho.Alias(jira, "jira"), promptecho.Alias(github, "GitHub"))
	listTools(jira).Ask(t, r)
	listTools(github).Ask(t, r)
	must.Pass(t, r)

	text := must.Read(t, file)
	if !strings.Contains(text, "url: http://jira/mcp") || !strings.Contains(text, "url: http://github/mcp") {
		t.Errorf("no name is in the place of the address:\n%s", text)
	}
	if strings.Contains(text, "127.0.0.1") {
		t.Errorf("an address is in the cassette:\n%s", text)
	}

	servers := []promptecho.Option{
		promptecho.Alias("http://127.0.0.1:9001", "jira"),
		promptecho.Alias("LOCALHOST:9002", "github"),
	}
	r = replay(t, file, servers...)
	if got := listTools("http://localhost:9002").Ask(t, r); !strings.Contains(got, "github") {
		t.Errorf("github: got %s", got)
	}
	if got := listTools("http://127.0.0.1:9001").Ask(t, r); !strings.Contains(got, "jira") {
		t.Errorf("jira: got %s", got)
	}
	must.Close(t, r)
}

// Recording a server with an Alias again on another port changes nothing in the cassette.
func TestAliasOnAnotherPortIsWrittenAlike(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	record := func(port string) (urls []string) {
		alias := promptecho.Alias("http://127.0.0.1:"+port, "jira")
		r := recordAll(t, file, alias, promptecho.Upstream(provider.Says(`"same"`)))
		onPort(port).Ask(t, r)
		must.Pass(t, r)
		for _, it := range must.Load(t, file).Interactions {
			urls = append(urls, it.Request.URL)
		}
		return urls
	}
	first := record("1001")
	text := must.Read(t, file)
	second := record("1002")
	if !slices.Equal(first, second) || !slices.Equal(first, []string{"http://jira/x"}) {
		t.Errorf("first %s, then %s", first, second)
	}
	if got := must.Read(t, file); got != text {
		t.Errorf("recorded first:\n%s\nand again:\n%s", text, got)
	}
}

// Headers that lead to a server with an Alias are replayed with its current address.
func TestAliasInHeadersIsTheCurrentAddress(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	links := func(base string) string {
		return "<" + base + "/a?page=2>; rel=\"next\", <https://jira.example/b>; rel=\"alternate\""
	}
	mux.HandleFunc("/a", func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Link", links(server.URL))
		http.Redirect(w, req, server.URL+"/b?back="+server.URL, http.StatusFound)
	})
	mux.HandleFunc("/b", func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Location", "http://jira.example/b")
		fmt.Fprint(w, "end")
	})
	// visit follows the redirect, and returns its headers and the answer at its end.
	visit := func(r *promptecho.Recorder, address string) (redirect http.Header, end *http.Response) {
		c := r.Client()
		c.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
			redirect = req.Response.Header
			return nil
		}
		end, err := c.Get(address + "/a")
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, end.Body)
		end.Body.Close()
		return redirect, end
	}

	file := filepath.Join(t.TempDir(), "c.yaml")
	r := recordAll(t, file, promptecho.Alias(server.URL, "jira"))
	redirect, _ := visit(r, server.URL)
	if redirect.Get("Location") != server.URL+"/b?back="+server.URL {
		t.Errorf("what the client got while recording: %v", redirect)
	}
	must.Close(t, r)
	before := must.Read(t, file)
	for _, want := range []string{"http://jira/b?back=", links("http://jira"), "http://jira.example/b"} {
		if !strings.Contains(strings.ReplaceAll(before, `\"`, `"`), want) {
			t.Errorf("%s is not in\n%s", want, before)
		}
	}
	location := must.Load(t, file).Interactions[0].Response.Headers.Get("location")
	if strings.Count(location, "jira") != 1 {
		t.Errorf("the name is in the query of the location: %s", location)
	}

	const today = "http://127.0.0.1:9009"
	for range 2 {
		r = replay(t, file, promptecho.Alias(today, "jira"))
		redirect, end := visit(r, today)
		if end.StatusCode != 200 || end.Request.URL.Host != "127.0.0.1:9009" {
			t.Errorf("replayed %d from %s", end.StatusCode, end.Request.URL)
		}
		if got := redirect.Get("Location"); !strings.HasPrefix(got, today+"/b?") {
			t.Errorf("Location: %s", got)
		}
		if got := redirect.Get("Link"); got != links(today) {
			t.Errorf("Link: %s", got)
		}
		if got := end.Header.Get("Content-Location"); got != "http://jira.example/b" {
			t.Errorf("Content-Location: %s", got)
		}
		must.Close(t, r)
	}
	if must.Read(t, file) != before {
		t.Error("the cassette changed")
	}
}

// An Alias that no request needs is noted, because it most likely names another port.
func TestUnusedAliasIsNoted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	want := file + `: Alias("http://127.0.0.1:1002", "github") has no effect: no request went to this server`
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeNone} {
		r := must.Open(t, file,
			promptecho.InMode(mode),
			promptecho.Upstream(provider.Says(`"x"`)),
			promptecho.Alias("http://127.0.0.1:1001", "jira"),
			promptecho.Alias("http://127.0.0.1:1002", "github"))
		onPort("1001").Ask(t, r)
		var notes []string
		for _, note := range must.Finish(r, report.Outcome{}).Notes {
			if !strings.HasPrefix(note, "saved") {
				notes = append(notes, note)
			}
		}
		if len(notes) != 1 || notes[0] != want {
			t.Errorf("%v: notes %q, want %q", mode, notes, want)
		}
	}
}

// If a client picks one of two named servers by chance, the miss proposes one name for both.
func TestServersPickedByChanceNeedOneAlias(t *testing.T) {
	t.Parallel()
	names := []promptecho.Option{
		promptecho.Alias("http://127.0.0.1:1001", "server1"),
		promptecho.Alias("http://127.0.0.1:1002", "server2"),
		promptecho.AllowUnused(),
	}
	for _, picked := range []struct{ recorded, asked string }{{"1001", "1002"}, {"1002", "1001"}} {
		file := must.RecordAnswers(t, []string{"1"}, []must.Request{onPort(picked.recorded)}, names...)
		r := replay(t, file, names...)
		onPort(picked.asked).Ask(t, r)
		want := `give both the same name with the option Alias: "server1", and not "server2", and record again`
		if err := r.Close(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("recorded %s, asked %s: %v", picked.recorded, picked.asked, err)
		}
	}
}
