package child

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// patience is how long a program may take to exit after its standard input was closed, and again
// after it was asked to terminate. The MCP SDK for TypeScript waits for 2 s, too
// (client/stdio.ts, close).
const patience = 2 * time.Second

// A program is a live process.
type program struct {
	cmd   *exec.Cmd
	input *Buffer  // for the standard input
	stdin *os.File // the end of the pipe that input goes to

	outputs *outputQueue
	stdout  *outputReader
	stderr  *outputReader

	exited chan struct{} // closed when the process has exited
	ended  chan struct{} // closed when all that it wrote is in outputs, too
}

// startProgram starts a command with pipes for its standard streams.
func startProgram(cmd *exec.Cmd) (*program, error) {
	var pipes []*os.File
	closeAll := func() {
		for _, f := range pipes {
			f.Close()
		}
	}
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll()
			return nil, err
		}
		pipes = append(pipes, r, w)
	}
	cmd.Stdin = pipes[0]
	cmd.Stdout = pipes[3]
	cmd.Stderr = pipes[5]
	err := cmd.Start()
	if err != nil {
		closeAll()
		return nil, err
	}
	for _, ofProcess := range []*os.File{pipes[0], pipes[3], pipes[5]} {
		ofProcess.Close()
	}

	p := &program{
		cmd:     cmd,
		input:   NewBuffer(),
		stdin:   pipes[1],
		outputs: newOutputQueue(),
		exited:  make(chan struct{}),
		ended:   make(chan struct{}),
	}
	p.stdout = &outputReader{file: pipes[2], to: p.outputs}
	p.stderr = &outputReader{file: pipes[4], to: p.outputs, isStderr: true}
	go p.feed()
	go p.follow()
	return p, nil
}

// feed gives the process its standard input.
func (p *program) feed() {
	_, _ = io.Copy(p.stdin, p.input) // an error says that the process does not read it
	p.input.Close()
	p.stdin.Close()
}

// follow reads what the process writes until it has exited and its streams have ended.
func (p *program) follow() {
	var readers sync.WaitGroup
	readers.Go(p.stdout.readAll)
	readers.Go(p.stderr.readAll)

	_ = p.cmd.Wait() // how it ended is in ProcessState
	close(p.exited)
	p.input.Close()
	p.stdin.Close()

	readers.Wait()
	exit := interaction.Message{Kind: interaction.Close, Data: exitText(p.cmd.ProcessState)}
	p.outputs.put(output{message: exit, isMessage: true})
	p.outputs.end()
	close(p.ended)
}

// signal sends a signal to the process. Systems that do not have the signal end the process.
func (p *program) signal(name string) {
	sig, isKnown := signalNamed(name)
	if !isKnown {
		return
	}
	err := p.cmd.Process.Signal(sig)
	if err != nil {
		p.kill() // Windows has no other signal
	}
}

// kill ends the process. An error of it says that the process has exited.
func (p *program) kill() { _ = p.cmd.Process.Kill() }

// Close ends the process: it closes its standard input, asks it to terminate, and kills it, each if
// what was before did not help.
func (p *program) Close() error {
	p.input.End()
	if waitFor(p.exited) {
		return p.closeStreams()
	}
	p.signal(syscall.SIGTERM.String())
	if waitFor(p.exited) {
		return p.closeStreams()
	}
	p.kill()
	<-p.exited
	return p.closeStreams()
}

// closeStreams closes what a process of the exited one may still write to.
func (p *program) closeStreams() error {
	if !waitFor(p.ended) {
		p.stdout.file.Close()
		p.stderr.file.Close()
	}
	return nil
}

// waitFor waits until a channel is closed, and reports whether it was in time.
func waitFor(done <-chan struct{}) bool {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-done:
		return true
	case <-limit.C:
		return false
	}
}

// flush ends the lines that are not complete, and waits until all that the process wrote is recorded.
// It is called before a message is sent: the client may answer what it has read of a line, such as a
// prompt. Python and sh write prompts to the standard error. A JSON object goes on after the message.
func (p *program) flush() {
	hasLine := p.stdout.flush()
	hasErrorLine := p.stderr.flush()
	if hasLine || hasErrorLine {
		p.outputs.awaitTaken()
	}
}

// An outputReader reads a stream of a process.
type outputReader struct {
	file     *os.File
	to       *outputQueue
	isStderr bool

	mu    sync.Mutex // guards what follows
	lines lineCutter
}

// readAll reads the stream to its end.
func (r *outputReader) readAll() {
	defer r.file.Close()
	const most = 64 << 10 // the size of a pipe of Linux
	for {
		piece := make([]byte, most)
		n, err := r.file.Read(piece)
		r.add(piece[:n])
		if err != nil {
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endLine()
}

// add adds a piece of the stream.
func (r *outputReader) add(piece []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines, end := r.lines.add(piece)
	for _, l := range lines {
		m := ofStdout(l)
		if r.isStderr {
			m = ofStderr(l.text)
		}
		r.to.put(output{message: m, isMessage: true, raw: l.last, isStderr: r.isStderr})
	}
	if len(end) > 0 {
		r.to.put(output{raw: end, isStderr: r.isStderr})
	}
}

// flush makes a message of a line that is not complete, unless that goes on. It reports whether
// there was one.
func (r *outputReader) flush() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lines.goesOn() {
		return false
	}
	return r.endLine()
}

// endLine makes a message of a line that is not complete, whose bytes the client has. The caller
// holds the lock.
func (r *outputReader) endLine() bool {
	text := r.lines.rest()
	if text == "" {
		return false
	}
	m := interaction.Message{Kind: interaction.Bytes, Data: text}
	if r.isStderr {
		m.Kind = interaction.StderrBytes
	}
	r.to.put(output{message: m, isMessage: true, isStderr: r.isStderr})
	return true
}
