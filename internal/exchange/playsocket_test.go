package exchange

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
)

// A closingScript has a session that the client closes, and the server then with a code. Only the
// client's close frame ends a Wait.
type closingScript struct {
	waits  chan bool // gets a value when Wait is called
	closed chan bool // is closed by the client's close frame
	isEnd  bool      // Next has returned the server's close frame
}

func (s *closingScript) Send(m interaction.Message) error {
	close(s.closed)
	return nil
}

func (s *closingScript) Next() (interaction.Event, int64, ScriptState) {
	select {
	case <-s.closed:
	default:
		return nil, 0, AwaitsClient
	}
	if s.isEnd {
		return nil, 0, ScriptEnded
	}
	s.isEnd = true
	m := interaction.Message{Kind: interaction.Close, Data: "4002 bye"}
	return m.Event(), 0, EventReady
}

func (s *closingScript) Wait(ctx context.Context) {
	s.waits <- true
	<-ctx.Done()
}

func (s *closingScript) WaitLimit() time.Duration { return time.Hour }
func (s *closingScript) WaitTimedOut() error      { return nil }
func (s *closingScript) Close()                   {}

// A client that closes a WebSocket gets the recorded answer, although Read waited for the client then.
func TestPlayedSocketAnswersCloseAsRecorded(t *testing.T) {
	t.Parallel()
	req := newRequest(t.Context(), "GET")
	script := &closingScript{waits: make(chan bool), closed: make(chan bool)}
	p := Player{Pending: new(Pending)}
	resp, err := p.PlaySocket(req, &Playable{}, script)
	if err != nil {
		t.Fatal(err)
	}
	connection := resp.Body.(io.ReadWriteCloser)
	defer connection.Close()
	go func() {
		<-script.waits
		frame := websocket.AppendMaskedFrame(nil, websocket.Close, websocket.CloseData(4002, "bye"), [4]byte{1, 2, 3, 4})
		_, _ = connection.Write(frame)
	}()
	got, err := io.ReadAll(connection)
	want := websocket.AppendFrame(nil, websocket.Close, websocket.CloseData(4002, "bye"))
	if string(got) != string(want) || err != nil {
		t.Errorf("the client reads %q, %v, want %q", got, err, want)
	}
}
