package maindrop

import (
	"testing"

	"github.com/promptecho/promptecho/echotest"
)

func TestMain(m *testing.M) {
	defer println("down")
	echotest.Run(m) // want `the exit code of echotest.Run is ignored, so its findings do not fail the package: write os.Exit\(echotest.Run\(m\)\), or echotest.Main\(m\) \(maincode\)`
}

func TestNothing(t *testing.T) {}
