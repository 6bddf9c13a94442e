package build

import (
	"testing"

	"github.com/promptecho/promptecho/bench/build"
	"github.com/promptecho/promptecho/echotest"
)

func TestAsk(t *testing.T) {
	t.Setenv("PROMPTECHO_MODE", "live") // stronger than CI
	build.Ask(t, echotest.New(t).Client())
}
