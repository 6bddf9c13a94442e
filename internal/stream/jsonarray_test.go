package stream

import (
	"reflect"
	"testing"
)

var jsonArrayBodies = []sample{
	{"Gemini's array", "application/json", "[{\n  \"candidates\": []\n}\n,\r\n{\n  \"usageMetadata\": {}\n}\n]\n", "json-array", 3, 1},
	{"one element", "application/json; charset=UTF-8", "[{\"candidates\":[]}]", "json-array", 2, 1},
	{"compact", "application/json", `[{"candidates":[{"x":"}]\\\"{"}]},{"candidates":[]}]`, "json-array", 3, 1},
	{"without a content type", "", ` [ {"promptFeedback":{}} ] `, "json-array", 2, 1},
	{"broken off", "application/json", `[{"candidates":[]},{"candi`, "json-array", 2, 1},
	{"an element that is no object", "application/json", `[{"candidates":[]},7,{"candidates":[]}]`, "json-array", 2, 1},
	{"two commas", "application/json", `[{"candidates":[]},,{"candidates":[]}]`, "json-array", 2, 1},
	{"an error of Google's", "application/json", `[{"error": {"code": 400}}]`, "", 0, 0},
	{"embeddings", "application/json", `[[0.1,0.2]]`, "", 0, 0},
	{"another array", "application/json", `[{"label":"x"}]`, "", 0, 0},
	{"an empty array", "application/json", `[]`, "", 0, 0},
	{"Gemini, whole", "application/json", `{"candidates":[]}`, "", 0, 0},
	{"Gemini's array as text", "text/plain", `[{"candidates":[]}]`, "", 0, 0},
}

// TestElementFields: how an element reads; the usual separator is not written.
func TestElementFields(t *testing.T) {
	t.Parallel()
	tests := []struct {
		frame string
		want  []Field
	}{
		{"[{}", []Field{{"before", "["}, {"data", "{}"}}},
		{"\n,\r\n{\"a\":1}", []Field{{"data", `{"a":1}`}}},
		{",{}", []Field{{"before", ","}, {"data", "{}"}}},
		{"{}", []Field{{"before", ""}, {"data", "{}"}}},
		{"\n]\n", []Field{{"raw", "\n]\n"}}},
		{"x{}", []Field{{"raw", "x{}"}}},
		{"{}x", []Field{{"raw", "{}x"}}},
	}
	for _, tt := range tests {
		if got := jsonArray.Read([]byte(tt.frame)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.frame, got, tt.want)
		}
	}
}

func TestEditedElement(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fields    []Field
		want, err string
	}{
		{[]Field{{"data", `{"b":2}`}}, "\n,\r\n{\"b\":2}", ""},
		{[]Field{{"before", "["}, {"data", `{}`}}, "[{}", ""},
		{[]Field{{"data", `[]`}}, "", `field "data" is not one JSON object`},
		{[]Field{{"data", `{}{}`}}, "", `field "data" is not one JSON object`},
		{[]Field{{"before", "x"}, {"data", `{}`}}, "", `field "before": "x" cannot come before an element`},
		{[]Field{{"event", "x"}}, "", `an element of a json-array has the field "data" and, if the separator before it is not the usual one, the field "before"`},
	}
	for _, tt := range tests {
		got, err := jsonArray.Write(nil, tt.fields)
		if string(got) != tt.want || (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
			t.Errorf("%q: %q, %v; want %q, %q", tt.fields, got, err, tt.want, tt.err)
		}
	}
}
