package promptecho

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/missed"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// noteMiss keeps a call that is not recorded, and says why it is not answered; by says who
// asked, if that was not the code of this process.
func (r *Recorder) noteMiss(c *tape.Call, opensSocket bool, by string) report.Miss {
	if !opensSocket && missed.Dir() != "" {
		r.tape.Miss(c)
	}
	return r.log.Miss(c, opensSocket, by)
}

// handOver gives promptecho accept what was not recorded, if that runs the test. The tape
// must be closed.
func (r *Recorder) handOver() error {
	steps := r.tape.Steps()
	if len(steps) == 0 {
		return nil
	}
	run := missed.Run{Cassette: r.log.Path, Sum: cassette.SumOf(r.log.Path), Options: r.config.matching, Ceiling: r.log.Ceiling}
	for _, step := range steps {
		call := missed.Call{Played: -1}
		if step.Recording != nil {
			call.Played = step.Recording.Number()
		} else {
			item, err := tape.Encode(&r.redact, r.file, step.Missed)
			if err != nil {
				return err
			}
			call.Text, call.Assets = string(item.Text), item.Assets
		}
		run.Calls = append(run.Calls, call)
	}
	data, err := run.Encode()
	if err == nil {
		err = r.redact.Check(r.file+": what was missed", data)
	}
	if err == nil {
		err = missed.Write(missed.Dir(), data)
	}
	if err != nil {
		return fmt.Errorf("%s: the misses were not handed to promptecho accept: %w", r.file, err)
	}
	return nil
}
