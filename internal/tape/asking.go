package tape

import (
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/jsonrpc"
)

// An asking is a request that asks for a recording of its form.
type asking struct {
	form    *canon.Form
	digest  uint64        // of the request as it is matched
	given   []canon.Trait // the ids in it that answers gave out
	counted counted
}

// traits returns what chooses a recording for the request.
func (a *asking) traits() []canon.Trait { return slices.Concat(a.form.Traits, a.given) }

// counted has the ids that JSON-RPC clients have counted for requests that are not recorded
// with them. A client counts anew in each session, so such an id belongs to no recording any
// more: the numbers have shifted, and what else was recorded is meant in its order.
type counted map[string]bool

// add adds the ids of a request with this body.
func (c counted) add(body []byte) {
	for _, id := range jsonrpc.CallIDs(body) {
		c[id] = true
	}
}

// has reports whether a request with this body has such an id.
func (c counted) has(body []byte) bool {
	return len(c) > 0 && slices.ContainsFunc(jsonrpc.CallIDs(body), func(id string) bool { return c[id] })
}
