package mutation

import (
	"bytes"
	"net/http"

	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/interaction"
)

// failure returns the response with which the provider of a request fails. SDKs that send the
// request again do so at once; those of AWS and Cohere wait whatever a response says.
func failure(req *interaction.Request, status int) *interaction.Response {
	httpReq, err := http.NewRequest(req.Method, req.URL, bytes.NewReader(req.Body))
	if err != nil {
		return &interaction.Response{Status: status} // no client can have sent it
	}
	httpReq.Header = req.Headers.Map()
	state := &fakeprovider.State{NeedsNoKey: true}
	read := fakeprovider.Read(httpReq, req.Body, state)
	made := read.Refuse(1, fakeprovider.Problem{Status: status})

	made.Header.Del("Set-Cookie") // no recording has it
	made.Header.Set("Retry-After", "0")
	made.Header.Set("Retry-After-Ms", "0")
	return &interaction.Response{
		Status:  made.Status,
		Headers: interaction.HeadersOf(made.Header),
		Body:    made.Body,
	}
}
