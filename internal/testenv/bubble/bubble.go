// Package bubble runs code outside of a testing/synctest bubble. The clock of a bubble
// advances when each goroutine in it waits for another one of the bubble. A goroutine that
// waits for the network does not count as waiting, so code that keeps a connection open
// must not run in a bubble.
package bubble

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// In reports whether the caller is in a bubble: the clock of a bubble has no monotonic
// reading. (A stack names its bubble, too, but the runtime writes all of a stack.)
func In() bool {
	now := time.Now()
	return now == now.Round(0)
}

// id returns the name of the caller's bubble, as a stack has it, and "" outside of bubbles.
func id() string {
	// The first line of a stack is "goroutine 7 [running, synctest bubble 1]:".
	var buf [128]byte
	n := runtime.Stack(buf[:], false)
	line, _, _ := strings.Cut(string(buf[:n]), "]:\n")
	_, id, _ := strings.Cut(line, ", synctest bubble ")
	return id
}

// maxStacks is how much of the stacks of all goroutines Connected reads.
const maxStacks = 1 << 20

// Connected reports whether a connection of net/http keeps the clock of the caller's bubble
// from advancing: one whose goroutine belongs to the bubble and waits for the network. A
// pipe inside of the bubble does not, since its waits are durable.
func Connected() bool {
	ending := ", synctest bubble " + id() + "]:"
	buf := make([]byte, maxStacks)
	n := runtime.Stack(buf, true)
	for stack := range strings.SplitSeq(string(buf[:n]), "\n\n") {
		head, _, _ := strings.Cut(stack, "\n")
		isOfBubble := strings.HasSuffix(head, ending)
		isDurable := strings.Contains(head, "(durable)")
		isConnection := strings.Contains(stack, ").readLoop(")
		if isOfBubble && !isDurable && isConnection {
			return true
		}
	}
	return false
}

// functions passes functions to a goroutine outside. The channel is made outside of every
// bubble, so that every goroutine may use it.
var functions = make(chan func())

// running counts the functions that run outside for callers in bubbles.
var running atomic.Int64

// Busy reports whether a goroutine in a bubble waits for a function that runs outside.
func Busy() bool { return running.Load() > 0 }

// Outside runs f outside of the caller's bubble, and returns when f has returned. During f,
// the clock of the bubble does not advance, since a wait for a mutex is not durable. f must
// not use channels, timers and contexts that were made in the bubble.
func Outside(f func()) {
	if !In() {
		f()
		return
	}
	running.Add(1)
	defer running.Add(-1)
	var returned sync.Mutex
	returned.Lock()
	startOutside(func() { defer returned.Unlock(); f() })
	returned.Lock()
}

// triesPerCleanup is how often startOutside tries to find a goroutine outside before it
// starts one, which runs a garbage collection.
const triesPerCleanup = 1000

// startOutside starts f in a goroutine outside of every bubble. A goroutine belongs to the
// bubble of the goroutine that starts it, so that another one outside has to start f. If
// there is none, startOutside lets the runtime start serve: the cleanup of an object that
// is garbage runs outside of every bubble.
func startOutside(f func()) {
	for tries := 0; ; tries++ {
		select {
		case functions <- f:
			return
		default:
		}
		if tries%triesPerCleanup == 0 {
			garbage := &struct{ _ [4]*byte }{}
			runtime.AddCleanup(garbage, func(int) { go serve() }, 0)
			runtime.GC()
		}
		runtime.Gosched()
	}
}

// idleTime is how long serve waits for another function before it returns.
const idleTime = 50 * time.Millisecond

// serve starts the functions of startOutside, as long as there are any.
func serve() {
	for {
		select {
		case f := <-functions:
			go f()
		case <-time.After(idleTime):
			if !Busy() {
				return
			}
		}
	}
}
