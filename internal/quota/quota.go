package quota

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/testenv/bubble"
)

// A Quota asks the command for permits, for the requests of one recorder. A nil Quota
// permits every request at once.
type Quota struct {
	address  string
	token    string
	recorder string
}

// FromEnv returns the quota of this run, or nil if promptecho record does not run it.
func FromEnv() *Quota {
	address, token, ok := strings.Cut(os.Getenv(Env), "/")
	if !ok {
		return nil
	}
	return &Quota{address: address, token: token, recorder: rand.Text()}
}

// A RefusedError says why a request may not be sent.
type RefusedError struct {
	Code   finding.Code
	Reason string // a sentence
}

func (e *RefusedError) Error() string { return e.Reason }

// Acquire waits until the command permits a request, and returns the permit, which is nil if q
// is nil. The error is a [*RefusedError] if the command refuses the request, and that of the
// context if it ends while Acquire waits. The caller must end the permit with [Permit.End] or
// [Permit.Release].
func (q *Quota) Acquire(ctx context.Context, call Call) (*Permit, error) {
	if q == nil {
		return nil, nil
	}
	var p *Permit
	var err error
	// A goroutine of a synctest bubble must not wait for the network, so the conversation with
	// the command runs outside. AfterFunc must run in the bubble, where the context was made.
	bubble.Outside(func() { p, err = q.dial() })
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { p.conn.Close() })
	bubble.Outside(func() { err = p.ask(q, call) })
	hasClosed := !stop() // the context has ended, and its function has closed the connection
	if hasClosed {
		p.Release()
		return nil, ctx.Err()
	}
	if err != nil {
		p.Release()
		return nil, err
	}
	return p, nil
}

// dial connects to the command.
func (q *Quota) dial() (*Permit, error) {
	conn, err := net.Dial("tcp", q.address)
	if err != nil {
		return nil, lost(err)
	}
	return &Permit{conn: conn}, nil
}

// lost returns the error for a command that does not answer.
func lost(err error) error {
	return &RefusedError{finding.QuotaLost, fmt.Sprintf("promptecho record, which runs this test and limits "+
		"its requests, does not answer: %v", err)}
}

// A Permit allows to send one request. A nil Permit is that of a nil [Quota].
type Permit struct {
	conn net.Conn

	mu    sync.Mutex
	ended bool
}

// ask asks for the permit, and waits for the reply.
func (p *Permit) ask(q *Quota, call Call) error {
	if err := p.write(Ask{Token: q.token, Recorder: q.recorder, Call: call}); err != nil {
		return lost(err)
	}
	var reply Reply
	line, err := bufio.NewReader(p.conn).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &reply)
	}
	if err != nil {
		return lost(err)
	}
	if !reply.Go {
		return &RefusedError{reply.Code, reply.Reason}
	}
	return nil
}

// write writes a line.
func (p *Permit) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = p.conn.Write(append(line, '\n'))
	return err
}

// Head reports the header of the response to the command, which then knows of a pause that the
// server asks for. Errors are ignored: a command that is gone needs no report.
func (p *Permit) Head(h Head) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		bubble.Outside(func() { _ = p.write(h) })
	}
}

// End ends the permit, and reports how its request ended. Only the first call has an
// effect.
func (p *Permit) End(e End) { p.end(&e) }

// Release ends the permit of a request that got no response.
func (p *Permit) Release() { p.end(nil) }

// end ends the permit. e is nil if the request got no response.
func (p *Permit) end(e *End) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.ended = true
	bubble.Outside(func() {
		defer p.conn.Close()
		if e == nil {
			return
		}
		// The command closes the connection when it has counted the answer, which the next
		// request depends on. Errors say that the command is gone.
		_ = p.conn.SetDeadline(time.Now().Add(longestEnd))
		_ = p.write(e)
		_, _ = p.conn.Read(make([]byte, 1))
	})
}

// longestEnd is how long the end of a request waits for the command. It only has to count.
const longestEnd = 5 * time.Second
