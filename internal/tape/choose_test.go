package tape

import (
	"fmt"
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// A chooseTest is recordings and requests that differ only in members of the
// body that matching ignores.
type chooseTest struct {
	name       string
	recordings []recordedMembers
	requests   []askedMembers
}

type recordedMembers struct {
	members string
	outcome outcome
}

type askedMembers struct {
	members string
	request request // cancelable, repeats, records
	rule    rule
	number  int // of the recording that is played; not compared if nothing is left
}

var (
	uncancelable = request{}
	cancelable   = request{cancelable: true}
	repeats      = request{repeats: true}
	records      = request{records: true}
)

var chooseTests = []chooseTest{{
	"equal bytes, in another order",
	[]recordedMembers{{members: `"seed":1`}, {members: `"seed":2`}},
	[]askedMembers{
		{`"seed":2`, uncancelable, byteForByte, 1},
		{`"seed":1`, uncancelable, byteForByte, 0},
	},
}, {
	"a field that changed in all requests does not select",
	[]recordedMembers{{members: `"seed":1`}, {members: `"seed":2`}},
	[]askedMembers{
		{`"seed":2,"max_tokens":9`, uncancelable, sameTraits, 1},
		{`"seed":1,"max_tokens":9`, uncancelable, sameTraits, 0},
	},
}, {
	"equal requests play in recorded order, each once",
	[]recordedMembers{{members: `"seed":1`}, {members: `"seed":1`}},
	[]askedMembers{
		{`"seed":1`, uncancelable, byteForByte, 0},
		{`"seed":1`, uncancelable, byteForByte, 1},
		{`"seed":1`, uncancelable, nothingLeft, 0},
	},
}, {
	"a value that is not recorded takes the first of the nearest",
	[]recordedMembers{{members: `"seed":1`}, {members: `"seed":2`}},
	[]askedMembers{
		{`"seed":3`, uncancelable, nearest, 0},
		{`"seed":4`, uncancelable, nearest, 1},
		{`"seed":5`, uncancelable, nothingLeft, 0},
	},
}, {
	"a new temperature does not hide the seed",
	[]recordedMembers{{members: `"temperature":0,"seed":1`}, {members: `"temperature":1,"seed":2`}},
	[]askedMembers{{`"temperature":2,"seed":2`, uncancelable, nearest, 1}},
}, {
	"a new seed is not nearer to a recording without a seed",
	[]recordedMembers{{members: `"seed":1`}, {members: `"n":1`}},
	[]askedMembers{{`"seed":3,"n":1`, uncancelable, nearest, 0}},
}, {
	"a recording that is near and was played gives way to one that is left",
	[]recordedMembers{
		{members: `"seed":1,"metadata":{"a":"x"}`}, {members: `"seed":2,"metadata":{"a":"y"}`},
	},
	[]askedMembers{
		{`"seed":1,"metadata":{"a":"y"}`, uncancelable, nearest, 0},
		{`"seed":1,"metadata":{"a":"y"}`, uncancelable, nearest, 1},
	},
}, {
	"a repeated request stays with its own recording",
	[]recordedMembers{{members: `"seed":1`}, {members: `"seed":2`}},
	[]askedMembers{
		{`"seed":1`, repeats, byteForByte, 0},
		{`"seed":1`, repeats, repeated, 0},
		{`"seed":2`, repeats, byteForByte, 1},
		{`"seed":3`, repeats, nearestRepeated, 1},
	},
}, {
	"a timeout is played as often as the SDK retries",
	[]recordedMembers{{`"seed":1`, timedOut}, {members: `"seed":2`}},
	[]askedMembers{
		{`"seed":1`, uncancelable, byteForByte, 0},
		{`"seed":1`, uncancelable, timedOutAgain, 0},
		{`"seed":2`, uncancelable, byteForByte, 1},
	},
}, {
	"a request that was canceled and sent again",
	[]recordedMembers{{`"seed":1`, canceled}, {members: `"seed":1`}},
	[]askedMembers{
		{`"seed":1`, cancelable, canceledInTurn, 0},
		{`"seed":1`, cancelable, sameTraits, 1},
	},
}, {
	"an uncancelable request gets the response first",
	[]recordedMembers{{`"seed":1`, canceled}, {members: `"seed":1`}},
	[]askedMembers{
		{`"seed":1`, uncancelable, sameTraits, 1},
		{`"seed":1`, uncancelable, canceledAnyTime, 0},
	},
}, {
	"a run that records sends a request instead of playing a canceled one",
	[]recordedMembers{{`"seed":1`, canceled}},
	[]askedMembers{{`"seed":1`, records, nothingLeft, 0}},
}}

// TestChoose: a request gets the recording that the first matching rule finds,
// and choose changes nothing.
func TestChoose(t *testing.T) {
	t.Parallel()
	for _, tt := range chooseTests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := candidatesOf(tt.recordings)
			for i, asked := range tt.requests {
				req := requestOf(asked)
				chosen := c.choose(req)
				again := c.choose(req)
				if again.rule != chosen.rule || again.recording != chosen.recording {
					t.Errorf("request %d: choose changed something: %v, then %v", i, chosen, again)
				}
				c.markPlayed(chosen, req)

				if chosen.rule != asked.rule {
					t.Errorf("request %d: rule %q, want %q", i, chosen.rule, asked.rule)
				}
				if chosen.recording == nil {
					continue
				}
				if played := chosen.recording.number; played != asked.number {
					t.Errorf("request %d: played %d, want %d", i, played, asked.number)
				}
			}
		})
	}
}

// TestEachRuleIsTested: chooseTests has a request for each rule.
func TestEachRuleIsTested(t *testing.T) {
	t.Parallel()
	for _, r := range rules {
		isTested := slices.ContainsFunc(chooseTests, func(tt chooseTest) bool {
			return slices.ContainsFunc(tt.requests, func(asked askedMembers) bool {
				return asked.rule == r.rule
			})
		})
		if !isTested {
			t.Errorf("no request is for the rule %q", r.rule)
		}
	}
}

// TestConflicts: a recording was played for a request with another seed; then
// its own request came.
func TestConflicts(t *testing.T) {
	t.Parallel()
	c := candidatesOf([]recordedMembers{{members: `"seed":1`}, {members: `"seed":2`}})
	play := func(members string) choice {
		req := requestOf(askedMembers{members: members})
		chosen := c.choose(req)
		c.markPlayed(chosen, req)
		return chosen
	}

	other := play(`"seed":3`)
	if other.conflict != nil {
		t.Errorf("a conflict before the own request came: %+v", other.conflict)
	}

	own := play(`"seed":1`)
	if own.conflict == nil {
		t.Fatal("no conflict")
	}
	if own.conflict.Recording != other.recording || own.conflict.Instead != own.recording {
		t.Errorf("got %+v", own.conflict)
	}
	if own.conflict.Field.Path != "body/seed" {
		t.Errorf("the field is %q", own.conflict.Field.Path)
	}

	again := play(`"seed":1`)
	if again.conflict != nil {
		t.Errorf("the conflict was found twice: %+v", again.conflict)
	}
}

// TestOutOfOrder: one prompt is recorded twice, by two clients that escape it
// differently. The second client sends it twice: the user is told that the
// order differs.
func TestOutOfOrder(t *testing.T) {
	t.Parallel()
	const first, second = `"user":"a/b"`, `"user":"a\/b"`
	c := candidatesOf([]recordedMembers{{members: first}, {members: second}})
	play := func() choice {
		req := requestOf(askedMembers{members: second})
		chosen := c.choose(req)
		c.markPlayed(chosen, req)
		return chosen
	}

	own := play()
	if own.recording.number != 1 || own.conflict != nil {
		t.Fatalf("the own recording is played first: got %+v", own)
	}
	other := play()
	if other.recording == nil || other.recording.number != 0 {
		t.Fatalf("the recording that is left is played: got %+v", other)
	}
	if other.conflict == nil || !other.conflict.IsOutOfOrder() {
		t.Errorf("no conflict of order: %+v", other.conflict)
	}
}

// TestReplacedCanceledRecording: the test does not cancel a request whose
// recording was canceled, so TakeInstead gives it another one. The same request
// is not given the canceled recording in its turn again.
func TestReplacedCanceledRecording(t *testing.T) {
	t.Parallel()
	c := candidatesOf([]recordedMembers{{`"seed":1`, canceled}, {members: `"seed":1`}})
	c.canceled[0].run.replaced = true
	chosen := c.choose(requestOf(askedMembers{members: `"seed":1`, request: cancelable}))
	if chosen.rule == canceledInTurn || chosen.recording == nil || chosen.recording.number != 1 {
		t.Errorf("got %+v, want the response", chosen)
	}
}

// testSource is where the recordings of these tests come from.
var testSource = &source{Config: Config{Options: &canon.Options{}}, policy: new(redact.Policy)}

// candidatesOf returns the candidates with these recordings, sorted by traits.
func candidatesOf(recordings []recordedMembers) *candidates {
	c := &candidates{allEqual: true}
	for i, r := range recordings {
		rec := &Recording{entry: entry{of: testSource, number: i, outcome: r.outcome}}
		rec.content.interaction.Store(&interaction.Interaction{Request: chat(r.members)})
		c.add(rec)
	}
	c.readRequests(func() map[uint64]bool { return nil })
	c.sortByTraits()
	return c
}

// requestOf returns what choose knows of a request.
func requestOf(asked askedMembers) *request {
	sent := chat(asked.members)
	req := asked.request
	req.form = testSource.Config.Options.Form(&sent)
	req.digest = testSource.Config.digest(&sent)
	return &req
}

// chat returns a request with further members in its body.
func chat(members string) interaction.Request {
	return interaction.Request{
		Method: "POST",
		URL:    "https://api.openai.com/v1/chat/completions",
		Body:   fmt.Appendf(nil, `{"model":"m","messages":[],%s}`, members),
	}
}
