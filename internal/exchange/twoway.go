package exchange

import (
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/stream"
)

// twoWayHeaders has the headers of requests whose body is sent for as long as the response streams,
// and how their values end. In a replay nothing else can tell them from requests whose response
// comes after the body.
var twoWayHeaders = map[string]string{
	// Amazon Transcribe and others. https://smithy.io/2.0/aws/amazon-eventstream.html
	"Content-Type": eventStreamType,

	// InvokeModelWithBidirectionalStream of Amazon Bedrock: each event is signed.
	"X-Amz-Content-Sha256": "-EVENTS",
}

const eventStreamType = "application/vnd.amazon.eventstream"

// IsTwoWay reports whether a request is a session: its body and its response are streams of
// messages, at the same time.
func IsTwoWay(req *http.Request) bool {
	if req.Body == nil || req.Body == http.NoBody || req.ContentLength > 0 {
		return false
	}
	for name, end := range twoWayHeaders {
		if strings.HasSuffix(req.Header.Get(name), end) {
			return true
		}
	}
	return false
}

// A TwoWay records a session whose messages are events of a request and of its response.
type TwoWay struct {
	body io.ReadCloser // of the request
	log  sessionLog

	mu         sync.Mutex // guards what follows; the log is locked under it
	fromClient stream.Cutter
	isEnded    bool // the client has ended its body
}

// NewTwoWay returns what records the session of a request, and the request to send in its place.
func NewTwoWay(req *http.Request, sink SessionSink) (*TwoWay, *http.Request) {
	s := &TwoWay{body: req.Body}
	s.log = sessionLog{sink: sink, start: time.Now()}
	s.fromClient = stream.Cutter{ContentType: eventStreamType, Frame: s.recordSent}
	out := req.Clone(req.Context())
	out.Body = sentBody{s}
	out.GetBody = nil
	return s, out
}

// A sentBody is the body of the request, which the transport reads while it sends it.
type sentBody struct{ *TwoWay }

// Read records the events that the client sends, before they are sent.
func (b sentBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fromClient.Add(p[:n])
	if err == io.EOF && !b.isEnded {
		b.isEnded = true
		b.log.add(interaction.Message{Sent: true, Kind: interaction.Close})
	}
	return n, err
}

func (b sentBody) Close() error { return b.body.Close() }

// recordSent records an event of the client.
func (s *TwoWay) recordSent(frame []byte) {
	m, ok := sentMessage(frame)
	if ok {
		s.log.add(m)
	}
}

// sentMessage returns the message of the client in a frame.
func sentMessage(frame []byte) (m interaction.Message, ok bool) {
	event, ok := stream.ReadSent(frame)
	m = interaction.Message{Sent: true, Data: event.Data}
	if event.Binary {
		m.Kind = interaction.Bytes
	}
	return m, ok
}

// Respond records the response while the client reads it.
func (s *TwoWay) Respond(resp *http.Response) {
	stored := storedHead(resp)
	b := &receivedBody{session: s, resp: resp, body: resp.Body}
	b.fromServer = stream.Cutter{ContentType: stored.Headers.Get("content-type"), Frame: b.record}
	resp.TLS = nil
	resp.Header = maps.Clone(resp.Header) // the transport may keep the map
	maps.DeleteFunc(resp.Header, func(name string, _ []string) bool {
		return s.log.sink.DropsHeader(name)
	})
	stored.Headers = interaction.HeadersOf(resp.Header.Clone())

	s.log.mu.Lock()
	s.log.onEnd = func() { b.body.Close() }
	s.log.latency = time.Since(s.log.start).Milliseconds()
	stored.Events, stored.Delays = s.log.stored.Events, s.log.stored.Delays
	stored.Stream = stream.EventStream
	s.log.stored = stored
	s.log.mu.Unlock()
	resp.Body = b
	s.log.sink.Pending.Add(&s.log)
}

// A receivedBody is the body of the response.
type receivedBody struct {
	session    *TwoWay
	resp       *http.Response
	body       io.ReadCloser
	reading    sync.Mutex // guards fromServer
	fromServer stream.Cutter
}

// Read reads from the server, and records the events.
func (b *receivedBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	b.reading.Lock()
	defer b.reading.Unlock()
	b.fromServer.Add(p[:n])
	switch {
	case err == io.EOF:
		b.session.log.finish("", "")
	case err != nil && request.Canceled(b.resp.Request) != nil:
		b.session.log.finish(interaction.EndClosed, "")
	case err != nil:
		b.session.log.finish(interaction.EndError, err.Error())
	}
	return n, err
}

// record records an event of the server.
func (b *receivedBody) record(frame []byte) {
	b.session.log.addReceived(b.fromServer.Framing().Read(frame))
}

// Close ends the session, if it has not ended.
func (b *receivedBody) Close() error {
	b.session.log.finish(interaction.EndClosed, "")
	return b.body.Close()
}
