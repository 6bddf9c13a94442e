package child

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
)

// A stand-in and its host exchange frames: a byte that says what it is, the length of the content in
// four bytes, and the content.
type frameKind byte

// The frames of a stand-in.
const (
	frameHello   frameKind = 'h' // the first one: a Hello as JSON
	frameInput   frameKind = 'i' // what the client wrote to the standard input
	frameClosed  frameKind = 'c' // the client closed the standard input
	frameSignal  frameKind = 's' // the name of a signal that the stand-in got
	frameWritten frameKind = 'w' // how many bytes of output the stand-in has written
)

// The frames of a host.
const (
	frameStarted frameKind = 'p' // the process ID of the live program
	frameStdout  frameKind = 'o'
	frameStderr  frameKind = 'e'
	frameExited  frameKind = 'x' // the last one: how the program exited
)

// mostContent is how much a frame may hold. More is divided.
const mostContent = 1 << 20

// mostHello is how much the first frame may hold. Systems allow 2 MB of environment and arguments
// (Linux, ARG_MAX); in JSON, a byte takes up to six.
const mostHello = 16 << 20

// A Hello is what a stand-in says of itself.
type Hello struct {
	Token   string
	Name    string   // of the program in the cassette; "" if the host knows it
	Program string   // the path of the program; "" if the host knows it
	Args    []string // without the name of the program
	Dir     string   // the working directory
	Env     []string
}

// appendFrame appends a frame.
func appendFrame(to []byte, kind frameKind, content []byte) []byte {
	to = append(to, byte(kind))
	to = binary.BigEndian.AppendUint32(to, uint32(len(content)))
	return append(to, content...)
}

// writeFrame writes a frame, or several ones if the content is too long for one.
func writeFrame(w io.Writer, kind frameKind, content []byte) error {
	for len(content) > mostContent {
		_, err := w.Write(appendFrame(nil, kind, content[:mostContent]))
		if err != nil {
			return err
		}
		content = content[mostContent:]
	}
	_, err := w.Write(appendFrame(nil, kind, content))
	return err
}

// readFrame reads a frame whose content is not longer than most.
func readFrame(r *bufio.Reader, most uint32) (kind frameKind, content []byte, err error) {
	var head [5]byte
	_, err = io.ReadFull(r, head[:])
	if err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[1:])
	if size > most {
		return 0, nil, errors.New("the frame is too long")
	}
	content = make([]byte, size)
	_, err = io.ReadFull(r, content)
	return frameKind(head[0]), content, err
}

// writeHello writes the first frame of a stand-in.
func writeHello(w io.Writer, h *Hello) error {
	content, err := json.Marshal(h)
	if err != nil {
		return err
	}
	_, err = w.Write(appendFrame(nil, frameHello, content))
	return err
}

// readHello reads the first frame of a stand-in.
func readHello(r *bufio.Reader) (*Hello, error) {
	kind, content, err := readFrame(r, mostHello)
	if err != nil {
		return nil, err
	}
	if kind != frameHello {
		return nil, errors.New("the first frame is another one")
	}
	h := &Hello{}
	err = json.Unmarshal(content, h)
	return h, err
}
