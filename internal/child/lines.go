package child

import (
	"bytes"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A lineCutter cuts what a process reads or writes into lines. A line may come in any number of
// pieces, and may have many megabytes.
type lineCutter struct {
	begun []byte // a line whose newline has not come yet
}

// A line is one line of a stream.
type line struct {
	text string // without the newline
	last []byte // the piece that came last, with the newline
}

// add adds a piece of the stream. It returns the lines that the piece completes, and the end of the
// piece, which belongs to a line that is not complete.
func (c *lineCutter) add(piece []byte) (lines []line, end []byte) {
	for {
		i := bytes.IndexByte(piece, '\n')
		if i < 0 {
			c.begun = append(c.begun, piece...)
			return lines, piece
		}
		text := string(append(c.begun, piece[:i]...))
		lines = append(lines, line{text: text, last: piece[:i+1]})
		c.begun = nil
		piece = piece[i+1:]
	}
}

// rest returns the text of the line that is not complete, and forgets it.
func (c *lineCutter) rest() string {
	text := string(c.begun)
	c.begun = nil
	return text
}

// mayBeJSON reports whether the line that is not complete may be the beginning of a JSON object, or
// of a list of objects.
func (c *lineCutter) mayBeJSON() bool {
	begun := bytes.TrimLeft(c.begun, " \t[")
	return len(begun) > 0 && begun[0] == '{'
}

// ofStdout returns the message that a line of the standard output or input is.
func ofStdout(text string) interaction.Message {
	return interaction.Message{Kind: interaction.Text, Data: text}
}

// ofStderr returns the message that a line of the standard error is.
func ofStderr(text string) interaction.Message {
	return interaction.Message{Kind: interaction.Stderr, Data: text}
}

// written returns what a process writes for a received message.
func written(m interaction.Message) []byte {
	switch m.Kind {
	case interaction.Text, interaction.Stderr:
		return []byte(m.Data + "\n")
	case interaction.Bytes, interaction.StderrBytes:
		return []byte(m.Data)
	}
	return nil
}
