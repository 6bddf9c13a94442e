package promptecho

import (
	"errors"
	"flag"
	"fmt"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/report"
)

func init() {
	report.Finish = func(recorder any, o report.Outcome) report.Report {
		return recorder.(*Recorder).finish(o)
	}
}

// Close ends the recorder: it settles answers that are still being read, saves
// the cassette if the record mode records, and returns what is wrong, joined:
// misses, recordings that no request used, a recorder that no request reached,
// and a cassette that could not be saved. Closing again, also while the first
// Close is at work, returns the same.
//
// The cassette is written whole or not at all: to a temporary file that is
// renamed and read back. A run that recorded nothing writes nothing.
//
// In a test Close does not know how the run ended; package echotest does. So it drops no
// recording that was there before, also in mode all. It takes a panic, a test that ends
// with FailNow or SkipNow while it is deferred, and outside of a test -run and -skip, for
// what they are.
func (r *Recorder) Close() error {
	var errs []error
	o := report.Outcome{Unsure: testing.Testing()}
	if !r.allWell() {
		o.Failed = report.Panicking() || report.Exiting()
		o.Filtered = !report.InTest() && (isSet("test.run") || isSet("test.skip"))
	}
	for _, text := range r.finish(o).Errors {
		errs = append(errs, errors.New("promptecho: "+text))
	}
	return errors.Join(errs...)
}

// allWell reports whether there is nothing to save and nothing to say, however the run
// ended: then nobody needs to find out.
func (r *Recorder) allWell() bool {
	return !r.plan.record && r.tape.AllUsed() && len(r.tape.Contests()) == 0 && r.log.Quiet()
}

// isSet reports whether a flag of package testing has a value.
func isSet(name string) bool {
	f := flag.Lookup(name)
	return f != nil && f.Value.String() != ""
}

// finish closes the recorder knowing how its run ended.
func (r *Recorder) finish(o report.Outcome) report.Report {
	return r.life.end(func() report.Report {
		r.tape.Stop()
		r.pending.Close()
		r.tape.Close()
		r.upstream.Close()
		for _, err := range []error{r.save(&o), r.tape.Unreadable()} {
			if err != nil {
				r.log.Error(err)
			}
		}
		rep := r.judge(&o)
		r.tape.Free()
		if r.config.log != nil {
			for _, note := range rep.Notes {
				r.config.log(note)
			}
		}
		return rep
	})
}

// judge says what is wrong with the run.
func (r *Recorder) judge(o *report.Outcome) report.Report {
	ev := report.Evidence{Entries: r.entries()}
	for _, c := range r.tape.Contests() {
		if c.Unfair() {
			ev.Contests = append(ev.Contests, contestOf(c))
		}
	}
	for _, a := range r.config.aliases {
		if !a.asked.Load() {
			ev.Unasked = append(ev.Unasked, fmt.Sprintf("Alias(%q, %q)", a.address, a.name))
		}
	}
	return r.log.Judge(o, ev)
}

// A lifecycle is how far a recorder has come. The zero value is open.
type lifecycle struct {
	mu      sync.Mutex // guards what follows; no other lock is taken under it
	missing []string   // environment variables that a request upstream needs
	closed  bool       // the recorder takes no requests
	over    bool       // the report is there
	report  report.Report
	waiting []chan struct{} // Close calls waiting for the first one
}

// end closes the recorder by conclude, once, and returns what that has returned.
func (l *lifecycle) end(conclude func() report.Report) report.Report {
	l.mu.Lock()
	switch {
	case l.over:
		defer l.mu.Unlock()
		return l.report
	case l.closed:
		// Waiting for a channel, not for a sync.Once: a synctest bubble sees it.
		over := make(chan struct{})
		l.waiting = append(l.waiting, over)
		l.mu.Unlock()
		<-over
		return l.report
	}
	l.closed = true
	l.mu.Unlock()
	rep := conclude()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.report, l.over = rep, true
	for _, over := range l.waiting {
		close(over)
	}
	return rep
}

// miss keeps that an environment variable is empty.
func (l *lifecycle) miss(env string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.missing = append(l.missing, env)
}

// state returns whether the recorder is closed, and the first environment variable that a
// request upstream needs and that is empty; "" if there is none.
func (l *lifecycle) state() (closed bool, missing string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.missing) > 0 {
		missing = l.missing[0]
	}
	return l.closed, missing
}
