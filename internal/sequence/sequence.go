package sequence

import (
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/sequence/idle"
)

// An Order is that of what was recorded, where some of it ran side by side. Its methods may be
// called concurrently.
type Order struct {
	members []member // by the numbers of the recordings

	mu       sync.Mutex
	steps    []step // those of each series together, in order
	far      bool   // who got the last event reads it behind a socket
	settling int    // turns that wait for the program to rest, or for what others have given up: nobody gives up meanwhile
	late     []Late
	pool     pool
	patience time.Duration // for calls that may be about to be canceled
	owed     time.Duration // for requests that others have given up, by what answers them
}

// A series is recordings that are in order with each other, and with no others: what was asked while a
// client waited to ask again, or all if some ran side by side, since what goroutines send at once may
// run alone by chance.
type series struct {
	first, last int     // the numbers of its recordings
	done, end   int     // the first of its steps that has not happened, and the one behind its last
	waits       []*wait // in the order of their moments
}

// A wait is one of a turn for its moment.
type wait struct {
	at     int
	isOwed bool          // it is for what other turns have given up
	stands bool          // it is not given up
	may    bool          // its turn stands: when it waits again, it may be one of those
	full   chan struct{} // receives when it may be that no worker is free any more
	over   chan struct{} // closed when it may be over, and when it is the one whose time counts
	isOver bool          // it is closed
}

// A member is a recording.
type member struct {
	*series        // nil if nobody waits for it, and it waits for nobody
	events         // their moments are steps
	company   int  // the number of the one that was asked first of those that ran side by side
	isAlone   bool // all its events are one
	isAsked   bool // in this run
	isGivenUp bool // nobody waits for it any more
	isOver    bool // all of it has happened in this run
}

// A step is what happened of one recording between events of others.
type step struct {
	number int // of the recording; -1 if nothing is recorded of that moment
	left   int // how many of its events have not happened
}

// Late is an event that came before another one which it waited for in vain.
type Late struct{ Waits, For int } // the numbers of the recordings

// New returns the order of recordings; nil if none had company and no client waited. The moments of
// those that ran alone are nil. A recording within another one was asked by that, which nobody waits
// for: it may be played and not ask. again has the numbers of those that were asked again, after their
// clients had waited and others had asked, and of the recordings of that.
func New(count int, moments func(i int) *interaction.Moments, within func(i int) bool, again map[int]int) *Order {
	var o *Order
	var s *series
	hasCompany := false
	for i := range count {
		m := moments(i)
		hasCompany = hasCompany || m != nil && m.Asked > 0
	}
	last, base := -1, 0 // the last one that had company, if none ran alone after it, and the steps before its moments
	until := -1         // the last one that was asked again, of those that were asked before
	for i := range count {
		m, isWithin := moments(i), within(i)
		if m != nil && m.Asked == 0 {
			continue // when is not known
		}
		isAlone := m == nil
		goesOn := !isAlone && last >= 0 && base+m.Asked > o.members[last].asked()
		if isAlone && !isWithin {
			last = -1
		}
		if !hasCompany && i > until && !isWithin {
			s = nil
		}
		if isAlone && (isWithin || s == nil && !hasCompany && again[i] == 0) {
			continue
		}
		if o == nil {
			o = &Order{members: make([]member, count), patience: 10 * idle.Longest, owed: 5 * idle.Longest}
		}
		if s == nil {
			s = &series{first: i, done: len(o.steps)}
		}
		rec := &o.members[i]
		rec.series, rec.company, rec.isAlone = s, i, isAlone
		if goesOn {
			rec.company = o.members[last].company
		} else {
			base = len(o.steps)
		}
		if last = i; isAlone {
			last, m = -1, &interaction.Moments{Asked: 1, Answered: 1, Ended: 1}
		}
		rec.events = eventsOf(m, base)
		o.add(i, base, isWithin)
		s.last, s.end = i, len(o.steps)
		until = max(until, again[i])
	}
	return o
}

// mostOpen returns how many of the recorded calls were open at once at most.
func (o *Order) mostOpen() (most int) {
	changes := make([]int, len(o.steps)+2)
	for i := range o.members {
		if rec := &o.members[i]; rec.series != nil {
			changes[min(rec.asked(), len(o.steps))]++
			changes[min(rec.ended(), len(o.steps))+1]--
		}
	}
	open := 0
	for _, change := range changes {
		open += change
		most = max(most, open)
	}
	return most
}

// add adds the steps of a recording whose moments begin after others.
func (o *Order) add(number, base int, within bool) {
	for _, at := range o.members[number].events {
		for len(o.steps) < at && len(o.steps)-base < maxSteps {
			o.steps = append(o.steps, step{number: -1})
		}
		if at <= len(o.steps) {
			s := &o.steps[at-1]
			if s.number = number; !within {
				s.left++
			}
		}
	}
}

// maxSteps is how many moments of recordings that ran side by side are believed.
const maxSteps = 1 << 20
