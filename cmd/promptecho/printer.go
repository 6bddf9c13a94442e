package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/redact"
)

// A printer writes recorded text for people: nothing of it reaches the terminal that does
// more than to be read, long lines are wrapped on a terminal, and long texts are cut.
type printer struct {
	w      io.Writer
	width  int // of the terminal; 0 if there is none
	colour bool
	full   bool // long texts are not cut
	err    error
}

func newPrinter(w io.Writer, full bool) *printer {
	width := columns(w)
	return &printer{w: w, width: width, full: full, colour: width > 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// The colours of a terminal (ECMA-48, SGR).
const (
	bold  = "1"
	dim   = "2"
	red   = "31"
	green = "32"
)

// paint returns a text in a colour, if there are any.
func (p *printer) paint(colour, text string) string {
	if !p.colour || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// line prints one line of ours in a colour, "" for none. The names in it end no line.
func (p *printer) line(indent int, colour, format string, args ...any) {
	text := redact.OneLine(fmt.Sprintf(format, args...))
	if colour != "" {
		text = p.paint(colour, text)
	}
	p.write(strings.TrimRight(strings.Repeat(" ", indent)+text, " ") + "\n")
}

func (p *printer) write(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, text)
	}
}

// The most of a text that is shown, and what is shown of a longer one.
const (
	mostLines, shownLines = 30, 20
	mostBytes             = 4000
)

// text prints a recorded text.
func (p *printer) text(indent int, text string) {
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	all, size := strings.Count(text, "\n")+1, len(text)
	if !p.full && size > mostBytes {
		at := mostBytes
		for at > 0 && !utf8.RuneStart(text[at]) {
			at--
		}
		text = text[:at]
	}
	lines := strings.Split(redact.Printable(text), "\n")
	if !p.full && len(lines) > mostLines {
		lines = lines[:shownLines]
	}
	for _, line := range lines {
		for _, piece := range wrap(line, p.width-indent) {
			p.write(strings.TrimRight(strings.Repeat(" ", indent)+piece, " ") + "\n")
		}
	}
	switch {
	case len(lines) < all:
		p.line(indent, dim, "(%s more: -full)", count(all-len(lines), "line"))
	case len(text) < size:
		p.line(indent, dim, "(%s more: -full)", count(size-len(text), "byte"))
	}
}

// wrap cuts a line between words so that no piece is wider than width, if that is possible;
// a width below 20 is none.
func wrap(line string, width int) (pieces []string) {
	if width < 20 {
		return []string{line}
	}
	for utf8.RuneCountInString(line) > width {
		at, runes, space := 0, 0, 0
		for i, r := range line {
			if r == ' ' && i > 0 {
				space = i
			}
			if runes == width {
				at = i
				break
			}
			runes++
		}
		if space > 0 {
			at = space
		}
		pieces, line = append(pieces, line[:at]), strings.TrimPrefix(line[at:], " ")
	}
	return append(pieces, line)
}
