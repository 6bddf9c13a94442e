package exactjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/testing/seeds"
)

// FuzzJSON: what Parse accepts is valid JSON, what it refuses is not (or is
// stricter on purpose), and a layout that is found prints the same bytes.
func FuzzJSON(f *testing.F) {
	for _, s := range seeds.JSON {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := Parse(b)
		escaped, eerr := ParseEscaped(string(b))
		if fmt.Sprint(err) != fmt.Sprint(eerr) {
			t.Fatalf("%q: %v, with escaped texts %v", b, err, eerr)
		}
		if checkEscaped(t, &v, &escaped); (err == nil) != json.Valid(b) && !stricter(b, err) {
			t.Fatalf("Parse(%q): %v, json.Valid: %v", b, err, json.Valid(b))
		}
		checkScan(t, string(b), err == nil)
		if err != nil {
			return
		}
		if l, _, ok := DetectLayout(b, v); ok && !bytes.Equal(v.AppendJSON(nil, l), b) {
			t.Fatalf("layout %+v does not print %q", l, b)
		}
		for _, l := range layouts {
			checkLayout(t, v, l)
		}
	})
}

// checkScan demands that tokens stand one behind the other with nothing but white space,
// commas and colons between them, and that of a valid text none is left out.
func checkScan(t *testing.T, text string, valid bool) {
	t.Helper()
	at, depth := 0, 0
	s := Scan(text)
	for s.Next() {
		if s.Start < at || s.End <= s.Start || strings.Trim(text[at:s.Start], " \t\r\n,:") != "" {
			t.Fatalf("%q: token at %d to %d after one that ends at %d", text, s.Start, s.End, at)
		}
		at = s.End
		switch s.Token {
		case Open:
			depth++
		case Close:
			depth--
		}
		if len(s.Path) != depth {
			t.Fatalf("%q: path %q in depth %d", text, s.Path, depth)
		}
	}
	if valid && (depth != 0 || strings.Trim(text[at:], " \t\r\n") != "") {
		t.Fatalf("%q: the scan ended at %d in depth %d", text, at, depth)
	}
}

// checkEscaped demands that the texts of one value are those of the other escaped.
func checkEscaped(t *testing.T, v, escaped *Value) {
	t.Helper()
	want := v.Text
	if v.Kind == String {
		want = EscapeText(v.Text)
	}
	if v.Kind != escaped.Kind || v.Name != escaped.Name || len(v.Elems) != len(escaped.Elems) || escaped.Text != want {
		t.Fatalf("with escaped texts %#v is %#v", v, escaped)
	}
	for i := range v.Elems {
		checkEscaped(t, &v.Elems[i], &escaped.Elems[i])
	}
}

// stricter reports whether Parse may refuse b although encoding/json takes it.
func stricter(b []byte, err error) bool {
	return err != nil && (!utf8.Valid(b) || strings.Contains(err.Error(), "surrogate") || strings.Contains(err.Error(), "deeper"))
}

// checkLayout prints v in layout l and expects to get both back.
func checkLayout(t *testing.T, v Value, l Layout) {
	t.Helper()
	text := v.AppendJSON(nil, l)
	back, err := Parse(text)
	if err != nil || !equalValues(&v, &back) {
		t.Fatalf("layout %+v: %q reads as another value (%v)", l, text, err)
	}
	found, _, ok := DetectLayout(text, back)
	if !ok {
		t.Fatalf("layout %+v of %q: not found", l, text)
	}
	if again := back.AppendJSON(nil, found); !bytes.Equal(again, text) {
		t.Fatalf("layout %+v of %q: found %+v, which prints %q", l, text, found, again)
	}
}

func equalValues(a, b *Value) bool {
	if a.Kind != b.Kind || a.Text != b.Text || a.Name != b.Name || len(a.Elems) != len(b.Elems) {
		return false
	}
	for i := range a.Elems {
		if !equalValues(&a.Elems[i], &b.Elems[i]) {
			return false
		}
	}
	return true
}

// layouts are layouts that DetectLayout finds again, whatever they print.
var layouts = []Layout{
	{}, {ColonSpace: true, CommaSpace: true}, {ColonSpace: true}, {CommaSpace: true}, {Indent: "  "}, {Indent: "\t"}, {Indent: "    ", After: "\n"},
	{Before: "\n   \n", After: "\r\n"}, {Padding: 7}, {Escape: EscapeASCII}, {Escape: EscapeASCII | EscapeUpper}, {Escape: EscapeASCII | EscapeDelete | EscapeSlash},
	{Escape: EscapeHTML | EscapeSeparators}, {Escape: EscapeGson | EscapeHTML | EscapeSeparators}, {Escape: EscapeLong}, {Indent: "  ", Escape: EscapeASCII | EscapeHTML | EscapeSlash | EscapeLong | EscapeDelete},
}
