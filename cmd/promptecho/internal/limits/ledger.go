package limits

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/quota"
)

// A ledger decides which requests may be sent, and when. It has the requests that are under way and
// what those before have cost.
type ledger struct {
	Limits

	mu          sync.Mutex
	changed     chan struct{}                // closed when a request is answered or has ended
	open        map[*permit]bool             // requests to models that are under way, if there is a budget
	spent       amount                       // by requests that have ended
	largest     map[string]interaction.Usage // the largest counts of an answer, by model; "" for all models
	nextSlot    time.Time                    // when the next request may be sent
	pausedUntil map[string]time.Time         // by host
	exhausted   map[string]bool              // hosts that say that the account has no quota left
	report      Report
}

func newLedger(l Limits) *ledger {
	return &ledger{
		Limits:      l,
		changed:     make(chan struct{}),
		open:        map[*permit]bool{},
		largest:     map[string]interaction.Usage{},
		pausedUntil: map[string]time.Time{},
		exhausted:   map[string]bool{},
		report:      Report{Failures: map[int]int{}, Refused: map[finding.Code]int{}},
	}
}

// A permit allows to send one request.
type permit struct {
	ask     quota.Ask
	expects amount // what the budget has reserved for it
	isSent  bool

	// head is that of the response. It is the zero Head before it has come.
	head quota.Head
}

// isAnswering reports whether the header of the response has come.
func (p *permit) isAnswering() bool { return p.head.Status != 0 }

// longestBlock is how long a stream that is under way holds back the requests of other recorders. A
// program that reads a stream in a test may wait for the answer to another request, with another
// recorder; such a pair would wait for ever.
const longestBlock = time.Minute

// admit waits until a request may be sent, and returns its permit, or the refusal. If ctx ends while the
// request waits, both are nil.
func (l *ledger) admit(ctx context.Context, ask quota.Ask) (*permit, *refusal) {
	p := &permit{ask: ask}
	if refused := l.waitForBudget(ctx, p); refused != nil {
		l.mu.Lock()
		l.report.Refused[refused.code]++
		l.mu.Unlock()
		return nil, refused
	}
	l.waitForTurn(ctx, ask.Host)
	if ctx.Err() != nil {
		l.end(p, nil)
		return nil, nil
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	becameExhausted := l.exhausted[ask.Host] // while the request waited for its turn
	if becameExhausted {
		delete(l.open, p) // it was not sent, so it costs nothing
		l.broadcast()
		refused := noQuota(ask.Host)
		l.report.Refused[refused.code]++
		return nil, refused
	}
	p.isSent = true
	l.report.Sent++
	return p, nil
}

// waitForBudget waits until the budget has room for a request, and reserves that room. It returns a refusal
// if there can be no room. If ctx ends first, it returns nil, too; admit asks the context. After
// longestBlock, the request no longer waits for streams that are under way, see hasBlocking.
func (l *ledger) waitForBudget(ctx context.Context, p *permit) *refusal {
	waited := time.NewTimer(longestBlock)
	defer waited.Stop()
	isPatient := true
	for {
		l.mu.Lock()
		isReserved, refused := l.reserve(p, isPatient)
		changed := l.changed
		l.mu.Unlock()
		if isReserved || refused != nil {
			return refused
		}
		select {
		case <-changed:
		case <-waited.C:
			isPatient = false
		case <-ctx.Done():
			return nil
		}
	}
}

// reserve decides about a request by the first rule that holds:
//
//	its host has no quota left                             refused
//	there is no budget, or no model answers it             reserved
//	the price of its model is unknown, with -max-cost      refused
//	nothing is known of what it costs                      waits for others, so one is sent at a time
//	it would pass the budget, and waiting does not help    refused
//	it and others that are under way would pass it         waits for these
//	they would pass it if each cost twice as much          waits for these
//	otherwise                                              reserved
//
// So the budget is not passed if no answer costs more than the largest one before it, and by
// one answer at most if none costs more than twice as much. It is called with the mutex held.
func (l *ledger) reserve(p *permit, isPatient bool) (isReserved bool, refused *refusal) {
	if l.exhausted[p.ask.Host] {
		return false, noQuota(p.ask.Host)
	}
	if !l.hasBudget() || !p.ask.AsksModel {
		return true, nil
	}
	if l.lacksPrice(p.ask.Model) {
		l.report.addUnpriced(p.ask.Model)
		return false, noPrice(p.ask.Model)
	}

	mustShare := l.hasBlocking(p, isPatient)
	expects, isKnown := l.expect(p.ask)
	reserved := l.reserved()
	switch {
	case !isKnown && mustShare:
		return false, nil
	case l.passes(l.spent.plus(expects)):
		return false, l.usedUp(l.spent, expects)
	case l.passes(l.spent.plus(reserved).plus(expects)):
		if mustShare {
			return false, nil
		}
		return false, l.usedUp(l.spent, expects)
	}
	ifTwice := reserved.plus(expects)
	if mustShare && l.passes(l.spent.plus(ifTwice).plus(ifTwice)) {
		return false, nil
	}
	p.expects = expects
	l.open[p] = true
	return true, nil
}

// hasBudget reports whether tokens or costs are limited.
func (l *ledger) hasBudget() bool { return l.MaxTokens > 0 || l.MaxCost > 0 }

// passes reports whether a sum is more than the budget, or all of it.
func (l *ledger) passes(a amount) bool {
	passesTokens := l.MaxTokens > 0 && a.tokens > l.MaxTokens
	passesCost := l.MaxCost > 0 && a.usd > l.MaxCost
	return passesTokens || passesCost || l.isUsedUp()
}

// isUsedUp reports whether nothing of the budget is left.
func (l *ledger) isUsedUp() bool {
	usedTokens := l.MaxTokens > 0 && l.spent.tokens >= l.MaxTokens
	usedCost := l.MaxCost > 0 && l.spent.usd >= l.MaxCost
	return usedTokens || usedCost
}

// lacksPrice reports whether the costs are limited, and that of a model is unknown.
func (l *ledger) lacksPrice(model string) bool {
	if l.MaxCost == 0 || model == "" {
		return false
	}
	_, isKnown := l.Prices.Of(model)
	return !isKnown
}

// hasBlocking reports whether a request waits for others that are under way. One whose response has
// begun does not hold back the requests of its own recorder: its program may need their answers before it
// reads on.
func (l *ledger) hasBlocking(p *permit, isPatient bool) bool {
	for other := range l.open {
		isOwn := other.ask.Recorder == p.ask.Recorder
		mayNeedThis := other.isAnswering() && (isOwn || !isPatient)
		if !mayNeedThis {
			return true
		}
	}
	return false
}

// reserved returns what is expected of the requests under way.
func (l *ledger) reserved() (sum amount) {
	for p := range l.open {
		sum = sum.plus(p.expects)
	}
	return sum
}

// expect returns what a request is expected to cost: as much as its recorded answer, or as the largest
// answer of its model, or as that of any model.
func (l *ledger) expect(ask quota.Ask) (expects amount, isKnown bool) {
	if ask.Recorded != nil {
		return l.amountOf(ask.Model, *ask.Recorded), true
	}
	u, isKnown := l.largest[ask.Model]
	if !isKnown {
		u, isKnown = l.largest[""]
	}
	return l.amountOf(ask.Model, u), isKnown
}

// amountOf returns what an answer costs.
func (l *ledger) amountOf(model string, u interaction.Usage) amount {
	usd, _ := l.Prices.Cost(model, u)
	return amount{u.InputTokens + u.OutputTokens, usd}
}

// maxPause is the longest wait that a server can ask for. The SDKs of OpenAI and Anthropic do not wait
// longer either (retryDelay in internal/requestconfig/requestconfig.go of openai-go v3.96.0).
const maxPause = time.Minute

// waitForTurn waits until a host has no pause and the rate allows one more request. A pause may begin
// while the request waits, and may be made longer; then it waits again.
func (l *ledger) waitForTurn(ctx context.Context, host string) {
	for ctx.Err() == nil {
		l.mu.Lock()
		until := l.pausedUntil[host]
		isPaused := until.After(time.Now())
		if !isPaused {
			until = l.takeSlot()
		}
		l.mu.Unlock()
		sleep(ctx, time.Until(until))

		l.mu.Lock()
		isPaused = isPaused || l.pausedUntil[host].After(time.Now())
		l.mu.Unlock()
		if !isPaused {
			return
		}
	}
}

// takeSlot returns when the next request may be sent by the rate, and takes that time.
func (l *ledger) takeSlot() time.Time {
	now := time.Now()
	if l.PerSecond == 0 {
		return now
	}
	slot := l.nextSlot
	if slot.Before(now) {
		slot = now
	}
	l.nextSlot = slot.Add(time.Duration(float64(time.Second) / l.PerSecond))
	return slot
}

// sleep waits for a time, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// answering notes the header of the response to a request. If the server asks for a pause, no request
// is sent there before its end.
func (l *ledger) answering(p *permit, head quota.Head) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.head = head
	if head.Status >= 400 {
		l.report.Failures[head.Status]++
	}
	pause := time.Duration(head.RetryAfterMS) * time.Millisecond
	if pause > 0 && pause <= maxPause {
		l.report.Pauses++
		until := time.Now().Add(pause)
		if until.After(l.pausedUntil[p.ask.Host]) {
			l.pausedUntil[p.ask.Host] = until
		}
	}
	l.broadcast()
}

// end ends a request. e is nil if the connection of its permit ended without a word: then its answer, if
// it had begun, counts as one that costs what was expected.
func (l *ledger) end(p *permit, e *quota.End) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, p)
	hasBegun := p.head.Status >= 200 && p.head.Status < 300
	switch {
	case e == nil && hasBegun:
		l.spent = l.spent.plus(p.expects)
		l.report.BrokenOff++
	case e != nil:
		l.charge(p, e)
	}
	l.broadcast()
}

// charge adds what a request has cost, and notes the largest usage of an answer, by which later requests
// are judged. If the usage is only estimated, the request costs at most what was expected of it. The
// estimate of an answer that broke off is charged, but is no measure of whole answers.
func (l *ledger) charge(p *permit, e *quota.End) {
	if e.Exhausted && !l.exhausted[p.ask.Host] {
		l.exhausted[p.ask.Host] = true
		l.report.Exhausted = append(l.report.Exhausted, p.ask.Host)
	}
	switch {
	case e.Whole:
		l.report.Whole++
	case p.head.Status < 400:
		l.report.BrokenOff++
	}
	if e.Usage == nil {
		return
	}
	cost := l.amountOf(e.Model, *e.Usage)
	isTooHigh := e.Estimated && p.expects.tokens > 0 && cost.tokens > p.expects.tokens
	if isTooHigh {
		cost = p.expects
	}
	l.spent = l.spent.plus(cost)
	if _, isKnown := l.Prices.Of(e.Model); !isKnown {
		l.report.addUnpriced(e.Model)
	}
	isPart := e.Estimated && !e.Whole
	if e.Estimated {
		l.report.Estimated++
	}
	if isPart {
		return
	}
	for _, model := range []string{e.Model, ""} {
		largest := l.largest[model]
		_, counts := e.Usage.Fields()
		_, maxima := largest.Fields()
		for i := range counts {
			*maxima[i] = max(*maxima[i], *counts[i])
		}
		l.largest[model] = largest
	}
}

// broadcast wakes the requests that wait for the budget. It is called with the mutex held.
func (l *ledger) broadcast() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// total returns the report of the run.
func (l *ledger) total() Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.report
	r.Failures = maps.Clone(r.Failures)
	r.Refused = maps.Clone(r.Refused)
	slices.Sort(r.Exhausted)
	slices.Sort(r.Unpriced)
	r.Tokens = l.spent.tokens
	r.USD = l.spent.usd
	return r
}
