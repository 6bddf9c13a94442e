package answer

import (
	"bytes"
	"slices"
	"sync"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/jsonrpc"
)

// relinks are calls of JSON-RPC, whose answers may come on a stream that another request opened, as in
// MCP's older transport over HTTP (https://modelcontextprotocol.io/specification/2024-11-05/basic/transports).
type relinks struct {
	mu    sync.Mutex
	calls []relink
}

const sessionHeader = "Mcp-Session-Id"

// A relink is a call as it is made now and as it was recorded.
type relink struct {
	session         string // the query of the URL, which the stream has told, or the header
	asked, recorded *interaction.Request
}

func (r *relinks) add(call relink) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, call)
}

// in returns a piece of a stream of events with the ids of the calls that it answers now; ok is false if
// it has them.
func (r *relinks) in(stream, piece []byte) (now []byte, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for line := range bytes.Lines(piece) {
		data, isData := bytes.CutPrefix(line, []byte("data:"))
		for _, c := range slices.Backward(r.calls) {
			relinked := jsonrpc.Relink(data, c.recorded, c.asked)
			if isData && !bytes.Equal(relinked, data) && bytes.Contains(stream, []byte(c.session)) {
				line, ok = slices.Concat([]byte("data:"), relinked), true
				break
			}
		}
		now = append(now, line...)
	}
	return now, ok
}
