package child

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// hurry is how long a stand-in that was sent a signal waits until its client has read what the
// program wrote. A process would drop it.
const hurry = time.Second

// A standIn is this process in the place of a program.
type standIn struct {
	stdout *Buffer // what the client has not read yet
	stderr *Buffer
	copies sync.WaitGroup // of both

	mu          sync.Mutex // guards what follows; also one frame is written at a time
	conn        net.Conn
	isSignalled bool
}

// StandIn makes this process the stand-in of a program until the program has exited, and returns how.
// It passes on what the client and the program of the host write. address is that of
// [Host.Address].
func StandIn(address string, hello Hello) Exit {
	at, token, _ := strings.Cut(address, "/")
	hello.Token = token
	s := &standIn{stdout: NewBuffer(), stderr: NewBuffer()}
	conn, err := net.Dial("tcp", at)
	if err != nil {
		return s.fail("the test that runs this program does not listen for it, or its recorder is " +
			"closed: " + err.Error())
	}
	s.conn = conn
	signals := make(chan os.Signal, len(forwarded))
	signal.Notify(signals, forwarded...)
	signal.Ignore(syscall.SIGPIPE) // a client may close stderr and go on
	err = writeHello(conn, &hello)
	if err != nil {
		return s.fail(err.Error())
	}
	go s.sendInput()
	go s.sendSignals(signals)
	s.copies.Go(func() { s.write(os.Stdout, s.stdout) })
	s.copies.Go(func() { s.write(os.Stderr, s.stderr) })
	return s.follow()
}

// send sends a frame. An error says that the host is gone, which follow notices.
func (s *standIn) send(kind frameKind, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = writeFrame(s.conn, kind, content)
}

// readTime is how long a stand-in waits at most until its client has read what the program wrote.
// 50 ms: half of the time for which the host waits (idle.Longest).
const readTime = 50 * time.Millisecond

// awaitRead waits until the client has read what is in a pipe. Two messages that it reads at once
// are handled in one turn of the event loop of Node, whatever the program did between them: then a
// notification gets lost after the response to its request (TestClientsOfServerEverythingNode).
func awaitRead(pipe *os.File) {
	const pause = 200 * time.Microsecond
	deadline := time.Now().Add(readTime)
	for hasUnread(pipe) && time.Now().Before(deadline) {
		time.Sleep(pause)
	}
}

// write writes what the program wrote, and tells the host how much of it the client has read.
func (s *standIn) write(to *os.File, from *Buffer) {
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		if err != nil {
			return
		}
		_, _ = to.Write(piece[:n]) // an error says that the client does not read
		awaitRead(to)
		s.send(frameWritten, []byte(strconv.Itoa(n)))
	}
}

// sendInput sends the standard input to the host.
func (s *standIn) sendInput() {
	piece := make([]byte, 64<<10)
	for {
		n, err := os.Stdin.Read(piece)
		if n > 0 {
			s.send(frameInput, piece[:n])
		}
		if err != nil {
			s.send(frameClosed, nil)
			return
		}
	}
}

// sendSignals sends the signals that this process gets to the host.
func (s *standIn) sendSignals(signals <-chan os.Signal) {
	for sig := range signals {
		s.mu.Lock()
		s.isSignalled = true
		s.mu.Unlock()
		s.send(frameSignal, []byte(sig.String()))
	}
}

// follow does what the host says until the program has exited.
func (s *standIn) follow() Exit {
	frames := bufio.NewReader(s.conn)
	pid := 0
	for {
		kind, content, err := readFrame(frames, mostContent)
		if err != nil {
			kill(pid)
			return s.fail("the test that runs this program has ended")
		}
		switch kind {
		case frameStarted:
			pid, _ = strconv.Atoi(string(content))
		case frameStdout:
			_, _ = s.stdout.Write(content)
		case frameStderr:
			_, _ = s.stderr.Write(content)
		case frameExited:
			s.drain()
			return ParseExit(string(content))
		}
	}
}

// kill ends the live program if the host is gone. An error says that the program is gone, too.
func kill(pid int) {
	p, err := os.FindProcess(pid)
	if pid > 0 && err == nil {
		_ = p.Kill()
	}
}

// drain waits until the client has got all that the program wrote.
func (s *standIn) drain() {
	s.stdout.End()
	s.stderr.End()
	s.mu.Lock()
	isSignalled := s.isSignalled
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.copies.Wait()
		close(done)
	}()
	if !isSignalled {
		<-done
		return
	}
	select {
	case <-done:
	case <-time.After(hurry):
	}
}

// fail tells the client why the program does not run.
func (s *standIn) fail(reason string) Exit {
	s.drain()
	fmt.Fprintf(os.Stderr, "promptecho: %s\n", reason)
	return Exit{Status: 1}
}
