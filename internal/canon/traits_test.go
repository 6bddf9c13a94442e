package canon

import (
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A request may have several traits with the same path, such as issued IDs.
func TestVarying(t *testing.T) {
	t.Parallel()
	id := func(value uint64) Trait { return Trait{"id", value, levelIssuedID} }
	seed := func(value uint64) Trait { return Trait{"seed", value, levelSampling} }
	v := VaryingOf([][]Trait{{id(1), id(2), seed(7)}, {seed(7)}})
	if len(v) != 1 || !v["id"][1] || !v["id"][2] || !v["id"][0] {
		t.Fatalf("%v", v)
	}
	for _, tt := range []struct {
		traits []Trait
		want   int
	}{
		{nil, 1},                   // like the second request
		{[]Trait{id(1), id(9)}, 1}, // the first request has one of the IDs
		{[]Trait{id(9), id(2)}, 1},
		{[]Trait{id(9)}, 0},
		{[]Trait{seed(7)}, 1},
	} {
		if known := v.Known(tt.traits); len(known) != tt.want {
			t.Errorf("of %v, %v is known", tt.traits, known)
		}
	}
}

// Of a value that does not match, the part that is the same in each call helps to
// choose: numbers, times and random values have no such part.
func TestStablePartOfAValue(t *testing.T) {
	t.Parallel()
	const none = "none"
	for name, tt := range map[string]struct{ field, value, want string }{
		"a word":                       {"mode", `"fast"`, `"fast"`},
		"a word with a counter":        {"label", `"batch 17 of 40"`, `"batch  of "`},
		"a number":                     {"limit", "12", none},
		"a fraction":                   {"weight", "-1.5e+03", none},
		"a number as text":             {"limit", `"12"`, none},
		"null":                         {"mode", "null", none},
		"a date":                       {"day", `"2026-01-02"`, none},
		"a time of day":                {"start", `"at 9:41"`, none},
		"a weekday":                    {"day", `"Fri, 2 Jan"`, none},
		"a UUID":                       {"ref", `"9022bbce-7872-4001-991b-d872b93f257d"`, none},
		"hexadecimal":                  {"ref", `"x 9f86d081884c7d65"`, none},
		"a field of one call":          {"trace_id", `"fast"`, none},
		"the digits of a user matter":  {"user", `"u 17"`, `"u 17"`},
		"the digits of a version":      {"api_version", `"2026-01-02"`, `"2026-01-02"`},
		"a random user":                {"user", `"9022bbce-7872-4001-991b-d872b93f257d"`, none},
		"the random part of a session": {"session", `"s-9f86d081884c7d65"`, none},
	} {
		got, ok := stablePart(tt.field, tt.value)
		if !ok {
			got = none
		}
		if got != tt.want {
			t.Errorf("%s: %s of %s is %s, want %s", name, tt.value, tt.field, got, tt.want)
		}
	}
}

// How a request is written helps to choose among recordings: its white space and
// escapes, the names of its members, and the names of the files it sends.
func TestSpellingOfARequest(t *testing.T) {
	t.Parallel()
	spelling := func(contentType, body string) (all string) {
		req := &interaction.Request{
			Method: "POST", URL: "https://h/v1/x", Body: []byte(body),
			Headers: interaction.Headers{{Name: "Content-Type", Values: []string{contentType}}},
		}
		traits := 0
		for _, trait := range new(Options).Form(req).Traits {
			if trait.IsSpelling() {
				traits++
				all += fmt.Sprintln(trait)
			}
		}
		if traits != 2 {
			t.Errorf("%s: %d traits of the spelling, want that of the path and that of the body", body, traits)
		}
		return all
	}
	const jsonType = "application/json"
	const formType = "multipart/form-data; boundary=B"
	file := strings.ReplaceAll(`--B
Content-Disposition: form-data; name="f"; filename="a.png"

x
--B--
`, "\n", "\r\n")
	for name, tt := range map[string]struct {
		contentType, a, b string
		same              bool
	}{
		"the same text":               {jsonType, `{"a": 1}`, `{"a": 1}`, true},
		"another value":               {jsonType, `{"a": 1}`, `{"a": 2}`, true},
		"another type":                {jsonType, `{"a": 1}`, `{"a": "1"}`, false},
		"another member":              {jsonType, `{"a": 1}`, `{"b": 1}`, false},
		"white space":                 {jsonType, `{"a": 1}`, `{"a":1}`, false},
		"escapes beyond ASCII":        {jsonType, `{"a":"\u00e9"}`, `{"a":"é"}`, false},
		"escaped slashes":             {jsonType, `{"a":"\/"}`, `{"a":"/"}`, false},
		"the same file":               {formType, file, file, true},
		"a file with another content": {formType, file, strings.Replace(file, "x", "y", 1), true},
		"a file with another name":    {formType, file, strings.Replace(file, "a.png", "b.png", 1), false},
	} {
		same := spelling(tt.contentType, tt.a) == spelling(tt.contentType, tt.b)
		if same != tt.same {
			t.Errorf("%s: the spelling is the same: %v", name, same)
		}
	}
}
