package modes_test

import (
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/recorder"
)

// TestFaceIsThatOfTheEngine: the constants that users see are those of the engine.
func TestFaceIsThatOfTheEngine(t *testing.T) {
	t.Parallel()
	for face, engine := range map[promptecho.Mode]recorder.Mode{
		promptecho.ModeNone:        recorder.ModeNone,
		promptecho.ModeCompare:     recorder.ModeCompare,
		promptecho.ModeOnce:        recorder.ModeOnce,
		promptecho.ModeNewEpisodes: recorder.ModeNewEpisodes,
		promptecho.ModeUpdate:      recorder.ModeUpdate,
		promptecho.ModeAll:         recorder.ModeAll,
		promptecho.ModeLive:        recorder.ModeLive,
	} {
		if string(face) != string(engine) {
			t.Errorf("mode %q is %q in the engine", face, engine)
		}
	}
	for face, engine := range map[promptecho.RecordErrorPolicy]recorder.RecordErrorPolicy{
		promptecho.Warn: recorder.Warn,
		promptecho.Fail: recorder.Fail,
		promptecho.Keep: recorder.Keep,
	} {
		if int(face) != int(engine) {
			t.Errorf("policy %d is %d in the engine", face, engine)
		}
	}
	if promptecho.MissHeader != recorder.MissHeader {
		t.Errorf("MissHeader %q is %q in the engine", promptecho.MissHeader, recorder.MissHeader)
	}
}
