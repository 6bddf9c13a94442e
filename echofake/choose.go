package echofake

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/asked"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
)

// question reads a request for conditions and reports, and records it.
func (p *Provider) question(req *http.Request, body []byte) *question {
	url := request.URL(req)
	sent := interaction.Request{
		Method:  req.Method,
		URL:     url.String(),
		Headers: interaction.HeadersOf(req.Header),
	}
	return p.questionOf(&sent, body)
}

// questionOf records a request whose body is not in sent.
func (p *Provider) questionOf(sent *interaction.Request, body []byte) *question {
	p.redact.RedactHead(sent)
	sent.Body = body
	r := asked.New(sent)
	return &question{Request: r, number: p.record(r)}
}

// choose returns the turn for a request, or the error for one that has none.
func (p *Provider) choose(q *question, read *fakeprovider.Request) (*taken, *fakeprovider.Problem) {
	turn, ok := p.script.take(q.Request, kindOf(read), read.Problem != nil, q.number)
	switch {
	case ok:
		return p.checked(q, read, &turn), nil
	case read.Endpoint() == "":
		p.fail(toUnknownEndpoint, unknown(q))
		return nil, &fakeprovider.Problem{Status: http.StatusNotFound}
	case read.Problem != nil:
		p.fail(wasRefused, wrong(q, read.Problem))
		return nil, read.Problem
	}
	report := noTurn(q, kindOf(read), p.script.all())
	p.fail(hadNoTurn, report)
	return nil, &fakeprovider.Problem{Status: http.StatusTeapot, Message: "echofake: " + report}
}

// kindOf returns which turns can answer a request.
func kindOf(read *fakeprovider.Request) turnKind {
	switch {
	case !read.IsReadable():
		return unreadable
	case read.WantsVectors():
		return embeddings
	}
	return answers
}

// refusal returns the response to a request that has no turn. No SDK sends one
// again that is not in the script.
func refusal(read *fakeprovider.Request, problem fakeprovider.Problem) *fakeprovider.Response {
	refused := read.Refuse(0, problem)
	if problem.Status == http.StatusTeapot {
		refused.Header.Set("X-Should-Retry", "false")
		refused.Header.Set(promptecho.MissHeader, "not in the script")
	}
	return refused
}

// checked reports a turn that a model could not give, and names its tool calls.
func (p *Provider) checked(q *question, read *fakeprovider.Request, turn *taken) *taken {
	isReply := turn.problem == nil && turn.handler == nil && turn.compute == nil
	if isReply && !turn.unchecked {
		if why := read.Implausible(&turn.reply); why != "" {
			p.fail(didNotFit, implausible(q, turn, why))
		}
	}
	turn.nameCalls()
	return turn
}

// computed returns the turn that the function of a turn makes.
func (p *Provider) computed(q *question, read *fakeprovider.Request, turn *taken) *taken {
	made := turn.compute(q.Request).within(turn.Turn)
	if made.invalid != "" && !made.unchecked {
		p.fail(didNotFit, fmt.Sprintf("turn %d (%s: %s): %s", turn.number, turn.line, made.words, made.invalid))
	}
	return p.checked(q, read, &taken{made, turn.number, turn.use})
}

// nameCalls sets the IDs of the tool calls that have none: the number of the
// turn and of the call, and how often the turn was taken before.
func (t *taken) nameCalls() {
	calls := append([]fakeprovider.Call(nil), t.reply.Calls...)
	for i := range calls {
		if calls[i].ID != "" {
			continue
		}
		calls[i].ID = fmt.Sprintf("call_fake_%d_%d", t.number, i+1)
		if t.use > 1 {
			calls[i].ID += fmt.Sprintf("_%d", t.use)
		}
	}
	t.reply.Calls = calls
}

// responseNumber returns the number of the response, which IDs and times count up
// with. It does not depend on the order of the requests.
func (t *taken) responseNumber() int {
	const uses = 1000 // the numbers of a turn that is taken again and again
	return t.number*uses + t.use - 1
}

// answerOf returns the response of a turn.
func answerOf(read *fakeprovider.Request, t *taken) *fakeprovider.Response {
	n := t.responseNumber()
	var answer *fakeprovider.Response
	if t.problem != nil {
		answer = read.Refuse(n, *t.problem)
	} else {
		answer = read.Answer(n, t.reply)
	}
	if answer.Status >= 400 {
		answer.Header.Set("Retry-After", "0")
		answer.Header.Set("Retry-After-Ms", "0")
	}
	return answer
}

// change gives a response what the methods of the turn set.
func (t *taken) change(r *fakeprovider.Response) error {
	for name, values := range t.header {
		r.Header[name] = values
	}
	for _, m := range t.members {
		if err := r.Set(m.path, m.value); err != nil {
			return fmt.Errorf("Set(%q): %w", m.path, err)
		}
	}
	for _, text := range slices.Backward(t.comments) {
		r.Comment(text)
	}
	return nil
}

// sleep waits, or returns why the request was canceled. It ends with the test.
func (p *Provider) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-p.ctx.Done():
		return errOver
	}
}

// response makes a response for a client.
func (p *Provider) response(req *http.Request, r *fakeprovider.Response, hold <-chan struct{}) *http.Response {
	events := r.Events
	if events == nil {
		events = [][]byte{r.Body}
	}
	r.Header.Set(fakeHeader, "fake")
	return &http.Response{
		Status:        strconv.Itoa(r.Status) + " " + http.StatusText(r.Status),
		StatusCode:    r.Status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        r.Header,
		Body:          newBody(req.Context(), p.ctx, events, hold, r.Events == nil),
		ContentLength: -1,
		Request:       req,
	}
}
