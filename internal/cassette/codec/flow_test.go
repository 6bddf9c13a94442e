package codec

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// jsonOf returns the JSON of a value, with and without flowJSON.
func jsonOf(text string, simple bool, l exactjson.Layout) (json, err string) {
	p := newParser("f", "events:\n- {v: "+text+"}", nil)
	f := format
	if simple {
		f.JSONKey, f.ParseJSON = "events", p.flowJSON
	}
	root, broken := f.Parse(p.src)
	if broken != nil {
		return "", broken.Msg
	}
	event := root.Elems[0].Elems[0]
	if len(event.Elems) != 1 || event.Elems[0].Kind == yaml.Scalar {
		return "", "no collection"
	}
	fields := p.fields(event.Elems, "v", l, l.Padding)
	if p.err != nil {
		return "", p.err.Error()
	}
	return fields[0].Value, ""
}

// FuzzFlow: what is taken as a whole is what the parser of YAML makes of it.
func FuzzFlow(f *testing.F) {
	for _, text := range []string{
		`{a: 1, b: [x, "y\n\u0041", 'it: "z"', true, null, -1.5e+3], "c d": {}, e: []}`,
		`{a: 1, a: 2}`, `{a: 1, "a": 2}`, `{"\"": 1, "\\": 2}`, `{"\/": 1, "/": 2}`, `{a: , b: 1}`, `{a, b: 1}`, `[a b, c]`, `{<<: 1}`,
		`{1: a}`, `{null: a}`, `{yes: no, y: n, nan: .nan, inf: ~}`, `[-, --, -x, +x, ., /a, 0x10, 007, 1_000, +1, 1e5, a:b, a: b]`, `[-1, 0, -0, 1.0, 01]`,
		`[NULL]`, `[0o7]`, `[+1]`, `[1.]`, `[.5]`, `[a/b, a.b, a-b, a+b, _a]`, "[a,\n b]", "[a, # c\n b]", `[ a]`, `[a ]`, `[a,b]`, `{a:b}`, `{a:  b}`, `[a,, b]`, `[, a]`, `[a, ]`,
		"['a\n b']", `['it''s']`, "[\"a\tb\"]", "['a\tb']", `["\u00e9", "\ud83d\ude00", "\x41", "\e"]`, `["é", '日本', ü]`, `[*a]`, `[&a b]`, `[!asset "@x"]`, `{"a": !!str 1}`,
		`{a: {b: {c: {d: {e: [[[[[[[[[[[[[1]]]]]]]]]]]]]}}}}}`, `[a]x`, `[a]: b`, `{a: b} # c`, `{a: b`, `["a`, `['a`, `[`, `{`, `[]`, `{}`, `{}}`,
		`{a1: 1, a2: 1, a3: 1, a4: 1, a5: 1, a6: 1, a7: 1, a8: 1, a9: 1, b1: 1, b2: 1, b3: 1, b4: 1, b5: 1, b6: 1, b7: 1, b8: 1}`,
	} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, spaces bool) {
		l := exactjson.Layout{ColonSpace: spaces, Padding: len(text) % 3}
		got, gotErr := jsonOf(text, true, l)
		want, wantErr := jsonOf(text, false, l)
		if got != want || gotErr != wantErr {
			t.Errorf("%s\ngot  %s %s\nwant %s %s", text, got, gotErr, want, wantErr)
		}
	})
}

// TestLikeTheLast: a collection that is nearly like the one before it reads as it does alone.
func TestLikeTheLast(t *testing.T) {
	t.Parallel()
	texts := []string{
		`{a: one, b: [1, "x"]}`, `{a: two, b: [1, "x"]}`, `{a: 'it"s', b: [10, "x\n"]}`, `{a: on, b: [1, "x"]}`,
		`{a: one, b: [1, "x", 2]}`, `{a: one, b: [1]}`, `{a: one, c: [1, "x"]}`, `{a: one, b: []}`, `{a: {}, b: [1, "x"]}`,
		`{a: one, b: [1, "x"], c: d}`, `{a: 0x1, b: [1, "x"]}`, `{a: one two, b: [1, "x"]}`, `{a: one,  b: [1, "x"]}`,
		`{a: one, b: [1, "x]`, `[]`, `{}`, `[a]`, `[b]`, `[[b]]`, `[b, b]`, `[bb]`, `["b"]`, `['b']`, `['b''b']`, `[`,
	}
	for _, first := range texts {
		for _, second := range texts {
			p := newParser("f", "", nil)
			p.flowJSON(first)
			got, gotEnd := p.flowJSON(second + " # c")
			alone := newParser("f", "", nil)
			want, wantEnd := alone.flowJSON(second + " # c")
			if got != want || gotEnd != wantEnd {
				t.Errorf("%s after %s: %s, %d, want %s, %d", second, first, got, gotEnd, want, wantEnd)
			}
		}
	}
}

// A value with an anchor is no JSON yet: its alias may stand where a list is wanted.
func TestAliasOfFlow(t *testing.T) {
	t.Parallel()
	text := "version: 1\ninteractions:\n- kind: llm\n  request:\n    method: GET\n    url: http://h/\n  response:\n    status: 200\n    stream: sse\n" +
		"    events:\n    - {data: &delays [1, 2]}\n    - {data: b}\n    delays_ms: *delays\n"
	f, err := Parse("c.yaml", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp := f.Interactions[0].Response
	if len(resp.Delays) != 2 || resp.Delays[1].MS != 2 || resp.Events[0][0].Value != "[1,2]" {
		t.Errorf("%v %v", resp.Delays, resp.Events)
	}
}

// Values as Encode writes them are read without the parser of YAML, which is slower; all others
// are left to it.
func TestWrittenValuesAreReadWithoutTheParser(t *testing.T) {
	t.Parallel()
	for text, isRead := range map[string]bool{
		`{}`:                              true,
		`[a, "b", 'c', 1, true, null]`:    true,
		`{a: {b: [1]}, "c d": 'it: "z"'}`: true,
		`["\"", "\\", "\n\r\t\b\f"]`:      true,
		`["\u00e9"]`:                      false,
		`["\x41"]`:                        false,
		`["\/"]`:                          false,
		"[\"a\n b\"]":                     false,
		`[a`:                              false,
		`[a, `:                            false,
		`{a: `:                            false,
		`{`:                               false,
		`[`:                               false,
	} {
		_, end := newParser("f", "", nil).flowJSON(text)
		want := 0
		if isRead {
			want = len(text)
		}
		if end != want {
			t.Errorf("%s: read up to %d, want %d", text, end, want)
		}
	}
}

// A list with a tag is no list: the tag says that it is something else.
func TestListWithATag(t *testing.T) {
	t.Parallel()
	const text = "version: 1\ninteractions:\n- kind: llm\n  request:\n    method: GET\n    url: http://h/\n" +
		"  response:\n    status: 200\n    stream: sse\n    events: TAG[]\n"
	for tag, isValid := range map[string]bool{"": true, "!!str ": false, "!!binary ": false} {
		_, err := Parse("c.yaml", strings.Replace(text, "TAG", tag, 1), nil)
		if (err == nil) != isValid {
			t.Errorf("events: %s[]: %v", tag, err)
		}
	}
}
