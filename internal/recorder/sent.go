// The requests that the program sent, for a test that looks at them.

package recorder

import (
	"bytes"
	"io"
	"sync"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/tape"
)

// maxSent is how many bytes of bodies are kept for Recorder.Sent. Most requests
// need none of it: a recording has them. The typical conversation has less than
// 1 MB.
const maxSent = 16 << 20

// A sentRequest is a request that the program sent, or the recording that has it.
type sentRequest interface {
	ReadRequest() (interaction.Request, error)
}

// sentRequests are the requests that the program sent, in the order of their
// arrival.
type sentRequests struct {
	mu       sync.Mutex
	list     []sentRequest // nil for a request that is not read yet
	bytes    int           // of the bodies that the list keeps
	isClosed bool
}

// arrive adds a request that is not read yet, and returns its number.
func (s *sentRequests) arrive() (number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return 0
	}
	if s.list == nil {
		s.list = make([]sentRequest, 0, 8) // enough for most tests
	}
	s.list = append(s.list, nil)
	return len(s.list) - 1
}

// set sets where the request of a number can be read. If the bodies that the list
// keeps would then have more than maxSent bytes, the list does not keep this one.
// A body that the list kept for this number before does not count.
func (s *sentRequests) set(number int, sent sentRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return
	}
	s.bytes -= bytesOf(s.list[number])
	if kept, ok := sent.(*keptRequest); ok && s.bytes+bytesOf(kept) > maxSent {
		sent = kept.withoutBody()
	}
	s.bytes += bytesOf(sent)
	s.list[number] = sent
}

// setMatch sets what is known of a request that the tape has looked up. A request
// without a form is recorded byte for byte.
func (s *sentRequests) setMatch(number int, m *tape.Match) {
	if m.Form == nil {
		s.set(number, m.Recording)
		return
	}
	s.set(number, &keptRequest{request: m.Request, recording: m.Recording})
}

// known returns the requests that are read.
func (s *sentRequests) known() (list []sentRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sent := range s.list {
		if sent != nil {
			list = append(list, sent)
		}
	}
	return list
}

// close gives back the memory of the requests.
func (s *sentRequests) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isClosed = true
	s.list = nil
}

// A keptRequest is a redacted request that no recording has byte for byte.
type keptRequest struct {
	request   interaction.Request
	recording *tape.Recording // that answered it; nil if none did
}

func (k *keptRequest) ReadRequest() (interaction.Request, error) { return k.request, nil }

// withoutBody returns the recorded request that equals the request in all that can
// change the answer. If no recording answered, it returns the request without its
// body.
func (k *keptRequest) withoutBody() sentRequest {
	if k.recording != nil {
		return k.recording
	}
	head := k.request
	head.Body = nil
	return &keptRequest{request: head}
}

// bytesOf returns the length of the body that the list keeps of a request.
func bytesOf(sent sentRequest) int {
	if kept, ok := sent.(*keptRequest); ok {
		return len(kept.request.Body)
	}
	return 0
}

// A passedRequest is a request of which nothing is compared or recorded. Its body is
// copied while the transport reads it.
type passedRequest struct {
	head   interaction.Request // without its body
	redact func(*interaction.Request) error

	mu   sync.Mutex
	body bytes.Buffer // the first maxPassed bytes
}

// maxPassed is how many bytes are kept of the body of a request that passes: as
// many as package request holds in memory.
const maxPassed = 4 << 20

func (p *passedRequest) ReadRequest() (interaction.Request, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	req := p.head
	req.Body = bytes.Clone(p.body.Bytes())
	_ = p.redact(&req) // a failure replaces what could not be searched
	return req, nil
}

// Write keeps a part of the body, for [io.TeeReader].
func (p *passedRequest) Write(part []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	room := maxPassed - p.body.Len()
	p.body.Write(part[:min(len(part), room)])
	return len(part), nil
}

// again forgets the body: the transport sends it once more.
func (p *passedRequest) again() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.body.Reset()
}

// A copiedBody is a body that is copied while it is read.
type copiedBody struct {
	io.Reader
	io.Closer
}
