package report

import (
	"github.com/promptecho/promptecho/internal/attr"
	"github.com/promptecho/promptecho/internal/compare"
	"github.com/promptecho/promptecho/internal/tape"
)

// Played notes that a recording answered a request.
func (l *Log) Played() { l.played.Add(1) }

// Saved notes that the file with this absolute path was written.
func (l *Log) Saved(path string) { l.saved.add(path) }

// Keep notes that a failure is recorded: it is what the test is about.
func (l *Log) Keep(rec *tape.Recording) { l.failures.add(rec) }

// Kept notes how many recordings of a file that was written were there before.
func (l *Log) Kept(n int) { l.kept.Add(int64(n)) }

// Dropped notes how many recordings the cassette had before and has no more.
func (l *Log) Dropped(n int) { l.dropped.Add(int64(n)) }

// done counts what the recorder did. What was recorded counts by whether it was asked of
// the provider, and not by whether it is kept: it is paid for. A failure is none of it, unless it
// is what the test is about.
func (l *Log) done(missed int) attr.Done {
	d := attr.Done{Cassettes: []string{l.Path}, Saved: l.saved.all()}
	d.Replayed, d.Dropped, d.Missed = l.played.Load(), l.dropped.Load(), int64(missed)
	d.Changed = int64(len(l.drifted.all()))
	for _, rec := range l.Tape.Recordings() {
		switch {
		case rec.Fresh() && rec.Complete() && rec.Failed() && !l.KeepFailures && l.failures.count(rec) == 0:
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
	d.Kept = l.kept.Load()
	count := func(v compare.Verdict) int64 { return int64(len(l.Comparisons.of(v))) }
	d.Identical, d.Benign, d.Drift = count(compare.Identical), count(compare.Benign), count(compare.Drift)
	d.NotCompared, d.NotSent = count(compare.NotCompared), count(compare.NotSent)
	return d
}
