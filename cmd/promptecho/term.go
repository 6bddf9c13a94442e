package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// An output is what a command writes to, with what is known of who reads it: how wide a line may be, and
// whether colours are shown.
type output struct {
	io.Writer
	width  int // 0 if it is no terminal, where lines have no limit
	colour bool
}

// The choices of -color.
const (
	colourAuto   = "auto"
	colourAlways = "always"
	colourNever  = "never"
)

// newOutput looks at an output. Colours are shown on a terminal, unless the environment
// says otherwise: NO_COLOR (https://no-color.org) and FORCE_COLOR, each if it is not empty. The
// choice of the user goes before both.
func newOutput(w io.Writer, choice string) *output {
	if t, ok := w.(*output); ok {
		return t
	}
	t := &output{Writer: w, width: widthOf(w)}
	switch force := os.Getenv("FORCE_COLOR"); {
	case choice != colourAuto:
		t.colour = choice == colourAlways
	case os.Getenv("NO_COLOR") != "" || force == "0" || force == "false":
	case force != "":
		t.colour = true
	default:
		t.colour = t.width > 0 && os.Getenv("TERM") != "dumb"
	}
	return t
}

// takeColour takes -color out of the arguments of a verb, where every verb has it, and
// returns its value.
func takeColour(args []string) (choice string, rest []string, err error) {
	choice = colourAuto
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return choice, append(rest, args[i:]...), nil
		}
		name, value, has := strings.Cut(strings.TrimPrefix(args[i], "-"), "=")
		if name != "-color" && name != "color" || args[i][0] != '-' {
			rest = append(rest, args[i])
			continue
		}
		if !has && i+1 < len(args) {
			i++
			value = args[i]
		}
		switch value {
		case colourAuto, colourAlways, colourNever:
			choice = value
		default:
			return "", nil, fmt.Errorf("-color=%s: use auto, always or never", value)
		}
	}
	return choice, rest, nil
}

// widthOf returns the number of columns of the terminal that is written to, 0 if it is none.
func widthOf(w io.Writer) int {
	switch w := w.(type) {
	case *output:
		return w.width
	case *os.File:
		return terminalWidth(w)
	}
	return 0
}

// file returns an output as a program that we start gets it: a terminal stays one.
func file(w io.Writer) io.Writer {
	if t, ok := w.(*output); ok {
		return t.Writer
	}
	return w
}

// A progress tells on a terminal how far a command is that takes longer than a second.
type progress struct {
	w     io.Writer // nil if it is no terminal
	next  time.Time // when to tell
	shown bool
}

func newProgress(stderr io.Writer) *progress {
	p := &progress{next: time.Now().Add(time.Second)}
	if widthOf(stderr) > 0 {
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
