package answer

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/jsonrpc"
)

// TestRelinks: answers on a stream get the ids of the calls that are made now, also where several
// come in one piece, and only those of the session that the stream has told.
func TestRelinks(t *testing.T) {
	t.Parallel()
	p := &Player{}
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
	if got, ok := p.relinks.in([]byte(stream), []byte(piece)); !ok || string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, ok := p.relinks.in([]byte("data: /?sessionid=B\n\n"), []byte("data:{\"id\":10,\"result\":0}\n\n")); !ok || bytes.Contains(got, []byte("10")) {
		t.Errorf("the answer to a call that is not made: %q", got)
	}
	if got, ok := p.relinks.in([]byte("data: /?sessionid=C\n\n"), []byte(piece)); ok {
		t.Errorf("another session: %q", got)
	}
}
