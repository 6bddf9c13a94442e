package child

import (
	"bytes"
	"strconv"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// A lineCutter cuts what a process reads or writes into lines. A line may come in any number of
// pieces, and may have many megabytes. If the stream begins with a header Content-Length, its lines are
// messages with headers.
type lineCutter struct {
	begun    []byte // a line whose newline has not come yet
	isFramed bool   // the first line was a message with a header
	isPlain  bool   // it was not
}

// A line is one line of a stream, or one message with a header.
type line struct {
	text     string // without the newline, or without the header
	last     []byte // the piece that came last, with the newline
	isFramed bool
}

// add adds a piece of the stream. It returns the lines that the piece completes, and the end of the
// piece, which belongs to a line that is not complete.
func (c *lineCutter) add(piece []byte) (lines []line, end []byte) {
	for {
		l, isComplete := c.next(piece)
		if !isComplete {
			c.begun = append(c.begun, piece...)
			return lines, piece
		}
		c.isFramed = l.isFramed
		c.isPlain = !l.isFramed
		c.begun = nil
		lines = append(lines, l)
		piece = piece[len(l.last):]
	}
}

// next returns the line that a piece completes.
func (c *lineCutter) next(piece []byte) (l line, isComplete bool) {
	if !c.isPlain {
		head := c.head(piece)
		header, size := frameOf(head)
		isHeaderComplete := header > 0
		mayBeHeader := bytes.HasPrefix(head, []byte(lengthHeader)) && len(head) < longestHeader
		switch {
		case isHeaderComplete:
			return c.nextFramed(piece, header, size)
		case mayBeHeader:
			return l, false // the header goes on
		}
	}
	i := bytes.IndexByte(piece, '\n')
	if i < 0 {
		return l, false
	}
	text := string(append(c.begun, piece[:i]...))
	return line{text: text, last: piece[:i+1]}, true
}

// nextFramed returns the message with a header that a piece completes. header and size are the lengths
// of the header and of what follows it.
func (c *lineCutter) nextFramed(piece []byte, header, size int) (l line, isComplete bool) {
	missing := header + size - len(c.begun)
	if missing > len(piece) {
		return l, false
	}
	whole := append(c.begun, piece[:missing]...)
	return line{text: string(whole[header:]), last: piece[:missing], isFramed: true}, true
}

// head returns the beginning of a line that a piece continues.
func (c *lineCutter) head(piece []byte) []byte {
	head := append([]byte(nil), c.begun[:min(len(c.begun), longestHeader)]...)
	return append(head, piece[:min(len(piece), longestHeader-len(head))]...)
}

const (
	// lengthHeader begins each message of LSP and DAP
	// (https://microsoft.github.io/language-server-protocol, "Base Protocol").
	lengthHeader = "Content-Length: "

	// longestHeader is more than what a header has: a length, and a type of about 60 bytes.
	longestHeader = 256
)

// frame matches the header of a message.
var frame = memo.Regexp(`^Content-Length: (\d{1,9})\r\n(?:Content-Type: [^\r\n]*\r\n)?\r\n`)

// frameOf returns the length of the header at the beginning of a message, and that of what follows the
// header. It returns 0 if there is no whole header.
func frameOf(head []byte) (header, size int) {
	found := frame().FindSubmatch(head)
	if found == nil {
		return 0, 0
	}
	size, _ = strconv.Atoi(string(found[1])) // it has at most nine digits
	return len(found[0]), size
}

// framed returns a message with its header.
func framed(text string) []byte {
	return []byte(lengthHeader + strconv.Itoa(len(text)) + "\r\n\r\n" + text)
}

// rest returns the text of the line that is not complete, and forgets it.
func (c *lineCutter) rest() string {
	text := string(c.begun)
	c.begun = nil
	return text
}

// goesOn reports whether the line that is not complete is surely no prompt: it is a message with a
// header, or may be the beginning of a JSON object, or of a list of objects.
func (c *lineCutter) goesOn() bool {
	if c.isFramed || bytes.HasPrefix(c.begun, []byte(lengthHeader)) {
		return true
	}
	begun := bytes.TrimLeft(c.begun, " \t[")
	return len(begun) > 0 && begun[0] == '{'
}

// ofStdout returns the message that a line of the standard output or input is.
func ofStdout(l line) interaction.Message {
	if l.isFramed {
		return interaction.Message{Kind: interaction.Framed, Data: l.text}
	}
	return interaction.Message{Kind: interaction.Text, Data: l.text}
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
	case interaction.Framed:
		return framed(m.Data)
	case interaction.Bytes, interaction.StderrBytes:
		return []byte(m.Data)
	}
	return nil
}
