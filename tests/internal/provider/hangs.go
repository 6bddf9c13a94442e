package provider

import (
	"context"
	"io"
	"net/http"
)

// Hangs gives no answer before the request is canceled.
var Hangs = Func(func(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, context.Cause(req.Context())
})

// EventStream returns an answer of status 200 that streams the events of a body.
func EventStream(body io.ReadCloser) *http.Response {
	header := http.Header{"Content-Type": {"text/event-stream"}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: body, ContentLength: -1}
}
