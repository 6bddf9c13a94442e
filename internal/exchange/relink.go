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

// relinks has the ids of JSON-RPC calls whose answers come on a stream that another
// request has opened, as in the HTTP+SSE transport of MCP
// (https://modelcontextprotocol.io/specification/2024-11-05/basic/transports).
type relinks struct {
	mu  sync.Mutex
	ids map[string]jsonrpc.IDs // by session: its header, or the URL of the calls if there is no header
}

const sessionHeader = "Mcp-Session-Id"

// isMCP reports whether a request is from a client of the Model Context Protocol, after
// its first one (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports).
func isMCP(req *http.Request) bool {
	return req.Header.Get("Mcp-Protocol-Version") != "" || req.Header.Get(sessionHeader) != ""
}

// endpoint matches the first event of a stream of that transport, which names the URL
// for the calls of the session.
var endpoint = memo.Regexp(`(?:^|\n)event: ?endpoint\r?\ndata: ?([^\r\n]+)`)

// maxEndpoint is how far from the beginning of a stream the event ends at most.
const maxEndpoint = 1 << 10

// streamSession returns the session to which an event stream belongs: its key in
// relinks.ids. req is the request that opened the stream. Without the session header, the
// first event of the stream tells the session. From https://host/sse, this event gives
// "https://host/messages?session=7":
//
//	event: endpoint
//	data: /messages?session=7
//
// It returns "" for a stream with neither.
func streamSession(req *http.Request, stream []byte) string {
	session := req.Header.Get(sessionHeader)
	if session != "" {
		return session
	}
	beginning := stream[:min(len(stream), maxEndpoint)]
	event := endpoint().FindSubmatch(beginning)
	if event == nil {
		return ""
	}
	callURL, err := req.URL.Parse(string(event[1]))
	if err != nil {
		return ""
	}
	return callURL.String()
}

// unusedID is an id that no client uses.
var unusedID = []byte(`"promptecho: not asked"`)

// add adds calls that are made in place of recorded ones: ids leads from each recorded
// id to the new one. Where a recorded call has the same id as a new call, and is not
// made itself, its answer gets unusedID: the new call must not get that answer.
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
			all[string(id)] = unusedID
		}
	}
}

// apply returns a piece of an event stream with the ids of the new calls in place of
// the recorded ones, and whether that changed the piece.
func (r *relinks) apply(session string, piece []byte) (relinked []byte, changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := r.ids[session]
	if ids == nil {
		return nil, false
	}
	prefix := []byte("data:")
	for line := range bytes.Lines(piece) {
		data, isData := bytes.CutPrefix(line, prefix)
		if isData {
			newData := ids.Relink(data)
			changed = changed || !bytes.Equal(newData, data)
			line = slices.Concat(prefix, newData)
		}
		relinked = append(relinked, line...)
	}
	return relinked, changed
}
