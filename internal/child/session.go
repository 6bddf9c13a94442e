package child

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/sequence/idle"
)

// A Session is one run of a program as its client sees it: a live one, which is recorded, or a
// recorded one. Its methods may be called concurrently.
type Session struct {
	place  *Place
	client Client
	isFar  bool // see Spec
	report reporter
	files  *folder       // the folder of files that the program writes; nil if none are recorded
	watch  watch         // the working directory, if no files are recorded
	link   exchange.Link // nil if the session is refused when it opens
	live   *liveLink     // nil in a replay
	cancel context.CancelFunc
	exited chan struct{} // closed after Exited of the client was called

	mu      sync.Mutex // guards what follows; it is held while a message is sent
	lines   lineCutter // of the standard input
	isEnded bool       // nothing more is sent
	refused string     // why the session is over; "" if it is not
	isTold  bool       // the client has got the text of refused

	// pings has the keys of the pings of the client. They are not recorded, and neither is what
	// cancels them.
	pings map[string]bool
	exit  sync.Once

	requests openRequests
}

// Open opens a session with a program. The error is a [*report.Miss] if it is not recorded. ctx is
// that of the client.
func Open(ctx context.Context, rec *recorder.Recorder, spec *Spec, client Client) (*Session, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := newSession(client, cancel)
	s.place = NewPlace(spec.Dir)
	s.isFar = spec.IsFar
	s.report = reporter{rec, spec.url()}
	err := s.open(ctx, rec, spec)
	if err != nil {
		cancel()
		return nil, err
	}
	go s.receive()
	return s, nil
}

func newSession(client Client, cancel context.CancelFunc) *Session {
	return &Session{
		client: client,
		cancel: cancel,
		exited: make(chan struct{}),
		pings:  map[string]bool{},
	}
}

// open opens the link of the session.
func (s *Session) open(ctx context.Context, rec *recorder.Recorder, spec *Spec) error {
	req, err := spec.request(ctx, s.place)
	if err != nil {
		return err
	}
	if spec.Files != "" {
		s.files, err = newFolder(spec.Files)
		if err != nil {
			return err
		}
	}
	s.link, err = rec.Session(req, func(ctx context.Context) (exchange.Link, error) {
		p, err := s.start(spec)
		if err != nil {
			return nil, err
		}
		s.live = &liveLink{
			ctx:     ctx,
			program: p,
			place:   s.place,
			client:  s.client,
			reject:  s.report.literalMark,
			files:   s.files,
			noFiles: s.report.noFiles,
		}
		return s.live, nil
	})
	return err
}

// start starts the live program.
func (s *Session) start(spec *Spec) (*program, error) {
	cmd, err := spec.liveCommand()
	if err != nil {
		return nil, err
	}
	if spec.Files == "" {
		s.watch = newWatch(spec.Dir)
	}
	p, err := startProgram(cmd)
	if err != nil {
		return nil, err
	}
	s.client.Started(p.cmd.Process.Pid)
	return p, nil
}

// Refuse returns a session that is not recorded, and may not be opened. It tells its client so.
func Refuse(reason error, client Client) *Session {
	s := newSession(client, func() {})
	s.refused = reason.Error()
	// A client that sends nothing, and does not close its side, waits for what the program
	// writes. 2 s are more than a client needs to send its first request.
	time.AfterFunc(patience, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.isTold {
			s.fail()
		}
	})
	return s
}

// Wait waits until the program has exited.
func (s *Session) Wait() { <-s.exited }

// Exited is closed when the program has exited.
func (s *Session) Exited() <-chan struct{} { return s.exited }

// Write takes what the client writes to the standard input of the program.
func (s *Session) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isEnded || s.hasExited() {
		return 0, io.ErrClosedPipe
	}
	lines, end := s.lines.add(p)
	for _, l := range lines {
		s.sendLine(l)
	}
	if s.live != nil && len(end) > 0 {
		// The program may read bytes. The line is recorded before its newline is sent.
		s.live.forward(append([]byte(nil), end...))
	}
	return len(p), nil
}

func (s *Session) hasExited() bool {
	select {
	case <-s.exited:
		return true
	default:
		return false
	}
}

// CloseInput closes the standard input of the program.
func (s *Session) CloseInput() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isEnded {
		return
	}
	s.isEnded = true
	s.endLine()
	s.send(interaction.Message{Kind: interaction.Close}, nil)
	if s.refused != "" {
		s.fail()
	}
}

// Signal sends a signal to the program. The name is that of [os.Signal.String].
func (s *Session) Signal(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLine()
	s.send(interaction.Message{Kind: interaction.Signal, Data: name}, nil)
	if s.refused != "" {
		s.fail()
	}
}

// endLine sends what the client wrote last and did not end with a newline. A live program has it
// already. The caller holds the lock.
func (s *Session) endLine() {
	text := s.lines.rest()
	if text != "" {
		s.send(interaction.Message{Kind: interaction.Bytes, Data: text}, nil)
	}
}

// Abandon ends the session when the client is gone. The recording is not used to say how the program
// would have ended.
func (s *Session) Abandon() {
	s.cancel()
	if s.live != nil {
		s.live.Close()
	}
}

// Kill ends the program at once.
func (s *Session) Kill() {
	s.cancel()
	if s.live != nil {
		s.live.program.kill()
	}
}

// Terminate closes the standard input, and waits until the program has exited. It ends a live
// program that does not.
func (s *Session) Terminate() {
	s.CloseInput()
	if s.live != nil {
		s.live.Close()
	}
	s.Wait()
}

// sendLine sends a line. The caller holds the lock.
func (s *Session) sendLine(l line) {
	parsed := parse(l.text)
	cancelsPing := s.pings[parsed.canceledKey()]
	switch {
	case s.refused != "":
		s.answerRefused(&parsed)
	case parsed.isPing():
		s.sendPing(&parsed, l)
	case cancelsPing && s.live != nil:
		s.live.forward(l.last)
	case cancelsPing:
		// The ping was answered at once.
	default:
		key := parsed.requestKey()
		s.requests.add(key, parsed)
		s.send(ofStdout(l), l.last)
		isRequest := key != ""
		if s.refused != "" && !isRequest {
			s.fail()
		}
	}
}

// sendPing sends a ping past the recorder. In replay it is answered here. The caller holds the lock.
func (s *Session) sendPing(ping *jsonMessage, l line) {
	key := ping.requestKey()
	s.pings[key] = true
	if s.live != nil {
		s.live.forwardPing(key, l.last)
		return
	}
	s.respond(ping.pong())
}

// send gives a message of the client to the recorder, which records it and passes it on to the live
// program, or looks for it in the recording. input is the part of the message that the live program
// has not got yet. The caller holds the lock.
func (s *Session) send(m interaction.Message, input []byte) {
	if s.link == nil || s.refused != "" {
		return
	}
	if s.live != nil {
		s.live.prepareSend(m, input)
	}
	if m.Kind != interaction.Signal {
		m.Data = s.place.MaskSent(m.Data)
	}

	err := s.link.Send(m)
	var refusal *exchange.Refusal
	switch {
	case errors.As(err, &refusal):
		s.refuse(refusal.Text)
	case errors.Is(err, exchange.ErrSignalUnrecorded):
		s.exitWith(signalPrefix + m.Data) // like a program that does not handle the signal
		s.cancel()
	default:
		// The message is sent, or the session is over; then Recv of the link returns the error.
	}
}

// refuse ends a session with what it has that is not recorded. All requests without a response get
// one. The caller holds the lock.
func (s *Session) refuse(reason string) {
	s.refused = reason
	for _, m := range s.requests.takeAll() {
		s.answerRefused(&m)
	}
}

// answerRefused responds to a request of a session that is refused. The caller holds the lock.
func (s *Session) answerRefused(m *jsonMessage) {
	if m.requestKey() != "" {
		s.isTold = true
		s.respond(m.refusal(s.refused))
		return
	}
	if !s.isTold {
		s.fail()
	}
}

// respond gives the client a line of JSON, which has a header if those of the client have one. The
// caller holds the lock.
func (s *Session) respond(text []byte) {
	if s.lines.isFramed {
		text = framed(strings.TrimSuffix(string(text), "\n"))
	}
	deliver(s.client, text, false)
}

// fail exits as a program does that cannot go on. The caller holds the lock.
func (s *Session) fail() {
	if !s.isTold && !s.hasExited() {
		s.isTold = true
		deliver(s.client, []byte(s.refused+"\n"), true)
	}
	s.exitWith(exitedWith(1))
}

// exitWith tells the client how the program exited, once.
func (s *Session) exitWith(how string) {
	s.exit.Do(func() {
		s.client.Exited(how)
		close(s.exited)
	})
}

// receive delivers what the program writes, and its exit.
func (s *Session) receive() {
	defer s.cancel()
	how := exitedWith(0)
	last := classExit
	for isFirst := true; ; isFirst = false {
		m, err := s.link.Recv()
		if err != nil {
			s.end(err, how)
			return
		}
		if m.Kind == interaction.File {
			s.putBack(m)
			continue
		}
		now := s.classOf(m)
		if now != last && !isFirst {
			s.awaitClient()
		}
		last = now
		if m.Kind == interaction.Close {
			how = m.Data
			continue
		}
		deliver(s.client, s.output(m), m.IsStderr())
	}
}

// putBack puts a recorded file where the program wrote it.
func (s *Session) putBack(m interaction.Message) {
	switch {
	case s.live != nil:
		return // the program has written it
	case s.files == nil:
		s.report.lostFile()
		return
	}
	err := s.files.putBack(s.place.Unmask(m.Data))
	if err != nil {
		s.report.noFiles(err)
	}
}

// awaitClient waits until the client has done what it does with the last message. It is called
// between two messages of different classes: clients handle those in different goroutines, and
// what they do next may depend on which message they saw first. Without a wait, the ACP SDK for Go
// ran its handlers in another order than recorded in 50 of 50 replays.
func (s *Session) awaitClient() {
	kind := idle.Replay
	if s.live != nil {
		kind = idle.Record
	}
	s.client.AwaitWritten()
	idle.Wait(kind, s.isFar)
}

// output returns what the client gets for a received message.
func (s *Session) output(m interaction.Message) []byte {
	if s.live != nil {
		return s.live.output
	}
	m.Data = s.place.Unmask(m.Data)
	return written(m)
}

// classOf returns the class of a received message. A request that it responds to is no longer open.
func (s *Session) classOf(m interaction.Message) class {
	switch {
	case m.Kind == interaction.Close:
		return classExit
	case m.IsStderr():
		return classStderr
	}
	parsed := parse(m.Data)
	s.requests.remove(parsed.responseKey())
	return parsed.class()
}

// end ends the session with the error of Recv. how is how the program exited, if it has.
func (s *Session) end(err error, how string) {
	if s.watch.hasChanged() {
		s.report.filesNotRecorded(s.watch.dir)
	}
	var refusal *exchange.Refusal
	switch {
	case errors.As(err, &refusal):
		s.mu.Lock() // Send may be about to return the same error
		defer s.mu.Unlock()
		if s.refused == "" {
			s.refuse(refusal.Text)
		}
		mayAskAgain := s.isTold && !s.isEnded
		if !mayAskAgain {
			s.fail()
		}
	case err == io.EOF:
		s.exitWith(how)
	case errors.Is(err, context.Canceled):
		s.exitWith(signalPrefix + killed)
	default:
		deliver(s.client, []byte(err.Error()+"\n"), true)
		s.exitWith(exitedWith(1))
	}
}

// openRequests are the requests of the client that have no response yet. The methods may be called
// concurrently.
type openRequests struct {
	mu   sync.Mutex // guards what follows
	keys []string
	all  map[string]jsonMessage
}

// add adds a request with a key, unless the key is empty.
func (o *openRequests) add(key string, m jsonMessage) {
	if key == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = map[string]jsonMessage{}
	}
	o.keys = append(o.keys, key)
	o.all[key] = m
}

// remove removes the request with a key.
func (o *openRequests) remove(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.all, key)
}

// takeAll removes all requests, and returns them in the order in which they were added.
func (o *openRequests) takeAll() []jsonMessage {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []jsonMessage
	for _, key := range o.keys {
		m, isOpen := o.all[key]
		if isOpen {
			all = append(all, m)
			delete(o.all, key)
		}
	}
	o.keys = nil
	return all
}
