// Package bubble runs code outside of a testing/synctest bubble. The clock of a bubble moves when
// each goroutine in it waits for another one. One that waits for the network does not count as
// waiting, so that what keeps a connection must not be started in a bubble.
package bubble

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// In reports whether its caller is in a bubble, whose clock has no monotonic reading. (A stack names its bubble, but is
// made whole, however little of it is wanted.)
func In() bool {
	now := time.Now()
	return now == now.Round(0)
}

// id returns the bubble of its caller as a stack names it; "" if that is in none.
func id() string {
	var head [128]byte // the first line of a stack is "goroutine 7 [running, synctest bubble 1]:"
	line, _, _ := strings.Cut(string(head[:runtime.Stack(head[:], false)]), "]:\n")
	_, id, _ := strings.Cut(line, ", synctest bubble ")
	return id
}

// Connected reports whether a connection of net/http lies in the bubble of its caller and holds
// its clock, as one over the network does and one over a pipe in the bubble does not.
func Connected() bool {
	bubble := ", synctest bubble " + id() + "]:\n"
	text := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(text[:runtime.Stack(text, true)]), "\n\n") {
		head, _, _ := strings.Cut(stack, "\n")
		if strings.HasSuffix(head+"\n", bubble) && !strings.Contains(head, "(durable)") && strings.Contains(stack, ").readLoop(") {
			return true
		}
	}
	return false
}

// doors leads functions out. It was made in no bubble, so that anybody may use it.
var doors = make(chan func())

// outside counts the functions that run outside for callers in bubbles.
var outside atomic.Int64

// Busy reports whether somebody in a bubble waits for what runs outside.
func Busy() bool { return outside.Load() > 0 }

// Outside runs f in no bubble, and returns when f has. Meanwhile the clock of the caller's
// bubble stands still, since who waits for a mutex holds it. f must not touch what the bubble
// has made to wait for, such as a channel or a context.
func Outside(f func()) {
	if !In() {
		f()
		return
	}
	outside.Add(1)
	defer outside.Add(-1)
	var running sync.Mutex
	running.Lock()
	goOut(func() { defer running.Unlock(); f() })
	running.Lock()
}

// goOut has somebody outside start f. What a goroutine starts runs in its bubble. The cleanup of
// an object that nobody has any more runs in none, so that this lets the first one out, if
// nobody has stayed there.
func goOut(f func()) {
	for tries := 0; ; tries++ {
		select {
		case doors <- f:
			return
		default:
		}
		if tries%1000 == 0 {
			runtime.AddCleanup(&struct{ _ [4]*byte }{}, func(int) { go stay() }, 0)
			runtime.GC()
		}
		runtime.Gosched()
	}
}

// stay starts what comes out, for as long as there is something and a little longer.
func stay() {
	for {
		select {
		case f := <-doors:
			go f()
		case <-time.After(50 * time.Millisecond):
			if !Busy() {
				return
			}
		}
	}
}
