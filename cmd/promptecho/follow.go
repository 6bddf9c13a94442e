package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/promptecho/promptecho/internal/models"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// A status prints a line for each test that has ended. On a terminal, it shows a last line below
// them with the progress of the run.
type status struct {
	out      io.Writer
	stderr   io.Writer
	terminal io.Writer // of the last line; nil if there is none
	width    int       // of the terminal
	isShown  bool      // the last line
	prices   models.Prices
}

func newStatus(out, stderr io.Writer) *status {
	s := &status{out: out, stderr: stderr, width: widthOf(stderr)}
	if s.width > 0 {
		s.terminal = stderr
	}
	return s
}

// line prints a line that stays.
func (s *status) line(w io.Writer, text string) {
	s.clear()
	fmt.Fprintln(w, redact.OneLine(text))
}

// show replaces the last line.
func (s *status) show(text string) {
	if s.terminal == nil {
		return
	}
	s.clear()
	fmt.Fprint(s.terminal, cutEnd(text, s.width-1))
	s.isShown = true
}

// clear removes the last line.
func (s *status) clear() {
	if s.isShown {
		fmt.Fprint(s.terminal, "\r\x1b[K")
		s.isShown = false
	}
}

// follow adds the events of go test to a summary, and prints its tests, until go test ends. It
// passes the first interrupt on to go test, and kills go test at the second one. It reports
// whether there was an interrupt.
func follow(p *suite.Process, s *summary, status *status, interrupts <-chan os.Signal) (interrupted bool) {
	defer status.clear()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	places := s.places()
	for {
		select {
		case e, more := <-p.Events:
			if !more {
				// A terminal interrupts go test, too, which may end before we have read ours.
				return interrupted || len(interrupts) > 0
			}
			t := s.Add(e)
			if t != nil && t.Linked {
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

// test prints the result of a test. On a terminal, the line is as wide as the terminal at most:
// the name loses its middle, and then the counts their end.
func (s *status) test(place string, t *suite.Test) {
	verdict := t.Status
	colour := ""
	if t.Status == suite.Fail {
		verdict = "FAIL"
		colour = red
	}
	verdict = fmt.Sprintf("%-4s ", verdict)
	place = redact.OneLine(place)
	name := redact.OneLine(t.Name)
	counts := countsLine(t.Counts, costOfRun(t.Done, s.prices))
	about := fmt.Sprintf("%s (%.1fs)", orNone(counts, "no requests"), t.Seconds)

	p := newPrinter(s.out, false)
	room := p.width - textWidth(verdict+place+" "+": "+about)
	if p.width > 0 && textWidth(name) > room {
		const minName = 20 // columns
		name = middle(name, max(room, minName))
		about = cutEnd(about, p.width-textWidth(verdict+place+" "+name+": "))
	}
	s.clear()
	p.write(p.paint(colour, verdict) + p.paint(dim, place) + " " + name + ": " + p.paint(dim, about) + "\n")
}
