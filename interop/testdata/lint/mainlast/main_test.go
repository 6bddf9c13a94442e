package mainlast

import (
	"testing"

	"github.com/promptecho/promptecho/echotest"
)

func TestMain(m *testing.M) {
	println("up")
	_ = echotest.Run(m) // want `the exit code of echotest.Run is ignored`
}
