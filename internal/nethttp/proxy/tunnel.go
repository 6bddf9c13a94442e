package proxy

import (
	"bufio"
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// dialTimeout is how long a tunnel may take to reach its address.
const dialTimeout = 30 * time.Second

// established is the response to CONNECT.
const established = "HTTP/1.1 200 Connection established\r\n\r\n"

const badGateway = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

// tunnel passes on unread what comes from a client and from an address, until both have ended.
func tunnel(ctx context.Context, client *conn, address string) {
	defer client.Close()
	dialer := net.Dialer{Timeout: dialTimeout}
	dialed, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		_, _ = io.WriteString(client, badGateway) // the client may be gone
		return
	}
	upstream := client.pool.add(dialed, bufio.NewReader(dialed))
	if upstream == nil {
		return
	}
	defer upstream.Close()
	_, err = io.WriteString(client, established)
	if err != nil {
		return
	}

	var both sync.WaitGroup
	both.Go(func() { pass(upstream, client) })
	both.Go(func() { pass(client, upstream) })
	both.Wait()
}

// pass writes to one connection what it reads from another, until the other sends no more.
func pass(to, from *conn) {
	_, _ = io.Copy(to, from) // an error ends the connection as the end of the data does
	_ = to.CloseWrite()
}
