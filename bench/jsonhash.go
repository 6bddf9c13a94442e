package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
)

// jsonHash is the hard floor for anything that matches by content: decode the
// request with encoding/json, encode it again, hash that, and look up the answer
// in a map. Its answers are in memory, so opening costs it nothing.
func jsonHash() Contender {
	tapes := map[string]map[key]saved{}
	return Contender{
		Name:     "jsonhash",
		InMemory: true,
		Record: func(file string, upstream http.RoundTripper) (Session, error) {
			tape := map[key]saved{}
			return roundTripper{recordInto(tape, upstream), func() error {
				tapes[file] = tape
				return nil
			}}, nil
		},
		Replay: func(file string, _ bool) (Session, error) {
			return roundTripper{replayFrom(tapes[file]), nothingToClose}, nil
		},
	}
}

// key stands for all requests with the same JSON.
type key [sha256.Size]byte

// saved is an answer as the JSON floors keep it.
type saved struct {
	Status int
	Header http.Header
	Body   []byte
}

// keyOf reads the body of a request; it returns the body too.
func keyOf(req *http.Request) (key, []byte, error) {
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return key{}, nil, err
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return key{}, nil, err
	}
	canonical, err := json.Marshal(v)
	return sha256.Sum256(canonical), body, err
}

func replayFrom(tape map[key]saved) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		k, _, err := keyOf(req)
		if err != nil {
			return nil, err
		}
		s, ok := tape[k]
		if !ok {
			return nil, errNotRecorded
		}
		return &http.Response{
			StatusCode: s.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: s.Header,
			ContentLength: int64(len(s.Body)), Body: io.NopCloser(bytes.NewReader(s.Body)), Request: req,
		}, nil
	}
}

// recordInto keeps each answer in tape and gives it on when it is whole.
func recordInto(tape map[key]saved, upstream http.RoundTripper) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		k, asked, err := keyOf(req)
		if err != nil {
			return nil, err
		}
		out := *req
		out.Body = io.NopCloser(bytes.NewReader(asked))
		resp, err := upstream.RoundTrip(&out)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return nil, err
		}
		tape[k] = saved{resp.StatusCode, resp.Header, body}
		resp.Body = io.NopCloser(bytes.NewReader(body))
		return resp, nil
	}
}
