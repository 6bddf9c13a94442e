package promptecho

import (
	"testing"

	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
)

// modeAccepted is what promptecho record -accepted sets.
const modeAccepted = Mode(recorder.ModeAccepted)

// finish ends a recorder as package echotest does, which knows how the test ended.
func (r *Recorder) finish(o report.Outcome) report.Report { return r.engine().Finish(o) }

// everyMode lists the record modes.
var everyMode = []Mode{ModeNone, ModeCompare, ModeOnce, ModeNewEpisodes, ModeUpdate, ModeAll, ModeLive}

// TestFaceIsThatOfTheEngine: the constants that users see are those of the engine.
func TestFaceIsThatOfTheEngine(t *testing.T) {
	t.Parallel()
	for face, engine := range map[Mode]recorder.Mode{
		ModeNone:        recorder.ModeNone,
		ModeCompare:     recorder.ModeCompare,
		ModeOnce:        recorder.ModeOnce,
		ModeNewEpisodes: recorder.ModeNewEpisodes,
		ModeUpdate:      recorder.ModeUpdate,
		ModeAll:         recorder.ModeAll,
		ModeLive:        recorder.ModeLive,
	} {
		if string(face) != string(engine) {
			t.Errorf("mode %q is %q in the engine", face, engine)
		}
	}
	for face, engine := range map[RecordErrorPolicy]recorder.RecordErrorPolicy{
		Warn: recorder.Warn,
		Fail: recorder.Fail,
		Keep: recorder.Keep,
	} {
		if int(face) != int(engine) {
			t.Errorf("policy %d is %d in the engine", face, engine)
		}
	}
	if MissHeader != recorder.MissHeader {
		t.Errorf("MissHeader %q is %q in the engine", MissHeader, recorder.MissHeader)
	}
}
