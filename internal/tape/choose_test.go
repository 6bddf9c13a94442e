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
	"a seed that the program has left out does not hide the temperature",
	[]recordedMembers{{members: `"temperature":0,"seed":1`}, {members: `"temperature":1,"seed":2`}},
	[]askedMembers{{`"temperature":1`, uncancelable, nearest, 1}},
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
	"a repeated request that is recorded nowhere takes the nearest one again",
	[]recordedMembers{
		{members: `"seed":1,"metadata":{"a":"x"}`}, {members: `"seed":2,"metadata":{"a":"y"}`},
	},
	[]askedMembers{
		{`"seed":1,"metadata":{"a":"x"}`, repeats, byteForByte, 0},
		{`"seed":2,"metadata":{"a":"y"}`, repeats, byteForByte, 1},
		{`"seed":1,"metadata":{"a":"y"}`, repeats, nearestRepeated, 0},
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

// A request gets the recording that the first matching rule finds, and choosing
// it changes nothing.
func TestRequestGetsItsRecording(t *testing.T) {
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

// Each rule finds the recording of a request in chooseTests.
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
