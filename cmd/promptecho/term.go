package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// An output is a writer for people: it says how wide a line may be, and whether colours are shown.
type output struct {
	io.Writer
	width  int // 0 for no limit: the output is not a terminal
	colour bool
}

// The choices of -color.
const (
	colourAuto   = "auto"
	colourAlways = "always"
	colourNever  = "never"
)

// newOutput returns an output for a writer. Whether it shows colours is decided by, in this order:
// the flag -color, NO_COLOR (https://no-color.org), FORCE_COLOR, and whether it is a terminal.
func newOutput(w io.Writer, choice string) *output {
	if t, ok := w.(*output); ok {
		return t
	}
	t := &output{Writer: w, width: widthOf(w)}
	force := os.Getenv("FORCE_COLOR")
	switch {
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

// takeColour removes the flag -color, which every verb has, from the arguments of a verb, and
// returns its value.
func takeColour(args []string) (choice string, rest []string, err error) {
	choice = colourAuto
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return choice, append(rest, args[i:]...), nil
		}
		name, value, hasValue := strings.Cut(arg, "=")
		if name != "-color" && name != "--color" {
			rest = append(rest, arg)
			continue
		}
		if !hasValue && i+1 < len(args) {
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

// widthOf returns the number of columns of a terminal; 0 if a writer is none.
func widthOf(w io.Writer) int {
	switch w := w.(type) {
	case *output:
		return w.width
	case *os.File:
		return terminalWidth(w)
	}
	return 0
}

// file returns the writer that a child process gets for an output. A terminal must be passed on as
// a file, so that the child sees that it is one.
func file(w io.Writer) io.Writer {
	if t, ok := w.(*output); ok {
		return t.Writer
	}
	return w
}

// A progress shows on a terminal how far a command is that takes longer than a second.
type progress struct {
	w       io.Writer // nil if there is no terminal
	next    time.Time // when to show it again
	isShown bool
}

func newProgress(stderr io.Writer) *progress {
	p := &progress{next: time.Now().Add(time.Second)}
	if widthOf(stderr) > 0 {
		p.w = stderr
	}
	return p
}

// step says that some steps of all are done.
func (p *progress) step(done, all int) {
	now := time.Now()
	if p.w == nil || !now.After(p.next) {
		return
	}
	fmt.Fprintf(p.w, "\r%d of %d", done, all)
	p.next = now.Add(100 * time.Millisecond)
	p.isShown = true
}

// end removes the progress from the terminal.
func (p *progress) end() {
	if p.isShown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// readByte reads one byte.
func readByte(f *os.File) (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(f, b[:])
	return b[0], err
}
