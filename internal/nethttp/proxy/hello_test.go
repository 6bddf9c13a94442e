package proxy

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// helloFor returns the first message of a handshake with a host.
func helloFor(f *testing.F, host string) []byte {
	f.Helper()
	client, server := net.Pipe()
	defer server.Close()
	go func() {
		_ = tls.Client(client, &tls.Config{ServerName: host}).Handshake() // fails when server is closed
		client.Close()
	}()
	r := bufio.NewReaderSize(server, maxRecord)
	_, _, err := peekHello(r)
	if err != nil {
		f.Fatal(err)
	}
	hello, err := r.Peek(r.Buffered())
	if err != nil {
		f.Fatal(err)
	}
	return bytes.Clone(hello)
}

// FuzzPeekHello: whatever a client sends first, it stays in the reader.
func FuzzPeekHello(f *testing.F) {
	const host = "api.openai.com"
	f.Add(helloFor(f, host))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add([]byte("\x16\x03\x01\x00\x00"))
	f.Add([]byte("\x16\x03\x01\xff\xff" + strings.Repeat("x", 1<<16)))
	name, isTLS, err := peekHello(bufio.NewReaderSize(bytes.NewReader(helloFor(f, host)), maxRecord))
	if name != host || !isTLS || err != nil {
		f.Errorf("%q, %t, %v", name, isTLS, err)
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		r := bufio.NewReaderSize(bytes.NewReader(sent), maxRecord)
		name, isTLS, err := peekHello(r)
		if name != "" && !isTLS {
			t.Errorf("%q without TLS", name)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		left, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(left, sent) {
			t.Errorf("%q is left of %q, %v", left, sent, err)
		}
	})
}
