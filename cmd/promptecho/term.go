package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// columns returns the width of the terminal that is written to, 0 if it is none.
func columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		return terminalWidth(f)
	}
	return 0
}

// A progress tells on a terminal how far a command is that takes longer than a second.
type progress struct {
	w     io.Writer // nil if it is no terminal
	next  time.Time // when to tell
	shown bool
}

func newProgress(stderr io.Writer) *progress {
	p := &progress{next: time.Now().Add(time.Second)}
	if columns(stderr) > 0 {
		p.w = stderr
	}
	return p
}

// step tells that done of all are done.
func (p *progress) step(done, all int) {
	if now := time.Now(); p.w != nil && now.After(p.next) {
		fmt.Fprintf(p.w, "\r%d of %d", done, all)
		p.next, p.shown = now.Add(100*time.Millisecond), true
	}
}

// end takes away what was told.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// readByte reads one byte.
func readByte(f *os.File) (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(f, b[:])
	return b[0], err
}
