package codec

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// plain returns an interaction with this response body.
func plain(body string) *interaction.Interaction {
	return &interaction.Interaction{
		Request:  interaction.Request{Method: "GET", URL: "/"},
		Response: interaction.Response{Status: 200, Body: []byte(body)},
	}
}

// big is a body that becomes an asset.
func big(c string) string { return strings.Repeat(c+"\xff", 1024) }

// cassetteOf returns a cassette of what Encode makes of interactions, and its assets.
func cassetteOf(t testing.TB, its ...*interaction.Interaction) (data []byte, assets map[string][]byte) {
	t.Helper()
	data, assets = []byte("version: 1\n"+ItemsLine), map[string][]byte{}
	if len(its) == 0 {
		data = []byte("version: 1\ninteractions: []\n")
	}
	for i, it := range its {
		text, beside, err := Encode(it)
		if err != nil {
			t.Fatalf("interaction %d: %v", i+1, err)
		}
		if err := Check(text, beside, it); err != nil {
			t.Fatalf("interaction %d: %v\n%.2000s", i+1, err, text)
		}
		for name, content := range beside {
			if err := AddAsset(assets, name, content); err != nil {
				t.Fatal(err)
			}
		}
		data = append(data, text...)
	}
	return data, assets
}

// checkRoundTrip fails the test unless what Encode writes is read as the interactions
// again, and encoding that gives the same bytes.
func checkRoundTrip(t testing.TB, its ...*interaction.Interaction) []byte {
	t.Helper()
	data, assets := cassetteOf(t, its...)
	read := func(name string) ([]byte, error) { return assets[name], nil }
	doc, err := Parse("x.yaml", string(data), read)
	if err != nil {
		t.Errorf("Parse: %v\n%.2000s", err, data)
		return nil
	}
	if d := difference(its, doc.Interactions); d != "" {
		t.Errorf("%s changed\n%.2000s", d, data)
		return nil
	}
	for i, it := range doc.Interactions {
		it.MatchKey, it.Response.Text = its[i].MatchKey, its[i].Response.Text // what is computed when it is saved
		text, _, _ := Encode(its[i])
		var decoded []*interaction.Interaction
		if got, err := ParseItem("x.yaml", string(text), read, nil); err == nil {
			decoded = append(decoded, got)
		}
		if d := difference(its[i:i+1], decoded); d != "" {
			t.Errorf("%s changed, decoded\n%.2000s", d, text)
		}
	}
	again, assets2 := cassetteOf(t, doc.Interactions...)
	if !bytes.Equal(again, data) {
		t.Error("encoding again gives something else")
	}
	if len(assets2) != len(assets) {
		t.Errorf("%d assets, then %d", len(assets), len(assets2))
	}
	return data
}

// difference returns where two lists of interactions differ in what a cassette holds, or "".
func difference(a, b []*interaction.Interaction) string {
	if len(a) != len(b) {
		return fmt.Sprintf("the number of interactions (%d and %d)", len(a), len(b))
	}
	for i, it := range a {
		if d := it.Difference(b[i]); d != "" {
			return fmt.Sprintf("%s of interaction %d", d, i+1)
		}
	}
	return ""
}

// JSON is written as structure with its layout, and extreme layouts and all else as text or base64.
func TestBodies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ body, want string }{
		{`{}`, "body: {}"},
		{`[]`, "body: []"},
		{`{ }`, "layout: {padding: 1}\nbody: {}"},
		{`null`, `body: "null"`},
		{`12`, `body: "12"`},
		{`"a"`, `body: '"a"'`},
		{`Not Found`, `body: Not Found`},
		{"a\nb", "body: |-\n  a\n  b"},
		{"a\n\tb\n", "body: |\n  a\n  \tb"},
		{"a\r\nb", `body: "a\r\nb"`},
		{"\xff", `body_base64: "/w=="`},
		{"{\"a\":\"\xff\"}", `body_base64: "eyJhIjoi/yJ9"`},
		{`[1,2.50,null,true]`, "body: [1, 2.50, null, true]"},
		{`[1,"a"]`, "body:\n- 1\n- a"},
		{`["a","b\nc"]`, "body:\n- a\n- |-\n  b\n  c"},
		{`["` + strings.Repeat("a", 35) + `","` + strings.Repeat("b", 35) + `"]`, "body:\n- " + strings.Repeat("a", 35) + "\n- " + strings.Repeat("b", 35)},
		{`["` + strings.Repeat("a", 32) + `","` + strings.Repeat("b", 32) + `"]`, "body: [" + strings.Repeat("a", 32) + ", " + strings.Repeat("b", 32) + "]"},
		{`[[1],[],["a"],[["b"]]]`, "body:\n- [1]\n- []\n- [a]\n- - [b]"},
		{`[{"a":"b","c":{"d":"e"}},{}]`, "body:\n- a: b\n  c:\n    d: e\n- {}"},
		{`{"a":1,"b":false}`, "body: {a: 1, b: false}"},
		{`{"a": 1}`, "layout: {space: both}\nbody: {a: 1}"},
		{`{"a": 1,"b": 2}`, "layout: {space: colon}\nbody: {a: 1, b: 2}"},
		{`[1, 2]`, "layout: {space: both}\nbody: [1, 2]"},
		{`{"a":1, "b":2}`, "layout: {space: comma}\nbody: {a: 1, b: 2}"},
		{"{\n\t\"a\": 1\n}\n", "layout: {indent: tab, after: \"\\n\"}\nbody: {a: 1}"},
		{"\n {\n    \"a\": []\n}", "layout: {before: \"\\n \", indent: 4}\nbody:\n  a: []"},
		{"{\n \t\"a\": 1\n}", "layout: {indent: \" \\t\"}\nbody: {a: 1}"},
		{"{\n\"a\": 1\n}", "body: |-\n  {\n  \"a\": 1\n  }"},
		{`{"a":1,"a":2}`, `body: '{"a":1,"a":2}'`},
		{`{"a":"\ud800"}`, `body: '{"a":"\ud800"}'`},
		{`{"a":"é\u00e9"}`, `body: '{"a":"é\u00e9"}'`},
		{`{"arguments":"{\"city\":\"Rome\"}"}`, "body:\n  arguments: '{\"city\":\"Rome\"}'"},
		{`["it's: \"so\"","\\\t","C:\\x"]`, "body: [\"it's: \\\"so\\\"\", \"\\\\\\t\", 'C:\\x']"},
		{`{"a":"\u00E9\/\u003C"}`, "layout: {escape: [ascii, upper, html, slash]}\nbody:\n  a: é/<"},
		{`{"a":"\u2028\u0027\u007f\b"}`, "layout: {escape: [separators, gson, delete]}\nbody:\n  a: \"\\u2028'\\u007f\\b\""},
		{`{"a":"\u000c"}`, "layout: {escape: [long]}\nbody:\n  a: \"\\f\""},
		{`{"$ref":"a","a b":"c","true":"d","1":"e","":"f","<<":"g"}`,
			"body:\n  $ref: a\n  \"a b\": c\n  \"true\": d\n  \"1\": e\n  \"\": f\n  \"<<\": g"},
		{`{"$ref":1,"y":2}`, `body: {"$ref": 1, "y": 2}`},
		{`{"` + strings.Repeat("a", 257) + `":1}`, `body: '{"` + strings.Repeat("a", 257) + `":1}'`},
		{`{"a":[` + strings.Repeat("0.123,", 50) + `1]}`, "body:\n  a: [" + strings.Repeat("0.123, ", 50) + "1]"},
		{`{"` + strings.Repeat("a", 40) + `":1,"` + strings.Repeat("b", 40) + `":2}`, "body:\n  " + strings.Repeat("a", 40) + ": 1\n  " + strings.Repeat("b", 40) + ": 2"},
		{strings.Repeat("[", 66) + strings.Repeat("]", 66), `body: "` + strings.Repeat("[", 66) + strings.Repeat("]", 66) + `"`},
	} {
		it := &interaction.Interaction{
			Request:  interaction.Request{Method: "POST", URL: "/", Body: []byte(test.body)},
			Response: interaction.Response{Status: 200},
		}
		data := string(checkRoundTrip(t, it))
		_, got, _ := strings.Cut(data, "url: /\n")
		got, _, _ = strings.Cut(got, "  response:")
		want := "    " + strings.ReplaceAll(test.want, "\n", "\n    ") + "\n"
		if got != want {
			t.Errorf("%q is written as\n%swant\n%s", test.body, got, want)
		}
	}
}

// TestScalars is how strings are written in block context.
func TestScalars(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"a", "a b", "gpt-4.1", "4o", "3 cats", "7d206bed48a0bc0c", "https://example.com/a?b=c#d", "a#b", "a: b"[:2] + "b", "(a)", "/a", "$a", "é", "“a”",
		"a, b", "a]b", "it's", `say "hi"`, "nullable", "no way", "a - b", "a\\n", "application/json; charset=utf-8",
	} {
		if !yaml.IsPlain(s) {
			t.Errorf("%q is not plain", s)
		}
	}
	for _, s := range []string{
		"", " a", "a ", "a: b", "a:", "a #b", "#a", "- a", "-a", "-", "? a", "?a", ":a", "'a", `"a`, "|", ">", "&a", "*a", "!a", "%a", "@a", "`a", "{", "[", ",a", "}", "]",
		"~", "=", "<<", "null", "Null", "NULL", "true", "False", "yes", "No", "on", "OFF", "y", "N", "NaN", "inf", "Infinity", ".inf", ".nan", "+1", "-1", ".5",
		"1", "1.5", "1e5", "12e4567890123456", "1_000", "1:30", "190:20:30.15", "0x1f", "0o17", "0b11", "2001-12-14", "2001-12-14 21:59:43.10 -5", "2001-12-14T21:59:43Z",
		"a\tb", "a\nb", "a\rb", "a\x00b", "a\x7fb", "a\u0085b", "a\u2028b", "a\ufeffb", "a\u202eb", "\u00a0a", "a\ufffe", "\xff",
	} {
		if yaml.IsPlain(s) {
			t.Errorf("%q is plain", s)
		}
	}
	for _, s := range []string{"a\nb", "a\nb\n", "a\n\nb", "a\n b", "a\n\tb", "# a\n- b: c", "a\n---\nb", "é\n日本"} {
		if !yaml.IsLiteral(s) {
			t.Errorf("%q is not literal", s)
		}
	}
	for _, s := range []string{"", "a", "\n", "\na", " a\nb", "\ta\nb", "a \nb", "a\t\nb", "a\n b ", "a\n\n", "a\n \nb", "a\r\nb", "a\n\x01", "a\n\u0085", "a\n\u2029", "a\n\ufeff"} {
		if yaml.IsLiteral(s) {
			t.Errorf("%q is literal", s)
		}
	}
}

// TestUnwritable is what Encode refuses, or Check.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	ok := interaction.Request{Method: "GET", URL: "/"}
	for _, test := range []struct {
		it   *interaction.Interaction
		want string
	}{
		{nil, `is nil`},
		{&interaction.Interaction{Response: interaction.Response{Status: 200}}, `request: want a mapping with the keys method, url, headers, unknown_headers, layout, body, body_base64, body_file, form, found nothing`},
		{&interaction.Interaction{Request: ok}, `response: invalid status 0`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 1000}}, `response: invalid status 1000`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, End: "x"}}, `response.end: want closed, error or canceled (leave it out if nothing is unusual), found the text "x"`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Events: []interaction.Event{{}}}}, `response.events: events without a stream; name the framing ("stream: sse")`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Stream: "sse", Body: []byte("a")}}, `response: both a body and stream "sse"; a stream's body is its events`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Stream: "sse", Delays: []interaction.Delay{{MS: -1}}}}, `response.delays_ms: want an integer, 0 or more, found -1`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Stream: "sse", Delays: []interaction.Delay{{}, {MS: 1, Together: true}}}}, `response.delays_ms would be different when it is read back from the cassette; please report this`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Stream: "sse", Delays: []interaction.Delay{{Rest: "~1"}}}}, `response.delays_ms: want milliseconds only (13), or MS~BYTES+MS as promptecho wrote it: 13~1+2 is an event in two pieces: all but its last byte after 13 ms, and that byte 2 ms later; BYTES is how many bytes of the event are still to come, so it is smaller in each further ~BYTES+MS, found the text "0~1"`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Body: []byte("a"), Chunks: []int{1, 0}}}, `response.chunks: a chunk must have 1 byte or more, and less than 1 TB`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Chunks: []int{1}}}, `response.chunks: only a body that is not a stream has chunks; remove them`},
		{&interaction.Interaction{Request: ok, Response: interaction.Response{Status: 200, Headers: interaction.Headers{{Name: "a", Values: nil}, {Name: "a", Values: nil}}}}, `key "a" is already in line 7; remove one of them`},
		{&interaction.Interaction{Kind: "tool", Boundary: "f", Request: interaction.Request{Function: "tool/g", Body: []byte("1")}, Response: interaction.Response{Body: []byte("2")}}, `function would be different when it is read back from the cassette; please report this`},
		{&interaction.Interaction{Kind: "tool", Boundary: "f", Request: interaction.Request{Function: "tool/f"}, Response: interaction.Response{Body: []byte("2")}}, `request: want a mapping with the keys body, found nothing`},
		{&interaction.Interaction{Kind: "tool", Boundary: "f", Request: interaction.Request{Function: "tool/f", Body: []byte("1")}}, `response: want a mapping with the keys error, error_is, body, found nothing`},
	} {
		data, assets, err := Encode(test.it)
		if err == nil {
			err = Check(data, assets, test.it)
		}
		if err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("got %q, %v, %v; want %q", data, assets, err, test.want)
		}
	}
	it := &interaction.Interaction{Request: ok, Response: interaction.Response{End: interaction.EndError, Error: "connection refused"}}
	checkRoundTrip(t, it)
	checkRoundTrip(t)
	sound := interaction.Response{Status: 200, Body: []byte("\xff\xfb\x90"), Chunks: []int{2, 1}, Delays: []interaction.Delay{{MS: 7}, {MS: 5}}}
	if data := checkRoundTrip(t, &interaction.Interaction{Request: ok, Response: sound}); !strings.Contains(string(data), "chunks: [2, 1]\n    delays_ms: [7, 5]\n") {
		t.Errorf("%s", data)
	}
}

// TestAssets is what becomes an asset, and what it is called.
func TestAssets(t *testing.T) {
	t.Parallel()
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\xff", 1<<13)
	b64 := encodeBase64([]byte(png))
	for _, test := range []struct{ body, want, asset string }{
		{png, "body_file: 6bdb6a0c0a0a6e0e.png", png},
		{png[:1024], `body_base64: "` + encodeBase64([]byte(png[:1024])) + `"`, ""},
		{`{"url":"data:image/png;base64,` + b64 + `"}`, "body:\n  url: !asset data:image/png;base64,@6bdb6a0c0a0a6e0e.png", png},
		{`["` + b64 + `"]`, "body:\n- !asset \"@6bdb6a0c0a0a6e0e.png\"", png},
		{`["` + b64 + `",{"a":"` + b64 + `"}]`, "body:\n- !asset \"@6bdb6a0c0a0a6e0e.png\"\n- a: !asset \"@6bdb6a0c0a0a6e0e.png\"", png},
		{`["` + b64[:1<<14] + `"]`, "body:\n- " + b64[:1<<14], ""},
	} {
		name := NameAsset([]byte(png))
		want := "    " + strings.ReplaceAll(strings.ReplaceAll(test.want, "6bdb6a0c0a0a6e0e.png", name), "\n", "\n    ") + "\n"
		it := &interaction.Interaction{
			Request:  interaction.Request{Method: "POST", URL: "/", Body: []byte(test.body)},
			Response: interaction.Response{Status: 200},
		}
		_, got, _ := strings.Cut(string(checkRoundTrip(t, it)), "url: /\n")
		if got, _, _ = strings.Cut(got, "  response:"); got != want {
			t.Errorf("got\n%.300s\nwant\n%.300s", got, want)
		}
		if _, assets, _ := Encode(it); test.asset != "" && string(assets[name]) != test.asset || test.asset == "" && len(assets) > 0 {
			t.Errorf("wrong assets for\n%.300s", want)
		}
	}
	long := strings.Repeat("QUJD", 5000)
	for _, s := range []string{
		long + "QR==", long + "QQ=", long + "QQ", long + "====", long + "QQ-_", long + "\nQQ=", long[:8000] + "\n\n\n\n" + long, "\n\n\n\n" + long,
		"data:image/png;base64," + long + "QR==", "data:image/png;base64 ," + long, "data:a@b;base64," + long, long + "@", long[:1<<14], "data:;base64," + long[:1<<14],
	} {
		if _, _, ok := cutBase64(s); ok {
			t.Errorf("%.30q...%q is an asset", s, s[len(s)-5:])
		}
		body := exactjson.Value{Kind: exactjson.Array, Elems: []exactjson.Value{{Kind: exactjson.String, Text: s}}}
		it := &interaction.Interaction{Request: interaction.Request{Method: "POST", URL: "/", Body: body.AppendJSON(nil, exactjson.Layout{})}, Response: interaction.Response{Status: 200}}
		checkRoundTrip(t, it)
	}
	for _, prefix := range []string{"", "data:;base64,", "data:image/svg+xml;charset=utf-8;base64,", "data:application/vnd.x-y_z.1;base64,"} {
		if got, content, ok := cutBase64(prefix + long + "QQ=="); !ok || got != prefix || encodeBase64(content) != long+"QQ==" {
			t.Errorf("%q: got %q, %v", prefix, got, ok)
		}
		data := `{"a":"` + prefix + long + `"}`
		it := &interaction.Interaction{Request: interaction.Request{Method: "POST", URL: "/"}, Response: interaction.Response{Status: 200, Stream: "sse", Events: []interaction.Event{{{Name: "data", Value: data}}}}}
		if text := checkRoundTrip(t, it); !strings.Contains(string(text), `{data: {a: !asset "`+prefix+`@`) {
			t.Errorf("an event's %q is written as %.500s", prefix, text)
		}
	}
	for content, ext := range map[string]string{
		"\x89PNG\r\n\x1a\n": "png", "\xff\xd8\xff\xe0": "jpg", "RIFF1234WEBPVP8 ": "webp", "RIFF1234WAVEfmt ": "wav",
		"GIF89a": "gif", "%PDF-1.7": "pdf", "ID3\x04": "mp3", "\xff\xfb\x90": "mp3", "RIFF": "bin", "": "bin",
	} {
		if got := strings.TrimPrefix(filepath.Ext(NameAsset([]byte(content))), "."); got != ext {
			t.Errorf("%q is %s, want %s", content, got, ext)
		}
	}
}

// TestBrokenAssets is what Parse says about assets that are not as recorded.
func TestBrokenAssets(t *testing.T) {
	t.Parallel()
	const name = "0123456789abcdef.bin"
	read := func(content string, err error) func(string) ([]byte, error) {
		return func(string) ([]byte, error) { return []byte(content), err }
	}
	for _, test := range []struct {
		file  string
		asset func(string) ([]byte, error)
		want  string
	}{
		{name, nil, `asset "0123456789abcdef.bin" cannot be read: this cassette has no folder of assets`},
		{name, read("", fs.ErrNotExist), `asset "0123456789abcdef.bin" cannot be read (file does not exist); restore it, or record again`},
		{name, read("x", nil), `asset "0123456789abcdef.bin" was changed: its content now has the hash 2d711642b726b044; restore it, or put that hash in the name of the file, and use the new name here`},
		{"../../etc/passwd", read("x", nil), `invalid asset name "../../etc/passwd"; want 16 hex digits and an extension`},
	} {
		text := strings.Replace(withBody("x"), "body: x", "body_file: "+test.file, 1)
		_, err := Parse("x.yaml", text, test.asset)
		if want := "x.yaml:6:18: request.body_file: " + test.want; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		if errors.Is(error(err), fs.ErrNotExist) {
			t.Errorf("%v: a missing asset is not a missing cassette", err)
		}
	}
}

// An embedding is written as a short line with the count of its numbers, which are an asset. That holds in
// a body and in an event, digit by digit.
func TestVector(t *testing.T) {
	t.Parallel()
	vector := make([]string, 1536)
	for i := range vector {
		vector[i] = fmt.Sprintf("%.8f", math.Sin(float64(i)))
	}
	list := "[" + strings.Join(vector, ",") + "]"
	for _, it := range []*interaction.Interaction{
		plain(`{"data":[{"embedding":` + list + `,"index":0}],"model":"e"}`),
		plain(list),
		plain("{\n  \"a\": {\n    \"embedding\": [\n      " + strings.Join(vector, ",\n      ") + "\n    ]\n  }\n}\n"),
		{
			Request:  interaction.Request{Method: "GET", URL: "https://h/x"},
			Response: interaction.Response{Status: 200, Stream: "sse", Events: []interaction.Event{{{Name: "data", Value: `{"embedding":` + list + `}`}}, {{Name: "data", Value: list}}}},
		},
	} {
		text, assets, err := Encode(it)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "!numbers ") || !strings.Contains(string(text), "1536@") || len(text) > 700 || len(assets) != 1 {
			t.Errorf("%d bytes and %d assets:\n%.1000s", len(text), len(assets), text)
		}
		for _, content := range assets {
			if string(content) != list {
				t.Errorf("the asset is %.100s", content)
			}
		}
		if err := Check(text, assets, it); err != nil {
			t.Error(err)
		}
	}
	text, assets, _ := Encode(plain(`{"v":[1,2,3]}`))
	if len(assets) != 0 {
		t.Errorf("a short list is an asset:\n%s", text)
	}
}

// TestCheck: what would not survive is not written.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"a", big("a")} { // in the file, and beside it
		it := plain(content)
		text, assets, err := Encode(it)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			text   []byte
			assets map[string][]byte
			want   string
		}{
			{text, assets, "response.body would be different when it is read back from the cassette; please report this"},
			{text[:len(text)/2], nil, "promptecho cannot read what it would write; please report this: cassette:"},
			{[]byte("x"), nil, "promptecho cannot read what it would write; please report this: cassette:2:"},
		} {
			if err := Check(x.text, x.assets, plain("b")); err == nil || !strings.HasPrefix(err.Error(), x.want) {
				t.Errorf("got %v, want %s", err, x.want)
			}
		}
	}
}

// The width of a line is counted in characters, from its beginning.
func TestColumn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "abc": 3, "abc\n": 0, "abc\né": 1, "a\nb\ncd": 2} {
		if got := (&encoder{buf: []byte(text)}).column(); got != want {
			t.Errorf("behind %q: column %d, want %d", text, got, want)
		}
	}
}

// The layout of JSON with a deeper indentation or a longer padding than the format knows is not
// kept: the body is stored byte for byte.
func TestLayoutsOfTheFormat(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		indent, padding int
		want            bool
	}{
		{0, 0, true}, {16, 0, true}, {17, 0, false}, {0, 128, true}, {0, 129, false},
	} {
		l := exactjson.Layout{Indent: strings.Repeat(" ", tt.indent), Padding: tt.padding}
		if got := isStorable(l); got != tt.want {
			t.Errorf("indented by %d, padded by %d: %v", tt.indent, tt.padding, got)
		}
	}
}
