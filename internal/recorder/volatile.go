package recorder

import (
	"time"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/recorder/volatile"
	"github.com/promptecho/promptecho/internal/testenv/bubble"
)

// noteVolatile notes the texts of a recorded request that differ in a later run or on another
// machine, each with a remedy. A run has one note of each kind.
func (r *Recorder) noteVolatile(form *canon.Form) {
	if r.volatile == nil {
		return
	}
	now := realTime()
	if bubble.In() {
		now = time.Time{} // the clock of a bubble begins at the same time in every run
	}
	for _, found := range r.volatile.InForm(form, now) {
		if r.values.isRecorded(found) || !r.volatileNoted.Add(found.Kind) {
			continue
		}
		r.log.Notef(finding.ValueVolatile, "%s: %s: %s has %s, %q: %s",
			r.file, form.Name(), found.Field, found.Kind, found.Text, remedyFor(found, r.words()))
	}
}

// remedyFor returns sentences with the consequence of a volatile text, and a remedy.
func remedyFor(found volatile.Finding, words *advice.Words) string {
	const onAnotherMachine = "on another machine, the test misses. "
	switch found.Kind {
	case volatile.Date, volatile.Time:
		return "a later run misses. " + words.ReplayTime + ", " +
			"or add " + words.Code(advice.New(advice.MaskTimes)) + " if it cannot change the answer"
	case volatile.User:
		return onAnotherMachine + words.ReplayUser
	case volatile.Host:
		mask := advice.New(advice.Mask, found.Text, "HOST")
		return onAnotherMachine + "If it cannot change the answer, add " + words.Code(mask)
	}
	tempDirs := advice.New(advice.MaskTempDirs)
	return onAnotherMachine + "If it cannot change the answer, add " + words.Code(tempDirs)
}
