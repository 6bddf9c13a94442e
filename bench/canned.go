package bench

import (
	"bytes"
	"io"
	"net/http"
)

// canned is the lowest floor: it answers every request, without a look at it, with
// the first answer it was given, cut where that was cut. What it costs is what the
// measuring costs.
func canned() Contender {
	first := map[string]*answer{}
	return Contender{
		Name:     "canned",
		Blind:    true,
		InMemory: true,
		Record: func(file string, upstream http.RoundTripper) (Session, error) {
			return roundTripper{func(req *http.Request) (*http.Response, error) {
				resp, err := upstream.RoundTrip(req)
				if err != nil || first[file] != nil {
					return resp, err
				}
				a, err := keep(resp)
				if err != nil {
					return nil, err
				}
				first[file] = a
				return a.response(req), nil
			}, nothingToClose}, nil
		},
		Replay: func(file string, _ bool) (Session, error) {
			a := first[file]
			return roundTripper{func(req *http.Request) (*http.Response, error) {
				return a.response(req), nil
			}, nothingToClose}, nil
		},
	}
}

// keep reads an answer, each Read by itself.
func keep(resp *http.Response) (*answer, error) {
	defer resp.Body.Close()
	a := &answer{status: resp.StatusCode, header: resp.Header, length: resp.ContentLength}
	buf := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			a.pieces = append(a.pieces, bytes.Clone(buf[:n]))
		}
		if err == io.EOF {
			return a, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
