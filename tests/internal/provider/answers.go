package provider

import (
	"io"
	"net/http"
	"strings"
	"sync"
)

// A Func answers requests in memory.
type Func func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f Func) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Says always gives the same answer, with status 200.
func Says(body string) http.RoundTripper { return Statuses(body, http.StatusOK) }

// Fails never answers: each request ends with this error.
func Fails(err error) http.RoundTripper {
	return Func(func(*http.Request) (*http.Response, error) { return nil, err })
}

// Statuses answers with one status after the other, and with the last one for ever. It must be
// asked by one goroutine at a time, unless there is one status.
func Statuses(body string, list ...int) http.RoundTripper {
	return Func(func(*http.Request) (*http.Response, error) {
		status := list[0]
		if len(list) > 1 {
			list = list[1:]
		}
		return &http.Response{
			StatusCode:    status,
			Header:        http.Header{"Content-Type": {"application/json"}},
			Body:          io.NopCloser(strings.NewReader(body)),
			ContentLength: int64(len(body)),
		}, nil
	})
}

// InTurn reads each request, and gives one answer after the other.
func InTurn(answers ...string) http.RoundTripper {
	var mu sync.Mutex
	return Func(func(req *http.Request) (*http.Response, error) {
		io.Copy(io.Discard, req.Body)
		mu.Lock()
		defer mu.Unlock()
		body := answers[0]
		answers = answers[1:]
		return Says(body).RoundTrip(req)
	})
}
