// Package socket has a WebSocket server and a WebSocket client for tests. Both can end a
// connection in each way in which a connection can end.
package socket

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net"
	"sync"

	"github.com/promptecho/promptecho/internal/nethttp/websocket"
)

// A Conn is one side of an open WebSocket. A goroutine may send while another one receives, and
// several may send.
type Conn struct {
	connection io.ReadWriteCloser
	isClient   bool

	writing sync.Mutex // is held while a frame is written

	buf    []byte
	parser websocket.Parser
	ready  []websocket.Message // parsed, and not yet returned by Receive
	failed error               // of the connection
}

func newConn(connection io.ReadWriteCloser, isClient bool) *Conn {
	return &Conn{
		connection: connection,
		isClient:   isClient,
		buf:        make([]byte, 32<<10),
		parser:     websocket.Parser{Masked: !isClient},
	}
}

// Receive returns the next message of the other side, which may be a control frame.
func (c *Conn) Receive() (websocket.Message, error) {
	for len(c.ready) == 0 && c.failed == nil {
		n, err := c.connection.Read(c.buf)
		messages, parseErr := c.parser.Parse(c.buf[:n])
		c.ready = append(c.ready, messages...)
		c.failed = err
		if parseErr != nil {
			c.failed = parseErr
		}
	}
	if len(c.ready) == 0 {
		return websocket.Message{}, c.failed
	}
	m := c.ready[0]
	c.ready = c.ready[1:]
	return m, nil
}

// Send sends a text.
func (c *Conn) Send(text string) error { return c.send(websocket.Text, []byte(text)) }

// SendBytes sends a binary message.
func (c *Conn) SendBytes(data []byte) error { return c.send(websocket.Binary, data) }

// SendClose sends a close frame, and leaves the connection open. The frame has no code if the code
// is 1005.
func (c *Conn) SendClose(code int, reason string) error {
	return c.send(websocket.Close, websocket.CloseData(code, reason))
}

func (c *Conn) send(op websocket.Opcode, data []byte) error {
	var frame []byte
	if c.isClient {
		var key [4]byte
		binary.LittleEndian.PutUint32(key[:], rand.Uint32())
		frame = websocket.AppendMaskedFrame(nil, op, data, key)
	} else {
		frame = websocket.AppendFrame(nil, op, data)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.connection.Write(frame)
	return err
}

// SendHalf sends the first half of a text message.
func (c *Conn) SendHalf(text string) error {
	frame := websocket.AppendFrame(nil, websocket.Text, []byte(text))
	_, err := c.connection.Write(frame[:len(frame)/2])
	return err
}

// Drop closes the connection without a close frame.
func (c *Conn) Drop() { c.connection.Close() }

// Reset ends a TCP connection with a reset.
func (c *Conn) Reset() {
	tcp, isTCP := c.connection.(*net.TCPConn)
	if isTCP {
		_ = tcp.SetLinger(0)
	}
	c.connection.Close()
}

// SendRaw sends bytes that need not be a frame.
func (c *Conn) SendRaw(data []byte) error {
	_, err := c.connection.Write(data)
	return err
}
