package proxy

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// dialTimeout is how long a tunnel may take to reach its address.
const dialTimeout = 30 * time.Second

// established is the response to CONNECT.
const established = "HTTP/1.1 200 Connection established\r\n\r\n"

const badGateway = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

// A tunnel passes on unread what comes from a client and from an address.
type tunnel struct {
	ctx       context.Context
	open      *pool                                 // gets the connections
	nextProxy func(*http.Request) (*url.URL, error) // see Config.NextProxy
}

// run passes on what comes from a client and from an address, until both have ended.
func (t *tunnel) run(client *conn, address string) {
	defer client.Close()
	upstream, err := t.dial(address)
	if err != nil {
		_, _ = io.WriteString(client, badGateway) // the client may be gone
		return
	}
	defer upstream.Close()
	_, err = io.WriteString(client, established)
	if err != nil {
		return
	}
	passBoth(client, upstream)
}

// runEstablished is run for a client that has got the response to CONNECT, and may have a deadline.
func (t *tunnel) runEstablished(client *conn, address string) {
	defer client.Close()
	_ = client.SetDeadline(time.Time{})
	upstream, err := t.dial(address)
	if err != nil {
		return
	}
	defer upstream.Close()
	passBoth(client, upstream)
}

// passBoth passes on what comes from two connections, until both have ended.
func passBoth(client, upstream *conn) {
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

// dial connects with an address, through another proxy if the configuration says so.
func (t *tunnel) dial(address string) (*conn, error) {
	next, err := t.nextProxy(&http.Request{URL: &url.URL{Scheme: "https", Host: address}})
	if err != nil {
		return nil, err
	}
	if next == nil {
		return t.dialTCP(address, nil)
	}
	upstream, err := t.dialProxy(next)
	if err != nil {
		return nil, err
	}
	err = upstream.askFor(address, next.User)
	if err != nil {
		upstream.Close()
		return nil, err
	}
	return upstream, nil
}

// dialProxy connects with another proxy.
func (t *tunnel) dialProxy(next *url.URL) (*conn, error) {
	port := next.Port()
	switch {
	case next.Scheme == "http":
		return t.dialTCP(net.JoinHostPort(next.Hostname(), cmp.Or(port, "80")), nil)
	case next.Scheme == "https":
		config := &tls.Config{ServerName: next.Hostname()}
		return t.dialTCP(net.JoinHostPort(next.Hostname(), cmp.Or(port, "443")), config)
	}
	return nil, fmt.Errorf("a tunnel cannot use a proxy of the scheme %s", next.Scheme)
}

// dialTCP connects with an address. The connection has TLS if there is a configuration.
func (t *tunnel) dialTCP(address string, config *tls.Config) (*conn, error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	dialed, err := dialer.DialContext(t.ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if config != nil {
		dialed = tls.Client(dialed, config)
	}
	added := t.open.add(dialed, bufio.NewReader(dialed))
	if added == nil {
		return nil, errClosed
	}
	return added, nil
}

var errClosed = errors.New("the proxy is closed")

// askFor asks a proxy for a connection with an address. user may be nil.
func (c *conn) askFor(address string, user *url.Userinfo) error {
	_ = c.SetDeadline(time.Now().Add(dialTimeout))
	req := &http.Request{
		Method: http.MethodConnect,
		URL:    &url.URL{Opaque: address},
		Host:   address,
		Header: http.Header{},
	}
	if user != nil {
		password, _ := user.Password()
		credentials := base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
		req.Header.Set("Proxy-Authorization", "Basic "+credentials)
	}
	err := req.Write(c)
	if err != nil {
		return err
	}
	resp, err := http.ReadResponse(c.r, req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return c.SetDeadline(time.Time{})
}
