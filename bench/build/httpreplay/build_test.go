package build

import (
	"testing"

	"github.com/google/go-replayers/httpreplay"

	"github.com/promptecho/promptecho/bench/build"
)

func TestAsk(t *testing.T) {
	r, err := httpreplay.NewRecorder(t.TempDir()+"/cassette", nil)
	if err != nil {
		t.Fatal(err)
	}
	build.Ask(t, r.Client())
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}
