package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// httpRR is the design of golang.org/x/oscar/internal/httprr, which nobody outside of
// that module can import. Its file is text, "httprr trace v1": before each call a line
// with the lengths of the request and of the answer as they go over the wire, and no
// more. A request is written out whole, without its credential, and looked up in a map.
func httpRR() Contender {
	return Contender{
		Name: "httprr",
		Record: func(file string, upstream http.RoundTripper) (Session, error) {
			f, err := os.Create(file)
			if err != nil {
				return nil, err
			}
			if _, err := f.WriteString(traceHead); err != nil {
				return nil, errors.Join(err, f.Close())
			}
			return roundTripper{func(req *http.Request) (*http.Response, error) {
				return appendTrace(f, req, upstream)
			}, f.Close}, nil
		},
		Replay: func(file string, _ bool) (Session, error) {
			calls, err := readTrace(file)
			if err != nil {
				return nil, err
			}
			return roundTripper{func(req *http.Request) (*http.Response, error) {
				asked, _, err := wireRequest(req)
				if err != nil {
					return nil, err
				}
				answered, ok := calls[asked]
				if !ok {
					return nil, errNotRecorded
				}
				return http.ReadResponse(bufio.NewReader(strings.NewReader(answered)), req)
			}, nothingToClose}, nil
		},
	}
}

const traceHead = "httprr trace v1\n"

// wireRequest returns a request as it goes over the wire, without its credential, and
// its body.
func wireRequest(req *http.Request) (asked string, body []byte, err error) {
	body, err = io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return "", nil, err
	}
	clean := req.Clone(req.Context())
	clean.Header.Del("Authorization")
	clean.Body = io.NopCloser(bytes.NewReader(body))
	clean.ContentLength = int64(len(body))
	var b strings.Builder
	err = clean.WriteProxy(&b)
	return b.String(), body, err
}

// appendTrace asks upstream, appends the call to a trace and returns the answer as the
// trace has it.
func appendTrace(f *os.File, req *http.Request, upstream http.RoundTripper) (*http.Response, error) {
	asked, body, err := wireRequest(req)
	if err != nil {
		return nil, err
	}
	out := *req
	out.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := upstream.RoundTrip(&out)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var answered bytes.Buffer
	if err := resp.Write(&answered); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(f, "%d %d\n%s%s", len(asked), answered.Len(), asked, answered.Bytes()); err != nil {
		return nil, err
	}
	return http.ReadResponse(bufio.NewReader(&answered), req)
}

// readTrace reads the calls of a trace: requests with their answers.
func readTrace(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	rest, ok := strings.CutPrefix(string(text), traceHead)
	if !ok {
		return nil, errors.New("bench: " + file + ": not a trace of httprr")
	}
	calls := map[string]string{}
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		one, two, _ := strings.Cut(line, " ")
		asked, err1 := strconv.Atoi(one)
		answered, err2 := strconv.Atoi(two)
		if err1 != nil || err2 != nil || asked < 0 || answered < 0 || asked+answered > len(after) {
			return nil, errors.New("bench: " + file + ": a call that is not whole")
		}
		calls[after[:asked]] = after[asked:][:answered]
		rest = after[asked+answered:]
	}
	return calls, nil
}
