package recorder

import (
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/tape"
)

// Bodies that no recording has are kept up to a limit: a further request has that of its
// recording, or none.
func TestBodiesOfSentRequestsAreKeptUpToALimit(t *testing.T) {
	t.Parallel()
	var sent sentRequests
	large := make([]byte, maxSent/2)
	rec := new(tape.Recording)
	add := func(recording *tape.Recording) sentRequest {
		number := sent.arrive()
		req := interaction.Request{Method: "POST", Body: large}
		sent.set(number, &keptRequest{request: req, recording: recording})
		return sent.known()[number]
	}
	for i, kept := range []sentRequest{add(nil), add(rec)} {
		if bytesOf(kept) != len(large) {
			t.Errorf("request %d has %d bytes", i, bytesOf(kept))
		}
	}
	if got := add(rec); got != rec {
		t.Errorf("a further request with a recording is %T", got)
	}
	got, ok := add(nil).(*keptRequest)
	if !ok || got.request.Method != "POST" || got.request.Body != nil {
		t.Errorf("a further request without a recording is %+v", got)
	}

	sent.set(0, rec) // it was recorded, so the recording has the body
	if bytesOf(add(nil)) != len(large) {
		t.Error("a body that was given back still counts")
	}
}
