package tape

import (
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/sequence"
)

// A Recording is the place of one interaction on the tape. Places are taken in
// the order in which calls come, before anything goes upstream, so that
// concurrent calls are saved in a stable order.
//
// Its parts have different lifetimes.
type Recording struct {
	entry               // never changes
	content   content   // read when it is needed
	selection selection // set before a recording is chosen
	run       runState  // changes until the tape is closed
	live      *live     // changes until the tape is closed; nil unless this run makes the recording
}

// An entry is what is known of a recording when it is put on the tape. It never
// changes.
type entry struct {
	of *source

	// The number of the recording in the cassette, from 0. A recording of
	// another file has a higher number, and one that this run makes has -1.
	number int

	// event is the number of an event, from 1, if the recording stands for a
	// message of a session, see Message; otherwise it is 0.
	event int

	// isSealed says that the recording was not edited since it was written.
	isSealed bool

	// key is the match key, and sealDigest the digest of the request; 0 if it
	// is not known. Both are from the seal if that can be believed, so that the
	// recording is found before it is read.
	key        uint64
	sealDigest uint64

	outcome        outcome          // how the request ended
	unknownHeaders bool             // the request may have had headers that it does not list
	accepted       bool             // its response is that of an earlier request, see Accepted
	isFake         bool             // a fake has given its response
	hasAge         bool             // see interaction.HasAge
	recorded       interaction.Date // the day on which its response was recorded; "" if unknown
	resumed        bool             // a killed run made the recording, or it is carried over
	carriedFrom    place            // in another cassette, see CarryOver; else the zero value
}

// A place is an interaction of a cassette that this one takes recordings over
// from.
type place struct {
	path   string
	number int
}

// content is what was recorded. It is read from the cassette when it is needed:
// the seal is enough to find a recording, and its response is enough to replay
// it.
//
// Everything is published atomically, so no lock is needed to read it. It does
// not change once it is set. After Close, write replaces it.
type content struct {
	interaction atomic.Pointer[interaction.Interaction]
	form        atomic.Pointer[canon.Form]

	// encoded is set if interaction has only the head of what this run
	// recorded, and form lacks its text. The rest is in encoded, which takes
	// less memory.
	encoded atomic.Pointer[cassette.Encoded]

	// A response that is read a second time is kept: a benchmark reads it
	// often.
	isResponseRead atomic.Bool
	response       atomic.Pointer[interaction.Interaction]
}

// selection is what tells a recording apart from other candidates. readRequests
// sets the digest and the IDs if not all candidates are one request, and
// sortByTraits sets the variant.
type selection struct {
	matchDigest uint64        // of the request as it is matched
	issuedIDs   []canon.Trait // the IDs in the request that first appeared in a response
	variant     canon.Variant // of the selecting traits
}

// A runState is what this run has done with a recording. The lock of the tape
// guards it; used is written under the lock, and may be read without it. After
// Close, all of it is read without the lock.
type runState struct {
	used atomic.Bool // it answered a call

	// firstCall is the number of the first call that it answered, or that it is
	// made for; from 1, and 0 if there was none. After Close, Played and
	// InRunOrder set it so that SortAsked keeps recordings together.
	firstCall int
	goroutine uint64         // that made this call, see Config.Snapshots
	mark      *sequence.Mark // of the events of this call; nil if they are not counted

	// unrecorded is what the request has and the recording has not.
	unrecorded Unrecorded

	// replaces is the recording in whose place this one is written; nil if
	// there is none. It is set when the place is taken, or after Close.
	replaces *Recording

	replaced      bool     // another one was recorded or played in its place
	playedFor     *request // the request it was played for, if that differs from its own
	conflictFound bool     // its own request came after that
}

// live is what this run knows of a recording that it makes. The lock of the
// tape guards what follows outer.
type live struct {
	outer *Recording // the function that made the call; nil if none did

	abandoned bool // no response will come
	complete  bool // the response is as complete as it will ever be
	failed    bool // the response says that it failed

	encoded      *cassette.Encoded // its text for the cassette; nil if it has to be made
	knownSecrets int               // how many secrets were known when encoded was made
}

// Unrecorded is what a request has and its recording has not: headers that are
// not written, and what is replaced in its URL, each as a hash under its path.
// It never leaves the memory of the run.
type Unrecorded map[string]uint64

// Line returns the line of the cassette where the recording starts, from 1, or
// 0 if the recording is not in the cassette.
func (rec *Recording) Line() int {
	if rec.event > 0 {
		return rec.messageLine()
	}
	if it := rec.content.interaction.Load(); it != nil {
		return it.Line
	}
	if rec.live != nil {
		return 0 // Free has dropped it
	}
	return rec.of.stored.Line(rec.number)
}

// messageLine returns the line of the message that the recording stands for, or 0 if the session
// is not in the cassette.
func (rec *Recording) messageLine() int {
	if rec.number < 0 || rec.of.stored == nil {
		return 0
	}
	return cassette.EventLine(rec.of.Config.Path, rec.of.stored.Line(rec.number), rec.event-1)
}

// Sealed reports whether the recording is in the cassette as it was written.
func (rec *Recording) Sealed() bool { return rec.isSealed }

// Accepted reports whether promptecho accept has put another request in the
// place of the one that was answered.
func (rec *Recording) Accepted() bool { return rec.accepted }

// Fake reports whether the response of a recording of the cassette is that of a
// fake, and not of a provider.
func (rec *Recording) Fake() bool { return rec.isFake }

// Number returns the number of the recording in the cassette, from 0, or that
// of the recording in whose place it is written; -1 if there is none.
func (rec *Recording) Number() int {
	if rec.run.replaces != nil {
		return rec.run.replaces.Number()
	}
	return rec.number
}

// Fresh reports whether this run made the recording, or is making it.
func (rec *Recording) Fresh() bool { return rec.live != nil }

// Resumed reports whether a killed run made the recording, or it is carried
// over. Such a recording is not in the cassette.
func (rec *Recording) Resumed() bool { return rec.resumed }

// Carried reports whether the recording is one of [Tape.CarryOver].
func (rec *Recording) Carried() bool { return rec.carriedFrom != place{} }

// Goroutine returns the ID of the goroutine whose call the recording answered
// first; 0 if there was none. It is noted only if [Config] says that snapshots
// read the tape. See [Tape.Made].
func (rec *Recording) Goroutine() uint64 { return rec.run.goroutine }

// Used reports whether the recording answered a call.
func (rec *Recording) Used() bool { return rec.run.used.Load() }

// Complete reports whether the response is there, as far as it came.
func (rec *Recording) Complete() bool { return rec.live == nil || rec.live.complete }

// isWithin reports whether a function, or one of those that called it, directly
// or not, satisfies the condition. The function may be nil.
func (rec *Recording) isWithin(condition func(function *Recording) bool) bool {
	for function := rec; function != nil; function = function.outer() {
		if condition(function) {
			return true
		}
	}
	return false
}

// outer returns the function that made the call, or nil if this run does not
// make the recording or no function made the call.
func (rec *Recording) outer() *Recording {
	if rec.live == nil {
		return nil
	}
	return rec.live.outer
}

// Unreachable reports whether a function made the call, directly or not, that
// then returned nothing. No replay gets as far as that.
func (rec *Recording) Unreachable() bool {
	wasAbandoned := func(function *Recording) bool { return function.live.abandoned }
	return rec.outer().isWithin(wasAbandoned)
}
