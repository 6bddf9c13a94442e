package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
)

// jsonFile is jsonHash with its answers in a file: a JSON value a line, read
// when it is opened. The requests are not kept, only their hashes.
func jsonFile() Contender {
	return Contender{
		Name: "jsonfile",
		Record: func(file string, upstream http.RoundTripper) (Session, error) {
			tape := map[key]saved{}
			return roundTripper{recordInto(tape, upstream), func() error { return save(file, tape) }}, nil
		},
		Replay: func(file string, _ bool) (Session, error) {
			tape, err := load(file)
			if err != nil {
				return nil, err
			}
			return roundTripper{replayFrom(tape), nothingToClose}, nil
		},
	}
}

// line is what a line of the file holds. The body is text, as JSON and
// server-sent events are; base64 would only make it longer.
type line struct {
	Key    []byte      `json:"key"`
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	Body   string      `json:"body"`
}

func save(file string, tape map[key]saved) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	for k, s := range tape {
		if err := enc.Encode(line{k[:], s.Status, s.Header, string(s.Body)}); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(w.Flush(), f.Close())
}

func load(file string) (map[key]saved, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	tape := map[key]saved{}
	dec := json.NewDecoder(f)
	for {
		var l line
		if err := dec.Decode(&l); err == io.EOF {
			return tape, nil
		} else if err != nil {
			return nil, err
		}
		if len(l.Key) != len(key{}) {
			return nil, errors.New("bench: " + file + ": a key of the wrong length")
		}
		tape[key(l.Key)] = saved{l.Status, l.Header, []byte(l.Body)}
	}
}
