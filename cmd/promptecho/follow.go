package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// A status prints a line for each test that has ended and, on a terminal, one below them
// that says how far the run is.
type status struct {
	out    io.Writer
	term   io.Writer // of the line below, nil if there is none
	width  int
	shown  bool
	stderr io.Writer
}

func newStatus(out, stderr io.Writer) *status {
	s := &status{out: out, stderr: stderr, width: widthOf(stderr)}
	if s.width > 0 {
		s.term = stderr
	}
	return s
}

// line prints a line for good.
func (s *status) line(w io.Writer, text string) {
	s.clear()
	fmt.Fprintln(w, redact.OneLine(text))
}

// show replaces the line below.
func (s *status) show(text string) {
	if s.term != nil {
		s.clear()
		fmt.Fprint(s.term, cutEnd(text, s.width-1))
		s.shown = true
	}
}

// clear takes the line below away.
func (s *status) clear() {
	if s.shown {
		fmt.Fprint(s.term, "\r\x1b[K")
		s.shown = false
	}
}

// follow adds what go test does to the results until it ends, and tells it. The first
// interrupt is passed on, and the second one kills. It reports whether there was any.
func follow(p *suite.Process, s *summary, status *status, interrupts <-chan os.Signal) (interrupted bool) {
	defer status.clear()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	places := s.places()
	for {
		select {
		case e, more := <-p.Events:
			if !more {
				return interrupted || len(interrupts) > 0 // go test may have seen it first
			}
			if t := s.Add(e); t != nil && t.Linked {
				status.test(places[t.Package], t)
			}
		case <-ticker.C:
			if time.Since(s.began) > time.Second {
				status.show(s.progress(interrupted))
			}
		case <-interrupts:
			if interrupted {
				p.Kill()
				continue
			}
			interrupted = true
			status.line(status.stderr, "promptecho: "+s.verb+": interrupted: waiting for go test to "+
				"end; a second interrupt kills it")
			p.Interrupt()
		}
	}
}

// test says what became of a test, on one line of the terminal.
func (s *status) test(place string, t *suite.Test) {
	p := newPrinter(s.out, false)
	verdict, colour := t.Status, ""
	if t.Status == suite.Fail {
		verdict, colour = "FAIL", red
	}
	name, about := redact.OneLine(t.Name), fmt.Sprintf("%s (%.1fs)", orNone(countsLine(t.Counts), "no requests"), t.Seconds)
	const least = 20 // columns for a name
	verdict = fmt.Sprintf("%-4s ", verdict)
	place = redact.OneLine(place)
	if room := p.width - textWidth(verdict+place+" "+": "+about); p.width > 0 && textWidth(name) > room {
		name = middle(name, max(room, least))
		about = cutEnd(about, p.width-textWidth(verdict+place+" "+name+": "))
	}
	s.clear()
	p.write(p.paint(colour, verdict) + p.paint(dim, place) + " " + name + ": " + p.paint(dim, about) + "\n")
}
