// Package seeds has texts that are easily got wrong, for the tests of several packages.
package seeds

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// JSON are JSON texts, nearly JSON texts, and layouts.
var JSON = []string{
	``, ` `, `null`, `true`, `false`, `0`, `-0`, `1.50`, `1e-08`, `01`, `1.`, `.5`, `+1`, `-`, `1e`, `"`, `"a`, `"a"`,
	`{}`, `[]`, `{ }`, `[ ]`, `[1]`, `[1,2]`, `[1, 2]`, `[1 ,2]`, `{"a":1}`, `{"a": 1}`, `{"a" : 1}`, `{"a": 1, "b": [2, 3]}`, `{"a":1, "b":2}`,
	`{"a":1,"a":2}`, `{"a":1,}`, `[1,]`, `{"a"}`, `{1:2}`, `[1 2]`, `{"a":1}x`, `{"a":1}   }`, `{"a":1   }`, `[1  ]`, `{   }`, "{\"a\":1\t}",
	"\n  {\"a\":1}\n", "{\n  \"a\": 1,\n  \"b\": []\n}\n", "{\n\t\"a\": {\n\t\t\"b\": null\n\t}\n}", "[\n    1,\n    {}\n]", "{\n\"a\": 1\n}", "[\n  1, 2\n]",
	"{\r\n  \"a\": 1\r\n}", `{"a":"\u00e9"}`, `{"a":"\u00E9"}`, `{"a":"é"}`, `{"a":"é\u00e9"}`, `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d"}`, `{"a":"\ude00\ud83d"}`,
	`{"a":"\u003c\u003e\u0026"}`, `{"a":"<\u003e"}`, `{"a":"\u003Cb"}`, `{"a":"\/"}`, `{"a":"/\/"}`, `{"a":"\u2028\u2029"}`, "{\"a\":\"\u2028\"}",
	`{"a":"\u0027\u003d"}`, `{"a":"\b\f\n\r\t\u0001\u001f\"\\"}`, `{"a":"\u0008\u000c"}`, `{"a":"\u0009"}`, `{"a":"\u007f"}`, "{\"a\":\"\x7f\"}", `{"a":"\u0041"}`,
	"{\"a\":\"\xff\"}", "{\"a\":\"\n\"}", `{"a":"\x"}`, `{"a":"\u12"}`, `{"a":tru}`, `nul`, `{"<<":1,"true":2,"1":3,"":4,"a b":5,"$ref":6,"- x":7}`,
	strings.Repeat("[", 70) + strings.Repeat("]", 70), strings.Repeat("[", 1001), strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64),
	`{"` + strings.Repeat("k", 300) + `":1}`, `{"a":[[],[[]],[1,[2]],[{"b":[{}]}]]}`, `[[1,2],[3,4]]`, `[{"a":"x"},{"b":"y\nz"}]`, `["a\nb","- c"," d"]`,
	`{"logit_bias":{"1":-100,"2":0.5},"stop":null,"n":1}`, `{"v":12345678901234567890,"w":1.0,"x":1E5}`,
	"data: {\"a\":1}\n\n", "\xef\xbb\xbf{}", "--boundary\r\nContent-Disposition: form-data\r\n\r\nx\r\n",
}

// Strings are strings that some YAML reader or writer gets wrong.
var Strings = []string{
	"", " ", "\n", "\n\n", "a", "a b", "a\n", "a\nb", "a\nb\n", "a\nb\n\n", "\na", " a\nb", "\ta\nb", "a \nb", "a\t\nb", "a\n b\n\tc", "a\n\nb", "a\n \nb",
	"a\tb", "\ta", "a\t", "a\rb", "a\r\nb", "a\u0085b", "a\u2028b\u2029", "\ufeffa", "a\ufeff", "a\x00b", "\x01", "\x7f", "\u0080", "\u00a0", "\u00a0a\u00a0", "\u202ea",
	"\ufffe", "\uffff", "\ufffd", "\U0001f600", "é", "日本語\n二行", "\xff", "a\xffb", "\xed\xa0\x80", "\xc3", "null", "Null", "NULL", "~", "true", "True", "false", "yes", "Yes", "no", "on", "off", "y", "N",
	"0", "1", "-1", "+1", "1.50", "1e5", "1E+5", ".5", "5.", "01", "0x1f", "0o17", "0b1", "0X1", "1_000", "1:30", "190:20:30.15", "2001-12-14", "2001-12-14 21:59:43.10 -5", "2001-12-14t21:59:43Z", ".inf", "-.inf", ".nan", "nan", "Infinity", "inf",
	"7d206bed48a0bc0c", "1234567890123456", "12e4567890123456", "4o", "3 cats", "=", "<<", "<<<<<<< HEAD", "=======", ">>>>>>> x", "a\n=======\nb", "---", "...", "--- a", "a\n---\nb", "a\n...\n",
	"- a", "-", "-a", "? a", "?", "?a", ": a", ":", ":a", "a:", "a: b", "a:b", "a :b", "a #b", "a#b", "#a", "# a", "&a", "*a", "!a", "!!binary x", "!asset @x", "|", "|-", ">", ">a", "'", "''", "'a'", "\"", "\"a\"", "a\"b", "a'b", "%a", "@a", "`a", "{", "}", "{a: b}", "[", "]", "[a]", ",", "a,b", "a, b", "a]b", "a}b",
	"\\", "\\n", "a\\", "\\u0041", "https://example.com/a?b=c#d", "data: x", "data:image/png;base64,@x", "@0123456789abcdef.png", "!asset data:,@0123456789abcdef.png", "(a)", "/a", "$a", "<a>", "“a”", "key: |\n  x", "a\n# b\nc", "# a\nb", "- a\n- b", "{\n  \"a\": 1\n}", "[1,\n2]",
	strings.Repeat("a", 300), strings.Repeat("a ", 300), strings.Repeat("QUJD", 5000), "data:image/png;base64," + strings.Repeat("QUJD", 5000), "data:a b;base64," + strings.Repeat("QUJD", 5000), strings.Repeat("QUJD", 5000) + "QQ==", strings.Repeat("QUJD", 5000) + "QR==",
}

// Corpus returns what other projects recorded, as records of the caller's type. The file is
// outside the repository: data of others, to run against and never to commit. Where it is not,
// the error is one of [os.ErrNotExist].
func Corpus[R any]() (records []R, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(shell.Upward(dir, "go.mod"), "..", "shared", "corpus", "recorded.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(z); d.More(); {
		var r R
		if err := d.Decode(&r); err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

// Interactions returns interactions that hold s wherever one can.
func Interactions(s string) []*interaction.Interaction {
	some := s
	if some == "" {
		some = "x"
	}
	text := strings.ToValidUTF8(s, "\ufffd")
	var compact, indented bytes.Buffer
	e := json.NewEncoder(&compact)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]any{text: text, "k" + text: []any{text, []any{text, nil}}}); err != nil {
		panic(err)
	}
	if err := json.Indent(&indented, compact.Bytes(), "", "  "); err != nil {
		panic(err)
	}
	bodies := [2]string{strings.TrimSuffix(compact.String(), "\n"), ascii(indented.String())}
	it := &interaction.Interaction{Kind: "llm", Boundary: s, MatchKey: s}
	it.Request = interaction.Request{Method: some, URL: some, Headers: interaction.Headers{{Name: s, Values: []string{s}}, {Name: s + "2", Values: []string{s, s}}}, Body: []byte(bodies[0])}
	it.Response = interaction.Response{Status: 200, Proto: s, Headers: interaction.Headers{{Name: s, Values: nil}}, Text: s, End: interaction.EndError, Error: s,
		Stream: some, Events: []interaction.Event{{{Name: s, Value: s}, {Name: "data", Value: bodies[0]}}, {{Name: s, Value: s}, {Name: s, Value: s}}, {{Name: s, Value: bodies[1]}}}}
	plain := &interaction.Interaction{Request: interaction.Request{Method: "GET", URL: "/", Body: []byte(s), UnknownHeaders: true}, Response: interaction.Response{Status: 200, Body: []byte(bodies[1])}}
	function := &interaction.Interaction{
		Kind: "tool", Boundary: some, LatencyMS: 7, Concurrent: &interaction.Moments{Asked: 3, Answered: 5, Pieces: []int{5, 5, 8, 9}, Ended: 10}, Accepted: true, Recorded: "2026-11-30",
		Request:  interaction.Request{Function: "tool/" + some, Within: s, Name: some, Body: compactJSON(text)},
		Response: interaction.Response{Error: some, ErrorIs: []string{s, "EOF"}, Body: compactJSON(map[string]any{"k": []any{text, []any{text, nil}}})},
	}
	return []*interaction.Interaction{it, plain, function, session(s, bodies)}
}

// session returns a session that has s in its messages, and bodies of JSON.
func session(s string, bodies [2]string) *interaction.Interaction {
	it := &interaction.Interaction{Request: interaction.Request{Method: "GET", URL: "/"}}
	it.Request.Headers = interaction.Headers{{Name: "upgrade", Values: []string{"websocket"}}}
	it.Response = interaction.Response{Status: 101, Stream: interaction.WebSocket}
	audio := &interaction.Audio{Size: int64(len(s)), Sum: sha256.Sum256([]byte(s))}
	for _, m := range []interaction.Message{
		{Data: bodies[1]},
		{Data: s},
		{Sent: true, Data: bodies[0]},
		{Sent: true, Data: s, Audio: audio},
		{Sent: true, Data: bodies[0], Audio: audio},
		{Sent: true, Kind: interaction.Bytes, Data: s},
		{Kind: interaction.Bytes, Data: s},
		{Kind: interaction.Bytes, Data: strings.Repeat("\x00\xff"+s, 1+600/(2+len(s)))},
		{Sent: true, Kind: interaction.Close, Data: s},
		{Kind: interaction.Close, Data: "1000 " + s},
	} {
		it.Response.Events = append(it.Response.Events, m.Event())
	}
	return it
}

// ascii returns JSON with escapes for all that is not ASCII.
func ascii(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, "\\u%04x", unit)
		}
	}
	return b.String()
}

// compactJSON returns the JSON of v with nothing escaped that need not be.
func compactJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	// A backslash that is escaped begins no escape.
	plain := strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&", `\u2028`, "\u2028", `\u2029`, "\u2029")
	return []byte(plain.Replace(string(text)))
}
