package exchange

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/promptecho/promptecho/internal/canon/jsonrpc"
	"github.com/promptecho/promptecho/internal/interaction"
)

// TestRelinks: answers on a stream get the ids of the calls that are made now, also where several
// come in one piece, and only those of the session that the stream has told.
func TestRelinks(t *testing.T) {
	t.Parallel()
	p := &Player{Pending: new(Pending), HasLater: func(string, *http.Request) bool { return false }}
	call := func(id string) *interaction.Request {
		return &interaction.Request{Body: []byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call"}`)}
	}
	for _, c := range [][3]string{{"A", "4", "5"}, {"A", "5", "4"}, {"B", "10", "4"}} {
		req, err := http.NewRequest("POST", "http://h/?sessionid="+c[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		p.Relink(req, jsonrpc.IDsOf(call(c[2]), call(c[1])))
	}
	const (
		stream = "event: endpoint\ndata: /?sessionid=A\n\n"
		piece  = "event: message\ndata: {\"id\":4,\"result\":{\"id\":5}}\n\ndata: {\"id\":5,\"method\":\"elicitation/create\"}\r\n\r\ndata:{\"id\":5,\"result\":4}\n\n"
		want   = "event: message\ndata: {\"id\":5,\"result\":{\"id\":5}}\n\ndata: {\"id\":5,\"method\":\"elicitation/create\"}\r\n\r\ndata:{\"id\":4,\"result\":4}\n\n"
	)
	open := func(session, begins string) string {
		req, err := http.NewRequest("GET", "http://h/sse?careful=1", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(sessionHeader, session)
		return streamSession(req, []byte(begins))
	}
	if got, ok := p.relinks.apply(open("", stream), []byte(piece)); !ok || string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, ok := p.relinks.apply(open("", ": hello\n\nevent:endpoint\r\ndata:http://h/?sessionid=B\r\n\r\n"), []byte("data:{\"id\":10,\"result\":0}\n\n")); !ok || bytes.Contains(got, []byte("10")) {
		t.Errorf("the answer to a call that is not made: %q", got)
	}
	for _, other := range []string{open("", "event: endpoint\ndata: /?sessionid=C\n\n"), open("", "event: endpoint\ndata: /?sessionid=A0\n\n"), open("A", stream)} {
		if got, ok := p.relinks.apply(other, []byte(piece)); ok {
			t.Errorf("another session, %q: %q", other, got)
		}
	}

	header, err := http.NewRequest("POST", "http://h/mcp?profile=careful", nil)
	if err != nil {
		t.Fatal(err)
	}
	header.Header.Set(sessionHeader, "H")
	p.Relink(header, jsonrpc.IDsOf(call("5"), call("4")))
	if _, ok := p.relinks.apply(open("H", "data: 1\n\n"), []byte(piece)); !ok {
		t.Error("a session that the header tells, at a URL with a query")
	}

	resumed, err := http.NewRequest("GET", "http://h/mcp?profile=careful", nil)
	if err != nil {
		t.Fatal(err)
	}
	resumed.Header.Set(sessionHeader, "H")
	resp, err := p.Play(resumed, &Playable{Response: interaction.Response{Status: 200, Stream: "sse", Body: []byte("data: {\"id\":5,\"result\":1}\n\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(resp.Body); err != nil || string(got) != "data: {\"id\":4,\"result\":1}\n\n" {
		t.Errorf("a stream that was opened to resume, alone: %q, %v", got, err)
	}
}
