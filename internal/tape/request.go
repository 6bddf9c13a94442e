package tape

import (
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/jsonrpc"
	"github.com/promptecho/promptecho/internal/sequence"
)

// A request is what choose knows of a request that asks for a recording.
type request struct {
	form      *canon.Form
	digest    uint64        // of its text as it is matched; 0 if it is not compared
	issuedIDs []canon.Trait // the IDs in it that first appeared in a recorded response

	// The IDs of this run's requests that are not recorded with their ID.
	shiftedIDs shiftedIDs

	cancelable bool // its context can be canceled
	repeats    bool // AllowRepeats selects it
	records    bool // this run records what is not recorded

	// The recorded sequence of events; nil if this run does not keep it.
	sequence *sequence.Sequence
}

// traits returns the traits that tell the candidates for the request apart.
func (r *request) traits() []canon.Trait { return slices.Concat(r.form.Traits, r.issuedIDs) }

// allTraits returns what two requests have in common only if all their traits
// are equal, also those in which no recordings differ.
func (r *request) allTraits() canon.Variant { return canon.VariantOf(r.traits()) }

// shiftedIDs has the IDs of JSON-RPC calls that were sent in requests which are
// not recorded with that ID. A client numbers its calls from the start in each
// session. So such an ID belongs to another call than the one recorded with it.
type shiftedIDs map[string]bool

// add adds the IDs of a request with this body.
func (s shiftedIDs) add(body []byte) {
	for _, id := range jsonrpc.CallIDs(body) {
		s[id] = true
	}
}

// has reports whether a request with this body has one of the IDs.
func (s shiftedIDs) has(body []byte) bool {
	if len(s) == 0 {
		return false
	}
	return slices.ContainsFunc(jsonrpc.CallIDs(body), func(id string) bool { return s[id] })
}
