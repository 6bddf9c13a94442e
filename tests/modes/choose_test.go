package modes_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/environ"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// By default, only a test without a cassette is recorded, and none where CI is set.
func TestDefaultModeRecordsOnlyOutsideCI(t *testing.T) {
	// Not parallel: it sets the environment.
	recorded := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, recorded, "a")
	for _, tt := range []struct {
		name   string
		ci     string
		file   string
		online bool
	}{
		{name: "no cassette", file: filepath.Join(t.TempDir(), "absent.yaml"), online: true},
		{name: "a cassette", file: recorded},
		{name: "no cassette, in CI", ci: "true", file: filepath.Join(t.TempDir(), "absent.yaml")},
		{name: "a cassette, in CI", ci: "true", file: recorded},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("CI", tt.ci)
			if r := must.Open(t, tt.file); r.Online() != tt.online {
				t.Errorf("it may send requests: %v, want %v", r.Online(), tt.online)
			}
		})
	}
}

// A flag chooses the mode, or else the environment.
func TestFlagOrEnvironmentChoosesTheMode(t *testing.T) {
	// Not parallel: flags and environment belong to the process.
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a")
	for _, tt := range []struct {
		name        string
		modeFlag    string // -echo.mode
		recordFlag  string // -echo.record
		environment string // PROMPTECHO_MODE
		online      bool   // the run may send requests, though it has a cassette
	}{
		{name: "nothing"},
		{name: "the environment", environment: "new_episodes", online: true},
		{name: "the flag -echo.mode", modeFlag: "update", online: true},
		{name: "the flag -echo.record", recordFlag: "true", online: true},
		{name: "the flag allows more than the environment", modeFlag: "live", environment: "none", online: true},
		{name: "the flag allows less than the environment", modeFlag: "none", environment: "all"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("PROMPTECHO_MODE", tt.environment)
			environ.SetFlag(t, "echo.mode", tt.modeFlag)
			if tt.recordFlag != "" {
				environ.SetFlag(t, "echo.record", tt.recordFlag)
			}
			if r := must.Open(t, file); r.Online() != tt.online {
				t.Errorf("it may send requests: %v, want %v", r.Online(), tt.online)
			}
		})
	}
}

// A mode in code is an upper limit: neither a flag nor the environment allows more.
func TestModeInCodeIsAnUpperLimit(t *testing.T) {
	// Not parallel: flags and environment belong to the process.
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a")
	t.Run("the environment", func(t *testing.T) {
		t.Setenv("PROMPTECHO_MODE", "all")
		if must.Open(t, file, promptecho.InMode(promptecho.ModeNone)).Online() {
			t.Error("PROMPTECHO_MODE=all allows what InMode(ModeNone) forbids")
		}
	})
	t.Run("a flag", func(t *testing.T) {
		environ.SetFlag(t, "echo.record", "true")
		if must.Open(t, file, promptecho.InMode(promptecho.ModeNone)).Online() {
			t.Error("-echo.record allows what InMode(ModeNone) forbids")
		}
	})
	t.Run("the environment allows less", func(t *testing.T) {
		t.Setenv("PROMPTECHO_MODE", "none")
		if must.Open(t, file, promptecho.InMode(promptecho.ModeAll)).Online() {
			t.Error("PROMPTECHO_MODE=none is ignored")
		}
	})
}

// An unknown mode is an error that names its source, and so are flags that contradict each other.
func TestInvalidModeIsRefused(t *testing.T) {
	// Not parallel: flags and environment belong to the process.
	t.Run("in the environment", func(t *testing.T) {
		t.Setenv("PROMPTECHO_MODE", "record")
		_, err := promptecho.Open("x.yaml")
		want := `promptecho: PROMPTECHO_MODE: unknown record mode "record": ` +
			"use one of none, compare, once, new_episodes, update, all, live"
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	})
	t.Run("in a flag", func(t *testing.T) {
		environ.SetFlag(t, "echo.mode", "ALL")
		_, err := promptecho.Open("x.yaml")
		want := `promptecho: -echo.mode: unknown record mode "ALL"`
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	})
	t.Run("two flags contradict each other", func(t *testing.T) {
		environ.SetFlag(t, "echo.mode", "none")
		environ.SetFlag(t, "echo.record", "true")
		_, err := promptecho.Open("x.yaml")
		want := `-echo.record means -echo.mode=all, but -echo.mode is "none"`
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	})
}
