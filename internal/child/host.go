package child

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/nethttp/loopback"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/sequence/idle"
)

// A Host listens for stand-ins of programs, and opens a session for each. It runs in the process
// that has the recorder.
type Host struct {
	rec      *recorder.Recorder
	spec     func(*Hello) (*Spec, error)
	isForOne bool
	listener net.Listener
	token    string
	close    sync.Once
}

// Listen returns a host that is closed with the recorder, or by Close. spec returns which program a
// stand-in is for. If isForOne, the host listens until one stand-in has come.
func Listen(
	rec *recorder.Recorder, isForOne bool, spec func(*Hello) (*Spec, error),
) (*Host, error) {
	listener, err := loopback.Listen()
	if err != nil {
		return nil, err
	}
	h := &Host{rec: rec, spec: spec, isForOne: isForOne, listener: listener, token: rand.Text()}
	isOpen := rec.Attach(h)
	if !isOpen {
		listener.Close() // a stand-in finds no host
	}
	go h.accept()
	return h, nil
}

// Address returns what a stand-in needs to reach the host: its address, and a secret.
func (h *Host) Address() string { return h.listener.Addr().String() + "/" + h.token }

// Close ends the listener. Sessions go on.
func (h *Host) Close() error {
	h.close.Do(func() {
		h.rec.Detach(h)
		h.listener.Close()
	})
	return nil
}

// accept accepts connections until the listener is closed.
func (h *Host) accept() {
	for {
		conn, err := h.listener.Accept()
		if err != nil {
			return
		}
		go h.serve(conn)
	}
}

// serve serves a connection until the stand-in is gone.
func (h *Host) serve(conn net.Conn) {
	defer conn.Close()
	frames := bufio.NewReader(conn)
	hello, err := readHello(frames)
	if err != nil || subtle.ConstantTimeCompare([]byte(hello.Token), []byte(h.token)) != 1 {
		return
	}
	if h.isForOne {
		h.Close()
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	out := NewBuffer()
	defer out.Close()
	go func() { _, _ = io.Copy(conn, out) }() // an error says that the stand-in is gone
	to := &remote{out: out}
	s := h.open(ctx, hello, to)
	for {
		kind, content, err := readFrame(frames, mostContent)
		if err != nil {
			s.Abandon()
			return
		}
		switch kind {
		case frameInput:
			_, _ = s.Write(content) // an error says that the program has exited
		case frameClosed:
			s.CloseInput()
		case frameWritten:
			to.noteWritten(content)
		case frameSignal:
			s.Signal(string(content))
		}
	}
}

// open opens the session of a stand-in. If there is none, the session refuses what the client sends.
func (h *Host) open(ctx context.Context, hello *Hello, to Client) *Session {
	spec, err := h.spec(hello)
	if err != nil {
		return Refuse(err, to)
	}
	spec.Args = hello.Args
	spec.Dir = hello.Dir
	spec.IsFar = true
	s, err := Open(ctx, h.rec, spec, to)
	if err != nil {
		return Refuse(err, to)
	}
	return s
}

// A remote is the client of a session with a stand-in.
type remote struct {
	out *Buffer

	mu         sync.Mutex    // guards what follows
	unwritten  int           // bytes that the stand-in has not written yet
	allWritten chan struct{} // closed when there are none; nil if nothing waits
}

// Started tells the stand-in which process to end if this one is gone.
func (r *remote) Started(pid int) { r.send(frameStarted, []byte(strconv.Itoa(pid))) }

// Stdout sends what the program wrote to its standard output.
func (r *remote) Stdout(p []byte) { r.sendOutput(frameStdout, p) }

// Stderr sends what the program wrote to its standard error.
func (r *remote) Stderr(p []byte) { r.sendOutput(frameStderr, p) }

// Exited sends how the program exited.
func (r *remote) Exited(how string) {
	r.send(frameExited, []byte(how))
	r.out.End()
}

// sendOutput sends what the program wrote.
func (r *remote) sendOutput(kind frameKind, p []byte) {
	r.mu.Lock()
	r.unwritten += len(p)
	r.mu.Unlock()
	r.send(kind, p)
}

// noteWritten notes that the stand-in has written bytes.
func (r *remote) noteWritten(count []byte) {
	n, _ := strconv.Atoi(string(count)) // the stand-in has the secret of the host
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unwritten -= n
	if r.unwritten <= 0 && r.allWritten != nil {
		close(r.allWritten)
		r.allWritten = nil
	}
}

// AwaitWritten waits until the stand-in has written all that was sent.
func (r *remote) AwaitWritten() {
	r.mu.Lock()
	if r.unwritten <= 0 {
		r.mu.Unlock()
		return
	}
	if r.allWritten == nil {
		r.allWritten = make(chan struct{})
	}
	allWritten := r.allWritten
	r.mu.Unlock()

	limit := time.NewTimer(idle.Longest)
	defer limit.Stop()
	select {
	case <-allWritten:
	case <-limit.C:
	}
}

// send sends a frame. An error says that the stand-in is gone.
func (r *remote) send(kind frameKind, content []byte) { _ = writeFrame(r.out, kind, content) }
