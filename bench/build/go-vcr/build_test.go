package build

import (
	"testing"

	"gopkg.in/dnaeon/go-vcr.v4/pkg/recorder"

	"github.com/promptecho/promptecho/bench/build"
)

func TestAsk(t *testing.T) {
	r, err := recorder.New(t.TempDir()+"/cassette", recorder.WithMode(recorder.ModeRecordOnly))
	if err != nil {
		t.Fatal(err)
	}
	build.Ask(t, r.GetDefaultClient())
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
}
