package matching_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A recording with unknown headers answers requests with any headers, after those with known headers.
//
// The headers that it lists are compared.
func TestUnknownHeadersMatchAnything(t *testing.T) {
	t.Parallel()
	const miss = "status 418"
	withBeta := func(value string) must.Request { return chatWith("OpenAI-Beta", value) }
	withoutHeaders := must.Chat("")
	type answered struct {
		asked must.Request
		want  string
	}
	tests := []struct {
		name     string
		recorded []*interaction.Interaction
		requests []answered
	}{{
		name:     "no header is known",
		recorded: []*interaction.Interaction{imported(`1`), imported(`2`)},
		requests: []answered{{withBeta("a"), `1`}, {withoutHeaders, `2`}},
	}, {
		name:     "it is known that there is no header",
		recorded: []*interaction.Interaction{recorded(`1`)},
		requests: []answered{{withBeta("a"), miss}, {withoutHeaders, `1`}},
	}, {
		name: "a header is listed",
		recorded: []*interaction.Interaction{
			imported(`1`, "openai-beta", "v1"),
			imported(`2`, "openai-beta", "v2"),
		},
		requests: []answered{
			{withBeta("v2"), `2`},
			{withBeta("v3"), miss},
			{withoutHeaders, miss},
			{withBeta("v1"), `1`},
		},
	}, {
		name: "known headers, then listed ones, then none",
		recorded: []*interaction.Interaction{
			imported(`1`),
			recorded(`2`, "openai-beta", "a"),
			imported(`3`, "openai-beta", "a"),
		},
		requests: []answered{
			{withBeta("a"), `2`},
			{withBeta("a"), `3`},
			{withBeta("a"), `1`},
			{withBeta("a"), miss},
		},
	}, {
		name:     "another body",
		recorded: []*interaction.Interaction{imported(`1`)},
		requests: []answered{{must.Chat(`,"stop":"."`), miss}, {withoutHeaders, `1`}},
	}}
	for _, tt := range tests {
		for _, withKeys := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/keys %t", tt.name, withKeys), func(t *testing.T) {
				t.Parallel()
				f := &cassette.File{Interactions: cloneAll(tt.recorded)}
				if withKeys {
					f = must.Seal(f)
				}
				r := replay(t, must.Save(t, f))
				for i, req := range tt.requests {
					got := req.asked.Ask(t, r)
					if isMiss(got) {
						got = miss
					}
					if got != req.want {
						t.Errorf("request %d: %s, want %s", i+1, got, req.want)
					}
				}
				r.Close()
			})
		}
	}
}

// recorded returns a recording of a chat completion with these headers, which are pairs of name
// and value, and no others.
func recorded(answer string, headers ...string) *interaction.Interaction {
	it := &interaction.Interaction{
		Request:  interaction.Request{Method: "POST", URL: must.ChatURL, Body: []byte(must.Chat("").Body)},
		Response: interaction.Response{Status: 200, Body: []byte(answer)},
	}
	for i := 0; i < len(headers); i += 2 {
		header := interaction.Header{Name: headers[i], Values: headers[i+1 : i+2]}
		it.Request.Headers = append(it.Request.Headers, header)
	}
	return it
}

// imported returns a recording of another tool, which kept these headers. It may have had others.
func imported(answer string, headers ...string) *interaction.Interaction {
	it := recorded(answer, headers...)
	it.Request.UnknownHeaders = true
	return it
}

// cloneAll copies recordings, which must.Seal changes.
func cloneAll(list []*interaction.Interaction) (clones []*interaction.Interaction) {
	for _, it := range list {
		clone := *it
		clones = append(clones, &clone)
	}
	return clones
}

// A change of an unknown header is not noted.
func TestChangeOfAnUnknownHeaderIsNotNoted(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		recorded *interaction.Interaction
		isNoted  bool
	}{
		"the header is unknown":           {imported(`1`), false},
		"it is known that there was none": {recorded(`1`), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var notes []string
			file := must.Save(t, must.Seal(&cassette.File{Interactions: []*interaction.Interaction{tt.recorded}}))
			r := replay(t, file, promptecho.Log(func(note string) { notes = append(notes, note) }))
			if got := chatWith("Anthropic-Version", "2023-06-01").Ask(t, r); got != `1` {
				t.Error(got)
			}
			must.Close(t, r)
			isNoted := strings.Contains(strings.Join(notes, "\n"), "anthropic-version")
			if isNoted != tt.isNoted {
				t.Errorf("noted: %t, want %t: %s", isNoted, tt.isNoted, notes)
			}
		})
	}
}

// A miss next to a recording with unknown headers names no header, which may have been the same.
func TestMissNamesNoUnknownHeader(t *testing.T) {
	t.Parallel()
	f := must.Seal(&cassette.File{Interactions: []*interaction.Interaction{imported(`1`)}})
	r := replay(t, must.Save(t, f))
	changed := chatContent(`"ho"`)
	changed.Headers = []string{"OpenAI-Beta", "a"}
	changed.Ask(t, r)
	chatWith("OpenAI-Beta", "a").Ask(t, r)
	chatWith("OpenAI-Beta", "b").Ask(t, r)
	misses := r.Misses()
	if len(misses) != 2 {
		t.Fatalf("%d misses, want 2: %v", len(misses), misses)
	}
	ofChange, ofRepeat := misses[0], misses[1]
	if want := "the nearest recording differs in messages/0/content"; ofChange.Reason != want {
		t.Errorf("%s, want %s", ofChange.Reason, want)
	}
	if strings.Contains(ofChange.Diff, "beta") {
		t.Errorf("a header is named:\n%s", ofChange.Diff)
	}
	if want := "asked more often than recorded: 2 times, recorded once"; !strings.HasPrefix(ofRepeat.Reason, want) {
		t.Errorf("%s, want %s", ofRepeat.Reason, want)
	}
	r.Close()
}

// Recording again replaces a recording with unknown headers, but not a success by a failure.
func TestRecordingWithUnknownHeadersIsRecordedAgain(t *testing.T) {
	t.Parallel()
	recordAgain := func(t *testing.T, status int) (recordings []string, err error) {
		old := &cassette.File{Interactions: []*interaction.Interaction{imported(`"old"`), imported(`"other"`)}}
		old.Interactions[1].Request.URL = "https://api.openai.com/v1/responses"
		file := must.Save(t, must.Seal(old))
		r := recordAll(t, file, promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
		})))
		chatWith("OpenAI-Beta", "a").Ask(t, r)
		err = r.Close() // it is not known whether the run was complete, so the other recording stays
		for _, it := range must.Load(t, file).Interactions {
			recordings = append(recordings, fmt.Sprint(string(it.Response.Body), it.Request.UnknownHeaders))
		}
		return recordings, err
	}
	t.Run("by a success", func(t *testing.T) {
		t.Parallel()
		recordings, err := recordAgain(t, 200)
		if err != nil || fmt.Sprint(recordings) != `[false "other"true]` {
			t.Errorf("%v, %v", recordings, err)
		}
	})
	t.Run("by a failure", func(t *testing.T) {
		t.Parallel()
		recordings, err := recordAgain(t, 500)
		want := "this recording is a success, and the new one a failure"
		if err == nil || !strings.Contains(err.Error(), want) || recordings[0] != `"old"true` {
			t.Errorf("%v, %v", recordings, err)
		}
	})
}
