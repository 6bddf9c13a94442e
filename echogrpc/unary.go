package echogrpc

import (
	"context"
	"io"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// unary makes a unary call, or replays it. live makes it.
func (c *call) unary(
	ctx context.Context, req, reply any, live func(context.Context, []grpc.CallOption) error,
) error {
	body, err := encodeRequest(req)
	if err != nil {
		return err
	}
	resp, err := c.ask(ctx, body, func(req *http.Request) (*http.Response, error) {
		var header, trailer metadata.MD
		options := append(c.liveOptions(), grpc.Header(&header), grpc.Trailer(&trailer))
		err := live(req.Context(), options)
		return responseOf(ctx, reply, err, header, trailer)
	})
	if err == nil {
		return c.answer(ctx, resp, reply)
	}
	c.serveOptions(nil, nil, err)
	return err
}

// liveOptions returns the options with which the call is made: those that serveOptions does not serve.
func (c *call) liveOptions() []grpc.CallOption {
	var options []grpc.CallOption
	for _, option := range c.options {
		switch option.(type) {
		case grpc.HeaderCallOption, grpc.TrailerCallOption, grpc.OnFinishCallOption:
		default:
			options = append(options, option)
		}
	}
	return options
}

// answer sets a message to the one answer to a call, and returns the error of the call. It ends the call.
func (c *call) answer(ctx context.Context, resp *http.Response, reply any) error {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		err = statusOf(ctx, err)
	case resp.StatusCode != http.StatusOK:
		err = recordedError(body)
	default:
		err = decode(body, reply)
	}
	c.serveOptions(metadataOf(resp.Header), metadataOf(resp.Trailer), err)
	return err
}
