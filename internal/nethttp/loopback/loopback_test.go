package loopback

import (
	"net"
	"testing"
)

// Two listeners have ports of their own, and only programs of this machine reach them.
func TestListenersAreReachedFromThisMachineOnly(t *testing.T) {
	t.Parallel()
	ports := map[int]bool{}
	for range 2 {
		l, err := Listen()
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		addr := l.Addr().(*net.TCPAddr)
		if !addr.IP.IsLoopback() {
			t.Errorf("listens on %s: other machines reach it", addr)
		}
		ports[addr.Port] = true
		conn, err := net.Dial("tcp", addr.String())
		if err != nil {
			t.Fatalf("this machine does not reach it: %v", err)
		}
		conn.Close()
	}
	if len(ports) != 2 {
		t.Errorf("both listen on the same port: %v", ports)
	}
}
