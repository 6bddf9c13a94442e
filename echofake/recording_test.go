package echofake_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echofake"
)

// A cassette that is recorded from a fake says so, and the assertions on requests hold in its replay.
func TestRecordingOfAFakeSaysSo(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(opts ...promptecho.Option) []*promptecho.Request {
		rec, err := promptecho.Open(file, opts...)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"one", "two"} {
			if got := chat(t, rec.Client(), text, weatherTool); !strings.Contains(got.body, "answer "+text) {
				t.Errorf("got %s", got.body)
			}
		}
		requests := rec.Requests()
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
		return requests
	}

	p := echofake.New(t, echofake.Text("answer one"), echofake.Text("answer two"))
	recorded := run(promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(p))
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), "fake: true"); n != 2 {
		t.Errorf("%d interactions say that they are fake:\n%s", n, data)
	}
	replayed := run(promptecho.InMode(promptecho.ModeNone))

	for i, r := range p.Requests() {
		for _, other := range []*promptecho.Request{recorded[i], replayed[i]} {
			isEqual := other.Endpoint == r.Endpoint && other.Model == r.Model &&
				reflect.DeepEqual(other.Messages, r.Messages) && reflect.DeepEqual(other.Tools, r.Tools)
			if !isEqual {
				t.Errorf("request %d: the fake has %+v, and the recorder %+v", i+1, r, other)
			}
		}
	}
}
