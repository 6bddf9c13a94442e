// Package loopback listens for connections from this machine, and from this process.
package loopback

import "net"

// Listen listens on a free port of a loopback address: of version 4 or, on a machine without it, of
// version 6.
func Listen() (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return net.Listen("tcp6", "[::1]:0")
	}
	return l, nil
}
