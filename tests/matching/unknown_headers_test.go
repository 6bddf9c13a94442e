package matching_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// imported is a recording of what chat asks, made by another tool, which kept some headers.
func imported(answer string, headers ...string) *interaction.Interaction {
	it := own(answer, headers...)
	it.Request.UnknownHeaders = true
	return it
}

// own is a recording of what chat asks, with these headers and no others.
func own(answer string, headers ...string) *interaction.Interaction {
	it := &interaction.Interaction{
		Request:  interaction.Request{Method: "POST", URL: must.ChatURL, Body: []byte(must.Chat("").Body)},
		Response: interaction.Response{Status: 200, Body: []byte(answer)},
	}
	for i := 0; i < len(headers); i += 2 {
		it.Request.Headers = append(it.Request.Headers, interaction.Header{Name: headers[i], Values: headers[i+1 : i+2]})
	}
	return it
}

// asks returns what chat asks, with headers.
func asks(headers ...string) must.Request {
	return must.Request{URL: must.ChatURL, Body: must.Chat("").Body, Headers: headers}
}

// A recording whose headers are not all known answers a request whatever other headers it
// has. Those that it lists match, and what is known to be the same comes first.
func TestUnknownHeaders(t *testing.T) {
	t.Parallel()
	const miss = "status 418"
	beta := func(v string) must.Request { return asks("OpenAI-Beta", v) }
	for _, tt := range []struct {
		name     string
		recorded []*interaction.Interaction
		asked    []must.Request
		want     []string
	}{
		{"whatever is sent", []*interaction.Interaction{imported(`1`), imported(`2`)}, []must.Request{beta("a"), asks()}, []string{`1`, `2`}},
		{"none is not unknown", []*interaction.Interaction{own(`1`)}, []must.Request{beta("a"), asks()}, []string{miss, `1`}},
		{"what is listed matches", []*interaction.Interaction{imported(`1`, "openai-beta", "v1"), imported(`2`, "openai-beta", "v2")},
			[]must.Request{beta("v2"), beta("v3"), asks(), beta("v1")}, []string{`2`, miss, miss, `1`}},
		{"what is known comes first", []*interaction.Interaction{imported(`1`), own(`2`, "openai-beta", "a"), imported(`3`, "openai-beta", "a")},
			[]must.Request{beta("a"), beta("a"), beta("a"), beta("a")}, []string{`2`, `3`, `1`, miss}},
		{"another request", []*interaction.Interaction{imported(`1`)}, []must.Request{must.Chat(`,"stop":"."`), asks()}, []string{miss, `1`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, sealed := range []bool{false, true} {
				f := &cassette.File{Interactions: tt.recorded}
				if sealed {
					f = must.Seal(f)
				}
				r := must.Open(t, must.Save(t, f), promptecho.InMode(promptecho.ModeNone))
				for i, a := range tt.asked {
					if got := a.Ask(t, r); got != tt.want[i] && (tt.want[i] != miss || !strings.HasPrefix(got, miss)) {
						t.Errorf("sealed %v, request %d: %s, want %s", sealed, i+1, got, tt.want[i])
					}
				}
				r.Close()
			}
		})
	}
}

// A miss beside a recording with unknown headers names what differs, and no header that the
// recording cannot have; and a request that is asked too often is told so.
func TestUnknownHeadersInMisses(t *testing.T) {
	t.Parallel()
	r := must.Open(t, must.Save(t, must.Seal(&cassette.File{Interactions: []*interaction.Interaction{imported(`1`)}})), promptecho.InMode(promptecho.ModeNone))
	changed := asks("OpenAI-Beta", "a")
	changed.Body = strings.Replace(changed.Body, "hi", "ho", 1)
	changed.Ask(t, r)
	asks("OpenAI-Beta", "a").Ask(t, r)
	asks("OpenAI-Beta", "b").Ask(t, r)
	misses := r.Misses()
	if len(misses) != 2 {
		t.Fatalf("%d misses, want 2: %v", len(misses), misses)
	}
	if m := misses[0]; m.Reason != "the nearest recording differs in messages/0/content" || strings.Contains(m.Diff, "beta") {
		t.Errorf("%s\n%s", m.Reason, m.Diff)
	}
	if want := "asked more often than recorded: 2 times, recorded once"; !strings.HasPrefix(misses[1].Reason, want) {
		t.Errorf("%s, want %s", misses[1].Reason, want)
	}
	r.Close()
}

// Recording again replaces what another tool recorded of the same request, and a failure
// does not take the place of its success.
func TestUnknownHeadersAreRecordedAgain(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 500} {
		old := &cassette.File{Interactions: []*interaction.Interaction{imported(`"old"`), imported(`"other"`)}}
		old.Interactions[1].Request.URL = "https://api.openai.com/v1/responses"
		file := must.Save(t, must.Seal(old))
		up := provider.Func(func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
		})
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(up))
		asks("OpenAI-Beta", "a").Ask(t, r)
		err := r.Close() // nobody says that the run was whole, so what was not asked for stays
		f, lerr := cassette.Load(file)
		if lerr != nil {
			t.Fatal(lerr)
		}
		var got []string
		for _, it := range f.Interactions {
			got = append(got, fmt.Sprint(string(it.Response.Body), it.Request.UnknownHeaders))
		}
		switch {
		case status == 200 && (err != nil || fmt.Sprint(got) != `[false "other"true]`):
			t.Errorf("%v, %v", got, err)
		case status == 500 && (err == nil || !strings.Contains(err.Error(), "this recording is a success, and the new one a failure") || got[0] != `"old"true`):
			t.Errorf("%v, %v", got, err)
		}
	}
}

// The key of a stored request with unknown headers is that of the request without them, and
// no other request has it.
func TestUnknownHeadersHaveAKeyOfTheirOwn(t *testing.T) {
	t.Parallel()
	var options canon.Options
	key := func(it *interaction.Interaction) string { return options.Form(&it.Request).Key() }
	if key(imported(`1`)) == key(own(`1`)) {
		t.Error("unknown headers are the same as none")
	}
	known := own(`1`, "openai-beta", "a").Request.KnownAs(&imported(`1`).Request)
	if options.Form(&known).Key() != key(imported(`1`)) {
		t.Error("a request with headers does not find the recording that lists none")
	}
}
