package cassette

import (
	"bufio"
	"os"
	"strings"
)

// EventLine returns the line of an event of a stream, counted from 1, in the file of a cassette:
// that of event number i, from 0, of the interaction that starts at a line. It returns the line
// of the interaction if the event cannot be found, as after an edit that breaks its line.
func EventLine(path string, start, i int) int {
	f, err := os.Open(path)
	if err != nil {
		return start
	}
	defer f.Close()
	lines := bufio.NewReader(f)
	first := 0 // the line of the first event; 0 until it is found
	for line := 1; ; line++ {
		text, err := startOfLine(lines)
		if err != nil {
			return start
		}
		switch {
		case line < start:
		case first == 0 && text == "events:":
			first = line + 1
		case first == 0 || line < first+i:
		case strings.HasPrefix(text, "- "):
			return line
		default:
			return start
		}
	}
}

// startOfLine reads a line, and returns its start without the indentation.
func startOfLine(r *bufio.Reader) (string, error) {
	const enough = 64 // bytes
	part, isPrefix, err := r.ReadLine()
	text := strings.TrimSpace(string(part[:min(len(part), enough)]))
	for err == nil && isPrefix {
		_, isPrefix, err = r.ReadLine()
	}
	return text, err
}
