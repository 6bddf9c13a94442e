package echogrpc

import (
	"context"
	"crypto/tls"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"

	"github.com/promptecho/promptecho"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip" // for programs that compress their messages
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// A service answers the calls of other processes: a gRPC service with all methods of its schema.
type service struct {
	rec    *promptecho.Recorder
	schema *schema
	broken error // why there is no schema; nil if there is one
}

// newServer returns a server with the service. The sizes of messages are for the client and its own
// server to limit.
func (s *service) newServer() *grpc.Server {
	return grpc.NewServer(
		grpc.UnknownServiceHandler(s.serve),
		grpc.MaxRecvMsgSize(math.MaxInt),
		grpc.MaxSendMsgSize(math.MaxInt),
	)
}

// upstreamKey is the key of the URL of a request in its context.
type upstreamKey struct{}

// withUpstream returns the context of a call to the server of a URL.
func withUpstream(ctx context.Context, u *url.URL) context.Context {
	return context.WithValue(ctx, upstreamKey{}, u)
}

func upstreamOf(ctx context.Context) *url.URL {
	u, _ := ctx.Value(upstreamKey{}).(*url.URL)
	return u
}

// serve answers one call. A server calls it for each.
func (s *service) serve(_ any, stream grpc.ServerStream) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel() // a connection of the call ends with it, too
	upstream := upstreamOf(ctx)
	path, _ := grpc.MethodFromServerStream(stream) // the stream is one of a server
	sent, _ := metadata.FromIncomingContext(ctx)
	ctx = metadata.NewOutgoingContext(ctx, metadataOf(headerOf(sent)))
	c := &call{rec: s.rec, host: hostOfUpstream(upstream), method: path}
	m, err := s.method(path)
	if err != nil {
		return c.refuse(ctx, err)
	}
	served := &servedCall{
		call:     c,
		types:    m,
		server:   stream,
		isTLS:    upstream.Scheme == "https",
		agent:    strings.Join(sent["user-agent"], " "),
		cancel:   cancel,
		sendDone: make(chan error, 1),
	}
	return served.run(ctx)
}

// method returns the method of a path.
func (s *service) method(path string) (*method, error) {
	if s.broken != nil {
		return nil, s.broken
	}
	return s.schema.find(path)
}

// refuse returns the error of a call whose messages cannot be read. The recorder is asked for a
// request with the reason, which it does not have, so that the run fails, too.
func (c *call) refuse(ctx context.Context, reason error) error {
	refused := &refusedError{text: "promptecho: " + reason.Error()}
	body, err := encodeStatus(refused.GRPCStatus())
	if err != nil {
		return err
	}
	resp, err := c.ask(ctx, body, func(*http.Request) (*http.Response, error) { return nil, refused })
	if err == nil {
		resp.Body.Close()
	}
	return refused
}

// hostOfUpstream returns the host of an upstream as hostOf does: with its port, unless that is the
// one of a target without a port.
func hostOfUpstream(upstream *url.URL) string {
	if upstream.Scheme == "http" && upstream.Port() == "" {
		return upstream.Host + ":80"
	}
	return strings.TrimSuffix(upstream.Host, ":443")
}

// A servedCall is a call of another process. All kinds are streams here: those with one message are
// streams that end after it.
type servedCall struct {
	*call
	types    *method
	server   grpc.ServerStream // to the program
	client   grpc.ClientStream // to the recorder
	isTLS    bool              // of a live call
	agent    string            // User-Agent of the program
	cancel   context.CancelFunc
	sendDone chan error // gets what send has returned
}

// run makes the call, or replays it. What the program sends passes in a goroutine of its own only if
// both sides send, because otherwise the answer follows the last message.
func (s *servedCall) run(ctx context.Context) error {
	client, err := s.stream(ctx, s.desc(), s.open)
	if err != nil {
		return err
	}
	s.client = client
	isTwoWay := s.types.IsStreamingClient() && s.types.IsStreamingServer()
	if !isTwoWay {
		err := s.send()
		if err != nil {
			return err
		}
		return s.receive()
	}
	go func() {
		err := s.send()
		s.sendDone <- err
		if err != nil {
			s.cancel() // so that receive returns
		}
	}()
	err = s.receive()
	select {
	case failed := <-s.sendDone:
		if failed != nil {
			return failed
		}
	default:
	}
	return err
}

func (s *servedCall) desc() *grpc.StreamDesc {
	return &grpc.StreamDesc{
		StreamName:    string(s.types.Name()),
		ClientStreams: s.types.IsStreamingClient(),
		ServerStreams: s.types.IsStreamingServer(),
	}
}

// send passes on the messages of the program. It returns nil, too, if receive gets the error.
func (s *servedCall) send() error {
	for {
		m := s.types.newInput()
		err := s.server.RecvMsg(m)
		if err == io.EOF {
			return s.client.CloseSend()
		}
		if err != nil {
			return err
		}
		err = s.client.SendMsg(m)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// receive passes on the answer. The header of a stream is sent when it is known, as programs wait for
// it; that of another call is known with its message.
func (s *servedCall) receive() error {
	err := s.receiveMessages()
	s.server.SetTrailer(s.client.Trailer())
	if err == io.EOF {
		return nil
	}
	return err
}

// receiveMessages returns io.EOF after the last message.
func (s *servedCall) receiveMessages() error {
	if s.types.IsStreamingServer() {
		s.sendHeader(s.server.SendHeader)
	}
	for {
		m := s.types.newOutput()
		err := s.client.RecvMsg(m)
		if !s.types.IsStreamingServer() {
			s.sendHeader(s.server.SetHeader)
		}
		if err != nil {
			return err
		}
		err = s.server.SendMsg(m)
		if err != nil {
			return err
		}
		if !s.types.IsStreamingServer() {
			return nil
		}
	}
}

// sendHeader passes on the header, if there is one. RecvMsg has the error of a call without it.
func (s *servedCall) sendHeader(send func(metadata.MD) error) {
	header, err := s.client.Header()
	if err == nil && header.Len() > 0 {
		_ = send(header) // it fails if the program is gone
	}
}

// open opens the live stream of the call.
func (s *servedCall) open(ctx context.Context, options []grpc.CallOption) (grpc.ClientStream, error) {
	transport := insecure.NewCredentials()
	if s.isTLS {
		transport = credentials.NewTLS(new(tls.Config))
	}
	conn, err := grpc.NewClient(
		"dns:///"+s.host,
		grpc.WithTransportCredentials(transport),
		grpc.WithUserAgent(s.agent),
		grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(math.MaxInt),
			grpc.MaxCallSendMsgSize(math.MaxInt),
		),
	)
	if err != nil {
		return nil, status.Errorf(codes.Unavailable, "promptecho: %s: %v", s.host, err)
	}
	context.AfterFunc(ctx, func() { conn.Close() }) // it returns an error only if conn is closed
	return conn.NewStream(ctx, s.desc(), s.method, options...)
}
