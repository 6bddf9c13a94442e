package request

import "context"

// Served describes a request that came over a listener of package serve, from another
// process or from a client that has no recorder.
type Served struct {
	By         string // the client, for messages
	Far        bool   // the client reads the response through a socket
	Unsendable string // why the request must not be sent upstream as it is; "" if it may
}

type servedKey struct{}

// WithServed returns a context for a request that came over a listener.
func WithServed(ctx context.Context, s Served) context.Context {
	return context.WithValue(ctx, servedKey{}, s)
}

// ServedBy returns the description of a request with this context. It is zero if the
// request came over no listener.
func ServedBy(ctx context.Context) Served {
	s, _ := ctx.Value(servedKey{}).(Served)
	return s
}
