package maincode

import (
	"os"
	"testing"

	"github.com/promptecho/promptecho/echotest"
)

func TestMain(m *testing.M) {
	code := echotest.Run(m)
	os.Exit(code)
}

func TestNothing(t *testing.T) {}
