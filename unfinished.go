package promptecho

import (
	"slices"
	"sync"
	"testing"
)

// unfinished are the recorders of the tests of this process that have no report yet, in the
// order in which they were opened.
var unfinished openRecorders

type openRecorders struct {
	mu   sync.Mutex // guards what follows; no other lock is taken under it
	list []any      // [report.Unfinished] hands them to package echotest
}

// add adds a recorder. In a program that is no test nobody asks for it.
func (o *openRecorders) add(r *Recorder) {
	if !testing.Testing() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(o.list, r)
}

func (o *openRecorders) remove(r *Recorder) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = slices.DeleteFunc(o.list, func(open any) bool { return open == r })
}

func (o *openRecorders) all() []any {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.list)
}
