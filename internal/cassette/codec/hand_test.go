package codec

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// withBody returns a cassette whose request has this value for body.
func withBody(body string) string {
	return "version: 1\ninteractions:\n  - request:\n      method: POST\n      url: /\n      body: " + body + "\n    response:\n      status: 200\n"
}

// handEdited are bodies as people write them, and what they mean.
var handEdited = []struct{ name, body, want string }{
	{"plain", "a b", "a b"},
	{"plain with a comment", "a b # c", "a b"},
	{"plain with a tab", "a\tb", "a\tb"},
	{"plain with #", "a#b", "a#b"},
	{"plain with :", "a:b ::c", "a:b ::c"},
	{"plain over lines", "a\n        b\n\n        c", "a b\nc"},
	{"plain over lines with quotes", "a\n        \"b\"", `a "b"`},
	{"plain like a number of YAML 1.1", "1_000", "1_000"},
	{"plain like a date", "2001-12-14", "2001-12-14"},
	{"plain like a bool of YAML 1.1", "yes", "yes"},
	{"single quotes", "'a ''b'' \\n'", `a 'b' \n`},
	{"single quotes over lines", "'a''\n       b\n\n       c  \n  '", "a' b\nc "},
	{"double quotes", `"\"\\\/\b\f\n\r\t\0\a\v\e\ \N\_\L\P\x41\u00e9\U0001F600"`, "\"\\/\b\f\n\r\t\x00\a\v\x1b \u0085\u00a0\u2028\u2029Aé😀"},
	{"double quotes with a surrogate pair", `"\ud83d\ude00"`, "😀"},
	{"double quotes over lines", "\"a \n       b\\n\n\n       \\  c\\\n       d\"", "a b\n\n  cd"},
	{"empty quotes", `""`, ""},
	{"literal", "|\n        a\n         b\n\n        # c\n", "a\n b\n\n# c\n"},
	{"literal, stripped", "|-\n        a\n\n", "a"},
	{"literal, kept", "|+ # comment\n        a\n\n", "a\n\n\n"},
	{"literal with indentation", "|1-\n         a\n        b", "  a\n b"},
	{"literal with tab and blanks", "|-\n        a \n        \tb", "a \n\tb"},
	{"literal, empty", "|\n", ""},
	{"literal after blank lines", "|-\n\n\n        a", "\n\na"},
	{"folded", ">\n        a\n        b\n\n        c\n", "a b\nc\n"},
	{"folded, stripped", ">-\n        a\n         b\n        c\n\n\n        d", "a\n b\nc\n\nd"},
	{"tagged text", "!!str 12", "12"},
	{"tagged text on the next line", "!!str\n        true", "true"},
	{"binary", "!!binary AP8=", "\x00\xff"},
	{"binary over lines", "!!binary |\n        AP\n        8=", "\x00\xff"},
	{"mapping", "\n        a: 1\n        b: x", `{"a":1,"b":"x"}`},
	{"mapping with other indentation", "\n             a:\n              - 1\n             b:\n                 c: d", `{"a":[1],"b":{"c":"d"}}`},
	{"mapping with comments", "# 1\n        # 2\n\n        a: 1 # 3\n      # 4\n        b: 2\n# 5", `{"a":1,"b":2}`},
	{"mapping with spaces", "\n        a   :   1\n        \"b\" : 2\n        'c':\t3", `{"a":1,"b":2,"c":3}`},
	{"numbers", "[0, -0, 1.50, 1e-08, 1E5, 12345678901234567890, -1]", `[0,-0,1.50,1e-08,1E5,12345678901234567890,-1]`},
	{"words", "[null, true, false, 'null', \"true\", '1', nulls]", `[null,true,false,"null","true","1","nulls"]`},
	{"missing value", "\n        a:\n        b: 1", `{"a":null,"b":1}`},
	{"missing value in flow", "{a: , b: }", `{"a":null,"b":null}`},
	{"list like its key", "\n        a:\n        - 1\n        - b: c\n          d: e\n        f: g", `{"a":[1,{"b":"c","d":"e"}],"f":"g"}`},
	{"list", "\n      - 1\n      -   x\n      -\n        y\n      -", `[1,"x","y",null]`},
	{"list of lists", "\n      - - 1\n        - 2\n      - - - x\n      - []", `[[1,2],[["x"]],[]]`},
	{"flow over lines", "{a: [1, # c\n 2,\n   ],\n\n \"b\":'c', d: {},}", `{"a":[1,2],"b":"c","d":{}}`},
	{"flow with a closing bracket below", "[\n        1\n      ]", `[1]`},
	{"flow with plain text", "{a: b c, d: e:f, g: h#i, j: -k, l: \"m\"}", `{"a":"b c","d":"e:f","g":"h#i","j":"-k","l":"m"}`},
	{"flow in block", "\n        - {a: b}\n        - [c]", `[{"a":"b"},["c"]]`},
	{"block text in a list", "\n        - |-\n          a\n          b\n        - >-\n          c\n          d", `["a\nb","c d"]`},
	{"text with a tag in a mapping", "\n        a: !!str 1\n        !!str b: 2", `{"a":"1","b":2}`},
	{"astral and combining characters", "\n        é: 日本 😀", `{"é":"日本 😀"}`},
}

// A cassette that was edited by hand, in any style of YAML, is read as it says.
func TestHandEdited(t *testing.T) {
	t.Parallel()
	for _, test := range handEdited {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := withBody(test.body)
			for name, text := range map[string]string{
				"as written": text,
				"CRLF":       strings.ReplaceAll(text, "\n", "\r\n"),
				"BOM":        "\ufeff" + text,
				"document":   "# x\n---\n" + text + "...\n# y\n",
			} {
				f, err := Parse("x.yaml", Normalize([]byte(text)), nil)
				if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, text)
				}
				if got := string(f.Interactions[0].Request.Body); got != test.want {
					t.Errorf("%s: got %q, want %q\n%s", name, got, test.want, text)
				}
				checkRoundTrip(t, f.Interactions...)
			}
		})
	}
}

// TestHandEditedFile is the rest of a file as people write it.
func TestHandEditedFile(t *testing.T) {
	t.Parallel()
	const text = `
pinned: true   # my own
version: 1
partial: false
interactions:
- {request: {method: GET, url: /a}, response: {status: 200}}
-
    response:
      stream: sse
      events:
      - data: {a: 1}
      - data:
          b:
            - x
        id: 7
      - [{data: true}, {data: x}]
      - {}
      - []
      events_layout: {space: both, escape: []}
      events_padding: [0, 2, 3, 4, 5, 6]
      delays_ms:
        - 5
        - +
      headers: {retry-after: 7, X: [1.50, true], y: []}
      status: 429
    request:
      url: 'https://example.com'
      method: POST
    usage: {output_tokens: -1}
    latency_ms: -5
`
	f, err := Parse("x.yaml", Normalize([]byte(text)), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []*interaction.Interaction{
		{Request: interaction.Request{Method: "GET", URL: "/a"}, Response: interaction.Response{Status: 200}},
		{
			Request: interaction.Request{Method: "POST", URL: "https://example.com"},
			Response: interaction.Response{
				Status:  429,
				Headers: interaction.Headers{{Name: "retry-after", Values: []string{"7"}}, {Name: "X", Values: []string{"1.50", "true"}}, {Name: "y", Values: nil}},
				Stream:  "sse",
				Events:  []interaction.Event{{{Name: "data", Value: `{"a": 1}`}}, {{Name: "data", Value: `{"b": ["x"]  }`}, {Name: "id", Value: "7"}}, {{Name: "data", Value: "true"}, {Name: "data", Value: "x"}}, {}, {}},
				Delays:  []interaction.Delay{{MS: 5}, {Together: true}},
			},
			Usage:     &interaction.Usage{OutputTokens: -1},
			LatencyMS: -5,
		},
	}
	if d := difference(f.Interactions, want); d != "" || !f.Pinned || f.Partial {
		t.Errorf("%s: got %+v", d, f.Interactions[1])
	}
	if f.Interactions[0].Line != 6 || f.Interactions[1].Line != 7 {
		t.Errorf("lines %d and %d", f.Interactions[0].Line, f.Interactions[1].Line)
	}
	checkRoundTrip(t, f.Interactions...)
}

// An alias of a whole interaction is read as that interaction, also if all are in a flow list.
func TestAliasOfAnInteractionIsRead(t *testing.T) {
	const text = `version: 1
interactions: [&first {request: {method: GET, url: /a}, response: {status: 200}},
  {request: {method: GET, url: /b}, response: {status: 200}}, *first]
`
	doc, err := Parse("c.yaml", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	for _, it := range doc.Interactions {
		urls = append(urls, it.Request.URL)
	}
	if got := strings.Join(urls, " "); got != "/a /b /a" {
		t.Errorf("read are %s", got)
	}
}
