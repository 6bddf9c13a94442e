package report

import (
	"cmp"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// A missing is a miss, and what its text does not say of how it differs from its nearest
// recording.
type missing struct {
	Miss
	keys       []string        // by which another cassette can have the request
	edits      []attr.Edit     // the first fields
	options    []advice.Option // those of Miss.Hint
	plain      string          // Miss.Reason without what Frozen adds
	differs    string          // the same without "the nearest recording"; "" if it does not begin so
	hints      []finding.Code  // what else is known
	lacksValue bool            // the cassette lacks a value that the test asked for
	frozen     string          // why no mode records it; "" if one does
	acceptable bool            // promptecho accept may take the request as an edit of the recorded one

	call    *tape.Match     // the request; nil if it was not compared with recordings
	nearest *tape.Recording // the recording that it was compared with; nil if there was none
}

// Told is a miss with the texts for the program.
type Told struct {
	Miss  Miss
	Place string // the file and line of the nearest recording
	Text  string // the miss in one line
}

// told returns the miss with the texts for the program.
func (m *missing) told() Told {
	place, text := m.oneLine()
	return Told{Miss: m.Miss, Place: place, Text: text}
}

// oneLine returns where the nearest recording is, and what a program is told: the
// same with what differs and, as far as there is room, both values of the first
// field. Logs and SDKs repeat it, so it is short.
func (m *missing) oneLine() (place, told string) {
	name := filepath.Base(m.File)
	if n := len(name) - 50; n > 0 {
		name = name[n:] // it ends as it should: cassettes have names of ASCII
	}
	short := &Miss{File: "…/" + name, Line: m.Line}

	place = redact.Printable(m.place())
	for _, text := range []string{
		m.place() + ": " + m.why(m.plain),
		m.place() + ": " + m.why(m.short()),
		short.place() + ": " + strings.TrimSuffix(m.withFrozen(m.short())+": "+m.Change, ": "),
	} {
		told = refusedText + redact.Printable(text)
		if isShort(told) {
			return place, told
		}
	}
	for !isShort(told + "…") {
		_, size := utf8.DecodeLastRuneInString(told)
		told = told[:len(told)-size]
	}
	return place, told + "…"
}

// short returns the reason without the words that the place before it makes clear.
func (m *missing) short() string { return cmp.Or(m.differs, m.plain) }

// withFrozen returns a reason with what Frozen adds to it.
func (m *missing) withFrozen(reason string) string {
	return reason + m.frozen
}

// why returns a reason with both values of the first field that differs, in a line.
func (m *missing) why(reason string) string {
	if m.Change != "" {
		reason += ": " + m.Change
	}
	return m.withFrozen(reason)
}

// unrecordable reports whether recording again cannot help.
func (m *missing) unrecordable() bool { return m.frozen != "" }

// completeReason adds to the reason of a miss, once that is known, what [Run.frozenReason]
// returns for it.
func (m *missing) completeReason(frozen string) {
	m.plain = m.Reason
	m.frozen = frozen
	m.Reason = m.withFrozen(m.plain)
}

const nearestRecording = "the nearest recording "
