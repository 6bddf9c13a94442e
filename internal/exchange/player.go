// Package exchange plays recorded responses, and records live ones while their clients
// read them. It knows HTTP and time. It does not know how responses are stored, and
// which of them answers a request.
package exchange

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/promptecho/promptecho/internal/canon/jsonrpc"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/sequence"
)

// A Playable is a recorded response that is ready to be played.
type Playable struct {
	interaction.Response // with the Body that Join returns; Events may be missing

	Ends      []int // from Join, too: the offset in Body just past each event or chunk
	LatencyMS int64 // milliseconds from the request to the response headers

	File string // the cassette, as errors name it
	Line int    // where the interaction starts in it

	Turn *sequence.Turn // keeps the response in sequence with overlapping ones; may be nil

	// IsRetried reports whether the recording has the same request again.
	IsRetried func() bool

	// HasAlternative says of a canceled request that the same request has another
	// response, if the client does not cancel it in the replay.
	HasAlternative bool
}

// A Player plays the recordings of a cassette.
type Player struct {
	Pace    float64           // recorded delays take Pace times as long as they did; 0 is no delay
	Note    func(text string) // gets notes for the report of the run
	Named   string            // what gives a request a name: "promptecho.WithName"
	Pending *Pending          // holds the requests that wait to be canceled

	// CancelWait is how long a recorded cancellation is waited for, beyond the time
	// that it took when it was recorded; 0 is defaultCancelWait.
	CancelWait time.Duration

	// HasLater reports whether the recording has a later request with this method
	// to the URL of a request. If Pace is 0, it must be set.
	HasLater func(method string, req *http.Request) bool

	relinks relinks
}

// Relink says that calls of JSON-RPC are made in place of recorded ones. Where a stream
// of their session has the answers, it gets the ids of the new calls.
func (p *Player) Relink(req *http.Request, ids jsonrpc.IDs) {
	p.relinks.add(cmp.Or(req.Header.Get(sessionHeader), req.URL.String()), ids)
}

// Wait waits for a recorded latency, multiplied by the pace, and for a turn, which may
// be nil. It returns the error of the context if that ends before.
func (p *Player) Wait(ctx context.Context, latencyMS int64, turn *sequence.Turn) error {
	err := pause(ctx, nil, p.Pace, latencyMS)
	if err != nil {
		return err
	}
	return turn.Answered(ctx)
}

// defaultCancelWait is how long a replay waits for a request to be canceled, beyond the
// time that it took when it was recorded. A body stays open for as long if its client
// came over a listener: the recorded client may have closed the body because it had
// what it wanted.
const defaultCancelWait = 5 * time.Second

// alternativeWait is the same for a request that has another response if it is not
// canceled.
const alternativeWait = time.Second
