package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/diff"
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
	t := newOutput(w, colourAuto)
	return &printer{w: t, width: t.width, full: full, colour: t.colour}
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
	if !p.colour || text == "" || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// line prints one line of ours in a colour, "" for none. The names in it end no line. On a
// terminal that is too narrow for it, it goes on below, indented.
func (p *printer) line(indent int, colour, format string, args ...any) {
	const further = 4
	text := redact.OneLine(fmt.Sprintf(format, args...))
	for i, piece := range wrapLine(text, p.width-indent, p.width-indent-further) {
		if i == 1 {
			indent += further
		}
		p.write(strings.TrimRight(strings.Repeat(" ", indent)+p.paint(colour, piece), " ") + "\n")
	}
}

// tell prints one line of ours, as line does.
func tell(w io.Writer, format string, args ...any) { newPrinter(w, false).line(0, "", format, args...) }

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
	p.painted(indent, text, func(line string) string { return line })
}

// coloured prints a recorded text in a colour.
func (p *printer) coloured(indent int, colour, text string) {
	p.painted(indent, text, func(line string) string { return p.paint(colour, line) })
}

// marked prints a text with the marks of wordDiff, each in its colour.
func (p *printer) marked(indent int, text string) {
	within := "" // the mark that ends what the last line began
	p.painted(indent, text, func(line string) (out string) {
		for line != "" {
			begin, end := strings.Index(line, "[-"), "-]"
			if other := strings.Index(line, "{+"); begin < 0 || other >= 0 && other < begin {
				begin, end = other, "+}"
			}
			if within != "" {
				begin, end = 0, within
			}
			if begin < 0 {
				return out + line
			}
			out, line = out+line[:begin], line[begin:]
			to := strings.Index(line, end)
			within = ""
			if to < 0 {
				within, to = end, len(line)-len(end)
			}
			to = max(0, to) + len(end)
			out, line = out+p.paint(map[string]string{"-]": red, "+}": green}[end], line[:min(to, len(line))]), line[min(to, len(line)):]
		}
		return out
	})
}

// painted prints a recorded text, each of its lines as paint makes it.
func (p *printer) painted(indent int, text string, paint func(line string) string) {
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
			piece = strings.TrimRight(piece, " ")
			if piece != "" {
				piece = strings.Repeat(" ", indent) + paint(piece)
			}
			p.write(piece + "\n")
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
func wrap(line string, width int) (pieces []string) { return wrapLine(line, width, width) }

// wrapLine is wrap with another width for all pieces but the first.
func wrapLine(line string, width, further int) (pieces []string) {
	for min(width, further) >= 20 && textWidth(line) > width {
		piece := prefix(line, width)
		if space := strings.LastIndexByte(line[:min(len(line), len(piece)+1)], ' '); space > 0 {
			piece = line[:space]
		}
		pieces, line, width = append(pieces, piece), strings.TrimPrefix(line[len(piece):], " "), further
	}
	return append(pieces, line)
}

var (
	onlyOld = regexp.MustCompile(`\[-.*?-\]`)
	onlyNew = regexp.MustCompile(`\{\+.*?\+\}`)
)

// fields prints the fields that differ, as package diff writes them: on a terminal that is too narrow,
// their values go on below.
func (p *printer) fields(lines []diff.Line) {
	for _, line := range lines {
		bare := strings.TrimLeft(line.Text, " ")
		indent := len(line.Text) - len(bare)
		switch line.Side {
		case diff.RecordedSide:
			p.coloured(indent, red, bare)
		case diff.IncomingSide:
			p.coloured(indent, green, bare)
		default:
			p.marked(indent, bare)
		}
	}
}

// complain prints an error of a verb; lines that are commands stay whole.
func complain(stderr io.Writer, verb, text string) {
	p := newPrinter(stderr, true)
	for line := range strings.Lines("promptecho: " + verb + ": " + text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "  ") {
			p.write(redact.Printable(line) + "\n")
			continue
		}
		p.line(0, "", "%s", line)
	}
}

// report returns what a test has written with colours: red and green for what differs.
func (p *printer) report(text string) string {
	if !p.colour {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch bare := strings.TrimLeft(line, " "); {
		case strings.HasPrefix(bare, "- "), strings.HasPrefix(bare, "--- FAIL"), strings.HasPrefix(bare, diff.RecordedLabel):
			line = p.paint(red, line)
		case strings.HasPrefix(bare, "+ "), strings.HasPrefix(bare, diff.IncomingLabel):
			line = p.paint(green, line)
		default:
			line = onlyOld.ReplaceAllStringFunc(line, func(text string) string { return p.paint(red, text) })
			line = onlyNew.ReplaceAllStringFunc(line, func(text string) string { return p.paint(green, text) })
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
