package modes_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Each record mode replays, sends and saves as documented, with and without a cassette.
//
// The cassette is absent, or has the prompt "old"; the program sends "old" and "new".
func TestEachModeReplaysSendsAndSavesAsDocumented(t *testing.T) {
	t.Parallel()
	const isSent, isReplayed, isMissed = "sent", "replayed", "missed"
	for _, tt := range []struct {
		mode     promptecho.Mode
		recorded bool   // the cassette has "old"
		old, new string // what happens to the two requests
		online   bool   // the run may send requests
		saved    string // the prompts in the cassette afterwards
	}{
		{mode: promptecho.ModeOnce, old: isSent, new: isSent, online: true, saved: "new old"},
		{mode: promptecho.ModeNone, old: isMissed, new: isMissed},
		{mode: promptecho.ModeNewEpisodes, old: isSent, new: isSent, online: true, saved: "new old"},
		{mode: promptecho.ModeUpdate, old: isSent, new: isSent, online: true, saved: "new old"},
		{mode: promptecho.ModeAll, old: isSent, new: isSent, online: true, saved: "new old"},
		{mode: promptecho.ModeLive, old: isSent, new: isSent, online: true},

		{mode: promptecho.ModeOnce, recorded: true, old: isReplayed, new: isMissed, saved: "old"},
		{mode: promptecho.ModeNone, recorded: true, old: isReplayed, new: isMissed, saved: "old"},
		{
			mode:     promptecho.ModeNewEpisodes,
			recorded: true,
			old:      isReplayed,
			new:      isSent,
			online:   true,
			saved:    "new old",
		},
		{
			mode:     promptecho.ModeUpdate,
			recorded: true,
			old:      isReplayed,
			new:      isSent,
			online:   true,
			saved:    "new old",
		},
		{mode: promptecho.ModeAll, recorded: true, old: isSent, new: isSent, online: true, saved: "new old"},
		{mode: promptecho.ModeLive, recorded: true, old: isSent, new: isSent, online: true, saved: "old"},
	} {
		for _, order := range [][]string{{"old", "new"}, {"new", "old"}} {
			cassette := map[bool]string{true: "with", false: "without"}[tt.recorded]
			name := fmt.Sprintf("%s, %s a cassette, %s first", tt.mode, cassette, order[0])
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "c.yaml")
				before := ""
				if tt.recorded {
					must.Record(t, file, "old")
					before = must.Read(t, file)
				}
				u := provider.New(t)
				r := must.Open(t, file, promptecho.InMode(tt.mode))
				if r.Online() != tt.online {
					t.Errorf("Online = %v, want %v", r.Online(), tt.online)
				}
				for _, prompt := range order {
					sent := u.Count()
					status, body := must.Ask(t, r, u.URL, prompt)
					got := isReplayed
					switch {
					case u.Count() > sent:
						got = isSent
					case status == http.StatusTeapot:
						got = isMissed
					}
					want := map[string]string{"old": tt.old, "new": tt.new}[prompt]
					if got != want {
						t.Errorf("%q is %s, want %s: %d %s", prompt, got, want, status, body)
					}
					if got != isMissed && !strings.Contains(body, prompt) {
						t.Errorf("%q is answered with %s", prompt, body)
					}
				}
				errs := must.Finish(r, report.Outcome{}).Errors
				if hasMiss := tt.old == isMissed || tt.new == isMissed; (len(errs) > 0) != hasMiss {
					t.Errorf("errors: %q", errs)
				}
				saved := strings.Fields(must.Prompts(t, file))
				slices.Sort(saved)
				if got := strings.Join(saved, " "); got != tt.saved {
					t.Errorf("the cassette has %q, want %q", got, tt.saved)
				}
				after, err := os.ReadFile(file)
				switch {
				case tt.saved == "" && !errors.Is(err, fs.ErrNotExist):
					t.Errorf("there is a cassette: %v", err)
				case tt.saved == "old" && string(after) != before:
					t.Errorf("the cassette was changed: %v", err)
				}
			})
		}
	}
}

// In replay, a recording that no request used fails the run; in a recording mode it does not.
func TestUnusedRecordingsFailAReplay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode  promptecho.Mode
		fails bool
	}{
		{mode: promptecho.ModeOnce, fails: true},
		{mode: promptecho.ModeNone, fails: true},
		{mode: promptecho.ModeNewEpisodes},
		{mode: promptecho.ModeUpdate},
		{mode: promptecho.ModeAll},
		{mode: promptecho.ModeLive},
	} {
		t.Run(string(tt.mode), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			must.Record(t, file, "old")
			u, database := provider.New(t), provider.New(t)
			passing := strings.TrimPrefix(database.URL, "http://")
			r := must.Open(t, file, promptecho.InMode(tt.mode), promptecho.PassThrough(passing))
			if tt.fails {
				must.Ask(t, r, database.URL, "third") // a request that needs no recording
			} else {
				must.Ask(t, r, u.URL, "third")
			}
			err := r.Close()
			if fails := err != nil && strings.Contains(err.Error(), "not used"); fails != tt.fails {
				t.Errorf("with nothing of it used: %v", err)
			}
		})
	}
}

// A recording run sends every request, also one that it has sent and recorded before.
func TestRecordingRunSendsEveryRequest(t *testing.T) {
	t.Parallel()
	for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNewEpisodes, promptecho.ModeAll} {
		u := provider.New(t)
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := must.Open(t, file, promptecho.InMode(mode))
		for range 4 {
			must.Ask(t, r, u.URL, "same")
		}
		must.Close(t, r)
		if u.Count() != 4 {
			t.Errorf("%s: %d requests reached the provider, want 4", mode, u.Count())
		}
		if got := must.Prompts(t, file); got != "same same same same" {
			t.Errorf("%s: recorded %q", mode, got)
		}
	}
}

// A recording never expires: in every mode that replays, an old one is answered without a note.
func TestOldRecordingIsReplayed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "a")
	must.Write(t, file, strings.Replace(must.Read(t, file), "version: 1\n", "version: 1\ntime: 2006-01-02T15:04:05Z\n", 1))
	longAgo := time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC)
	if err := os.Chtimes(file, longAgo, longAgo); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []promptecho.Mode{
		promptecho.ModeNone,
		promptecho.ModeOnce,
		promptecho.ModeNewEpisodes,
		promptecho.ModeUpdate,
	} {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Fails(errors.New("sent"))))
		if got := r.Now(); !got.Equal(longAgo) {
			t.Errorf("mode %s: the recording is of %s", mode, got)
		}
		if status, body := must.Ask(t, r, base, "a"); status != http.StatusOK {
			t.Errorf("mode %s: status %d: %s", mode, status, body)
		}
		rep := must.Finish(r, report.Outcome{})
		if len(rep.Errors)+len(rep.Notes) > 0 {
			t.Errorf("mode %s: reported %v, %q", mode, rep.Errors, rep.Notes)
		}
	}
}

// Replay uses no network: neither for a recorded request nor for a miss, nor without a cassette.
func TestReplayUsesNoNetwork(t *testing.T) {
	// Not parallel: it sets http.DefaultTransport.
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "a")
	network := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = network })
	dialed := 0
	http.DefaultTransport = provider.Func(func(*http.Request) (*http.Response, error) {
		dialed++
		return nil, errors.New("dialed")
	})
	for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeOnce} {
		for _, option := range []promptecho.Option{
			nil,
			promptecho.PassThrough("other.example.com"), // with which the recorder has a transport
		} {
			r := must.Open(t, file, promptecho.InMode(mode), option)
			must.Ask(t, r, base, "a")
			must.Ask(t, r, base, "not recorded")
			r.Close()
		}
	}
	r := must.Open(t, filepath.Join(t.TempDir(), "absent.yaml"), promptecho.InMode(promptecho.ModeNone))
	must.Ask(t, r, base, "a")
	r.Close()
	if dialed != 0 {
		t.Errorf("replay went to the network %d times", dialed)
	}
}

// A pinned cassette is replayed and never written, whatever the mode.
func TestPinnedCassetteIsNeverWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "a")
	must.SetTop(t, file, "pinned: true\n")
	pinned := must.Read(t, file)
	for _, tt := range []struct {
		mode  promptecho.Mode
		noted bool // the run says that the mode would have recorded
	}{
		{mode: promptecho.ModeAll, noted: true},
		{mode: promptecho.ModeNewEpisodes, noted: true},
		{mode: promptecho.ModeOnce},
		{mode: promptecho.ModeNone},
	} {
		r := must.Open(t, file, promptecho.InMode(tt.mode))
		if r.Online() {
			t.Errorf("%s: a pinned cassette records", tt.mode)
		}
		if status, _ := must.Ask(t, r, base, "a"); status != http.StatusOK {
			t.Errorf("%s: status %d", tt.mode, status)
		}
		must.WantMiss(t, r, base, "b")
		notes := strings.Join(must.Finish(r, report.Outcome{}).Notes, "\n")
		want := "is pinned: replayed, not recorded, despite mode " + string(tt.mode)
		if strings.Contains(notes, want) != tt.noted {
			t.Errorf("%s: notes %q", tt.mode, notes)
		}
		if must.Read(t, file) != pinned {
			t.Errorf("%s: the pinned cassette was changed", tt.mode)
		}
	}
}
