package proxy

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
)

// These are of the records of TLS (RFC 8446, section 5.1).
const (
	handshakeType = 22 // the type of the first record, which is its first byte
	headerSize    = 5  // the type, the version and the length
	maxRecord     = headerSize + 1<<14
)

// peekHello waits for the first bytes of a client. It reports whether the client speaks TLS and, if it
// does, returns the name of the host in its first message; "" if the message has none, or is
// longer than a record. The bytes stay in the reader, which must have room for maxRecord.
func peekHello(r *bufio.Reader) (name string, isTLS bool, err error) {
	first, err := r.Peek(1)
	if err != nil {
		return "", false, err
	}
	if first[0] != handshakeType {
		return "", false, nil
	}
	header, err := r.Peek(headerSize)
	if err != nil {
		return "", false, err
	}
	length := int(binary.BigEndian.Uint16(header[headerSize-2:]))
	record, err := r.Peek(headerSize + length)
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", true, nil // the handshake fails
	}
	if err != nil {
		return "", false, err
	}

	errSeen := errors.New("the name is known")
	config := &tls.Config{
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			name = hello.ServerName
			return nil, errSeen
		},
	}
	_ = tls.Server(&readOnly{r: bytes.NewReader(record)}, config).Handshake() // fails with errSeen
	return name, true, nil
}

// A readOnly is a connection that discards what is written.
type readOnly struct {
	net.Conn
	r io.Reader
}

func (c *readOnly) Read(b []byte) (int, error)  { return c.r.Read(b) }
func (c *readOnly) Write(b []byte) (int, error) { return len(b), nil }
