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
// it has them. The answer to a call that is not made now, in whose place another one has the id, is
// nobody's.
func (r *relinks) in(stream, piece []byte) (now []byte, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for line := range bytes.Lines(piece) {
		if data, isData := bytes.CutPrefix(line, []byte("data:")); isData {
			relinked := r.relink(stream, data, func(c relink) (from, to *interaction.Request) { return c.recorded, c.asked })
			if relinked == nil {
				relinked = r.relink(stream, data, func(c relink) (from, to *interaction.Request) { return c.asked, nobody })
			}
			if relinked != nil {
				line, ok = slices.Concat([]byte("data:"), relinked), true
			}
		}
		now = append(now, line...)
	}
	return now, ok
}

// nobody makes a call with an id that no client uses.
var nobody = &interaction.Request{Body: []byte(`{"id":"promptecho: not asked","method":""}`)}

// relink gives an answer another id by the first call of its session whose id it has; nil if it has
// none of theirs.
func (r *relinks) relink(stream, data []byte, ids func(c relink) (from, to *interaction.Request)) []byte {
	for _, c := range slices.Backward(r.calls) {
		from, to := ids(c)
		if relinked := jsonrpc.Relink(data, from, to); !bytes.Equal(relinked, data) && bytes.Contains(stream, []byte(c.session)) {
			return relinked
		}
	}
	return nil
}
