package loopback

import (
	"errors"
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

// A connection that is pushed is accepted, and neither side waits once the queue is closed.
func TestQueueAcceptsWhatIsPushed(t *testing.T) {
	t.Parallel()
	q := NewQueue()
	one, two := net.Pipe()
	defer one.Close()
	defer two.Close()
	pushed := make(chan error, 1)
	go func() { pushed <- q.Push(one) }()
	got, err := q.Accept()
	if got != one || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if err := <-pushed; err != nil {
		t.Errorf("push: %v", err)
	}

	q.Close()
	_, err = q.Accept()
	if !errors.Is(err, net.ErrClosed) {
		t.Errorf("accept: %v", err)
	}
	if err := q.Push(two); !errors.Is(err, net.ErrClosed) {
		t.Errorf("push: %v", err)
	}
}
