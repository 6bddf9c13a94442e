package defaults

import (
	"net/http"
	"testing"

	"github.com/promptecho/promptecho/echotest"
)

func TestParallel(t *testing.T) {
	t.Parallel()
	echotest.SetDefault(t, echotest.New(t)) // want `echotest.SetDefault changes the default transport of the whole process, so it refuses parallel tests: delete the call of Parallel, or pass rec.Client\(\) to the tested code \(paralleldefault\)`
	http.Get("https://example.com")
}

func TestParallelAround(t *testing.T) {
	t.Parallel()
	t.Run("sub", func(t *testing.T) {
		echotest.SetDefault(t, echotest.New(t)) // want `paralleldefault`
		http.Get("https://example.com")
	})
}

func TestAlone(t *testing.T) {
	echotest.SetDefault(t, echotest.New(t))
	http.Get("https://example.com")
}

func TestOther(t *testing.T) { t.Parallel() }
