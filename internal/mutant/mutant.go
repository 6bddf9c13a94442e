// Package mutant lets promptecho mutate change one recorded answer of a run. The command writes a
// plan to a file and names it in the environment of the tests. A recorder that replays asks the plan
// for the changed response of the recording that it is about to play, and notes what the test does.
//
// A changed response never reaches the tape: a request is matched with what was recorded. Nothing is
// written but notes, and a recorder that may send or record anything refuses to open.
package mutant

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Env is the environment variable that names the file with the [Plan].
const Env = "PROMPTECHO_MUTATE"

// A Plan is what the command asks of a process that runs tests.
type Plan struct {
	Notes string // the file to which each [Note] is appended as a line of JSON

	// Changes has one change for each time that their cassette is opened: the tests run several
	// times in one process, see go test -count. A single change is for each time. Without
	// changes, the notes say what is played.
	Changes []Change
}

// A Change is a changed response.
type Change struct {
	Cassette string // the absolute path
	Number   int    // of the recording in the cassette, from 0
	Response string // the path of a file of [EncodeResponse]

	// Control says that the response is the recorded one, written again. In a session, its first
	// message then counts as the change.
	Control bool

	// Repeated has each later request that equals the changed one get the changed response,
	// too: the client sends it again.
	Repeated bool

	// Onward has a request that is not recorded get the next recording of its endpoint that was
	// not played, once the change was played. A changed tool call comes back in the next
	// request, and the question is whether the test notices by itself.
	Onward bool
}

// Events of a [Note].
const (
	Refused = "refused" // to open it, since it may send or write something: Call has its mode
	Played  = "played"  // a recording, as it was recorded
	Changed = "changed" // the recording with the change
	Waited  = "waited"  // a request that got the change was sent again, after a wait
	Missed  = "missed"  // a request that has no recording
	Onward  = "onward"  // a recording for such a request
	Ended   = "ended"   // the recorder
)

// A Note says what happened in a run.
type Note struct {
	Event    string
	Recorder int32  // in this process, from 1
	Cassette string // the absolute path
	Round    int    // how often the cassette was opened in this process, from 1

	// Number is that of the recording, from 0. Test and Call are the function of the test and
	// the line that made the request, where they are known: "bot.go:7 < bot_test.go:9".
	Number int    `json:",omitempty"`
	Test   string `json:",omitempty"`
	Call   string `json:",omitempty"`

	// When a recorder ends, Test is the name of its test, Failed says that the test had failed
	// by itself, and Problems counts what the recorder reports on top.
	Failed   bool `json:",omitempty"`
	Problems int  `json:",omitempty"`
}

// A Recorder is the part of a recorder that plays a change. A nil Recorder, in a run that the command
// has not started, changes and notes nothing.
type Recorder struct {
	plan   *Plan
	note   Note // with what all notes have in common
	change *Change

	response   *interaction.Response
	hasPlayed  atomic.Bool  // the change
	lastPlayed atomic.Int64 // when the change was played, in nanoseconds since began
}

// began is a time before each change is played.
var began = time.Now()

// shortestWait is the time between two requests that is a wait of the program: SDKs that obey the
// response send the request again at once.
const shortestWait = time.Second

var (
	recorders atomic.Int32
	opened    sync.Map // counts by cassette: *atomic.Int32
	notesLock sync.Mutex
)

// Asked reports whether the command has started this process.
func Asked() bool { return os.Getenv(Env) != "" }

// Open returns what a recorder on a cassette is to change. It returns nil if the command has not
// started this process.
func Open(path string) (*Recorder, error) {
	file := os.Getenv(Env)
	if file == "" {
		return nil, nil
	}
	plan, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("%s=%s: %w: only promptecho mutate sets this variable: unset it", Env, file, err)
	}
	count, _ := opened.LoadOrStore(path, new(atomic.Int32))
	r := &Recorder{plan: plan}
	r.note = Note{
		Recorder: recorders.Add(1),
		Cassette: path,
		Round:    int(count.(*atomic.Int32).Add(1)),
	}
	r.change = plan.changeOf(&r.note)
	if r.change != nil {
		r.response, err = load(r.change.Response)
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// read reads a plan. Only the user who runs the tests may have written it.
func read(file string) (*Plan, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !isPrivate(info) {
		return nil, fmt.Errorf("others can write this file")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	plan := new(Plan)
	if err := json.Unmarshal(data, plan); err != nil {
		return nil, err
	}
	return plan, nil
}

// changeOf returns the change for a cassette that is opened; nil if there is none.
func (p *Plan) changeOf(n *Note) *Change {
	round := n.Round
	if len(p.Changes) == 1 {
		round = 1
	}
	if round > len(p.Changes) || p.Changes[round-1].Cassette != n.Cassette {
		return nil
	}
	return &p.Changes[round-1]
}

// load returns the changed response in a file.
func load(path string) (*interaction.Response, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return decodeResponse(data)
}

// Response returns the response to play in the place of that of a recording, or nil if the recording
// plays as it is. isEqual reports whether the request of the recording equals that of another one.
func (r *Recorder) Response(number int, isEqual func(number int) bool) *interaction.Response {
	if r == nil || r.change == nil {
		return nil
	}
	isChanged := number == r.change.Number
	isAgain := r.change.Repeated && r.hasPlayed.Load() && isEqual(r.change.Number)
	if !isChanged && !isAgain {
		return nil
	}
	return r.response
}

// ResponseOf returns the changed response of a recording, whether it was played or not, or nil if the
// recording is not changed. An event without fields in a session is not sent.
func (r *Recorder) ResponseOf(number int) *interaction.Response {
	if r == nil || r.change == nil || number != r.change.Number {
		return nil
	}
	return r.response
}

// PlayChange notes that the change is played for a recording, and whether the client has waited since it
// got the change the last time.
func (r *Recorder) PlayChange(number int) {
	now := int64(time.Since(began))
	last := r.lastPlayed.Swap(now)
	isFirst := !r.hasPlayed.Swap(true)
	switch {
	case isFirst:
		r.write(Note{Number: number}, Changed)
	case time.Duration(now-last) > shortestWait:
		r.write(Note{Number: number}, Waited)
	}
}

// PlayEvent notes that an event of the changed session is played. isChanged says that it differs from
// the recorded one.
func (r *Recorder) PlayEvent(number int, isChanged bool) {
	isChange := isChanged || r.change.Control
	if isChange && !r.hasPlayed.Swap(true) {
		r.write(Note{Number: number}, Changed)
	}
}

// Repeats reports whether a request that is sent again gets the same answer again.
func (r *Recorder) Repeats() bool { return r != nil && r.change != nil && r.change.Repeated }

// Refuse notes that the recorder does not open in a mode of this text.
func (r *Recorder) Refuse(test, mode string) { r.write(Note{Test: test, Call: mode}, Refused) }

// Lists reports whether the notes say what is played.
func (r *Recorder) Lists() bool { return r != nil && len(r.plan.Changes) == 0 }

// Play notes that a recording is played; see [Note] for test and call.
func (r *Recorder) Play(number int, test, call string) {
	r.write(Note{Number: number, Test: test, Call: call}, Played)
}

// GoesOn reports whether a request that is not recorded gets the next recording of its endpoint.
func (r *Recorder) GoesOn() bool {
	return r != nil && r.change != nil && r.change.Onward && r.hasPlayed.Load()
}

// GoOn notes that a recording is played for a request that is not recorded.
func (r *Recorder) GoOn(number int) { r.write(Note{Number: number}, Onward) }

// Miss notes that a request has no recording.
func (r *Recorder) Miss() {
	if r != nil {
		r.write(Note{}, Missed)
	}
}

// End notes that the recorder ends; see [Note].
func (r *Recorder) End(test string, failed bool, problems int) {
	if r != nil {
		r.write(Note{Test: test, Failed: failed, Problems: problems}, Ended)
	}
}

// write appends a note to the notes. A note that cannot be written is missing: the command then says
// that the change was not played.
func (r *Recorder) write(n Note, event string) {
	n.Event = event
	n.Recorder = r.note.Recorder
	n.Cassette = r.note.Cassette
	n.Round = r.note.Round
	line, err := json.Marshal(n)
	if err != nil {
		return
	}
	notesLock.Lock()
	defer notesLock.Unlock()
	f, err := os.OpenFile(r.plan.Notes, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.Write(append(line, '\n'))
}
