package build

import (
	"testing"

	"charm.land/x/vcr"

	"github.com/promptecho/promptecho/bench/build"
)

func TestAsk(t *testing.T) {
	t.Chdir(t.TempDir())
	build.Ask(t, vcr.NewRecorder(t).GetDefaultClient())
}
