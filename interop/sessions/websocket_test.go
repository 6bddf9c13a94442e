package sessions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	gorilla "github.com/gorilla/websocket"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
)

const senders = 8 // at once

// chatOptions are those of a server that compresses, and has a subprotocol.
var chatOptions = websocket.AcceptOptions{
	Subprotocols:    []string{"chat.v2"},
	CompressionMode: websocket.CompressionContextTakeover,
}

// talkChat answers each round of messages, one of each sender, with a text and with bytes. After
// three rounds the server closes the connection, unless the client does.
func talkChat(p *peer) {
	var pinging sync.WaitGroup
	defer pinging.Wait()
	defer p.breakOff()
	for round := range 3 {
		pinging.Go(func() { _ = p.conn.Ping(p.ctx) }) // fails if the session ends first
		sum := 0
		for range senders {
			kind, data, err := p.conn.Read(p.ctx)
			if err != nil {
				return
			}
			if kind == websocket.MessageBinary {
				sum += 1000
			}
			sum += len(data)
		}
		p.sendf(`{"round":%d,"id":%q,"sum":%d,"text":%q}`, round, newID("answer"), sum, strings.Repeat("compress me ", 20))
		_ = p.conn.Write(p.ctx, websocket.MessageBinary, []byte{byte(round), 0, 0xff, 0xfe})
	}
	if _, _, err := p.conn.Read(p.ctx); err == nil {
		_ = p.conn.Close(4001, "enough")
	}
}

// A socket is a connection of either client.
type socket struct {
	read  func() (binary bool, data []byte, err error)
	write func(binary bool, data []byte) error
	ping  func()
	close func(code int, reason string) error // nil if the server closes the connection
}

// A message is what read has returned.
type message struct {
	binary bool
	data   []byte
	err    error
}

// talkInRounds sends messages from eight goroutines at once, three times, and notes the answers, and
// how the connection was closed.
func talkInRounds(s socket, word string, see *notes) error {
	received := make(chan message)
	stop := make(chan bool)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer close(stop)
	reading.Go(func() { // a client that does not read gets no pongs
		for isOpen := true; isOpen; {
			var m message
			m.binary, m.data, m.err = s.read()
			isOpen = m.err == nil
			select {
			case received <- m:
			case <-stop:
			}
		}
	})
	for range 3 {
		sending, errs := s.sendAll(word)
		for range 2 {
			m := <-received
			if m.err != nil {
				sending.Wait()
				return errors.Join(append(errs, m.err)...)
			}
			see.add("messages", "%v %s", m.binary, m.data)
		}
		sending.Wait()
	}
	if s.close != nil {
		err := s.close(4002, "bye")
		see.add("messages", "closed: %v", err)
		<-received
		return nil
	}
	if err := s.write(false, []byte(`"stop"`)); err != nil {
		return err
	}
	err := (<-received).err
	var closed websocket.CloseError
	var closedGorilla *gorilla.CloseError
	switch {
	case errors.As(err, &closed):
		see.add("messages", "closed with %d %s", closed.Code, closed.Reason)
	case errors.As(err, &closedGorilla):
		see.add("messages", "closed with %d %s", closedGorilla.Code, closedGorilla.Text)
	default:
		return fmt.Errorf("the connection was not closed: %w", err)
	}
	return nil
}

// sendAll sends a message from each of the senders, and pings the server. errs may be read when the
// senders are done.
func (s socket) sendAll(word string) (sending *sync.WaitGroup, errs []error) {
	sending = new(sync.WaitGroup)
	errs = make([]error, senders)
	for n := range senders {
		sending.Go(func() {
			binary := n%4 == 3
			data := fmt.Appendf(nil, `{"sender":%d,"text":%q}`, n, word)
			if binary {
				data = []byte{0xff, byte(n)}
			}
			errs[n] = s.write(binary, data)
		})
	}
	sending.Go(s.ping)
	return sending, errs
}

// coderChat talks through coder/websocket, which gets the client of the recorder.
func coderChat(word string, clientCloses bool) program {
	return func(ctx context.Context, rec *promptecho.Recorder, base string, see *notes) error {
		c, _, err := websocket.Dial(ctx, base+"/chat", &websocket.DialOptions{
			HTTPClient:      rec.Client(),
			Subprotocols:    []string{"chat.v1", "chat.v2"},
			CompressionMode: websocket.CompressionContextTakeover,
		})
		if err != nil {
			return err
		}
		defer c.CloseNow()
		see.add("handshake", "%s", c.Subprotocol())
		s := socket{
			read: func() (bool, []byte, error) {
				kind, data, err := c.Read(ctx)
				return kind == websocket.MessageBinary, data, err
			},
			write: func(binary bool, data []byte) error {
				if binary {
					return c.Write(ctx, websocket.MessageBinary, data)
				}
				return c.Write(ctx, websocket.MessageText, data)
			},
			ping: func() { _ = c.Ping(ctx) }, // fails if the session ends first
		}
		if clientCloses {
			s.close = func(code int, reason string) error { return c.Close(websocket.StatusCode(code), reason) }
		}
		return talkInRounds(s, word, see)
	}
}

// gorillaChat talks through gorilla/websocket, which dials a server as another process does.
func gorillaChat(t *testing.T, word string, clientCloses bool) program {
	return func(ctx context.Context, rec *promptecho.Recorder, base string, see *notes) error {
		dialer := gorilla.Dialer{EnableCompression: true, Subprotocols: []string{"chat.v1", "chat.v2"}}
		c, _, err := dialer.DialContext(ctx, socketURL(t, rec, base)+"/chat", nil)
		if err != nil {
			return err
		}
		defer c.Close()
		see.add("handshake", "%s", c.Subprotocol())
		var writing sync.Mutex
		write := func(kind int, data []byte) error {
			writing.Lock()
			defer writing.Unlock()
			return c.WriteMessage(kind, data)
		}
		// The handlers write beside the senders, and also after the close frame, which is an error.
		c.SetPingHandler(func(data string) error {
			_ = write(gorilla.PongMessage, []byte(data))
			return nil
		})
		closed := make(chan string, 1)
		c.SetCloseHandler(func(code int, reason string) error {
			closed <- fmt.Sprint(code, " ", reason)
			_ = write(gorilla.CloseMessage, gorilla.FormatCloseMessage(code, ""))
			return nil
		})
		s := socket{
			read: func() (bool, []byte, error) {
				kind, data, err := c.ReadMessage()
				return kind == gorilla.BinaryMessage, data, err
			},
			write: func(binary bool, data []byte) error {
				if binary {
					return write(gorilla.BinaryMessage, data)
				}
				return write(gorilla.TextMessage, data)
			},
			ping: func() { _ = write(gorilla.PingMessage, []byte("are you there")) },
		}
		if clientCloses {
			s.close = func(code int, reason string) error {
				err := write(gorilla.CloseMessage, gorilla.FormatCloseMessage(code, reason))
				answer := <-closed // as the connection is read
				see.add("messages", "answered with %s", answer)
				return err
			}
		}
		return talkInRounds(s, word, see)
	}
}

// socketURL returns the address of a server for clients that dial by themselves.
func socketURL(t *testing.T, rec *promptecho.Recorder, base string) string {
	return "ws" + strings.TrimPrefix(echotest.Serve(t, rec).URL(base), "http")
}

// Messages from eight goroutines at once, with compression offered, pings, a subprotocol, bytes, and
// the close code of either side replay through common clients.
func TestSocketsWithEightSenders(t *testing.T) {
	t.Parallel()
	for _, clientCloses := range []bool{false, true} {
		side := map[bool]string{false: "the server closes", true: "the client closes"}[clientCloses]
		for name, chat := range map[string]func(t *testing.T, word string) program{
			"coder":   func(t *testing.T, word string) program { return coderChat(word, clientCloses) },
			"gorilla": func(t *testing.T, word string) program { return gorillaChat(t, word, clientCloses) },
		} {
			t.Run(name+", "+side, func(t *testing.T) {
				t.Parallel()
				server := serveSockets(t, talkChat, chatOptions)
				file := replays(t, server, chat(t, "hello"))
				text := read(t, file)
				want := "4001 enough"
				if clientCloses {
					want = "4002 bye"
				}
				for _, want := range []string{want, "sec-websocket-protocol: ", "chat.v1", "sent_bytes"} {
					if !strings.Contains(text, want) {
						t.Errorf("the cassette does not have %q:\n%s", want, text)
					}
				}
				if strings.Contains(strings.ToLower(text), "permessage-deflate") {
					t.Errorf("the extension is in the cassette:\n%s", text)
				}
				wantMiss(t, file, server.URL, chat(t, "good-bye"), "text", "good-bye")
			})
		}
	}
}
