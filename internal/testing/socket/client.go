package socket

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// A Dialer opens WebSockets.
type Dialer struct {
	Client *http.Client
	Header http.Header // of the handshake, in addition
}

// Dial opens a WebSocket at an address that begins with "http" or "https". A *[Refused] is the
// error of a server that does not open it.
func (d Dialer) Dial(ctx context.Context, address string) (*Conn, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	for name, values := range d.Header {
		req.Header[name] = values
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "websocket")
	req.Header.Set("Sec-WebSocket-Version", "13")
	req.Header.Set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==") // of RFC 6455, section 1.3
	resp, err := d.Client.Do(req)
	if err != nil {
		return nil, err
	}
	connection, isConnection := resp.Body.(io.ReadWriteCloser)
	isOpen := resp.StatusCode == http.StatusSwitchingProtocols && isConnection
	if !isOpen {
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return nil, err
		}
		return nil, &Refused{resp.StatusCode, string(body)}
	}
	return NewConn(connection, true), nil
}

// A Refused error is the response of a server that does not open a WebSocket.
type Refused struct {
	Status int
	Body   string
}

func (e *Refused) Error() string { return fmt.Sprintf("status %d: %s", e.Status, e.Body) }
