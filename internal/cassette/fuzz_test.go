package cassette

import (
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/seeds"
)

// FuzzBody: any bytes survive as the body of a request and of a response.
func FuzzBody(f *testing.F) {
	for _, s := range seeds.JSON {
		f.Add([]byte(s))
	}
	for _, s := range seeds.Strings {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		it := &interaction.Interaction{
			Request:  interaction.Request{Method: "POST", URL: "https://example.com/", Body: b},
			Response: interaction.Response{Status: 200, Body: b},
		}
		checkRoundTrip(t, &File{Interactions: []*interaction.Interaction{it}})
	})
}

// FuzzStrings: any string survives wherever a cassette holds one.
func FuzzStrings(f *testing.F) {
	for _, s := range seeds.Strings {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkRoundTrip(t, everywhere(s)) })
}

// everywhere returns a file that holds s wherever it can.
func everywhere(s string) *File {
	some := s
	if some == "" {
		some = "x"
	}
	v := exactjson.Value{Kind: exactjson.String, Text: strings.ToValidUTF8(s, "\ufffd")}
	deep := exactjson.Value{Kind: exactjson.Array, Elems: []exactjson.Value{v, {Kind: exactjson.Array, Elems: []exactjson.Value{v, {}}}}}
	body := exactjson.Value{Kind: exactjson.Object, Elems: []exactjson.Value{v, deep}}
	body.Elems[0].Name, body.Elems[1].Name = v.Text, "k"+v.Text
	var bodies [2][]byte
	bodies[0] = body.AppendJSON(nil, exactjson.Layout{})
	bodies[1] = body.AppendJSON(nil, exactjson.Layout{Indent: "  ", After: "\n", Escape: exactjson.EscapeASCII})
	it := &interaction.Interaction{Kind: s, Boundary: s, MatchKey: s}
	it.Request = interaction.Request{Method: some, URL: some, Headers: interaction.Headers{{Name: s, Values: []string{s}}, {Name: s + "2", Values: []string{s, s}}}, Body: bodies[0]}
	it.Response = interaction.Response{Status: 200, Proto: s, Headers: interaction.Headers{{Name: s, Values: nil}}, Text: s, End: interaction.EndError, Error: s,
		Stream: some, Events: []interaction.Event{{{Name: s, Value: s}, {Name: "data", Value: string(bodies[0])}}, {{Name: s, Value: s}, {Name: s, Value: s}}, {{Name: s, Value: string(bodies[1])}}}}
	text := &interaction.Interaction{Request: interaction.Request{Method: "GET", URL: "/", Body: []byte(s)}, Response: interaction.Response{Status: 200, Body: bodies[1]}}
	return &File{Interactions: []*interaction.Interaction{it, text}}
}

// FuzzParse: no input makes Parse panic, and what it accepts can be formatted
// and means the same then.
func FuzzParse(f *testing.F) {
	for _, s := range seeds.Strings {
		data, _, err := Format(everywhere(s))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, h := range handEdited {
		f.Add([]byte(cassetteOf(h.body)))
	}
	if golden, err := os.ReadFile("testdata/golden.yaml"); err == nil {
		f.Add(golden)
	}
	for _, b := range broken {
		f.Add([]byte(b.text))
	}
	for _, h := range handEdited {
		f.Add([]byte(h.body))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkParse(t, data)
		checkParse(t, []byte(cassetteOf(string(data))))
	})
}

func checkParse(t *testing.T, data []byte) {
	c, err := Parse("x.yaml", data, nil)
	if err == nil {
		checkRoundTrip(t, c)
	} else if c != nil || !strings.HasPrefix(err.Error(), "x.yaml:") {
		t.Fatalf("error %q with %v", err, c)
	}
}
