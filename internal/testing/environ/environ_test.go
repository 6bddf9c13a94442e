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

func TestValueIsTheLast(t *testing.T) {
	t.Parallel()
	env := []string{"A=1", "AB=2", "A=3=4", "EMPTY="}
	for name, want := range map[string]string{"A": "3=4", "AB": "2", "B": "", "EMPTY": ""} {
		if got := Value(env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
