// Package httprr stands in for golang.org/x/oscar/internal/httprr, which other modules
// cannot import, and which those who use it have copied. What the test calls has the same
// signatures and writes the same format; it is not their code, and has no more than the test
// needs.
package httprr

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"os"
	"regexp"
	"strings"
)

var again = flag.String("httprecord", "", "record the traces whose files match `regexp` again")

const header = "httprr trace v1\n"

// A RecordReplay records requests, or replays them.
type RecordReplay struct {
	real   http.RoundTripper
	trace  *os.File          // nil in replay
	known  map[string]string // requests and their answers, in replay
	scrubs []func(*http.Request) error
}

// Open opens a trace. If the flag -httprecord matches its name, it is recorded again.
func Open(file string, rt http.RoundTripper) (*RecordReplay, error) {
	re, err := regexp.Compile(*again)
	if err != nil {
		return nil, err
	}
	rr := &RecordReplay{real: rt, known: map[string]string{}}
	if *again != "" && re.MatchString(file) {
		if rr.trace, err = os.Create(file); err != nil {
			return nil, err
		}
		_, err = rr.trace.WriteString(header)
		return rr, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for rest := strings.TrimPrefix(string(data), header); rest != ""; {
		var asked, answered int
		line, entry, _ := strings.Cut(rest, "\n")
		if _, err := fmt.Sscan(line, &asked, &answered); err != nil {
			return nil, err
		}
		rr.known[entry[:asked]], rest = entry[asked:asked+answered], entry[asked+answered:]
	}
	return rr, nil
}

// ScrubReq adds functions that change requests before they are written and looked up.
func (rr *RecordReplay) ScrubReq(scrubs ...func(req *http.Request) error) {
	rr.scrubs = append(rr.scrubs, scrubs...)
}

// Recording reports whether the trace is being recorded.
func (rr *RecordReplay) Recording() bool { return rr.trace != nil }

// Client returns a client that asks rr.
func (rr *RecordReplay) Client() *http.Client { return &http.Client{Transport: rr} }

// A Body is the body that a function of ScrubReq finds in a request.
type Body struct {
	Data       []byte
	ReadOffset int
}

func (b *Body) Read(p []byte) (n int, err error) {
	if b.ReadOffset == len(b.Data) {
		return 0, io.EOF
	}
	n = copy(p, b.Data[b.ReadOffset:])
	b.ReadOffset += n
	return n, nil
}

// Close does nothing.
func (b *Body) Close() error { return nil }

// Close closes the trace.
func (rr *RecordReplay) Close() error {
	if rr.trace == nil {
		return nil
	}
	return rr.trace.Close()
}

// RoundTrip implements [http.RoundTripper].
func (rr *RecordReplay) RoundTrip(req *http.Request) (*http.Response, error) {
	data, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req.Body = &Body{Data: data}
	key, body := req.Clone(context.Background()), &Body{Data: bytes.Clone(data)}
	key.Body = body
	for _, scrub := range rr.scrubs {
		if err := scrub(key); err != nil {
			return nil, err
		}
	}
	key.ContentLength = int64(len(body.Data))
	var asked strings.Builder
	if err := key.WriteProxy(&asked); err != nil {
		return nil, err
	}
	if rr.trace == nil {
		answer, ok := rr.known[asked.String()]
		if !ok {
			return nil, fmt.Errorf("no answer is known to\n%s", asked.String())
		}
		return http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), req)
	}
	resp, err := rr.real.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	answer, err := httputil.DumpResponse(resp, true)
	if err == nil {
		_, err = fmt.Fprintf(rr.trace, "%d %d\n%s%s", asked.Len(), len(answer), asked.String(), answer)
	}
	return resp, err
}
