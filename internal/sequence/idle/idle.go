// Package idle waits until the program is idle: until none of its goroutines
// runs or could run. What the program does with a response is done then, unless
// it waits for something that cannot be seen, such as a timer or a socket.
//
// The Go runtime says how many goroutines run, how many could run, and how many
// are in a system call. A sample of these numbers misleads in four ways, and
// each has an answer here:
//
//	what misleads                          what is done
//	the runtime reads one processor        an idle program is seen in
//	after the other                        several samples in a row
//	a goroutine that the garbage           a sample during a collection
//	collector has stopped counts as        says nothing
//	waiting
//	tests next to this one keep the        a wait has a limit; goroutines
//	program busy                           that were busy through many
//	                                       waits are known, and ignored
//	another process has taken the          the limit is counted in the
//	processors                             processor time of the program
//
// docs/design/concurrency.md explains what the waits are for.
package idle

import (
	"context"
	"math"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/promptecho/promptecho/internal/testenv/bubble"
)

// A Kind says what a wait is for.
type Kind int

const (
	Replay Kind = iota // an event of a replay; a wrong order costs a rerun
	Record             // an event of a recording; a wrong order stays in the cassette
)

// The limits of a wait.
const (
	// Longest limits a wait for the program to be idle, and a wait for a
	// recorded event. 100 ms: see
	// docs/design/decisions/wait-of-100-ms.md.
	Longest = 100 * time.Millisecond

	// socketTime is what another process has to read what lies in a socket.
	// With 2 ms, 0 of 200 replays through a socket came in another order;
	// without it, 174 to 186.
	socketTime = 2 * time.Millisecond

	// withoutMetrics is how long a wait takes if the runtime does not count
	// goroutines by state, before Go 1.26. 1 ms: not measured.
	withoutMetrics = time.Millisecond

	// mostImpatient is how often Longest is halved at most: 25 ms are left, in
	// which each goroutine has its turn, because the scheduler of Go preempts a
	// goroutine after 10 ms. With 5, 3 ms were left: 14 of 75 replays next to a
	// busy goroutine came in another order; 0 of 150 with 2. With 2, none of
	// 1,440 recordings was wrong; with 0 neither, but the tests with the race
	// detector took nine minutes instead of five.
	mostImpatient = 2
)

// How the program is sampled.
const (
	// quietSamples is how many samples in a row must find the program idle,
	// because the runtime reads the processors one after the other. With 1, a
	// program that allocates on eight processors was taken for idle in 7 of
	// 1,000 waits (TestCollectionIsNotIdle); with 4, in none.
	quietSamples = 4

	// eagerSamples are taken without a pause: most programs are idle after
	// microseconds. With 2, programs of four frameworks took 6 % longer to
	// replay.
	eagerSamples = 100

	// firstPause is the first pause between two samples. The pause doubles
	// after each samplesPerPause samples, up to firstPause<<mostDoublings. If it
	// did not, samples would take the processor from the program: next to bursts
	// of work, replays took two to three times as long.
	firstPause      = 20 * time.Microsecond
	samplesPerPause = 64
	mostDoublings   = 6
)

// What makes goroutines known.
const (
	// timeoutsUntilCertain is after how many timeouts in a row the running
	// goroutines are known. Tests next to this one are often at work, and after
	// two timeouts they were taken for goroutines that never wait. 32 timeouts
	// take 0.9 s, once in a process.
	timeoutsUntilCertain = 32

	// timeoutsUntilInSystemCall is the same for goroutines in a system call.
	// They are known sooner, because a goroutine in a system call most likely
	// waits there: 64 responses at once took 56 s next to one, and 0.2 s with 2.
	timeoutsUntilInSystemCall = 2
)

// program is the detector for all goroutines of this process.
var program detector

// Wait waits for the program to be idle. far says that the client reads the
// last event through a socket: it is most likely in another process, and nothing
// shows whether it is idle.
//
// In a bubble of testing/synctest, the wait ends when all other goroutines of
// the bubble are blocked.
func Wait(kind Kind, far bool) { program.wait(kind, far) }

// Begun returns how many waits have begun that are good enough for a kind. Tests
// count them.
func Begun(kind Kind) int64 { return program.begun[kind].Load() }

// A detector finds out whether the program is idle. The zero value is ready to
// use. Its methods may be called concurrently.
type detector struct {
	asleep atomic.Int64    // the waits in bubbles
	begun  [2]atomic.Int64 // the waits that have begun and are good enough for each kind

	// mu is held while the program is sampled: a goroutine that samples would
	// be seen at work by another one that does.
	mu         sync.Mutex
	known      goroutines // goroutines that do not count, because they never wait
	impatience int        // how often Longest is halved
	timeouts   int        // waits that timed out, since the last one that did not
	alwaysBusy goroutines // the fewest that any sample of these waits saw
	sampler    sampler
}

// wait waits for the program to be idle, see Wait.
//
// One goroutine at a time samples the program, and the others queue for mu. The
// result of the samples is of no use for a wait that began after their start,
// because its event may have made the program work again. It serves all waits
// that began before:
//
//	A begins: it samples the program
//	B, C and D begin: they queue
//	A ends: B samples the program
//	B ends: C and D end, too
func (d *detector) wait(kind Kind, far bool) {
	if bubble.In() {
		d.waitInBubble(kind, far)
		return
	}
	if far {
		time.Sleep(socketTime)
	}

	begunBefore := d.begun[kind].Load()
	d.mu.Lock()
	defer d.mu.Unlock()
	hasNewerResult := d.begun[kind].Load() > begunBefore
	if hasNewerResult {
		return // another wait began to sample after this one began, and is over
	}

	d.countBegun(kind)
	d.waitLocked(kind)
}

// countBegun counts a wait that begins, for each kind it is good enough for: a
// wait for a recording is as good for a replay.
func (d *detector) countBegun(kind Kind) {
	d.begun[Replay].Add(1)
	if kind == Record {
		d.begun[Record].Add(1)
	}
}

// waitInBubble waits in a bubble of testing/synctest. A sleep ends there when
// all other goroutines of the bubble are blocked, so a nanosecond is enough.
func (d *detector) waitInBubble(kind Kind, far bool) {
	clockIsStopped := bubble.Busy()
	if clockIsStopped {
		bubble.Outside(func() { d.wait(kind, far) })
		return
	}
	// Waits end in the order in which they began, each a nanosecond later.
	place := d.asleep.Add(1)
	time.Sleep(time.Duration(place) * time.Nanosecond)
	d.asleep.Add(-1)
}

// waitLocked samples the program until it is idle, or until the limit of the
// wait. What it learns makes later waits shorter. The caller holds mu.
func (d *detector) waitLocked(kind Kind) {
	ignored := d.ignored(kind)
	left := Longest >> d.impatience
	clock := NewClock()
	fewestSeen := goroutines{math.MaxUint64, math.MaxUint64} // in any sample
	quiet := 0                                               // samples in a row
	var mostQuiet goroutines                                 // in any of these

	for earlier := 0; quiet < quietSamples; earlier++ {
		s, ok := d.sampler.take()
		if !ok {
			time.Sleep(withoutMetrics)
			return
		}
		fewestSeen = fewest(fewestSeen, s.goroutines)

		if s.isQuiet(ignored) {
			quiet++
			mostQuiet = most(mostQuiet, s.goroutines)
			hasFreeProcessor := ignored.running < uint64(runtime.GOMAXPROCS(0))
			if hasFreeProcessor {
				// Let the worker of the garbage collector run: the goroutines
				// that it has stopped count as waiting until it has. Without a
				// free processor, one of the ignored goroutines would run for
				// 10 ms.
				runtime.Gosched()
			}
			continue
		}

		quiet = 0
		mostQuiet = goroutines{}
		left -= clock.advance(loadOf(s, ignored))
		if left < 0 {
			d.learnFromTimeout(kind, fewestSeen)
			return
		}
		pauseAfter(earlier)
	}
	d.learnFromQuiet(mostQuiet)
}

// ignored returns which goroutines a wait ignores. A wait of a recording ignores
// no running goroutine, because an order that is recorded wrongly stays.
func (d *detector) ignored(kind Kind) goroutines {
	ignored := d.known
	if kind == Record {
		ignored.running = 0
	}
	return ignored
}

// pauseAfter lets the program run before the next sample.
func pauseAfter(earlier int) {
	if earlier < eagerSamples {
		runtime.Gosched()
		return
	}
	doublings := min((earlier-eagerSamples)/samplesPerPause, mostDoublings)
	time.Sleep(firstPause << doublings)
}

// learnFromTimeout learns from a wait that timed out. fewestSeen is the minimum
// over the samples of the wait.
func (d *detector) learnFromTimeout(kind Kind, fewestSeen goroutines) {
	d.shortenNextWait(kind, fewestSeen)

	isFirst := d.timeouts == 0
	if isFirst {
		d.alwaysBusy = fewestSeen
	}
	d.alwaysBusy = fewest(d.alwaysBusy, fewestSeen)
	d.timeouts++
	d.learnBusyGoroutines()
}

// shortenNextWait halves the limit of the next wait, which is Longest halved
// impatience times, up to mostImpatient. These timeouts halve nothing:
//
//	of a replay, while the program worked    the next wait may find it idle
//	of a recording                           it times out next to each busy
//	                                         goroutine, also known ones that a
//	                                         replay ignores
func (d *detector) shortenNextWait(kind Kind, fewestSeen goroutines) {
	mayHalve := kind == Replay && !d.worksBesideKnown(fewestSeen)
	if mayHalve && d.impatience < mostImpatient {
		d.impatience++
	}
}

// learnBusyGoroutines decides after a timeout which goroutines never wait, and are
// ignored from now on: those that all samples of the timeouts in a row saw. The
// samples of one wait are not enough: next to a busy goroutine on the only
// processor there is one sample in 10 ms, and each may see the program at work.
// Goroutines in a system call are known after fewer timeouts, because they most
// likely wait there.
func (d *detector) learnBusyGoroutines() {
	if d.timeouts >= timeoutsUntilCertain {
		d.known = d.alwaysBusy
		d.impatience = 0
		d.timeouts = 0
		return
	}
	if d.timeouts >= timeoutsUntilInSystemCall {
		d.known.inSystemCall = d.alwaysBusy.inSystemCall
	}
}

// worksBesideKnown reports whether goroutines other than the known ones ran in
// all samples of a wait: then the program itself was at work.
func (d *detector) worksBesideKnown(fewestSeen goroutines) bool {
	return d.known.running != 0 && fewestSeen.running > d.known.running
}

// learnFromQuiet notes that a wait found the program idle next to these
// goroutines. All others count from now on, and the next wait has its whole time.
func (d *detector) learnFromQuiet(beside goroutines) {
	d.known = beside
	d.timeouts = 0
	d.impatience = 0
}

// The counted time of waits.
const (
	// Tick is how often a wait for an event counts its time. A second of waiting
	// takes 11 ms of processor time (BenchmarkTimeout of package sequence).
	Tick = 5 * time.Millisecond

	// mostCounted is how much of the time between two samples counts at most. A
	// machine that stops for a while, as those of CI services do, has not
	// waited. Two ticks: not measured.
	mostCounted = 2 * Tick

	// collectorShare divides the time during a collection, which mostly is the
	// collector's. The collector of Go may use a quarter of the processors, and
	// more while goroutines help it. 8: not measured.
	collectorShare = 8

	// workShare divides the processor time that a wait for an event counts while
	// the program works: it may be about to send the request that is waited for.
	// With the race detector, eino works for 143 ms before it sends the first
	// request after a response, because sonic compiles its decoders then. With
	// 4, 0 of 6 programs that merge responses missed in their first replay;
	// without it, 6 of 6.
	workShare = 4
)

// A Clock counts the time that a wait takes: the wall clock's while the program
// is idle, and its processor time while it works. So a machine that is busy with
// other programs does not shorten a wait.
type Clock struct {
	at  time.Time
	cpu time.Duration
}

// NewClock returns a clock that starts now.
func NewClock() Clock { return Clock{time.Now(), cpuTime()} }

// Counted returns how much of the time counts for a wait for an event, since the
// clock started or since the last call.
func (c *Clock) Counted() time.Duration { return program.counted(c) }

// counted restarts a clock and returns how much of the time counts.
func (d *detector) counted(c *Clock) time.Duration {
	load := d.load()
	counted := c.advance(load)
	if load.works {
		counted /= workShare
	}
	return counted
}

// load returns what the program does now.
func (d *detector) load() load {
	if bubble.In() {
		return load{}
	}
	if !d.mu.TryLock() { // a wait for the program goes on, so it works
		return load{works: true, workers: 1}
	}
	defer d.mu.Unlock()
	s, _ := d.sampler.take()
	return loadOf(s, d.known)
}

// A load says what the program did between two samples.
type load struct {
	works        bool   // so its processor time counts
	workers      uint64 // how many goroutines shared the processor time; 0 is 1
	isCollecting bool   // the garbage collector took a part of the time
}

// loadOf returns the load that a sample shows. A goroutine in a system call does
// not work: it may wait there forever, as the one of signal.Notify does.
func loadOf(s sample, ignored goroutines) load {
	return load{
		works:        s.running > ignored.running,
		workers:      max(s.running, ignored.running+1),
		isCollecting: s.isCollecting,
	}
}

// advance restarts the clock and returns how much of the time counts since it
// was started.
func (c *Clock) advance(l load) time.Duration {
	start := *c
	*c = NewClock()
	return l.counted(c.at.Sub(start.at), c.cpu-start.cpu)
}

// counted returns how much of the time between two samples counts. elapsed is
// the time of the wall clock, used the processor time of the process. Of the
// processor time, each of the goroutines that worked had a share.
func (l load) counted(elapsed, used time.Duration) time.Duration {
	counted := elapsed
	if l.works {
		counted = used / time.Duration(max(1, l.workers))
	}
	counted = min(counted, mostCounted)
	if l.isCollecting {
		counted /= collectorShare
	}
	return counted
}

// WithTimeout returns a context that ends with its parent, or when the time that
// a [Clock] counts is over. In a bubble of testing/synctest, it is the time of
// the bubble.
func WithTimeout(
	parent context.Context, longest time.Duration,
) (context.Context, context.CancelFunc) {
	if bubble.In() {
		return context.WithTimeout(parent, longest)
	}
	ctx, cancel := context.WithCancel(parent)
	go func() {
		defer cancel()
		ticker := time.NewTicker(Tick)
		defer ticker.Stop()
		clock := NewClock()
		for left := longest; left > 0; {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				left -= clock.Counted()
			}
		}
	}()
	return ctx, cancel
}

// longestCollection is how long a collection of garbage takes at most. A
// collection that seems to take longer is none, see [sampler.take]. 200 ms: not
// measured.
const longestCollection = 200 * time.Millisecond

// goroutines counts the goroutines of the program that are not blocked.
type goroutines struct {
	running      uint64 // they run, or could run
	inSystemCall uint64 // they are in a system call or in C
}

// areWithin reports whether the goroutines may all be of a larger set.
func (g goroutines) areWithin(other goroutines) bool {
	return g.running <= other.running && g.inSystemCall <= other.inSystemCall
}

func fewest(a, b goroutines) goroutines {
	return goroutines{min(a.running, b.running), min(a.inSystemCall, b.inSystemCall)}
}

func most(a, b goroutines) goroutines {
	return goroutines{max(a.running, b.running), max(a.inSystemCall, b.inSystemCall)}
}

// A sample is the state of the program at one time.
type sample struct {
	goroutines        // without the one that takes the sample
	isCollecting bool // a garbage collection goes on
}

// isQuiet reports whether the program is idle in a sample, apart from the
// ignored goroutines. A sample during a collection does not show it: a goroutine
// that the collector has stopped in the middle of its work counts as waiting.
func (s sample) isQuiet(ignored goroutines) bool {
	return s.areWithin(ignored) && !s.isCollecting
}

// A sampler takes samples of the program.
//
// The runtime does not say whether a collection goes on. It says how often the
// collector has stopped the program, and how many collections are over. A
// collection stops the program when it begins and when it ends. So a collection
// goes on if there are more stops than two for each collection. Some collections
// stop the program a third time (https://go.dev/issue/27993): extraStops counts
// these stops.
type sampler struct {
	metrics    [5]metrics.Sample
	stops      uint64    // how often the collector has stopped the program
	stoppedAt  time.Time // when stops was seen to change
	unpaired   int64     // stops, less two for each collection that is over
	extraStops int64     // unpaired, when no collection goes on
}

// The metrics of a sampler. The collections come before the stops: a collection
// that ends between the two is taken for one that goes on.
const (
	metricCollections = iota
	metricRunnable
	metricRunning
	metricNotInGo
	metricStops
)

var metricNames = [...]string{
	metricCollections: "/gc/cycles/total:gc-cycles",
	metricRunnable:    "/sched/goroutines/runnable:goroutines",
	metricRunning:     "/sched/goroutines/running:goroutines",
	metricNotInGo:     "/sched/goroutines/not-in-go:goroutines",
	metricStops:       "/sched/pauses/total/gc:seconds",
}

// take takes a sample. ok is false before Go 1.26, which does not count
// goroutines by state.
//
// If a collection seems to go on for too long, take runs one to its end: then
// none goes on, and the unpaired stops are extra ones.
func (m *sampler) take() (s sample, ok bool) {
	m.read()
	if m.metrics[metricRunnable].Value.Kind() == metrics.KindBad {
		return sample{isCollecting: m.isCollecting()}, false
	}
	if m.isCollecting() && time.Since(m.stoppedAt) > longestCollection {
		runtime.GC()
		m.read()
		m.noteNotCollecting()
	}

	runs := m.metrics[metricRunning].Value.Uint64()
	others := max(1, runs) - 1 // without the goroutine that takes the sample
	return sample{
		goroutines: goroutines{
			running:      m.metrics[metricRunnable].Value.Uint64() + others,
			inSystemCall: m.metrics[metricNotInGo].Value.Uint64(),
		},
		isCollecting: m.isCollecting(),
	}, true
}

// isCollecting reports whether a collection went on when the metrics were read.
func (m *sampler) isCollecting() bool { return m.unpaired > m.extraStops }

// noteNotCollecting notes that no collection went on when the metrics were read.
func (m *sampler) noteNotCollecting() { m.extraStops = m.unpaired }

// read reads the metrics.
func (m *sampler) read() {
	if m.metrics[0].Name == "" {
		for i, name := range metricNames {
			m.metrics[i].Name = name
		}
	}
	metrics.Read(m.metrics[:])

	all := uint64(0)
	for _, n := range m.metrics[metricStops].Value.Float64Histogram().Counts {
		all += n
	}
	if all != m.stops {
		m.stops = all
		m.stoppedAt = time.Now()
	}
	m.unpaired = int64(all) - 2*int64(m.metrics[metricCollections].Value.Uint64())
}
