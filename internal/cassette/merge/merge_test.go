package merge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// recorded returns a recorded interaction of a question and its answer.
func recorded(question, answer string) *interaction.Interaction {
	it := &interaction.Interaction{
		Kind: "llm", Boundary: "openai.chat",
		Request:   interaction.Request{Method: "POST", URL: "https://api.openai.com/v1/chat/completions", Body: fmt.Appendf(nil, `{"model":"m","messages":[{"role":"user","content":%q}]}`, question)},
		Response:  interaction.Response{Status: 200, Body: fmt.Appendf(nil, `{"id":"chatcmpl-%x","object":"chat.completion","choices":[{"message":{"content":%q}}]}`, len(answer)*7919, answer)},
		LatencyMS: int64(len(answer)),
	}
	var rules canon.Options
	it.MatchKey = rules.Form(&it.Request).Key()
	return it
}

// edited returns an interaction that a person has edited.
func edited(it *interaction.Interaction, answer string) *interaction.Interaction {
	e := recorded("", answer)
	e.Request, e.MatchKey = it.Request, ""
	return e
}

func fileOf(its ...*interaction.Interaction) *cassette.File {
	return &cassette.File{Interactions: its}
}

// say returns what a merged cassette has, in order: "question: answer".
func say(t testing.TB, f *cassette.File) (all []string) {
	t.Helper()
	for _, it := range f.Interactions {
		_, question, _ := strings.Cut(string(it.Request.Body), `"content":"`)
		_, answer, _ := strings.Cut(string(it.Response.Body), `"content":"`)
		question, _, _ = strings.Cut(question, `"`)
		answer, _, _ = strings.Cut(answer, `"`)
		all = append(all, question+": "+answer)
	}
	return all
}

func merged(t testing.TB, base, ours, theirs *cassette.File) *Result {
	t.Helper()
	r, err := Files(base, ours, theirs)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Two branches of one cassette merge by the rules of docs/COMMAND.md.
func TestMergeFollowsTheRules(t *testing.T) {
	t.Parallel()
	a, b, c := recorded("a", "1"), recorded("b", "2"), recorded("c", "3")
	again := recorded("b", "twenty")
	for _, tt := range []struct {
		name               string
		base, ours, theirs *cassette.File
		want               string
		conflicts          int
	}{
		{"nothing has changed", fileOf(a, b), fileOf(a, b), fileOf(a, b), "a: 1, b: 2", 0},
		{"added on both sides", fileOf(a), fileOf(a, b), fileOf(a, c), "a: 1, c: 3, b: 2", 0},
		{"each dropped one", fileOf(a, b, c), fileOf(a, b), fileOf(b, c), "b: 2", 0},
		{"recorded again on one side", fileOf(a, b), fileOf(a, b), fileOf(a, again), "a: 1, b: twenty", 0},
		{"dropped here, recorded again there", fileOf(a, b), fileOf(a), fileOf(a, again), "a: 1, b: twenty", 0},
		{"edited here, as it was there", fileOf(a, b), fileOf(a, edited(b, "by hand")), fileOf(a, b), "a: 1, b: by hand", 0},
		{"edited here, recorded again there", fileOf(a, b), fileOf(a, edited(b, "by hand")), fileOf(a, again), "a: 1, b: by hand", 1},
		{"no base", nil, fileOf(a, b), fileOf(b, c), "a: 1, b: 2, c: 3", 0},
		{"a poll that one side cut", fileOf(recorded("p", "no"), recorded("p", "no, wait"), recorded("p", "yes")),
			fileOf(recorded("p", "no"), recorded("p", "yes")), fileOf(recorded("p", "no"), recorded("p", "no, wait"), recorded("p", "yes!!")), "p: no, p: yes!!", 0},
	} {
		r := merged(t, tt.base, tt.ours, tt.theirs)
		if got := strings.Join(say(t, r.File), ", "); got != tt.want || len(r.Conflicts) != tt.conflicts {
			t.Errorf("%s: got %s and %d conflicts, want %s and %d", tt.name, got, len(r.Conflicts), tt.want, tt.conflicts)
		}
	}
}

// Two recordings of one request: one of them stays, whichever side is called ours, and
// what follows from each stays, since it has other requests.
func TestBothRecordedAnew(t *testing.T) {
	t.Parallel()
	base := fileOf(recorded("q", "old"))
	ours := fileOf(recorded("q", "new of us"), recorded("q new of us", "and on"))
	theirs := fileOf(recorded("q", "new of them"), recorded("q new of them", "further"))
	one, other := merged(t, base, ours, theirs), merged(t, base, theirs, ours)
	got, turned := say(t, one.File), say(t, other.File)
	slices.Sort(got)
	slices.Sort(turned)
	if len(got) != 3 || !slices.Equal(got, turned) || len(one.Conflicts) > 0 {
		t.Errorf("got %q, in the other direction %q", got, turned)
	}
}

// What one side has asked the model stays, and not the answer to an earlier request that the other has accepted for it.
func TestAcceptedAndRecorded(t *testing.T) {
	t.Parallel()
	for i := range 20 { // either side's content may have the greater hash
		base, answer := fileOf(recorded("q", "old")), fmt.Sprint("fresh ", i)
		accepted := recorded("q edited", "old")
		accepted.Accepted = true
		ours, theirs := fileOf(accepted), fileOf(recorded("q edited", answer))
		for _, r := range []*Result{merged(t, base, ours, theirs), merged(t, base, theirs, ours)} {
			if got := say(t, r.File); !slices.Equal(got, []string{"q edited: " + answer}) || r.File.Interactions[0].Accepted {
				t.Fatalf("got %q", got)
			}
		}
	}
}

// An answer that says the same is the same, whatever its id and its time.
func TestByChance(t *testing.T) {
	t.Parallel()
	other := recorded("q", "yes")
	other.Response.Body = []byte(strings.Replace(string(other.Response.Body), "chatcmpl-", "chatcmpl-9f", 1))
	other.LatencyMS = 99
	r := merged(t, fileOf(recorded("q", "no")), fileOf(edited(recorded("q", ""), "yes")), fileOf(other))
	if len(r.Conflicts) > 0 || len(r.File.Interactions) != 1 {
		t.Errorf("%d conflicts, %q", len(r.Conflicts), say(t, r.File))
	}
}

// What ran side by side is known within one recording.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	beside := func(question, moments string) *interaction.Interaction {
		it := recorded(question, "x")
		it.Concurrent, _ = interaction.ParseMoments(moments)
		return it
	}
	base := fileOf(beside("a", "asked 1, answered 3"), beside("b", "asked 2, answered 4"))
	r := merged(t, base, fileOf(base.Interactions[0], base.Interactions[1], beside("c", "asked 3, answered 5")), base)
	if got := r.File.Interactions[2].Concurrent.String(); got != "asked 3, answered 5" {
		t.Errorf("of one side: %s", got)
	}
	theirs := fileOf(beside("a2", "asked 1, answered 3"), beside("b2", "asked 2, answered 4"))
	r = merged(t, nil, base, theirs)
	for _, it := range r.File.Interactions {
		if it.Concurrent.String() != "true" {
			t.Errorf("of both sides: %s", it.Concurrent)
		}
	}
}

// The top of a cassette is merged, too: the side that has changed a value decides.
func TestTop(t *testing.T) {
	t.Parallel()
	base := &cassette.File{RecordedValues: interaction.RecordedValues{
		Seed: "0", Env: map[string]string{"A": "1", "B": "1"}, Options: "{mask_ids: true}",
	}}
	ours := &cassette.File{Pinned: true, RecordedValues: interaction.RecordedValues{
		Seed: "0", Env: map[string]string{"A": "2", "B": "1", "C": "1"}, Options: "{mask_times: true}",
	}}
	theirs := &cassette.File{Partial: true, RecordedValues: interaction.RecordedValues{
		Seed: "7", Env: map[string]string{"A": "1"}, Options: "{mask_ids: true}",
	}}
	f := merged(t, base, ours, theirs).File
	values := f.RecordedValues
	if !f.Pinned || !f.Partial || values.Seed != "7" || fmt.Sprint(values.Env) != "map[A:2 C:1]" ||
		values.Options != "{mask_times: true}" {
		t.Errorf("%+v", f)
	}

	values = merged(t, nil, theirs, &cassette.File{}).File.RecordedValues
	if values.Options != "{mask_ids: true}" {
		t.Errorf("without a base, the options are %q", values.Options)
	}
}

// history changes a cassette at random, as a branch does.
func history(r *rand.Rand, f *cassette.File, changes int, name string) *cassette.File {
	its := slices.Clone(f.Interactions)
	for n := range changes {
		what := fmt.Sprint(name, n)
		i := r.IntN(len(its) + 1)
		if i == len(its) || r.IntN(4) == 0 {
			its = slices.Insert(its, i, recorded(fmt.Sprint("q", r.IntN(12)), what))
			continue
		}
		switch r.IntN(6) {
		case 0:
			its = slices.Delete(its, i, i+1)
		case 1: // recorded again, with another answer
			_, question, _ := strings.Cut(string(its[i].Request.Body), `"content":"`)
			question, _, _ = strings.Cut(question, `"`)
			its[i] = recorded(question, what)
		case 2:
			its[i] = edited(its[i], what)
		case 3: // another prompt
			its[i] = recorded(what, what)
		case 4:
			j := r.IntN(len(its))
			its[i], its[j] = its[j], its[i]
		case 5: // recorded again, and nothing new
		}
	}
	return fileOf(its...)
}

// TestHistories: two branches of up to 20 changes each.
func TestHistories(t *testing.T) {
	t.Parallel()
	for seed := range uint64(full.Cases(250, 10_000)) {
		r := rand.New(rand.NewPCG(seed, 41))
		base := history(r, fileOf(), r.IntN(20), "base")
		ours, theirs := history(r, base, r.IntN(20), "ours"), history(r, base, r.IntN(20), "theirs")
		m := merged(t, base, ours, theirs)
		check := func(what string, got, want []string) {
			if got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want)); !slices.Equal(got, want) {
				t.Fatalf("history %d: %s: got %q, want %q\nbase %q\nours %q\ntheirs %q", seed, what, got, want, say(t, base), say(t, ours), say(t, theirs))
			}
		}
		if len(m.Conflicts) == 0 {
			check("the other direction", say(t, merged(t, base, theirs, ours).File), say(t, m.File))
		}
		check("once more", say(t, merged(t, theirs, m.File, theirs).File), say(t, m.File))
		count := func(list []string, s string) (n int) {
			for _, other := range list {
				if other == s {
					n++
				}
			}
			return n
		}
		// Whoever says what nobody else says about a question that the others left alone is heard.
		b, o, th, got := say(t, base), say(t, ours), say(t, theirs), say(t, m.File)
		for i, side := range [][]string{o, th} {
			other := [][]string{th, o}[i]
			for _, s := range side {
				question, _, _ := strings.Cut(s, ":")
				of := func(list []string) (said []string) {
					for _, x := range list {
						if strings.HasPrefix(x, question+":") {
							said = append(said, x)
						}
					}
					return said
				}
				if slices.Equal(slices.Sorted(slices.Values(of(other))), slices.Sorted(slices.Values(of(b)))) && count(got, s) < count(side, s) {
					t.Fatalf("history %d: %q is lost\nbase %q\nours %q\ntheirs %q\ngot %q", seed, s, b, o, th, got)
				}
			}
		}
		for _, c := range m.Conflicts {
			if string(c.Ours.Request.Body) != string(c.Theirs.Request.Body) || string(c.Ours.Response.Body) == string(c.Theirs.Response.Body) {
				t.Fatalf("history %d: no conflict: %s", seed, c.Ours.Response.Body)
			}
		}
		if seed%10 > 0 {
			continue
		}
		check("only ours", say(t, merged(t, base, ours, base).File), say(t, ours))
		check("only theirs", say(t, merged(t, base, base, theirs).File), say(t, theirs))
	}
}

// Two branches that recorded the same answer on different days merge without a conflict, and
// the later day counts. An answer of one side keeps its day.
func TestMergeKeepsTheDayOfAnAnswer(t *testing.T) {
	t.Parallel()
	on := func(day interaction.Date, answer string) *interaction.Interaction {
		it := recorded("q", answer)
		it.Recorded = day
		return it
	}
	byChance := on("2026-03-03", "yes")
	byChance.Response.Body = []byte(strings.Replace(string(byChance.Response.Body), "chatcmpl-", "chatcmpl-9f", 1))
	byHand := on("", "yes")
	byHand.MatchKey = ""
	base := fileOf(on("2026-01-01", "yes"))
	for _, tt := range []struct {
		name               string
		base, ours, theirs *cassette.File
		answer             string // "" if the interaction is dropped
		date               interaction.Date
	}{
		{"unchanged", base, base, base, "yes", "2026-01-01"},
		{"renewed on both sides", base, fileOf(on("2026-03-03", "yes")), fileOf(on("2026-02-02", "yes")), "yes", "2026-03-03"},
		{"renewed on one side", base, base, fileOf(on("2026-02-02", "yes")), "yes", "2026-02-02"},
		{"without a base", nil, fileOf(on("2026-02-02", "yes")), fileOf(on("2026-03-03", "yes")), "yes", "2026-03-03"},
		{"another answer on one side", base, fileOf(on("2026-02-02", "no")), base, "no", "2026-02-02"},
		{"an older answer than the other side's", base, fileOf(on("2026-02-02", "no")), fileOf(on("2026-03-03", "yes")), "no", "2026-02-02"},
		{"the same answer with another ID", nil, fileOf(on("2026-02-02", "yes")), fileOf(byChance), "yes", "2026-03-03"},
		{"a day was removed by hand", base, fileOf(byHand), base, "yes", "2026-01-01"},
		{"no day in the base", fileOf(on("", "yes")), fileOf(on("", "yes")), fileOf(on("2026-02-02", "yes")), "yes", "2026-02-02"},
		{"renewed here, dropped there", base, fileOf(on("2026-02-02", "yes")), fileOf(), "", ""},
	} {
		for _, turned := range []bool{false, true} {
			ours, theirs := tt.ours, tt.theirs
			if turned {
				ours, theirs = theirs, ours
			}
			r := merged(t, tt.base, ours, theirs)
			if len(r.Conflicts) > 0 {
				t.Errorf("%s: a conflict", tt.name)
			}
			its := r.File.Interactions
			if tt.answer == "" || len(its) != 1 {
				if len(its) != 0 || tt.answer != "" {
					t.Errorf("%s: %d interactions", tt.name, len(its))
				}
				continue
			}
			if got := say(t, r.File)[0]; got != "q: "+tt.answer || its[0].Recorded != tt.date {
				t.Errorf("%s: %s of %q, want %s of %q", tt.name, got, its[0].Recorded, tt.answer, tt.date)
			}
			again := merged(t, fileOf(ours.Interactions...), r.File, r.File)
			if where := again.File.Interactions[0].Difference(its[0]); where != "" {
				t.Errorf("%s: a second merge changes %s", tt.name, where)
			}
		}
	}
}
