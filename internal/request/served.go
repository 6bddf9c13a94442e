package request

import (
	"context"
	"errors"
)

// Served is what is known of a request that did not come from the code of this process, but
// over a listener of package serve.
type Served struct {
	By         string // who asked, for messages
	Unsendable string // why the request must not go upstream as it is; empty if it may
}

// ErrStopped is the cause of the end of a request whose listener was closed. Its client has
// not given it up.
var ErrStopped = errors.New("the server for other processes was stopped before it had an answer")

type servedKey struct{}

// WithServed returns a context for a request that came over a listener.
func WithServed(ctx context.Context, s Served) context.Context {
	return context.WithValue(ctx, servedKey{}, s)
}

// ServedBy returns what is known of a request with this context. It is zero if the request
// came over no listener.
func ServedBy(ctx context.Context) Served {
	s, _ := ctx.Value(servedKey{}).(Served)
	return s
}
