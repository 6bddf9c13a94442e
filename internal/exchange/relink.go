package exchange

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/promptecho/promptecho/internal/canon/jsonrpc"
	"github.com/promptecho/promptecho/internal/memo"
)

// relinks are the ids of JSON-RPC calls that are answered on a stream which another request opened, as in
// MCP's older transport over HTTP (https://modelcontextprotocol.io/specification/2024-11-05/basic/transports).
type relinks struct {
	mu  sync.Mutex
	ids map[string]jsonrpc.IDs // by the session: the header, or the URL of the calls if that is not sent
}

const sessionHeader = "Mcp-Session-Id"

// endpoint is the event that tells where the calls of a session go. It stands at the beginning of its stream.
var endpoint = memo.Regexp(`(?:^|\n)event: ?endpoint\r?\ndata: ?([^\r\n]+)`)

// sessionOf returns the session of a stream of events with this body.
func sessionOf(req *http.Request, body []byte) string {
	if session := req.Header.Get(sessionHeader); session != "" {
		return session
	}
	const beginning = 1 << 10
	if found := endpoint().FindSubmatch(body[:min(len(body), beginning)]); found != nil {
		if url, err := req.URL.Parse(string(found[1])); err == nil {
			return url.String()
		}
	}
	return ""
}

// nobody is an id that no client uses.
var nobody = []byte(`"promptecho: not asked"`)

// add adds the ids of calls. An answer with an id that a call has now is that call's, or nobody's: it
// may be the answer to a recorded call that is not made.
func (r *relinks) add(session string, ids jsonrpc.IDs) {
	if len(ids) == 0 || session == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ids == nil {
		r.ids = map[string]jsonrpc.IDs{}
	}
	all := r.ids[session]
	if all == nil {
		all = jsonrpc.IDs{}
		r.ids[session] = all
	}
	maps.Copy(all, ids)
	for _, id := range ids {
		if all[string(id)] == nil {
			all[string(id)] = nobody
		}
	}
}

// in returns a piece of a stream of events with the ids of the calls that it answers now; ok is false if
// it has them.
func (r *relinks) in(session string, piece []byte) (now []byte, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := r.ids[session]
	if ids == nil {
		return nil, false
	}
	for line := range bytes.Lines(piece) {
		if data, isData := bytes.CutPrefix(line, []byte("data:")); isData {
			relinked := ids.Relink(data)
			ok = ok || !bytes.Equal(relinked, data)
			line = slices.Concat([]byte("data:"), relinked)
		}
		now = append(now, line...)
	}
	return now, ok
}
