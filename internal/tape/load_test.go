package tape

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// Load puts on the tape what the run plays: all recordings, all but the accepted
// or the older ones, or none. The run replaces the others.
func TestWhatIsPlayed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		play   Playing
		frozen canon.Selectors
		want   []string
	}{
		{"all", PlayAll, nil, []string{"a", "accepted", "tool/agent", "within", "tool/other"}},
		{"all but the accepted ones", PlayNotAccepted, nil, []string{"a", "tool/agent", "within", "tool/other"}},
		{"all but the older ones", PlayNotOlder, nil, []string{"a", "tool/agent"}},
		{"all but the older ones, and a frozen one", PlayNotOlder, canon.Selectors{"tool/other"}, []string{"a", "tool/agent", "tool/other"}},
		{"none", PlayNone, nil, nil},
		{"none but a frozen kind", PlayNone, canon.Selectors{"tool"}, []string{"tool/agent", "within", "tool/other"}},
		{"none but a frozen function", PlayNone, canon.Selectors{"tool/agent"}, []string{"tool/agent", "within"}},
		{"none but frozen requests", PlayNone, canon.Selectors{"llm"}, []string{"a", "accepted", "within"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			accepted := alone("accepted")
			accepted.Accepted = true
			interactions := []*interaction.Interaction{
				alone("a"), accepted,
				exchange(function("tool/agent"), returns("1")),
				exchange(within("tool/agent", prompt("within")), says("x")),
				exchange(function("tool/other"), returns("1")),
			}
			// The day of "tool/other" is not known, and the answer of a fake has no age.
			interactions[0].Recorded = "2026-03-01"
			interactions[1].Recorded = "2026-02-28"
			interactions[2].Fake = true
			interactions[3].Recorded = "2025-12-31"
			config := configOf(cassetteOf(t, interactions...))
			config.Frozen = tt.frozen
			config.Since = "2026-03-01"
			for _, save := range []bool{false, true} {
				run := open(t, config, new(redact.Policy), tt.play, save)
				for _, rec := range run.Recordings() {
					if rec.Accepted() != (textOf(rec) == "accepted") {
						t.Errorf("%s is accepted: %v", textOf(rec), rec.Accepted())
					}
				}
				if got := texts(run.Recordings()); !slices.Equal(got, tt.want) {
					t.Errorf("played are %v, want %v", got, tt.want)
				}
				if run.Replaced() != 5-len(tt.want) {
					t.Errorf("%d are replaced", run.Replaced())
				}
				if run.IsBlank() != (len(tt.want) == 0) {
					t.Errorf("blank: %v", run.IsBlank())
				}
			}
		})
	}
}

// A canceled recording is not found by its bytes: a request that is sent again
// after it is compared by its seed.
func TestCanceledRecordingIsNotFoundByItsBytes(t *testing.T) {
	t.Parallel()
	run := replay(t,
		exchange(sample(`"seed":1`), isCanceled()),
		sampled(`"seed":2`, "two"), sampled(`"seed":2`, "three"),
	)
	take(t, run, Call{Request: sample(`"seed":1`), Cancelable: true})
	wantPlayed(t, run, []int{1, 2}, sample(`"seed":1`), sample(`"seed":2`))
	if conflicts := run.Conflicts(); len(conflicts) != 1 {
		t.Errorf("%d conflicts", len(conflicts))
	}
}

// A recording is found although its text has a secret that was not known when
// it was recorded.
func TestRecordingWithASecretThatIsKnownNow(t *testing.T) {
	t.Parallel()
	const secret = "Zk93hQ7xPw2LmN8v"
	policy := new(redact.Policy)
	policy.AddSecret(secret)
	config := configOf(cassetteOf(t, exchange(prompt("use "+secret), says("one"))))
	run := open(t, config, policy, PlayAll, false)
	wantPlayed(t, run, []int{0}, prompt("use "+secret, `"max_tokens":9`)) // other bytes
}

// A host that the user ignores does not choose among recordings.
func TestIgnoredHostDoesNotChoose(t *testing.T) {
	t.Parallel()
	to := func(host string) interaction.Request {
		req := prompt("hi")
		req.URL = strings.Replace(req.URL, "api.openai.com", host, 1)
		return req
	}
	path := cassetteOf(t,
		exchange(to("a.example.com"), says("one")), exchange(to("b.example.com"), says("two")),
	)
	config := configOf(path)
	wantPlayed(t, open(t, config, new(redact.Policy), PlayAll, false), []int{1}, to("b.example.com"))

	config.Options = &canon.Options{Ignore: []string{"host"}}
	config.Plain = false
	wantPlayed(t, open(t, config, new(redact.Policy), PlayAll, false), []int{0, 1},
		to("b.example.com"), to("a.example.com"))
}

// A run that saves has read everything before, since it closes the file.
func TestRunThatSavesReadsEverything(t *testing.T) {
	t.Parallel()
	path := cassetteOf(t, alone("a"), alone("b"))
	run := open(t, configOf(path), new(redact.Policy), PlayAll, true)
	writeFile(t, path, "")
	for _, rec := range run.Recordings() {
		if _, err := rec.Load(); err != nil {
			t.Error(err)
		}
	}
}

// A cassette that cannot be read leaves the tape without one.
func TestUnreadableCassette(t *testing.T) {
	t.Parallel()
	path := cassetteOf(t, alone("a"))
	whole := readFile(t, path)
	for text, isCut := range map[string]bool{
		"promptecho: 1\ninteractions: [": false,
		whole[:len(whole)/2]:             true,
	} {
		writeFile(t, path, text)
		run := New(configOf(path), new(redact.Policy))
		err := run.Open(false)
		if err == nil || strings.Contains(err.Error(), path) || run.State.Cut != isCut {
			t.Errorf("error %v, cut: %v", err, run.State.Cut)
		}
		if run.State.Present || !run.IsBlank() {
			t.Error("the tape has a cassette")
		}
	}

	run := New(configOf(path+".missing"), new(redact.Policy))
	if err := run.Open(false); err != nil || run.State.Present {
		t.Errorf("a cassette that is not there: %v", err)
	}
	if err := run.Load(PlayAll, false); err != nil || len(run.Recordings()) != 0 {
		t.Errorf("a cassette that is not there: %v", err)
	}
}

// A cassette with a merge conflict has the recordings of both sides, if the run
// heals it.
func TestCassetteWithAMergeConflict(t *testing.T) {
	t.Parallel()
	path := cassetteOf(t, alone("ours"))
	ours := readFile(t, path)
	saveCassette(t, path, alone("theirs"))
	theirs := readFile(t, path)
	writeFile(t, path, "<<<<<<< HEAD\n"+ours+"=======\n"+theirs+">>>>>>> other\n")

	if err := New(configOf(path), new(redact.Policy)).Open(false); err == nil {
		t.Error("a conflict is read as a cassette")
	}
	run := New(configOf(path), new(redact.Policy))
	if err := run.Open(true); err != nil {
		t.Fatal(err)
	}
	if err := run.Load(PlayAll, false); err != nil {
		t.Fatal(err)
	}
	defer run.Free()
	if got := texts(run.Recordings()); !slices.Equal(got, []string{"ours", "theirs"}) || run.Healed == nil {
		t.Errorf("got %v", got)
	}

	whole := New(configOf(cassetteOf(t, alone("a"))), new(redact.Policy))
	if err := whole.Open(true); err != nil || whole.Healed != nil {
		t.Errorf("a cassette without a conflict: %v", err)
	}
	whole.Free()
}

// A run that saves reads everything first, so a missing asset is found before a
// request is paid for, and nothing is played.
func TestMissingAsset(t *testing.T) {
	t.Parallel()
	path := cassetteOf(t, alone("a"), exchange(get("https://example.com/x.png"), picture()))
	if err := os.RemoveAll(cassette.Assets(path)); err != nil {
		t.Fatal(err)
	}
	run := New(configOf(path), new(redact.Policy))
	if err := run.Open(false); err != nil {
		t.Fatal(err)
	}
	if err := run.Load(PlayAll, true); err == nil {
		t.Error("no error")
	}
	if len(run.Recordings()) != 0 || run.Replaced() != 0 || !run.IsBlank() || run.State.Present || run.Unreadable() != nil {
		t.Error("the tape has a cassette")
	}
}
