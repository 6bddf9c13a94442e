package tape

import (
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A failure does not replace a recording of the same request that succeeded.
func TestSucceededBefore(t *testing.T) {
	t.Parallel()
	run := recordAgain(t,
		exchange(prompt("hi"), fails(429)), exchange(prompt("hi"), says("one")),
		exchange(prompt("failed"), fails(400)),
		imported(prompt("imported"), says("two")),
	)
	tests := []struct {
		req  interaction.Request
		want int
	}{
		{prompt("hi"), 1},
		{prompt("failed"), missing},
		{prompt("new"), missing},
		{withHeader(prompt("hi"), "anthropic-beta", "b1"), missing},
		{withHeader(prompt("imported"), "anthropic-beta", "b1"), 3}, // its tool may have left that out
	}
	for _, tt := range tests {
		rec := recordCall(t, run, tt.req, fails(500))
		got := missing
		if before := run.SucceededBefore(rec); before != nil {
			got = before.Number()
		}
		if got != tt.want {
			t.Errorf("%s: recording %d, want %d", tt.req.Body, got, tt.want)
		}
	}
	if run.Replaced() != 4 {
		t.Errorf("%d recordings are replaced", run.Replaced())
	}
}

// A recording is replaced by a new one that would have got its response. The
// others are left, since this run may have left out a part of the test.
func TestNotRerecorded(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		old  exchanges
		new  exchanges
		want []int
	}{
		{"all are recorded again", exchanges{alone("a"), alone("b")}, exchanges{alone("b"), alone("a")}, nil},
		{"one is left out", exchanges{alone("a"), alone("b"), alone("c")}, exchanges{alone("a"), alone("c")}, []int{1}},
		{"nothing is recorded again", exchanges{alone("a"), alone("b")}, exchanges{alone("c")}, []int{0, 1}},
		{"a poll is answered earlier", exchanges{alone("a"), alone("a"), alone("a")}, exchanges{alone("a")}, nil},
		{
			"a poll is answered later, and another sample is left out",
			exchanges{sampled(`"seed":1`, "x"), sampled(`"seed":2`, "y")},
			exchanges{sampled(`"seed":1`, "x"), sampled(`"seed":1`, "x")},
			[]int{1},
		},
		{
			"a request is canceled again",
			exchanges{exchange(prompt("a"), isCanceled())}, exchanges{exchange(prompt("a"), isCanceled())},
			nil,
		},
		{
			"a request that was canceled is answered",
			exchanges{exchange(prompt("a"), isCanceled())}, exchanges{alone("a")},
			nil,
		},
		{
			"a local server has another port",
			exchanges{exchange(get(serverA+"/x"), says("one"))}, exchanges{exchange(get(serverB+"/x"), says("one"))},
			nil,
		},
		{
			"the tool had left out a header",
			exchanges{imported(prompt("a"), says("one"))},
			exchanges{exchange(withHeader(prompt("a"), "anthropic-beta", "b1"), says("one"))},
			nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := recordAgain(t, tt.old...)
			for _, it := range tt.new {
				recordCall(t, run, it.Request, it.Response)
			}
			run.Close()
			var left []int
			for _, rec := range run.NotRerecorded(run.Recordings()) {
				left = append(left, rec.Number())
			}
			if !slices.Equal(left, tt.want) {
				t.Errorf("left are %v, want %v", left, tt.want)
			}
		})
	}
}

// A run that replaces nothing leaves nothing.
func TestNotRerecordedWithoutOldOnes(t *testing.T) {
	t.Parallel()
	run := recordAgain(t)
	recordCall(t, run, prompt("a"), says("one"))
	if left := run.NotRerecorded(run.Recordings()); left != nil {
		t.Errorf("left are %d", len(left))
	}
}

// Accepted recordings that are recorded again keep their places in the
// cassette. New ones come behind those that were asked before them, and behind
// those that were not asked.
func TestRerecordedCallsKeepTheirPlaces(t *testing.T) {
	t.Parallel()
	acceptedOne := func(name string) *interaction.Interaction {
		it := alone(name)
		it.Accepted = true
		return it
	}
	config := configOf(cassetteOf(t,
		acceptedOne("a"), alone("b"), acceptedOne("c"), acceptedOne("c"), acceptedOne("d"),
	))
	run := openWith(t, config, PlayNotAccepted)
	if !run.State.Accepted || run.Replaced() != 4 {
		t.Fatalf("accepted: %v, replaced: %d", run.State.Accepted, run.Replaced())
	}
	do(t, run, "ask c, end c, ask b, end b, ask x, end x, ask a, end a, ask c, end c")
	run.Close()

	var recorded []*Recording
	for _, rec := range run.Recordings() {
		if rec.Fresh() {
			recorded = append(recorded, rec)
		}
	}
	notReplaced := run.TakePlaces(recorded)
	if got := texts(notReplaced); !slices.Equal(got, []string{"d"}) {
		t.Errorf("not replaced are %v", got)
	}

	all := slices.Concat(run.Recordings(), notReplaced)
	SortPlaced(all)
	if got := texts(all); !slices.Equal(got, []string{"a", "b", "c", "c", "d", "x"}) {
		t.Errorf("the order is %v", got)
	}
}

// A response that says the same as before stays as it was, so that the diff of
// the cassette shows what has changed.
func TestUnchangedResponsesStayAsTheyWere(t *testing.T) {
	t.Parallel()
	before := exchange(prompt("hi"), body("", `{"id":"chatcmpl-aaaa1111bbbb","text":"one"}`))
	before.LatencyMS = 120
	changed := exchange(prompt("other"), says("old"))
	run := recordAgain(t, before, changed)
	same := recordCall(t, run, prompt("hi"), body("", `{"id":"chatcmpl-cccc2222dddd","text":"one"}`))
	differs := recordCall(t, run, prompt("other"), says("new"))
	added := recordCall(t, run, prompt("added"), says("new"))
	run.Close()
	run.KeepUnchanged(run.Recordings())

	it := same.Interaction()
	if got := string(it.Response.Body); got != string(before.Response.Body) || it.LatencyMS != 120 {
		t.Errorf("the response is %s after %d ms", got, it.LatencyMS)
	}
	for _, rec := range []*Recording{differs, added} {
		if got := string(rec.Interaction().Response.Body); got != `{"text":"new"}` {
			t.Errorf("%s was changed to %s", textOf(rec), got)
		}
	}
}
