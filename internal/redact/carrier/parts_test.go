package carrier

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/encode"
)

// TestOverlappingEditsBecomeOne: of two lists of edits one is made, without overlap, in which
// everything stays replaced that either list replaces.
func TestOverlappingEditsBecomeOne(t *testing.T) {
	t.Parallel()
	edit := func(start, end int, text string) Edit { return Edit{Start: start, End: end, Text: text} }
	for name, tt := range map[string]struct{ first, second, want []Edit }{
		"apart": {
			[]Edit{edit(0, 2, "a")}, []Edit{edit(4, 6, "b")},
			[]Edit{edit(0, 2, "a"), edit(4, 6, "b")},
		},
		"the same part":           {[]Edit{edit(2, 5, "a")}, []Edit{edit(2, 5, "b")}, []Edit{edit(2, 5, "a")}},
		"inside of another":       {[]Edit{edit(3, 4, "a")}, []Edit{edit(2, 5, "b")}, []Edit{edit(2, 5, "b")}},
		"at the end of another":   {[]Edit{edit(4, 5, "a")}, []Edit{edit(2, 5, "b")}, []Edit{edit(2, 5, "b")}},
		"at the start of another": {[]Edit{edit(2, 3, "a")}, []Edit{edit(2, 5, "b")}, []Edit{edit(2, 5, "b")}},
		"one goes on":             {[]Edit{edit(2, 5, "a")}, []Edit{edit(4, 7, "b")}, []Edit{edit(2, 7, "a")}},
		"the second begins":       {[]Edit{edit(4, 7, "a")}, []Edit{edit(2, 5, "b")}, []Edit{edit(2, 7, "a")}},
	} {
		got := merge(tt.first, tt.second)
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	edits := []Edit{edit(2, 4, ""), edit(8, 9, "")}
	for _, tt := range []struct {
		start, end int
		want       bool
	}{{0, 2, false}, {0, 3, true}, {3, 5, true}, {4, 8, false}, {8, 20, true}, {9, 20, false}} {
		if got := touches(edits, tt.start, tt.end); got != tt.want {
			t.Errorf("an edit touches %d to %d: %v", tt.start, tt.end, got)
		}
	}
	if !touches(edits[:1], 3, 5) || touches(nil, 3, 5) {
		t.Error("one edit touches what it overlaps, and none touches nothing")
	}
}

// TestNeighboursOfALeaf: only short texts are kept as what may name the value next to them: a
// service marks secrets by words, and a list of parameters may be long.
func TestNeighboursOfALeaf(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", longestMember)
	for _, tt := range []struct {
		raw      string
		kind     Kind
		isMember bool // of an object
		isLabel  bool // of the next element of an array
	}{
		{"api_key", Text, true, true},
		{"key", Text, true, true},
		{"id", Text, true, false},
		{"", Text, false, false},
		{"two words", Text, true, false},
		{"123", Number, false, false},
		{long, Text, false, false},
		{long[1:], Text, true, true},
	} {
		var object, array frame
		object.addMember("name", tt.raw, tt.kind)
		array.labelNext(tt.raw, tt.kind)
		if got := len(object.members) == 1; got != tt.isMember {
			t.Errorf("%q is a member: %v", tt.raw, got)
		}
		if got := len(array.members) == 1; got != tt.isLabel {
			t.Errorf("%q is a label: %v", tt.raw, got)
		}
	}
	var object frame
	for range mostMembers + 1 {
		object.addMember("name", "value", Text)
	}
	if len(object.members) != mostMembers {
		t.Errorf("%d members of an object are kept", len(object.members))
	}
	if got := len(parameters(strings.Repeat("a=b&", maxParameters) + "c=d")); got != maxParameters {
		t.Errorf("%d parameters are kept", got)
	}
}

// TestLeavesOfAStream: each event is searched as the text that its lines have, without the space
// behind the colon.
func TestLeavesOfAStream(t *testing.T) {
	t.Parallel()
	const stream = "event: message_start\ndata: the first event\n\ndata:the second one\n\n" +
		"data: of several\ndata: lines\r\n\r\n"
	var texts []string
	w := &Walker{Find: func(l *Leaf) []Match {
		texts = append(texts, l.Text)
		return nil
	}}
	if _, err := w.Edits(stream, Place{MediaType: "text/event-stream"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"the first event", "the second one", "of several\nlines"} {
		if !slices.Contains(texts, want) {
			t.Errorf("%q is not searched, but %q", want, texts)
		}
	}
}

// TestTooManyLayersAreRefused: decoding takes no more work than the length of a text allows.
func TestTooManyLayersAreRefused(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a quiet line of text ", freeWork/42)
	for range 4 {
		b, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		text = string(b)
	}
	w := known(secret)
	if _, err := w.Edits(text, Place{}); err != nil {
		t.Errorf("four layers: %v", err)
	}
	w.MaxWork = 1
	if _, err := w.Edits(text, Place{}); !errors.Is(err, ErrTooMuch) {
		t.Errorf("four layers, and work for less than two: %v", err)
	}
}

// TestMembersOfAFile: a file of gzip may have several members. They are unpacked as one text, and
// the place where they end is known.
func TestMembersOfAFile(t *testing.T) {
	t.Parallel()
	first, second := encode.Gzip("the first"), encode.Gzip("the second")
	for name, tt := range map[string]struct {
		file string
		want unpacked
	}{
		"one":                {first, unpacked{"the first", len(first), true}},
		"two":                {first + second, unpacked{"the firstthe second", len(first + second), true}},
		"and bytes behind":   {first + "\x00\x01", unpacked{"the first", len(first), false}},
		"the end is missing": {first[:len(first)-8], unpacked{"the first", len(first) - 8, false}},
	} {
		c := &walk{Walker: known(), unpackLeft: maxUnpacked}
		if got := c.unpack(tt.file); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// TestEscapesOfMail: an escape of quoted-printable is two hexadecimal digits or a line end.
func TestEscapesOfMail(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"=3D": "=", "=3d and": "=", "=C3": "\xc3", "=\r\nx": "", "=\nx": "",
		"=G1": "none", "=1G": "none", "=4": "none", "3D": "none", "==3D": "none",
	} {
		n, got := decodeMail(raw)
		if n == 0 {
			got = "none"
		}
		if got != want {
			t.Errorf("%q is %q, want %q", raw, got, want)
		}
	}
}

// TestWhiteSpaceOfJSON: only the four characters of RFC 8259 are white space between values.
func TestWhiteSpaceOfJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "x": 0, " \n\t\rx": 4, "\v": 0, "\u00a0": 0} {
		if got := skipSpace(text, 0); got != want {
			t.Errorf("%q: %d bytes of white space, want %d", text, got, want)
		}
	}
}
