package fakeprovider

import (
	"encoding/json"
	"testing"
)

func TestValuesAreValid(t *testing.T) {
	for _, schema := range []string{
		weatherSchema,
		`{"type":"object","properties":{"s":{"type":"string"},"n":{"type":"number"},"i":{"type":"integer"},"b":{"type":"boolean"},"z":{"type":"null"},"a":{"type":"array","items":{"type":"string"}}},"required":["s","n","i","b","z","a"],"additionalProperties":false}`,
		`{"type":"object","properties":{"deep":{"type":"object","properties":{"er":{"type":"object","properties":{"x":{"enum":["p","q"]}},"required":["x"]}},"required":["er"]}},"required":["deep"]}`,
		`{"type":"array","minItems":3,"maxItems":5,"items":{"type":"object","properties":{"id":{"type":"integer","minimum":10,"maximum":12}},"required":["id"]}}`,
		`{"type":"array","maxItems":0,"items":{"type":"string"}}`,
		`{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":{"type":"boolean"},"minItems":3}`,
		`{"type":"array","minItems":2}`,
		`{"type":"string","minLength":30,"maxLength":31}`,
		`{"type":"string","maxLength":2}`,
		`{"type":"integer","minimum":50}`, `{"type":"integer","maximum":-50}`, `{"type":"integer","multipleOf":7,"minimum":1}`,
		`{"type":"number","exclusiveMinimum":0,"maximum":0.5}`, `{"type":"number","exclusiveMaximum":1,"minimum":0}`,
		`{"type":["string","null"]}`, `{"type":["null","integer"]}`,
		`{"enum":["red","green","blue"]}`, `{"enum":[3,4]}`, `{"const":"fixed"}`, `{"const":{"a":[1]}}`,
		`{"anyOf":[{"type":"null"},{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}]}`,
		`{"oneOf":[{"type":"integer"},{"type":"string"}]}`,
		`{"allOf":[{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]},{"properties":{"y":{"type":"integer"}},"required":["y"]}]}`,
		`{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"v":{"type":"string"},"next":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}},"required":["v","next"]}}}`,
		`{"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"required":["kids"]}}}`,
		`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"boolean"}}}`,
		`{"properties":{"free":{},"any":true}}`, `{"items":{"type":"string"}}`, `{}`,
	} {
		v, err := decode([]byte(schema))
		if err != nil {
			t.Fatal(schema, err)
		}
		for _, text := range []string{"", `Say "well done" to Ann Lee 42 times, -1.5 or 1e3, in blue, by red`, "p.q"} {
			got := newFiller(v, text).value(v, "it")
			back, err := decode(encode(got))
			if err != nil {
				t.Errorf("%s: not JSON: %s", schema, encode(got))
				continue
			}
			if why := invalid(v, back); why != "" {
				t.Errorf("%s for %q: %s\ngot %s", schema, text, why, encode(got))
			}
		}
	}
}

// A schema that nothing finite satisfies, or that is broken, gets an answer.
func TestHopelessSchemas(t *testing.T) {
	for _, schema := range []string{
		`{"$ref":"#"}`, `{"$ref":"http://elsewhere"}`, `{"$ref":"#/nowhere/at/all"}`, `{"anyOf":[true]}`,
		`{"type":"object","properties":{"self":{"$ref":"#"}},"required":["self"]}`,
		`{"type":"array","minItems":9,"items":{"$ref":"#"}}`, `{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`, `"text"`, `{"type":"string","minLength":99999999}`,
		`{"type":"array","minItems":99999999,"items":{"type":"null"}}`, `{"type":7}`, `{"type":"martian"}`,
	} {
		v, err := decode([]byte(schema))
		if err != nil {
			t.Fatal(schema, err)
		}
		if text := encode(newFiller(v, "").value(v, "it")); !json.Valid(text) {
			t.Errorf("%s: %s", schema, text)
		}
	}
}

func TestValuesComeFromTheText(t *testing.T) {
	schema, _ := decode([]byte(`{"type":"object","properties":{
		"who":{"type":"string"},"age":{"type":"integer"},"colour":{"enum":["red","green","blue"]},
		"when":{"type":"string","format":"date"},"sure":{"type":"boolean"}}}`))
	text := "Ask Ann Lee, who is 31, about green tea."
	got := string(encode(newFiller(schema, text).value(schema, "x")))
	if want := `{"who":"Ann Lee","age":31,"colour":"green","when":"2026-01-02","sure":true}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	f := newFiller(schema, text)
	f.given = []string{"Bo", " 9", "'blue'", "2020-02-02", "false"}
	got = string(encode(f.value(schema, "x")))
	if want := `{"who":"Bo","age":9,"colour":"blue","when":"2020-02-02","sure":false}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
