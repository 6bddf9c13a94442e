package cassette

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzBody: any bytes survive as the body of a request and of a response.
func FuzzBody(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add([]byte(s))
	}
	for _, s := range stringSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		it := &Interaction{
			Request:  Request{Method: "POST", URL: "https://example.com/", Body: b},
			Response: Response{Status: 200, Body: b},
		}
		checkRoundTrip(t, &File{Interactions: []*Interaction{it}})
	})
}

// FuzzJSON: what ParseJSON accepts is valid JSON, what it refuses is not (or is
// stricter on purpose), and a layout that is found prints the same bytes.
func FuzzJSON(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := ParseJSON(b)
		p := JSONParser{Escaped: true}
		escaped, eerr := p.Parse(string(b))
		if fmt.Sprint(err) != fmt.Sprint(eerr) {
			t.Fatalf("%q: %v, with escaped texts %v", b, err, eerr)
		}
		if checkEscaped(t, &v, &escaped); (err == nil) != json.Valid(b) && !stricter(b, err) {
			t.Fatalf("ParseJSON(%q): %v, json.Valid: %v", b, err, json.Valid(b))
		}
		if err != nil {
			return
		}
		if l, ok := DetectLayout(b, v); ok && !bytes.Equal(v.AppendJSON(nil, l), b) {
			t.Fatalf("layout %+v does not print %q", l, b)
		}
		for _, l := range layouts {
			checkLayout(t, v, l)
		}
	})
}

// checkEscaped demands that the texts of one value are those of the other escaped.
func checkEscaped(t *testing.T, v, escaped *Value) {
	t.Helper()
	want := v.Text
	if v.Kind == String {
		want = EscapeText(v.Text)
	}
	if v.Kind != escaped.Kind || !slices.Equal(v.Names, escaped.Names) || len(v.Elems) != len(escaped.Elems) || escaped.Text != want {
		t.Fatalf("with escaped texts %#v is %#v", v, escaped)
	}
	for i := range v.Elems {
		checkEscaped(t, &v.Elems[i], &escaped.Elems[i])
	}
}

// stricter reports whether ParseJSON may refuse b although encoding/json takes it.
func stricter(b []byte, err error) bool {
	return err != nil && (!utf8.Valid(b) || strings.Contains(err.Error(), "surrogate") || strings.Contains(err.Error(), "deeper"))
}

// checkLayout prints v in layout l and expects to get both back.
func checkLayout(t *testing.T, v Value, l Layout) {
	t.Helper()
	text := v.AppendJSON(nil, l)
	back, err := ParseJSON(text)
	if err != nil || !equalValues(&v, &back) {
		t.Fatalf("layout %+v: %q reads as another value (%v)", l, text, err)
	}
	found, ok := DetectLayout(text, back)
	if !ok {
		t.Fatalf("layout %+v of %q: not found", l, text)
	}
	if again := back.AppendJSON(nil, found); !bytes.Equal(again, text) {
		t.Fatalf("layout %+v of %q: found %+v, which prints %q", l, text, found, again)
	}
}

func equalValues(a, b *Value) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Names) != len(b.Names) || len(a.Elems) != len(b.Elems) {
		return false
	}
	for i := range a.Names {
		if a.Names[i] != b.Names[i] {
			return false
		}
	}
	for i := range a.Elems {
		if !equalValues(&a.Elems[i], &b.Elems[i]) {
			return false
		}
	}
	return true
}

// FuzzStrings: any string survives wherever a cassette holds one.
func FuzzStrings(f *testing.F) {
	for _, s := range stringSeeds {
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
	v := Value{Kind: String, Text: strings.ToValidUTF8(s, "\ufffd")}
	deep := Value{Kind: Array, Elems: []Value{v, {Kind: Array, Elems: []Value{v, {}}}}}
	body := Value{Kind: Object, Names: []string{v.Text, "k" + v.Text}, Elems: []Value{v, deep}}
	var bodies [2][]byte
	bodies[0] = body.AppendJSON(nil, Layout{})
	bodies[1] = body.AppendJSON(nil, Layout{Indent: "  ", After: "\n", Escape: EscapeASCII})
	it := &Interaction{Kind: s, Boundary: s, MatchKey: s}
	it.Request = Request{Method: some, URL: some, Headers: Headers{{s, []string{s}}, {s + "2", []string{s, s}}}, Body: bodies[0]}
	it.Response = Response{Status: 200, Proto: s, Headers: Headers{{s, nil}}, Text: s, End: EndError, Error: s,
		Stream: some, Events: []Event{{{s, s}, {"data", string(bodies[0])}}, {{s, s}, {s, s}}, {{s, string(bodies[1])}}}}
	text := &Interaction{Request: Request{Method: "GET", URL: "/", Body: []byte(s)}, Response: Response{Status: 200, Body: bodies[1]}}
	return &File{Interactions: []*Interaction{it, text}}
}

// FuzzParse: no input makes Parse panic, and what it accepts can be formatted
// and means the same then.
func FuzzParse(f *testing.F) {
	for _, s := range stringSeeds {
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
