package recorder

import (
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
)

// notePlayed notes facts about a played recording for the report.
func (r *Recorder) notePlayed(m *tape.Match, rec *tape.Recording) {
	r.log.Played.Add(1)
	r.noteForMutant(rec)
	if r.plan.compare && rec.Interaction().Response.IsSession() {
		r.repeater.keepSession(rec)
	}
	if rec.Accepted() {
		r.log.Accepted.Add(rec)
	}
	if m.SecretLearned {
		r.log.Notef(finding.SecretLearned, "%s:%d: replayed, although the request has a different "+
			"text where the recording has %s. If the text is a secret, %s",
			r.file, rec.Line(), redact.Placeholder, r.words().NameSecret)
	}
	if m.Form != nil {
		r.log.Drift(rec, m.FoundBy)
	}
	if rec.Sealed() {
		return
	}
	found := redact.Findings(rec.Interaction())
	if len(found) > 0 {
		r.log.Notef(finding.SecretInFile, "%s:%d: %s: looks like a "+
			"secret; promptecho verify lists all such values",
			r.file, rec.Line(), found[0])
	}
}
