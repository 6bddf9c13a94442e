package build

import (
	"testing"

	"github.com/seborama/govcr/v15"

	"github.com/promptecho/promptecho/bench/build"
)

func TestAsk(t *testing.T) {
	build.Ask(t, govcr.NewVCR(govcr.NewCassetteLoader(t.TempDir()+"/cassette")).HTTPClient())
}
