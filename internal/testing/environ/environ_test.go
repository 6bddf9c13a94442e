package environ

import (
	"os"
	"testing"
)

func TestClear(t *testing.T) {
	for _, name := range []string{"CI", "FORCE_COLOR", "PROMPTECHO_MODE", "PROMPTECHO_WHATEVER"} {
		t.Setenv(name, "nonsense")
	}
	t.Setenv("OPENAI_API_KEY", "kept")
	Clear()
	for _, name := range []string{"CI", "FORCE_COLOR", "PROMPTECHO_MODE", "PROMPTECHO_WHATEVER"} {
		if value, isSet := os.LookupEnv(name); isSet {
			t.Errorf("%s is still %q", name, value)
		}
	}
	if os.Getenv("OPENAI_API_KEY") != "kept" {
		t.Error("a variable that promptecho does not read is gone")
	}
}
