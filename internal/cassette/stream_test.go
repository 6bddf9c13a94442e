package cassette

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// A stream is read with the bytes that were recorded, and the same ends and delays of its events.
//
// Each event is a little unlike the one before, as those of providers are.
func TestStreamIsReadAsItWasRecorded(t *testing.T) {
	t.Parallel()
	draw := streams{random{rand.New(rand.NewPCG(5, 6))}}
	for range full.Cases(100, 2000) {
		it := fileOf("").Interactions[0]
		it.Response.Body = nil
		draw.stream(t, &it.Response)

		path := filepath.Join(t.TempDir(), "x.yaml")
		if err := Save(path, withKeys(&File{Interactions: []*interaction.Interaction{it}})); err != nil {
			t.Fatal(err)
		}
		index, err := Open(path, testRevision, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := index.Answer(0)
		if err != nil {
			t.Fatal(err)
		}
		index.Close()

		want, wantEnds, wantErr := exchange.Join(&it.Response)
		got, gotEnds, gotErr := exchange.Join(&answer.Response)
		wantDelays, gotDelays := trimmed(it.Response.Delays), trimmed(answer.Response.Delays)
		isSame := (gotErr == nil) == (wantErr == nil) &&
			bytes.Equal(got, want) &&
			slices.Equal(gotEnds, wantEnds) &&
			slices.Equal(gotDelays, wantDelays)
		if !isSame {
			text, _ := os.ReadFile(path)
			t.Fatalf("%q %v %v %v\nwant\n%q %v %v %v\n%s",
				got, gotEnds, gotDelays, gotErr, want, wantEnds, wantDelays, wantErr, text)
		}
	}
}

// trimmed returns delays without the zeros at their end, which are not written.
func trimmed(delays []interaction.Delay) []interaction.Delay {
	for len(delays) > 0 && delays[len(delays)-1] == (interaction.Delay{}) {
		delays = delays[:len(delays)-1]
	}
	return delays
}

// streams draws streams of chunks of chat completions.
type streams struct{ random }

func (r streams) pick(list ...string) string { return list[r.IntN(len(list))] }

// word returns a text that is hard for a format: of JSON, of YAML or of server-sent events.
func (r streams) word() string {
	return r.pick(
		"a", "null", "1", `"q"`, "x y", "日本", "é\n", "}", ", ", ": ", `\`, "\u2028", "</x>", "[DONE]", "", "=",
	)
}

// layout returns how the JSON of all events is printed.
func (r streams) layout() exactjson.Layout {
	list := []exactjson.Layout{
		{},
		{},
		{ColonSpace: true, CommaSpace: true},
		{Escape: exactjson.EscapeASCII},
		{Escape: exactjson.EscapeHTML | exactjson.EscapeSlash},
		{Before: " "},
		{After: " "},
		{Indent: " "},
	}
	return list[r.IntN(len(list))]
}

// stream draws the framing, the events and the delays of a response.
func (r streams) stream(t *testing.T, resp *interaction.Response) {
	t.Helper()
	resp.Stream = r.pick("sse", "sse", "sse-crlf", "sse-cr", "ndjson")
	layout := r.layout()
	isPadded := layout.Indent == "" && r.IntN(3) == 0
	id, end, usage := `{"id":"x1"`, `"},"index":0}]`, `,"usage":null`
	for range r.IntN(25) {
		switch r.IntN(6) { // something changes from here on
		case 0:
			usage = fmt.Sprintf(`,%q:[%q,{"b":%d}]`, fmt.Sprint("k", r.IntN(3)), r.word(), r.IntN(100))
		case 1:
			end = fmt.Sprintf(`"},"index":%d}]`, r.IntN(12))
		case 2:
			id = fmt.Sprintf(`{"id":%q`, r.word())
		}
		text := fmt.Sprintf(`%s,"choices":[{"delta":{"content":"w%d%s%s}`, id, r.IntN(30), end, usage)
		value, err := exactjson.Parse([]byte(text))
		if err != nil {
			t.Fatal(text, err)
		}
		layout.Padding = 0
		if isPadded {
			layout.Padding = r.IntN(4)
		}
		data := string(value.AppendJSON(nil, layout))
		resp.Events = append(resp.Events, r.event(data, resp.Stream))
		resp.Delays = append(resp.Delays, interaction.Delay{MS: int64(r.IntN(3))})
	}
}

// event returns an event with this data, mostly with nothing else.
func (r streams) event(data, framing string) interaction.Event {
	plain := interaction.Field{Name: "data", Value: data}
	if framing == "ndjson" {
		return interaction.Event{plain}
	}
	switch r.IntN(8) {
	case 0:
		return interaction.Event{{Name: "event", Value: "m"}, plain}
	case 1:
		id := interaction.Field{Name: "id", Value: fmt.Sprint(r.IntN(20))}
		return interaction.Event{plain, id, {Name: "data:", Value: "[1]"}}
	case 2:
		return interaction.Event{{Name: "raw", Value: data + "\n\n"}}
	case 3:
		return interaction.Event{{Name: "data", Value: "[DONE]"}}
	case 4:
		return interaction.Event{plain, {Name: "comment", Value: r.word()}}
	}
	return interaction.Event{plain}
}
