package exactjson

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	v, err := Parse([]byte(" {\"a\": [1.50, -0, 1e-08, true, false, null], \"b\": \"x\\n\\u00e9\\ud83d\\ude00\\/\", \"a\": {}} \r\n\t"))
	if err != nil {
		t.Fatal(err)
	}
	num := func(s string) Value { return Value{Kind: Number, Text: s} }
	want := Value{Kind: Object, Elems: []Value{
		{Name: "a", Kind: Array, Elems: []Value{num("1.50"), num("-0"), num("1e-08"), {Kind: Bool, Text: "true"}, {Kind: Bool, Text: "false"}, {}}},
		{Name: "b", Kind: String, Text: "x\né😀/"},
		{Name: "a", Kind: Object},
	}}
	if !equalValues(&v, &want) {
		t.Errorf("got %+v", v)
	}
	const text = `{"a":[1.50,-0,1e-08,true,false,null],"b":"x\né😀/","a":{}}`
	if got := string(v.AppendJSON([]byte("x"), Layout{})); got != "x"+text {
		t.Errorf("got %s", got)
	}
}

// TestParseCopies: a Value does not change with the bytes it was parsed from.
func TestParseCopies(t *testing.T) {
	t.Parallel()
	b := []byte(`{"a":"b"}`)
	v, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	clear(b)
	if v.Elems[0].Name != "a" || v.Elems[0].Text != "b" {
		t.Errorf("got %+v", v)
	}
}

// TestEscaped: whatever way a text is written, it is escaped in one.
func TestEscaped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ json, want string }{
		{`"plain é 😀 text / of more than eight bytes"`, `plain é 😀 text / of more than eight bytes`},
		{`"a\"b\\c\nd\te\rf"`, `a\"b\\c\nd\te\rf`},
		{`"\u000a\u0022\u005C\u0061\/\n"`, `\n\"\\a/\n`},
		{`"\b\f\u001F\u00e9\ud83d\ude00"`, `\u0008\u000c\u001fé😀`},
		{"\"\\n\u007f\"", `\n\u007f`},
		{`"\\u0061"`, `\\u0061`},
		{`""`, ``},
	} {
		plain, err := Parse([]byte(tt.json))
		v, perr := ParseEscaped(tt.json)
		if err != nil || perr != nil || v.Text != tt.want || EscapeText(plain.Text) != tt.want || UnescapeText(tt.want) != plain.Text {
			t.Errorf("%s: %q (%v), want %q; EscapeText(%q) = %q, and back %q (%v)",
				tt.json, v.Text, perr, tt.want, plain.Text, EscapeText(plain.Text), UnescapeText(tt.want), err)
		}
	}
	if raw := "\xff\n\xc3"; UnescapeText(EscapeText(raw)) != raw {
		t.Errorf("%q is %q escaped and back", raw, UnescapeText(EscapeText(raw)))
	}
	for text, want := range map[string]string{`a\qb\n`: "a\\qb\n", "\n\\t\x01": "\n\t\x01", `\ud800\u0041`: `\ud800A`, `\\\`: `\\`, "\xff\\/": "\xff/"} {
		if got := UnescapeText(text); got != want {
			t.Errorf("%q unescaped is %q, want %q", text, got, want)
		}
	}
	for _, bad := range []string{`"\n`, `"\`, `"\x"`, "\"\\n\n\"", `"\n\ud800"`} {
		_, want := Parse([]byte(bad))
		if _, err := ParseEscaped(bad); err == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v, want %v", bad, err, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                        `byte 0: want a value, found the end`,
		"  ":                      `byte 2: want a value, found the end`,
		`x`:                       `byte 0: want a value, found 'x'`,
		`nul`:                     `byte 0: want a value, found 'n'`,
		`truE`:                    `byte 0: want a value, found 't'`,
		`1 2`:                     `byte 2: want the end, found '2'`,
		`{}é`:                     `byte 2: want the end, found 'é'`,
		`01`:                      `byte 1: want the end, found '1'`,
		`-`:                       `byte 1: want a value, found the end`,
		`-a`:                      `byte 1: want a value, found 'a'`,
		`1.`:                      `byte 2: want a value, found the end`,
		`1.x`:                     `byte 2: want a value, found 'x'`,
		`1e+`:                     `byte 3: want a value, found the end`,
		`+1`:                      `byte 0: want a value, found '+'`,
		`.5`:                      `byte 0: want a value, found '.'`,
		`[1`:                      `byte 2: want "," or "]", found the end`,
		`[1 2]`:                   `byte 3: want "," or "]", found '2'`,
		`[1,]`:                    `byte 3: want a value, found ']'`,
		`[`:                       `byte 1: want a value, found the end`,
		`{`:                       `byte 1: want a member name, found the end`,
		`{"a"`:                    `byte 4: want ":", found the end`,
		`{"a" 1}`:                 `byte 5: want ":", found '1'`,
		`{"a":1`:                  `byte 6: want "," or "}", found the end`,
		`{"a":1,}`:                `byte 7: want a member name, found '}'`,
		`{a:1}`:                   `byte 1: want a member name, found 'a'`,
		`{"a":}`:                  `byte 5: want a value, found '}'`,
		`{"\x":1}`:                `byte 2: invalid escape`,
		`"a`:                      `byte 0: string without an end`,
		`"\n`:                     `byte 0: string without an end`,
		`"a\`:                     `byte 2: invalid escape`,
		`"\u12"`:                  `byte 1: invalid escape`,
		`"\u12g4"`:                `byte 1: invalid escape`,
		"\"a\nb\"":                `byte 2: control character '\n' in a string`,
		"\"\\n\x01\"":             `byte 3: control character '\x01' in a string`,
		`"\ud800"`:                `byte 1: escape of a lone surrogate`,
		`"\ud800\ud800"`:          `byte 1: escape of a lone surrogate`,
		`"a\udc00b"`:              `byte 2: escape of a lone surrogate`,
		"\"a\xff\"":               `byte 2: invalid UTF-8`,
		"\"\ufffd\xed\xa0\"":      `byte 4: invalid UTF-8`,
		"\ufeff{}":                `byte 0: want a value, found '\ufeff'`,
		strings.Repeat("[", 1001): `byte 1000: nested deeper than 1000`,
	} {
		if _, err := Parse([]byte(text)); err == nil || err.Error() != "json: "+want {
			t.Errorf("%.40q: got %v, want json: %s", text, err, want)
		}
	}
	if _, err := Parse([]byte(strings.Repeat("[", 1000) + strings.Repeat("]", 1000))); err != nil {
		t.Error(err)
	}
}

// TestLayouts is what one value looks like in each layout, and that the layout
// is found again.
func TestLayouts(t *testing.T) {
	t.Parallel()
	v, err := Parse([]byte(`{"a":[1,{"b":"<'/é\u2028\b\u007f😀"}],"c":{},"d":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		l    Layout
		want string
	}{
		{Layout{}, "{\"a\":[1,{\"b\":\"<'/é\u2028\\b\x7f😀\"}],\"c\":{},\"d\":[]}"},
		{Layout{ColonSpace: true, CommaSpace: true, Escape: EscapeASCII | EscapeDelete}, `{"a": [1, {"b": "<'/\u00e9\u2028\b\u007f\ud83d\ude00"}], "c": {}, "d": []}`},
		{Layout{ColonSpace: true, Escape: EscapeASCII | EscapeUpper | EscapeLong, After: "\n"}, "{\"a\": [1,{\"b\": \"<'/\\u00E9\\u2028\\u0008\x7f\\uD83D\\uDE00\"}],\"c\": {},\"d\": []}\n"},
		{Layout{CommaSpace: true, Escape: EscapeHTML | EscapeSeparators}, "{\"a\":[1, {\"b\":\"\\u003c'/é\\u2028\\b\x7f😀\"}], \"c\":{}, \"d\":[]}"},
		{Layout{Escape: EscapeGson | EscapeSlash, Padding: 3}, "{\"a\":[1,{\"b\":\"<\\u0027\\/é\u2028\\b\x7f😀\"}],\"c\":{},\"d\":[]   }"},
		{Layout{Indent: " ", Before: "\n\n", Escape: EscapeSlash | EscapeDelete}, "\n\n{\n \"a\": [\n  1,\n  {\n   \"b\": \"<'\\/é\u2028\\b\\u007f😀\"\n  }\n ],\n \"c\": {},\n \"d\": []\n}"},
	} {
		got := v.AppendJSON(nil, test.l)
		if string(got) != test.want {
			t.Errorf("%+v:\ngot  %q\nwant %q", test.l, got, test.want)
		}
		if l, _, ok := DetectLayout(got, v); !ok || l != test.l {
			t.Errorf("%q: found %+v, %v, want %+v", got, l, ok, test.l)
		}
	}
}

func TestNoLayout(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"a" :1}`, `{ "a":1}`, `{"a":1,"b": 2}`, `[1, 2,3]`, `["é\u00e9"]`, `["\u0041"]`, `["\u00e9\u00E8"]`, `["\u000A"]`, `["<\u003c"]`,
		"[\n1\n]", "[\n  1, 2\n]", "[\n  1\n ]", "[\n  1,\n   2\n]", "{\n  \"a\":1\n}", "[\r\n  1\r\n]", "{\n}", "[ 1]", "[1\t]",
	} {
		v, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if l, _, ok := DetectLayout([]byte(text), v); ok {
			t.Errorf("%q: found %+v", text, l)
		}
	}
	for _, text := range []string{`12`, `"a"`, ` null `, `"\u00e9"`} {
		v, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, ok := DetectLayout([]byte(text), v); !ok {
			t.Errorf("%q: no layout", text)
		}
	}
}
