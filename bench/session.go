package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// RecordCalls records the first n calls of a workload into a file that does
// not exist yet.
func (c Contender) RecordCalls(file string, w *Workload, n int) error {
	s, err := c.Record(file, w)
	if err != nil {
		return err
	}
	caller := newCaller(s)
	for i := range n {
		if _, err := caller.call(w.request(i)); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	return s.Close()
}

// Verify returns an error unless a session that replays answers exactly these
// requests of a workload as upstream did, byte for byte.
func (c Contender) Verify(s Session, w *Workload, asked ...int) error {
	caller := newCaller(s)
	for _, i := range asked {
		resp, err := caller.do(w.request(i))
		if err != nil {
			return err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		want := w.answer(i)
		if c.Blind {
			want = w.answer(0)
		}
		if resp.StatusCode != want.status || !bytes.Equal(body, want.body()) {
			return fmt.Errorf("%s, request %d of %s: got status %d and\n%.300q\nwant\n%.300q",
				c.Name, i, w.Name, resp.StatusCode, body, want.body())
		}
	}
	return nil
}

// VerifyFile returns an error unless a file replays the first n calls of a
// workload exactly.
func (c Contender) VerifyFile(file string, w *Workload, n int) error {
	s, err := c.Replay(file, false)
	if err != nil {
		return err
	}
	return errors.Join(c.Verify(s, w, first(n)...), s.Close())
}

// Run makes calls with these bodies in a session, and closes it.
func (c *Caller) Run(s Session, bodies [][]byte) error {
	c.through(s)
	for _, body := range bodies {
		if _, err := c.call(body); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	return s.Close()
}

// Requests returns the bodies of the first n requests of a workload.
func (w *Workload) Requests(n int) [][]byte { return requests(w, first(n)) }

// first returns the first n numbers.
func first(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// requests returns the bodies of the requests with these numbers.
func requests(w *Workload, asked []int) [][]byte {
	all := make([][]byte, len(asked))
	for i, n := range asked {
		all[i] = w.request(n)
	}
	return all
}
