package modes_test

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/environ"
)

// Not parallel: flags and environment belong to the process.
func TestModeErrors(t *testing.T) {
	t.Run("environment", func(t *testing.T) {
		t.Setenv("PROMPTECHO_MODE", "record")
		_, err := promptecho.Open("x.yaml")
		if want := `promptecho: PROMPTECHO_MODE: unknown record mode "record": use one of none, compare, once, new_episodes, update, all, live`; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	})
	t.Run("flag", func(t *testing.T) {
		environ.SetFlag(t, "echo.mode", "ALL")
		if _, err := promptecho.Open("x.yaml"); err == nil || !strings.HasPrefix(err.Error(), `promptecho: -echo.mode: unknown record mode "ALL"`) {
			t.Errorf("%v", err)
		}
	})
	t.Run("both flags", func(t *testing.T) {
		environ.SetFlag(t, "echo.mode", "none")
		environ.SetFlag(t, "echo.record", "true")
		if _, err := promptecho.Open("x.yaml"); err == nil || !strings.Contains(err.Error(), `-echo.record means -echo.mode=all, but -echo.mode is "none"`) {
			t.Errorf("%v", err)
		}
	})
}
