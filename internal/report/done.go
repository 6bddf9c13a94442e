package report

import (
	"github.com/promptecho/promptecho/internal/attr"
	"github.com/promptecho/promptecho/internal/compare"
)

// done counts what the recorder did. What was recorded counts by whether it was asked of
// the provider, and not by whether it is kept: it is paid for. A failure is none of it, unless it
// is what the test is about.
func (l *Log) done(missed int) attr.Done {
	d := attr.Done{Cassettes: []string{l.Path}, Saved: l.Saved.all()}
	d.Replayed, d.Dropped, d.Missed = l.Played.Load(), l.Dropped.Load(), int64(missed)
	d.Changed = int64(len(l.drifted.all()))
	for _, rec := range l.Tape.Recordings() {
		switch {
		case rec.Fresh() && rec.Complete() && rec.Failed() && !l.KeepFailures && l.Failures.count(rec) == 0:
			d.Failed++
		case rec.Fresh() && rec.Complete():
			d.Recorded++
			if u := rec.Interaction().Usage; u != nil {
				d.InputTokens += u.InputTokens
				d.OutputTokens += u.OutputTokens
			}
		case rec.Resumed() && rec.Used():
			d.Resumed++
			d.Replayed--
		}
	}
	for _, c := range l.failed.all() {
		d.Failed += int64(l.failed.count(c))
	}
	d.Kept = l.Kept.Load()
	count := func(v compare.Verdict) int64 { return int64(len(l.Comparisons.of(v))) }
	d.Identical, d.Benign, d.Drift = count(compare.Identical), count(compare.Benign), count(compare.Drift)
	d.NotCompared, d.NotSent = count(compare.NotCompared), count(compare.NotSent)
	return d
}
