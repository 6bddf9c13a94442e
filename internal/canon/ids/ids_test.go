package ids

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// shapes are ids as providers and servers make them. All of it must be found that is not in
// every such id.
var shapes = []string{
	"call_0001",
	"call_iqVbYcTYcaOvFmvwgbGBM6vX",
	"toolu_01A09q90qw90lq917835lq9",
	"0198c2b4-7f3e-7cc1-a5d2-3b1f0e8d9c7a",
	"01J9ZQ4T8M6X2V5N7K3B1C0D9E",
	"9f86d081884c7d659a2feaa0c55ad015",
	"1234567890123456789",
	"EqoBCkgIARABGAIiQL8x+/Yz9P0=",
	"AbCdEfGhIjKlMnOpQrSt",
	"AbCdEfGhIjKlMnOp", // the shortest one without digits
	"projects/p/locations/us/sessions/7f3e",
	"msg_1",
	"c2",
}

func foundIn(collect func(found func(uint64))) map[uint64]bool {
	all := map[uint64]bool{}
	collect(func(id uint64) { all[id] = true })
	return all
}

// An id that an answer gives out is found where a request sends it back, wherever it stands
// in either.
func TestSameIDAnywhere(t *testing.T) {
	t.Parallel()
	request := func(req interaction.Request) map[uint64]bool {
		return foundIn(func(f func(uint64)) { InRequest(&req, f) })
	}
	response := func(resp interaction.Response) map[uint64]bool {
		return foundIn(func(f func(uint64)) { InResponse(&resp, f) })
	}
	stream := func(pieces ...string) interaction.Response {
		events := []interaction.Event{{{Name: "data", Value: `{"type":"start","delta":{"type":"other"}}`}}}
		for _, p := range pieces {
			events = append(events, interaction.Event{{Name: "event", Value: "delta"}, {Name: "data", Value: `{"type":"delta","delta":{"signature":` + p + `}}`}},
				interaction.Event{{Name: "data", Value: `{"type":"ping"}`}})
		}
		return interaction.Response{Stream: "sse", Events: events}
	}
	for _, id := range shapes {
		quoted, _ := json.Marshal(id)
		nested, _ := json.Marshal(fmt.Sprintf("{\"id\": %s}\n", quoted))
		escaped := strings.NewReplacer("/", `\/`, "=", `=`).Replace(string(quoted))
		asked := map[string]map[uint64]bool{
			"body":           request(interaction.Request{Body: fmt.Appendf(nil, `{"tool_call_id":%s}`, quoted)}),
			"JSON in a text": request(interaction.Request{Body: fmt.Appendf(nil, `{"arguments":%s}`, nested)}),
			"path":           request(interaction.Request{URL: "https://h.example/v/threads/" + id}),
			"query":          request(interaction.Request{URL: "https://h.example/v?after=" + strings.NewReplacer("+", "%2B", "/", "%2F", "=", "%3D").Replace(id)}),
			"header":         request(interaction.Request{Headers: interaction.Headers{{Name: "x-session", Values: []string{id}}}}),
		}
		given := map[string]map[uint64]bool{
			"body":    response(interaction.Response{Body: fmt.Appendf(nil, `{"id": %s}`, quoted)}),
			"escapes": response(interaction.Response{Body: []byte(`{"id":` + escaped + `}`)}),
			"header":  response(interaction.Response{Headers: interaction.Headers{{Name: "location", Values: []string{"/v/" + id}}}}),
			"event":   response(stream(string(quoted))),
		}
		for cut := 1; cut < len(id); cut++ {
			given[fmt.Sprintf("events, cut at %d", cut)] = response(stream(`"`+id[:cut]+`"`, `"`+id[cut:]+`"`))
		}
		for place, sent := range asked {
			for from, all := range given {
				n := 0
				for hash := range sent {
					if all[hash] {
						n++
					}
				}
				if n == 0 {
					t.Errorf("%s: nothing in the %s was found in the answer's %s", id, place, from)
				}
			}
		}
	}
}

// Two texts that come in pieces one behind the other are two texts.
func TestTextsEnd(t *testing.T) {
	t.Parallel()
	event := func(data string) interaction.Event { return interaction.Event{{Name: "data", Value: data}} }
	resp := interaction.Response{Events: []interaction.Event{
		event(`{"type":"delta","signature":"first1"}`), event(`{"type":"delta","signature":"part1"}`),
		event(`{"type":"block","text":"x"}`),
		event(`{"type":"delta","signature":"second2"}`), event(`{"type":"delta","signature":"part2"}`),
	}}
	found := foundIn(func(f func(uint64)) { InResponse(&resp, f) })
	for text, want := range map[string]bool{"first1part1": true, "second2part2": true, "part1second2": false, "first1part1second2part2": false} {
		if got := found[maphash.String(seed, text)]; got != want {
			t.Errorf("%s: found is %v", text, got)
		}
	}
}

// Numbers of JSON and words are no ids: they would say that requests belong together which
// only have the same limit.
func TestNoIDs(t *testing.T) {
	t.Parallel()
	req := interaction.Request{URL: "https://h.example/chat/completions", Body: []byte(`{"messages":[{"role":"user","content":"What is 12 times 4000, my dear? Incomprehensibl"}],
		"max_tokens":123456789,"seed": 1234567890123,"v":[0.12345678901,-1.5e-05,12345678],"temperature":0.70000000001}`)}
	if found := foundIn(func(f func(uint64)) { InRequest(&req, f) }); len(found) != 0 {
		t.Errorf("%d ids found in %s", len(found), req.Body)
	}
}

// FuzzIDs: no text is too strange, and what is found does not depend on what stands before it.
func FuzzIDs(f *testing.F) {
	for _, s := range append(shapes, `\`, `\u`, `%`, `"\u00`, `{"a":"`) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		alone := foundIn(func(f func(uint64)) { scan(text, f) })
		behind := foundIn(func(f func(uint64)) { scan(`{"x":"`+text, f) })
		for id := range alone {
			if !behind[id] {
				t.Errorf("%q: an id that is found alone is not found behind a quote", text)
			}
		}
	})
}
