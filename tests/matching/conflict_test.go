package matching_test

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A test fails if a recording answers another request before its own, and the two answers differ.
func TestTakenRecordingFailsTheTest(t *testing.T) {
	t.Parallel()
	one, two, unrecorded := must.Chat(`,"seed":1`), must.Chat(`,"seed":2`), must.Chat(`,"seed":9`)
	spaced := must.Request{URL: must.ChatURL, Body: strings.ReplaceAll(must.Chat("").Body, ":", ": ")}
	tests := []struct {
		name     string
		recorded []must.Request
		answers  []string
		asked    []must.Request
		want     string // part of the report; "" if there is none
	}{{
		name:     "the own request gets another recording",
		recorded: []must.Request{one, two},
		answers:  []string{`"one"`, `"two"`},
		asked:    []must.Request{unrecorded, one},
		want: "c.yaml:4: this recording answered another request, which differs in seed. " +
			"The request that it was recorded for came later, and got the recording at line 21 instead. " +
			"Record both requests again, or tell them apart with promptecho.Match(\"seed\")\n\n" +
			"InMode(ModeNone) in the code allows no recording. To record the test, remove that option and run:\n",
	}, {
		name:     "no recording is left for the own request",
		recorded: []must.Request{one},
		answers:  []string{`"one"`},
		asked:    []must.Request{unrecorded, one},
		want: "c.yaml:4: an earlier request, which differs in seed and has no recording of its own, " +
			"already got the answer recorded for this one",
	}, {
		name:     "the second of two equal requests finds no recording",
		recorded: []must.Request{one, one, two},
		answers:  []string{`"a"`, `"b"`, `"c"`},
		asked:    []must.Request{one, two, unrecorded, one},
		want:     "an earlier request, which differs in seed",
	}, {
		name:     "the answers are the same",
		recorded: []must.Request{one, two},
		answers:  []string{`"one"`, `"one"`},
		asked:    []must.Request{unrecorded, one},
	}, {
		name:     "the own request came first",
		recorded: []must.Request{one, two},
		answers:  []string{`"one"`, `"two"`},
		asked:    []must.Request{one, unrecorded},
	}, {
		name:     "the own request does not come",
		recorded: []must.Request{one, two},
		answers:  []string{`"one"`, `"two"`},
		asked:    []must.Request{unrecorded, two},
	}, {
		name:     "both own requests came first",
		recorded: []must.Request{one, one, two},
		answers:  []string{`"a"`, `"b"`, `"c"`},
		asked:    []must.Request{one, one, unrecorded},
	}, {
		name:     "two spellings, of which the second is asked twice",
		recorded: []must.Request{spaced, must.Chat("")},
		answers:  []string{`"a"`, `"b"`},
		asked:    []must.Request{must.Chat(""), must.Chat("")},
		want:     "c.yaml:4: this recording and the one at line 21 are of the same request, spelled in two ways",
	}, {
		name:     "two spellings, of which the first is asked twice",
		recorded: []must.Request{must.Chat(""), spaced},
		answers:  []string{`"a"`, `"b"`},
		asked:    []must.Request{must.Chat(""), must.Chat("")},
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := must.RecordAnswers(t, tt.answers, tt.recorded)
			r := replay(t, file)
			for _, req := range tt.asked {
				req.Ask(t, r)
			}
			report := must.Finish(r, report.Outcome{Skipped: true}) // so unused recordings are not reported
			got := strings.ReplaceAll(strings.Join(report.Errors, "\n"), file, "c.yaml")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// If another request took a recording, a recording run records its own request again, and fails.
func TestTakenRecordingIsReportedWhileRecording(t *testing.T) {
	t.Parallel()
	one, unrecorded := must.Chat(`,"seed":1`), must.Chat(`,"seed":9`)
	file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{one})
	upstream := promptecho.Upstream(provider.InTurn(`"new"`))
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNewEpisodes), upstream)
	if got := unrecorded.Ask(t, r); got != `"one"` {
		t.Errorf("the request without a recording got %s", got)
	}
	if got := one.Ask(t, r); got != `"new"` {
		t.Errorf("the request whose recording was taken got %s", got)
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "and got a new recording instead") {
		t.Errorf("Close: %v", err)
	}
}
