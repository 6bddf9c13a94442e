package recorder

import (
	"testing"

	"github.com/promptecho/promptecho/internal/testing/environ"
)

// setFlag sets a flag of this test binary for one test.
// The flags are those of a test binary that links package promptecho.
func init() { AddFlags() }

// Not parallel: flags and environment belong to the process.
func TestChooseMode(t *testing.T) {
	tests := []struct {
		name                  string
		flag, record, env, ci string
		code                  Mode
		want                  Mode
		by                    string
	}{
		{name: "nothing", want: ModeOnce, by: "the default"},
		{name: "CI", ci: "true", want: ModeNone, by: "CI is set"},
		{name: "CI=1", ci: "1", want: ModeNone, by: "CI is set"},
		{name: "CI=0", ci: "0", want: ModeOnce, by: "the default"},
		{name: "CI=False", ci: "False", want: ModeOnce, by: "the default"},
		{name: "environment", env: "new_episodes", want: ModeNewEpisodes, by: "PROMPTECHO_MODE"},
		{name: "environment beats CI", env: "all", ci: "true", want: ModeAll, by: "PROMPTECHO_MODE"},
		{name: "flag beats environment", flag: "live", env: "none", want: ModeLive, by: "-echo.mode"},
		{name: "record flag", record: "true", env: "none", want: ModeAll, by: "-echo.record"},
		{name: "both flags agree", flag: "all", record: "true", want: ModeAll, by: "-echo.mode"},
		{name: "code", code: ModeAll, want: ModeAll, by: "InMode in the code"},
		{name: "code live", code: ModeLive, want: ModeLive, by: "InMode in the code"},
		{name: "code is a ceiling for the environment", code: ModeNone, env: "all", want: ModeNone, by: "InMode in the code"},
		{name: "code that records lets pass through", code: ModeOnce, flag: "live", want: ModeLive, by: "-echo.mode"},
		{name: "code that records lets record again", code: ModeNewEpisodes, record: "true", want: ModeAll, by: "-echo.record"},
		{name: "code that records lets update", code: ModeOnce, env: "update", want: ModeUpdate, by: "PROMPTECHO_MODE"},
		{name: "code that writes nothing forbids to record", code: ModeLive, env: "once", want: ModeLive, by: "InMode in the code"},
		{name: "code that sends lets compare", code: ModeLive, env: "compare", want: ModeCompare, by: "PROMPTECHO_MODE"},
		{name: "code that sends nothing forbids to pass through", code: ModeNone, flag: "live", want: ModeNone, by: "InMode in the code"},
		{name: "environment is stricter than code", code: ModeAll, env: "once", want: ModeOnce, by: "PROMPTECHO_MODE"},
		{name: "flag is stricter than code", code: ModeLive, flag: "none", want: ModeNone, by: "-echo.mode"},
		{name: "CI is stricter than code", code: ModeAll, ci: "true", want: ModeNone, by: "CI is set"},
		{name: "CI does not compare because the code does", code: ModeCompare, ci: "true", want: ModeNone, by: "CI is set"},
		{name: "CI compares because it is asked to", env: "compare", ci: "true", want: ModeCompare, by: "PROMPTECHO_MODE"},
		{name: "compare by flag", flag: "compare", want: ModeCompare, by: "-echo.mode"},
		{name: "compare in code", code: ModeCompare, want: ModeCompare, by: "InMode in the code"},
		{name: "code that sends nothing forbids to compare", code: ModeNone, env: "compare", want: ModeNone, by: "InMode in the code"},
		{name: "code that compares forbids to record", code: ModeCompare, env: "all", want: ModeCompare, by: "InMode in the code"},
		{name: "code that records lets compare", code: ModeAll, env: "compare", want: ModeCompare, by: "PROMPTECHO_MODE"},
		{name: "code and environment agree", code: ModeAll, env: "all", ci: "true", want: ModeAll, by: "PROMPTECHO_MODE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("CI", tt.ci)
			t.Setenv("PROMPTECHO_MODE", tt.env)
			environ.SetFlag(t, modeFlag, tt.flag)
			if tt.record != "" {
				environ.SetFlag(t, recordFlag, tt.record)
			}
			got, err := chooseMode(tt.code)
			if err != nil || got.mode != tt.want || got.by != tt.by {
				t.Errorf("chooseMode = %v, %v; want mode %s (%s)", got, err, tt.want, tt.by)
			}
		})
	}
}

// The mode that an error or a note shows says who chose it.
func TestChosenModeString(t *testing.T) {
	if got := (chosenMode{mode: ModeNone, by: "CI is set"}).String(); got != "mode none (CI is set)" {
		t.Error(got)
	}
}
