package promptecho

import (
	"context"
	"errors"
	"net/http"
	"reflect"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
)

// A Stream is a session: a conversation in messages that both sides send. Send
// and CloseSend may be called by one goroutine while another one calls Recv.
// CloseSend says that no message follows. Recv returns [io.EOF] when the other
// side has ended the session, and waits until a message comes otherwise.
type Stream[S, R any] interface {
	Send(S) error
	CloseSend() error
	Recv() (R, error)
}

// A MetadataStream is a session whose other side sends headers before its
// messages, and trailers after them, as in gRPC. Header waits for the headers.
// Trailer returns nil until Recv has returned an error.
type MetadataStream interface {
	Stream[[]byte, []byte]
	Header() http.Header
	Trailer() http.Header
}

// Session opens a session that begins with a request: one over a protocol that
// net/http does not speak. A WebSocket that is dialled with the client of the
// recorder, and a body that is sent over HTTP/2 while the response streams,
// need no call of Session.
//
// Where RoundTrip would send the request upstream, Session calls open, and
// records the messages that go both ways, until Recv returns an error or the
// recorder is closed. The messages are JSON, or any other bytes. Otherwise it
// returns a recorded session, and calls nothing. The URL, the headers and the
// body of the request match as those of any request; nothing is sent of them.
//
// A recorded session is replayed by these rules:
//
//   - A message can be received as soon as all messages have been sent that were
//     sent before it was received in the recording. So several goroutines may
//     send in any order.
//   - A message that is sent matches as a request to the same URL with this body
//     does, with the same options.
//   - Sessions that begin with equal requests may be open at the same time. Each
//     gets a recording that agrees with all that it has sent and received.
//
// A message that is not recorded is a miss: Send and Recv return a [*MissError]
// from then on, and the run fails. So does Recv after ten seconds, and twice as
// long as the recorded program needed, in which the program has not sent what
// was sent before the next message in the recording. A message is no miss if
// the other side had ended the session by then in the recording: it was on its
// way when the session ended.
//
// The session that Session returns is a [MetadataStream]. Its headers and trailers
// are those of the session that open returns, if that is one, too. They are
// recorded as those of a response over HTTP are: volatile ones are left out, and
// secrets are replaced.
//
// Session returns an error of open, a [*MissError] if the request is not
// recorded, or the error of the context. The session ends with the context of
// the request. A nil recorder calls open.
func (r *Recorder) Session(
	req *http.Request, open func(context.Context) (Stream[[]byte, []byte], error),
) (Stream[[]byte, []byte], error) {
	if r == nil {
		return open(req.Context())
	}
	link, err := r.engine().Session(req, func(ctx context.Context) (recorder.Link, error) {
		live, err := open(ctx)
		if err != nil {
			return nil, err
		}
		described, hasMetadata := live.(MetadataStream)
		if hasMetadata {
			return liveMetadataLink{liveLink{live}, described}, nil
		}
		return liveLink{live}, nil
	})
	if err != nil {
		return nil, asMissError(err)
	}
	return sessionStream{link}, nil
}

// A liveLink is a session of the program as a recorder sees it.
type liveLink struct{ stream Stream[[]byte, []byte] }

func (l liveLink) Send(m interaction.Message) error {
	if m.Kind == interaction.Close {
		return l.stream.CloseSend()
	}
	return l.stream.Send([]byte(m.Data))
}

func (l liveLink) Recv() (interaction.Message, error) {
	message, err := l.stream.Recv()
	return interaction.Message{Data: string(message)}, err
}

// A liveMetadataLink is a liveLink with headers and trailers.
type liveMetadataLink struct {
	liveLink
	described MetadataStream
}

func (l liveMetadataLink) Header() http.Header  { return l.described.Header() }
func (l liveMetadataLink) Trailer() http.Header { return l.described.Trailer() }

// A sessionStream is a session of a recorder as the program sees it.
type sessionStream struct{ link recorder.Link }

func (s sessionStream) Send(message []byte) error {
	return asMissError(s.link.Send(interaction.Message{Data: string(message)}))
}

func (s sessionStream) CloseSend() error {
	return asMissError(s.link.Send(interaction.Message{Kind: interaction.Close}))
}

func (s sessionStream) Recv() ([]byte, error) {
	m, err := s.link.Recv()
	if err != nil {
		return nil, asMissError(err)
	}
	return []byte(m.Data), nil
}

// Header returns the headers of the other side; nil if it sends none.
func (s sessionStream) Header() http.Header {
	link, hasMetadata := s.link.(recorder.MetadataLink)
	if !hasMetadata {
		return nil
	}
	return link.Header()
}

// Trailer returns the trailers of the other side; nil if it sends none.
func (s sessionStream) Trailer() http.Header {
	link, hasMetadata := s.link.(recorder.MetadataLink)
	if !hasMetadata {
		return nil
	}
	return link.Trailer()
}

// asMissError returns the [*MissError] for the error of a miss, and any other
// error as it is.
func asMissError(err error) error {
	var miss *report.Miss
	if errors.As(err, &miss) {
		return (*MissError)(miss)
	}
	return err
}

// WrapStream returns a function that opens sessions by calling open, and
// records them: the live session of an SDK that has a transport of its own, a
// queue, a subscription. It is to [Wrap] what a stream is to a call. In replay,
// open is not called. If rec is nil, WrapStream returns open.
//
// Names, types, errors and options are those of [Wrap]: messages pass through
// encoding/json, in the run that records, too. Unlike there, that run gets what
// it receives before secrets are replaced. How a session is replayed, and what
// a miss is, [Recorder.Session] says.
func WrapStream[S, R any](
	rec *Recorder, name string, open func(context.Context) (Stream[S, R], error), opts ...WrapOption,
) func(context.Context) (Stream[S, R], error) {
	if rec == nil {
		return open
	}
	var c wrapConfig
	group.Apply(opts, &c)
	w := rec.engine().WrapStream(name, reflect.TypeFor[S](), reflect.TypeFor[R](), c.sentinels)
	return func(ctx context.Context) (Stream[S, R], error) {
		var live *liveStream[S, R] // nil in a replay
		link, err := w.Open(ctx, func(ctx context.Context) (recorder.Link, error) {
			opened, err := open(ctx)
			if err != nil {
				return nil, err
			}
			live = &liveStream[S, R]{opened, w}
			return live, nil
		})
		if err != nil {
			return nil, asMissError(err)
		}
		switch link := link.(type) {
		case *liveStream[S, R]:
			return live.Stream, nil // it passes through
		case *recorder.RecordedLink:
			return &recordedStream[S, R]{playedStream[S, R]{w, link}, link, live}, nil
		}
		return &playedStream[S, R]{w, link}, nil
	}
}

// A liveStream is a session of the program as a recorder sees it: what is
// received is JSON.
type liveStream[S, R any] struct {
	Stream[S, R]
	w *recorder.WrappedStream
}

// Send is only called for the end of what the program sends: it sends its messages by itself.
func (l *liveStream[S, R]) Send(m interaction.Message) error {
	if m.Kind == interaction.Close {
		return l.Stream.CloseSend()
	}
	return errors.ErrUnsupported
}

func (l *liveStream[S, R]) Recv() (interaction.Message, error) {
	m, err := l.Stream.Recv()
	if err != nil {
		return interaction.Message{}, err
	}
	message, err := l.w.Encode(&m)
	return interaction.Message{Data: string(message)}, err
}

// A playedStream is a recorded session as the program sees it.
type playedStream[S, R any] struct {
	w    *recorder.WrappedStream
	link recorder.Link
}

func (s *playedStream[S, R]) Send(m S) error {
	message, err := s.w.Encode(&m)
	if err != nil {
		return err
	}
	return asMissError(s.link.Send(interaction.Message{Data: string(message)}))
}

func (s *playedStream[S, R]) CloseSend() error {
	return asMissError(s.link.Send(interaction.Message{Kind: interaction.Close}))
}

func (s *playedStream[S, R]) Recv() (m R, err error) {
	message, err := s.link.Recv()
	if err != nil {
		return m, asMissError(err)
	}
	err = s.w.Decode([]byte(message.Data), &m)
	return m, err
}

// A recordedStream is a session that is being recorded, as the program sees it.
type recordedStream[S, R any] struct {
	playedStream[S, R]
	recorded *recorder.RecordedLink
	live     *liveStream[S, R]
}

// Send sends the message of the program itself: its type need not be readable
// from JSON.
func (s *recordedStream[S, R]) Send(m S) error {
	message, err := s.w.Encode(&m)
	if err != nil {
		return err
	}
	s.recorded.NoteSent(interaction.Message{Data: string(message)})
	return s.live.Stream.Send(m)
}
