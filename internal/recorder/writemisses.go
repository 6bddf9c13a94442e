// Requests that had no recording, for the command promptecho accept.
//
// accept runs a test, and then changes the recordings whose requests are no
// longer those of the test. The recorders of that run write the calls of the
// test to a folder.

package recorder

import (
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/recorder/missed"
	"github.com/promptecho/promptecho/internal/tape"
)

// writeMisses writes the calls of this run for promptecho accept, if that runs
// the test and a request had no recording. The tape must be closed.
func (r *Recorder) writeMisses() error {
	steps := r.tape.Steps()
	if len(steps) == 0 {
		return nil
	}
	calls, err := r.missedCalls(steps)
	if err != nil {
		return err
	}
	run := missed.Run{
		Cassette: r.log.Path,
		Sum:      cassette.SumOf(r.log.Path),
		Options:  r.config.matching,
		Ceiling:  r.log.Ceiling,
		Calls:    calls,
	}
	if err := r.writeRun(&run); err != nil {
		return r.errorf(finding.NotPassedOn, "the misses were not handed to promptecho accept: %w", err)
	}
	return nil
}

// missedCalls returns the calls of this run: the number of the recording that
// was played, or the request that had none.
func (r *Recorder) missedCalls(steps []tape.Step) ([]missed.Call, error) {
	var calls []missed.Call
	for _, step := range steps {
		if step.Recording != nil {
			calls = append(calls, missed.Call{Played: step.Recording.Number()})
			continue
		}
		item, err := tape.Encode(&r.redact, r.file, step.Missed)
		if err != nil {
			return nil, err
		}
		call := missed.Call{Played: -1, Text: string(item.Text), Assets: item.Assets}
		if step.Session != nil {
			call.Session = step.Session.Number() + 1
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// writeRun writes a run to the folder of accept, unless it has a known secret.
func (r *Recorder) writeRun(run *missed.Run) error {
	data, err := run.Encode()
	if err != nil {
		return err
	}
	if err := r.redact.Check(r.file+": the missed requests", data); err != nil {
		return err
	}
	return missed.Write(missed.Dir(), data)
}
