package exchange

import (
	"io"
	"net/http"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/stream"
)

// PlayTwoWay returns the response to a request whose body is sent for as long as the response
// streams. It returns at once. A goroutine reads the body of the request, as a transport does,
// until it ends or the response is closed.
func (p *Player) PlayTwoWay(req *http.Request, rec *Playable, script Script) (*http.Response, error) {
	s := &playedTwoWay{played: p.newPlayed(rec, script), request: req.Body}
	framing, err := stream.Lookup(rec.Stream)
	if err != nil {
		s.Close()
		return nil, err
	}
	s.encode = func(event interaction.Event) ([]byte, bool, error) {
		bytes, err := framing.Write(nil, event)
		return bytes, false, err
	}
	s.played.refuse = s.refuse
	s.fromClient = stream.Cutter{ContentType: eventStreamType, Frame: s.take}
	err = p.open(req, rec, s)
	if err != nil {
		return nil, err
	}
	resp := head(req, rec)
	resp.Body = s
	go s.readRequest()
	return resp, nil
}

// A playedTwoWay is the body of a response that is played while the body of its request is sent.
type playedTwoWay struct {
	played
	request    io.ReadCloser
	fromClient stream.Cutter // used by readRequest
}

// readRequest takes the events of the client.
func (s *playedTwoWay) readRequest() {
	buf := make([]byte, 32<<10) // what io.Copy uses
	for {
		n, err := s.request.Read(buf)
		s.fromClient.Add(buf[:n])
		if err == io.EOF && !s.isOver() {
			_ = s.script.Send(interaction.Message{Sent: true, Kind: interaction.Close})
		}
		if err != nil {
			s.closeByClient()
			return
		}
	}
}

// take takes an event of the client.
func (s *playedTwoWay) take(frame []byte) {
	m, ok := sentMessage(frame)
	if !ok || s.isOver() {
		return
	}
	err := s.script.Send(m)
	if err != nil {
		s.refuse(err)
	}
}

// refuse ends the session because of a message that is not recorded, with an exception as the API
// sends it (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ResponseStream.html).
func (s *playedTwoWay) refuse(err error) {
	bytes, writeErr := stream.Exception("validationException", err.Error())
	if writeErr != nil {
		s.endAt(err)
		return
	}
	s.endWith(bytes)
}

// Close ends the session.
func (s *playedTwoWay) Close() error {
	if s.close() {
		s.pending.Remove(s)
		return s.request.Close()
	}
	return nil
}
