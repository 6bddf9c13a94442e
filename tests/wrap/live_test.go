package wrap_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A live function is called, the rest is replayed, and the outcome is in a derived cassette.
func TestLiveFunctionIsCalledAndTheRestReplayed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	a := recordedResearcher(t, file)
	before, sent := must.Read(t, file), a.model.Count()

	a.version = "v2"
	rec, results := a.runWith(t, file, []promptecho.Option{promptecho.Live("tool/search")}, "a", "b")
	must.Pass(t, rec)
	if results != "v2 of a, v2 of b" {
		t.Errorf("the live tool gives %s", results)
	}
	if n := a.model.Count() - sent; n != 0 {
		t.Errorf("%d requests were sent", n)
	}
	if must.Read(t, file) != before {
		t.Error("the cassette has changed")
	}

	original, derived := must.Load(t, file), must.Load(t, derivedFrom(file))
	if len(derived.Interactions) != 4 || derived.Partial {
		t.Fatalf("%d interactions in the derived cassette, partial %v", len(derived.Interactions), derived.Partial)
	}
	for i, is := range derived.Interactions {
		was := original.Interactions[i]
		isTool := i%2 == 0
		isOther := string(is.Response.Body) != string(was.Response.Body)
		if is.Request.String() != was.Request.String() || isOther != isTool {
			t.Errorf("interaction %d of the derived cassette: %s: %s", i, is.Request.String(), is.Response.Body)
		}
	}
}

// derivedFrom returns the file of the derived cassette of a cassette.
func derivedFrom(file string) string { return strings.TrimSuffix(file, ".yaml") + ".derived.yaml" }

// A researcher is an agent that calls a search tool, and then asks a model, about each topic.
type researcher struct {
	model   *provider.Server
	version string // of the tool: it begins each result
}

func newResearcher(t *testing.T) *researcher {
	return &researcher{model: provider.New(t), version: "v1"}
}

// recordedResearcher returns a researcher whose work on the topics a and b is recorded.
func recordedResearcher(t *testing.T, file string) *researcher {
	t.Helper()
	a := newResearcher(t)
	rec, _ := a.run(t, file, "a", "b")
	must.Pass(t, rec)
	return a
}

// run runs the agent, and returns the results of the tool. The recorder is not closed.
func (a *researcher) run(t *testing.T, file string, topics ...string) (*promptecho.Recorder, string) {
	t.Helper()
	return a.runWith(t, file, nil, topics...)
}

// runWith is run with options.
func (a *researcher) runWith(
	t *testing.T, file string, opts []promptecho.Option, topics ...string,
) (rec *promptecho.Recorder, results string) {
	t.Helper()
	rec = must.Open(t, file, opts...)
	search := promptecho.Wrap(rec, "tool/search", func(_ context.Context, topic string) (string, error) {
		return a.version + " of " + topic, nil
	})
	var found []string
	for _, topic := range topics {
		result, err := search(t.Context(), topic)
		if err != nil {
			result = "miss"
		}
		found = append(found, result)
		must.Ask(t, rec, a.model.URL, topic)
	}
	return rec, strings.Join(found, ", ")
}

// A derived cassette is replayed like any other one.
func TestDerivedCassetteIsReplayedLikeAnyOther(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "c.yaml")
	a := recordedResearcher(t, file)
	a.version = "v2"
	rec, _ := a.runWith(t, file, []promptecho.Option{promptecho.Live("tool/search")}, "a", "b")
	must.Pass(t, rec)

	moved := filepath.Join(dir, "d.yaml")
	if err := os.Rename(derivedFrom(file), moved); err != nil {
		t.Fatal(err)
	}
	a.version = "v3"
	rec, results := a.runWith(t, moved, []promptecho.Option{promptecho.InMode(promptecho.ModeNone)}, "a", "b")
	must.Pass(t, rec)
	if results != "v2 of a, v2 of b" {
		t.Errorf("the derived cassette gives %s", results)
	}
}

// Requests to a live model are sent only in a mode that sends; in other modes a note says so.
func TestLiveModelIsAskedOnlyWhereTheModeSends(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	a := recordedResearcher(t, file)
	before, sent := must.Read(t, file), a.model.Count()
	a.version = "v3"

	var notes []string
	log := promptecho.Log(func(note string) { notes = append(notes, note) })
	rec, results := a.runWith(t, file, []promptecho.Option{promptecho.Live("llm"), log}, "a", "b")
	must.Pass(t, rec)
	if results != "v1 of a, v1 of b" || a.model.Count() != sent {
		t.Errorf("mode once: the tool gives %s, %d requests", results, a.model.Count()-sent)
	}
	want := "Live has no effect on llm/openai.chat, because mode once (the default) sends nothing: " +
		"use PROMPTECHO_MODE=new_episodes"
	if !strings.Contains(strings.Join(notes, "\n"), want) {
		t.Errorf("mode once: notes %q", notes)
	}

	for _, mode := range []promptecho.Mode{promptecho.ModeNewEpisodes, promptecho.ModeUpdate} {
		sent := a.model.Count()
		opts := []promptecho.Option{promptecho.Live("llm"), promptecho.InMode(mode)}
		rec, results := a.runWith(t, file, opts, "a", "b", "new")
		must.Pass(t, rec)
		if results != "v1 of a, v1 of b, v3 of new" || a.model.Count() != sent+3 {
			t.Errorf("mode %s: the tool gives %s, %d requests, want 3", mode, results, a.model.Count()-sent)
		}
		if must.Read(t, file) != before {
			t.Errorf("mode %s: the cassette has changed", mode)
		}
		if n := len(must.Load(t, derivedFrom(file)).Interactions); n != 6 {
			t.Errorf("mode %s: %d interactions in the derived cassette, want 6", mode, n)
		}
	}
}

// A note names each argument of Live that selects nothing.
func TestLiveWithoutEffectIsNoted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	a := recordedResearcher(t, file)
	var notes []string
	opts := []promptecho.Option{
		promptecho.Live("tool", "tool/serach"),
		promptecho.Frozen("tool/search"),
		promptecho.Log(func(note string) { notes = append(notes, note) }),
	}
	rec, _ := a.runWith(t, file, opts, "a", "b")
	must.Pass(t, rec)
	for _, want := range []string{
		`Live("tool") has no effect: no call of this name`,
		`Live("tool/serach") has no effect: no call of this name`,
	} {
		if !strings.Contains(strings.Join(notes, "\n"), want) {
			t.Errorf("notes %q, want %s", notes, want)
		}
	}
}

// Live changes nothing in a run that records: there is one cassette, and no derived one.
func TestLiveChangesNothingInARecordingRun(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "e.yaml")
	a := newResearcher(t)
	rec, _ := a.runWith(t, file, []promptecho.Option{promptecho.Live("tool")}, "a")
	must.Pass(t, rec)
	opts := []promptecho.Option{promptecho.Live("tool"), promptecho.InMode(promptecho.ModeAll)}
	rec, _ = a.runWith(t, file, opts, "a")
	must.Pass(t, rec)
	if _, err := os.Stat(derivedFrom(file)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a derived cassette: %v", err)
	}
	if n := len(must.Load(t, file).Interactions); n != 2 {
		t.Errorf("%d interactions, want 2", n)
	}
}

// A derived cassette has the order of the recorded one, in whatever order the calls came.
func TestDerivedCassetteHasTheRecordedOrder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(names []string, opts ...promptecho.Option) {
		t.Helper()
		rec := must.Open(t, file, opts...)
		echo := func(_ context.Context, s string) (string, error) { return s, nil }
		tools := map[string]stringFunc{
			"live":  promptecho.Wrap(rec, "tool/live", echo),
			"fixed": promptecho.Wrap(rec, "tool/fixed", echo),
		}
		for _, name := range names {
			tool, _, _ := strings.Cut(name, " ")
			if _, err := tools[tool](t.Context(), name); err != nil {
				t.Error(err)
			}
		}
		must.Pass(t, rec)
	}
	run([]string{"fixed 1", "live 2", "fixed 3", "live 4", "fixed 5"})
	run([]string{"live 4", "fixed 3", "live new", "fixed 1", "fixed 5", "live 2", "live newer"},
		promptecho.Live("tool/live"))

	var got []string
	for _, it := range must.Load(t, derivedFrom(file)).Interactions {
		got = append(got, strings.Trim(string(it.Response.Body), `"`))
	}
	// A new call stands behind the last of those that were asked before it.
	want := "fixed 1, live 2, fixed 3, live 4, live new, fixed 5, live newer"
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
}
