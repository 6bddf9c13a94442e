package build

import (
	"net/http"
	"testing"

	"github.com/promptecho/promptecho/bench/build"
)

func TestAsk(t *testing.T) {
	build.Ask(t, http.DefaultClient)
}
