package bench

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"charm.land/x/vcr"
	"gopkg.in/dnaeon/go-vcr.v4/pkg/recorder"
)

// The contender stands for charm.land/x/vcr: the package itself replays what the contender
// recorded, and both take a request whose JSON is only printed otherwise and refuse one
// that asks for something else.
func TestCharm(t *testing.T) {
	const calls = 5
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("testdata", 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "testdata", t.Name()) // where the package looks
	record(t, charmVCR(), kb1, calls, file)

	for name, open := range map[string]func() Session{
		"contender": func() Session { return replay(t, charmVCR(), file, false) },
		"package": func() Session {
			r := vcr.NewRecorder(t, vcr.WithMode(recorder.ModeReplayOnly))
			return roundTripper{r.RoundTrip, r.Stop}
		},
	} {
		s := open()
		check(t, charmVCR(), s, kb1, 3, 0)
		spaced := strings.Replace(string(kb1.request(1)), `{"`, `{ "`, 1)
		if resp, err := newCaller(s).do([]byte(spaced)); err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%s: a request with another space: %v, %v", name, resp, err)
		}
		if _, err := newCaller(s).do(kb1.request(calls)); err == nil {
			t.Errorf("%s: a request that was not recorded was answered", name)
		}
		stop(t, s)
	}
}
