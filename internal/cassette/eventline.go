package cassette

import (
	"bufio"
	"os"
	"strings"
)

// EventLine returns the line of an event of a stream, counted from 1, in the file of a cassette:
// that of event number i, from 0, of the interaction that starts at a line. It returns the line
// of the interaction if the event cannot be found.
func EventLine(path string, start, i int) int {
	lines := EventLines(path, []int{start})[0]
	if i < len(lines) {
		return lines[i]
	}
	return start
}

// EventLines returns the lines of the events of streams, counted from 1, in the file of a
// cassette: for each of the interactions that start at the lines starts, which ascend, a list. A
// list is nil if the events cannot be found, as when the file cannot be read.
func EventLines(path string, starts []int) [][]int {
	lists := make([][]int, len(starts))
	f, err := os.Open(path)
	if err != nil {
		return lists
	}
	defer f.Close()

	lines := bufio.NewReader(f)
	current := -1 // the index of the interaction
	state := eventLineState{}
	for line := 1; ; line++ {
		indent, text, err := startOfLine(lines)
		if err != nil {
			return lists
		}
		if current+1 < len(starts) && line == starts[current+1] {
			current++
			state = eventLineState{}
		}
		if current >= 0 && state.isEvent(indent, text) {
			lists[current] = append(lists[current], line)
		}
	}
}

// An eventLineState says where in an interaction the lines of a file are.
type eventLineState struct {
	within bool // after the line "events:"
	done   bool // after the last event
	indent int  // of the events; -1 until the first one
}

// isEvent reports whether an event starts at a line, which has this indentation and this text.
func (s *eventLineState) isEvent(indent int, text string) bool {
	isItem := text == "-" || strings.HasPrefix(text, "- ")
	isBlank := text == "" || strings.HasPrefix(text, "#")
	switch {
	case s.done || isBlank:
		return false
	case !s.within:
		s.within = text == "events:"
		s.indent = -1
		return false
	case s.indent < 0 && isItem:
		s.indent = indent
	case indent > s.indent && s.indent >= 0:
		return false // within an event
	}
	s.done = !isItem || indent < s.indent
	return !s.done
}

// startOfLine reads a line, and returns its indentation and the start of its text.
func startOfLine(r *bufio.Reader) (indent int, text string, err error) {
	const enough = 64 // bytes
	part, isPrefix, err := r.ReadLine()
	line := string(part[:min(len(part), enough)])
	for err == nil && isPrefix {
		_, isPrefix, err = r.ReadLine()
	}
	text = strings.TrimSpace(line)
	indent = len(line) - len(strings.TrimLeft(line, " "))
	return indent, text, err
}
