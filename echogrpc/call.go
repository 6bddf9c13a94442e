package echogrpc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/promptecho/promptecho"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// A call is one call of a method, which the recorder answers.
type call struct {
	rec     *promptecho.Recorder
	host    string // of the server, with its port unless the target has none
	method  string // "/package.Service/Method"
	options []grpc.CallOption
}

// hostOf returns the host and the port that a target names
// (https://github.com/grpc/grpc/blob/master/doc/naming.md). The port 443 is left out, since grpc-go adds it
// to a target that names none.
//
//	dns:///db.example.com:6334   db.example.com:6334
//	db.example.com:443           db.example.com
//	passthrough:///bufnet        bufnet
//	127.0.0.1:6334               127.0.0.1:6334
//	unix:///run/db.sock          unix
//	unix-abstract:name           unix
func hostOf(target string) string {
	if strings.HasPrefix(target, "unix") {
		return "unix"
	}
	endpoint := target[strings.LastIndexByte(target, '/')+1:]
	u, err := url.Parse("//" + endpoint)
	if err != nil || u.Host == "" {
		return "server" // the program has a resolver of its own, whose targets name no host
	}
	return strings.TrimSuffix(u.Host, ":443")
}

// keep returns the JSON of a message that the program sends and, if the call may be made, a copy of the
// message: the caller may use it again before it is sent.
func (c *call) keep(message any) (body []byte, sent proto.Message, err error) {
	body, err = encodeRequest(message)
	if err != nil {
		return nil, nil, err
	}
	if !c.rec.Online() {
		return body, nil, nil
	}
	m, err := protoOf(message)
	if err != nil {
		return nil, nil, err
	}
	return body, proto.Clone(m), nil
}

// request returns the request to the recorder that stands for the call. The metadata are its
// headers: the recorder writes those on its list, and no credentials.
func (c *call) request(ctx context.Context, body []byte) (*http.Request, error) {
	u := url.URL{Scheme: "grpc", Host: c.host, Path: c.method}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, status.Errorf(codes.Internal, "promptecho: %s: %v", c.method, err)
	}
	sent, _ := metadata.FromOutgoingContext(ctx)
	req.Header = headerOf(sent)
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// An upstream makes a live call, in place of sending a request.
type upstream func(*http.Request) (*http.Response, error)

func (u upstream) RoundTrip(req *http.Request) (*http.Response, error) { return u(req) }

// ask asks the recorder for the answer to the call. live makes the call.
func (c *call) ask(ctx context.Context, body []byte, live upstream) (*http.Response, error) {
	req, err := c.request(ctx, body)
	if err != nil {
		return nil, err
	}
	resp, err := c.rec.Via(live).RoundTrip(req)
	if err != nil {
		return nil, statusOf(ctx, err)
	}
	if resp.Header.Get(promptecho.MissHeader) != "" {
		return nil, missOf(resp)
	}
	return resp, nil
}

// A refusedError is the error of a call that the recorder does not answer.
type refusedError struct {
	text string
	miss *promptecho.MissError // nil if there is another reason
}

func (e *refusedError) Error() string { return e.text }

// GRPCStatus returns the status that [status.FromError] finds. No client retries its code
// (https://grpc.io/docs/guides/status-codes/).
func (e *refusedError) GRPCStatus() *status.Status {
	return status.New(codes.FailedPrecondition, e.text)
}

func (e *refusedError) Unwrap() error {
	if e.miss == nil {
		return nil
	}
	return e.miss
}

// missOf returns the error of a response that says that the call is not recorded.
func missOf(resp *http.Response) error {
	defer resp.Body.Close()
	refused := &refusedError{text: "promptecho: the call is not recorded", miss: promptecho.MissOf(resp)}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return refused
	}
	said, err := readStatus(body)
	if err == nil {
		refused.text = said.Message()
	}
	return refused
}

// statusOf returns the status for an error of the recorder or of a body.
func statusOf(ctx context.Context, err error) error {
	_, isStatus := status.FromError(err)
	if isStatus {
		return err
	}
	var miss *promptecho.MissError
	if errors.As(err, &miss) {
		report, _, _ := strings.Cut(miss.Error(), "\n")
		return &refusedError{text: "promptecho: not recorded: " + report, miss: miss}
	}
	ended := ctx.Err()
	switch {
	case ended != nil:
		return status.FromContextError(ended).Err()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return status.FromContextError(err).Err()
	}
	return status.Error(codes.Unavailable, err.Error())
}

// responseOf returns the response that stands for the end of a live call: 200 with the message, or the
// status of the error with google.rpc.Status. If the call has failed because its context has ended, there
// was no answer, and responseOf returns the error of the context.
func responseOf(ctx context.Context, message any, err error, header, trailer metadata.MD) (*http.Response, error) {
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	code := http.StatusOK
	var body []byte
	var failed error
	if err != nil {
		code = httpStatus(status.Code(err))
		body, failed = encodeStatus(status.Convert(err))
	} else {
		body, failed = encode(message)
	}
	if failed != nil {
		return nil, failed
	}
	resp := newResponse(code, "application/json", header, bytes.NewReader(body))
	trailers := headerOf(trailer)
	if len(trailers) > 0 {
		resp.Trailer = trailers
		return resp, nil
	}
	// Only a body of unknown length can have trailers.
	resp.ContentLength = int64(len(body))
	resp.TransferEncoding = nil
	return resp, nil
}

// newResponse returns a response of unknown length.
func newResponse(code int, mediaType string, header metadata.MD, body io.Reader) *http.Response {
	h := headerOf(header)
	h.Set("Content-Type", mediaType)
	return &http.Response{
		StatusCode:       code,
		Proto:            "HTTP/1.1",
		ProtoMajor:       1,
		ProtoMinor:       1,
		Header:           h,
		Body:             io.NopCloser(body),
		ContentLength:    -1,
		TransferEncoding: []string{"chunked"},
	}
}

// serveOptions sets what the options of an ended call point to: header, trailer and peer. Then it calls the
// functions of OnFinish, which may read these. A live call has set its peer; in a replay the peer has the
// name of the host.
func (c *call) serveOptions(header, trailer metadata.MD, err error) {
	for _, option := range c.options {
		switch option := option.(type) {
		case grpc.HeaderCallOption:
			*option.HeaderAddr = header
		case grpc.TrailerCallOption:
			*option.TrailerAddr = trailer
		case grpc.PeerCallOption:
			isReplayed := option.PeerAddr.Addr == nil
			if isReplayed {
				option.PeerAddr.Addr = address(c.host)
			}
		}
	}
	for _, option := range c.options {
		finish, ok := option.(grpc.OnFinishCallOption)
		if ok {
			finish.OnFinish(err)
		}
	}
}

// An address has the name of a server that is not connected.
type address string

var _ net.Addr = address("")

func (a address) Network() string { return "promptecho" }
func (a address) String() string  { return string(a) }
