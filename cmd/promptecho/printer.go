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

// A printer writes recorded text for people. It escapes what a terminal would not print but
// obey, wraps long lines on a terminal, and shortens long texts.
type printer struct {
	w      io.Writer
	width  int // of the terminal; 0 if w is none
	colour bool
	full   bool  // long texts are not shortened
	err    error // the first error of w
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

// paint returns a text in a colour, if the printer writes colours.
func (p *printer) paint(colour, text string) string {
	if !p.colour || text == "" || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// line prints a line in a colour, "" for none. Line breaks in the arguments are escaped. On a
// terminal that is too narrow, the line continues in further lines, which are indented.
func (p *printer) line(indent int, colour, format string, args ...any) {
	const hangingIndent = 4
	text := redact.OneLine(fmt.Sprintf(format, args...))
	for i, piece := range wrapLine(text, p.width-indent, p.width-indent-hangingIndent) {
		if i == 1 {
			indent += hangingIndent
		}
		p.write(strings.TrimRight(strings.Repeat(" ", indent)+p.paint(colour, piece), " ") + "\n")
	}
}

// printLine prints a line without colours, as printer.line does.
func printLine(w io.Writer, format string, args ...any) {
	newPrinter(w, false).line(0, "", format, args...)
}

// write writes a text as it is. After an error it writes nothing.
func (p *printer) write(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, text)
	}
}

// A text of more than maxLines lines or maxBytes bytes is shortened, unless -full is set: to
// shownLines lines, or to maxBytes bytes.
const (
	maxLines   = 30
	shownLines = 20
	maxBytes   = 4000
)

// text prints a recorded text.
func (p *printer) text(indent int, text string) {
	p.painted(indent, text, func(line string) string { return line })
}

// coloured prints a recorded text in a colour.
func (p *printer) coloured(indent int, colour, text string) {
	p.painted(indent, text, func(line string) string { return p.paint(colour, line) })
}

// A mark encloses a part of a text that differs, as wordDiff writes it.
type mark struct{ begin, end, colour string }

var (
	oldMark = &mark{"[-", "-]", red}
	newMark = &mark{"{+", "+}", green}
)

// marked prints a text with marks, each part between marks in their colour. A part may have
// several lines.
func (p *printer) marked(indent int, text string) {
	var open *mark // begun in an earlier line, and not ended yet
	p.painted(indent, text, func(line string) string {
		var out strings.Builder
		for line != "" {
			m := open
			if m == nil {
				var begin int
				m, begin = firstMark(line)
				if m == nil {
					out.WriteString(line)
					break
				}
				out.WriteString(line[:begin])
				line = line[begin:]
			}
			before, rest, isEnded := strings.Cut(line, m.end)
			if isEnded {
				out.WriteString(p.paint(m.colour, before+m.end))
				open = nil
			} else {
				out.WriteString(p.paint(m.colour, line))
				open = m
			}
			line = rest
		}
		return out.String()
	})
}

// firstMark returns the mark that begins first in a line, and where; nil if none begins there.
func firstMark(line string) (m *mark, begin int) {
	oldBegin := strings.Index(line, oldMark.begin)
	newBegin := strings.Index(line, newMark.begin)
	switch {
	case oldBegin < 0 && newBegin < 0:
		return nil, 0
	case oldBegin < 0 || newBegin >= 0 && newBegin < oldBegin:
		return newMark, newBegin
	}
	return oldMark, oldBegin
}

// painted prints a recorded text. paint returns a line of the output with its colours.
func (p *printer) painted(indent int, text string, paint func(line string) string) {
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	allLines := strings.Count(text, "\n") + 1
	allBytes := len(text)
	if !p.full && allBytes > maxBytes {
		text = text[:runeStart(text, maxBytes)]
	}
	lines := strings.Split(redact.Printable(text), "\n")
	if !p.full && len(lines) > maxLines {
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
	case len(lines) < allLines:
		p.line(indent, dim, "(%s more: -full)", count(allLines-len(lines), "line"))
	case len(text) < allBytes:
		p.line(indent, dim, "(%s more: -full)", count(allBytes-len(text), "byte"))
	}
}

// runeStart returns where the character begins that has the byte at an offset.
func runeStart(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// wrap splits a line between words into pieces of at most width columns, if no word is
// wider. It splits nothing if width is below 20: a column of single words is hard to read.
func wrap(line string, width int) (pieces []string) { return wrapLine(line, width, width) }

// wrapLine is wrap with another width for all pieces but the first.
func wrapLine(line string, width, furtherWidth int) (pieces []string) {
	for min(width, furtherWidth) >= 20 && textWidth(line) > width {
		piece := prefix(line, width)
		withNext := line[:min(len(line), len(piece)+1)] // a space may follow the piece
		if space := strings.LastIndexByte(withNext, ' '); space > 0 {
			piece = line[:space]
		}
		pieces = append(pieces, piece)
		line = strings.TrimPrefix(line[len(piece):], " ")
		width = furtherWidth
	}
	return append(pieces, line)
}

var (
	onlyOld = regexp.MustCompile(`\[-.*?-\]`)
	onlyNew = regexp.MustCompile(`\{\+.*?\+\}`)
)

// fields prints the fields that differ, as package diff writes them.
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

// complain prints an error of a verb. Indented lines, which are commands, are not wrapped.
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

// report returns the output of a test with colours: red for what was recorded, green for what
// is new.
func (p *printer) report(text string) string {
	if !p.colour {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		bare := strings.TrimLeft(line, " ")
		switch {
		case strings.HasPrefix(bare, "- "),
			strings.HasPrefix(bare, "--- FAIL"),
			strings.HasPrefix(bare, diff.RecordedLabel):
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
