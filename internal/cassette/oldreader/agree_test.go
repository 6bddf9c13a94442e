package oldreader

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/seeds"
)

// TestReadersAgree breaks cassettes in one to three places. Both readers then find the same
// interactions in them, or the same error.
func TestReadersAgree(t *testing.T) {
	t.Parallel()
	sources := sources(t)
	rounds := full.Cases(6, 2_000)
	random := rand.New(rand.NewPCG(20261129, 1))
	accepted, broken := 0, 0
	for range rounds {
		for _, source := range sources {
			text := source
			for range random.IntN(4) { // none, too: then both must accept it
				text = damage(random, text)
			}
			if agree(t, text) {
				accepted++
			} else {
				broken++
			}
			if t.Failed() {
				t.Fatalf("the text was\n%s", text)
			}
		}
	}
	t.Logf("%d texts were accepted, %d refused", accepted, broken)
	if min(accepted, broken) < 10*rounds {
		t.Errorf("too few of one kind: %d were accepted, %d refused", accepted, broken)
	}
}

// FuzzReadersAgree is TestReadersAgree for any text.
func FuzzReadersAgree(f *testing.F) {
	for _, source := range sources(f) {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, text string) { agree(t, text) })
}

// A pair is what the two readers return for one text.
type pair struct {
	what        string
	now, before any
}

// agree reads a text with both readers, as a cassette and each of its interactions by itself, and
// reports whether they accept the cassette. The readers' results are compared when all of them are
// there: one must not change while the reader reads another text.
func agree(t *testing.T, text string) (isCassette bool) {
	t.Helper()
	text = codec.Normalize([]byte(text))
	now, err := codec.Parse("x.yaml", text, noAsset)
	before, errBefore := Parse("x.yaml", text, noAsset)
	pairs := []pair{{"the error of Parse", asText(err), asText(errBefore)}}
	if err == nil && errBefore == nil {
		pairs = append(pairs, pair{"Parse", contentOf(now), contentOfBefore(before)})
	}
	for _, item := range itemsOf(text) {
		now, err := codec.ParseItem("x.yaml", item, noAsset, beyond)
		before, errBefore := ParseItem("x.yaml", []byte(item), noAsset, beyondBefore)
		pairs = append(pairs, pair{"ParseItem", now, before},
			pair{"the error of ParseItem", withoutNewKeys(err), fmt.Sprint(errBefore)})

		now, err = codec.ParseResponse("x.yaml", item, noAsset, beyond)
		before, errBefore = ParseAnswer("x.yaml", []byte(item), noAsset, beyondBefore)
		pairs = append(pairs, pair{"ParseAnswer", now, before},
			pair{"the error of ParseAnswer", withoutNewKeys(err), fmt.Sprint(errBefore)})
	}
	for _, p := range pairs {
		if !reflect.DeepEqual(p.now, p.before) {
			now, _ := json.MarshalIndent(p.now, "", " ")
			before, _ := json.MarshalIndent(p.before, "", " ")
			t.Errorf("%s: the readers differ:\nnew: %s\nold: %s", p.what, now, before)
		}
	}
	return err == nil
}

// contentOf returns all that a document has, as values of types that both readers have.
func contentOf(d *codec.Document) (all []any) {
	all = []any{d.Pinned, d.Partial, d.RecordedValues, d.Seals, d.Interactions}
	for _, item := range d.Items {
		all = append(all, item.Offset, item.Interactions, item.DependsOn)
	}
	return all
}

func contentOfBefore(d *Document) (all []any) {
	all = []any{d.Pinned, d.Partial, d.Given, d.Seals, d.Interactions}
	for _, item := range d.Items {
		all = append(all, item.At, item.Its, item.Of)
	}
	return all
}

func asText(err *codec.SyntaxError) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%v, elsewhere %v, cut %v", withoutNewKeys(err), err.FileIntact, err.Incomplete)
}

// withoutNewKeys returns the text of an error, in which a list of keys has only those that the old
// reader knows.
func withoutNewKeys(err error) string {
	return strings.ReplaceAll(fmt.Sprint(err), "fake, recorded, request", "fake, request")
}

func noAsset(string) ([]byte, error) { return nil, fs.ErrNotExist }

// beyond knows one anchor: a reader asks it for those that stand in another interaction.
func beyond(name string) (yaml.Node, bool) {
	return yaml.Node{Kind: yaml.Scalar, Style: yaml.Quoted, Text: "elsewhere"}, name == "far"
}

func beyondBefore(name string) (Node, bool) {
	return Node{Kind: Scalar, Style: Quoted, Text: "elsewhere"}, name == "far"
}

// itemsOf cuts a text before each line that begins an interaction.
func itemsOf(text string) (items []string) {
	for _, item := range strings.Split(text, "\n"+codec.ItemStart)[1:] {
		items = append(items, codec.ItemStart+item+"\n")
	}
	return items
}

// sources returns the texts of cassettes: those of the repository's tests, of strings that are
// hard to write, and of streams whose events are alike.
func sources(tb testing.TB) (texts []string) {
	tb.Helper()
	paths, err := filepath.Glob("../testdata/*.yaml")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no cassettes in testdata: %v", err)
	}
	more, _ := filepath.Glob("../../../testdata/cassettes/*.yaml")
	for _, path := range append(paths, more...) {
		text, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for i := 0; i < len(seeds.Strings); i += 4 {
		var its []*interaction.Interaction
		for _, s := range seeds.Strings[i:min(i+4, len(seeds.Strings))] {
			if len(s) < 1000 { // a longer one is an asset
				its = append(its, seeds.Interactions(s)...)
			}
		}
		texts = append(texts, cassetteOf(tb, its...))
	}
	return append(texts, cassetteOf(tb, streams()...), shared, far)
}

// streams returns answers with events of which each is nearly like the one before it.
func streams() (its []*interaction.Interaction) {
	for _, deltas := range [][]string{
		{`"a"`, `"b"`, `"ab"`, `""`, `"it's"`, `"\"q\""`, `"a\nb"`, `"true"`, `"1"`, `"x: y"`, `"日本"`},
		{`1`, `2`, `10`, `-1.5e+3`, `null`, `true`, `{}`, `[]`, `"x"`, `{"a":1}`, `[1,2]`, `[1,2,3]`},
	} {
		it := &interaction.Interaction{
			Kind:    "llm",
			Request: interaction.Request{Method: "POST", URL: "http://h/", Body: []byte(`{"stream":true}`)},
		}
		it.Response = interaction.Response{Status: 200, Stream: "sse"}
		for i, delta := range deltas {
			data := fmt.Sprintf(`{"id":"c-%d","n":%d,"choices":[{"index":0,"delta":{"content":%s},"end":null}]}`, i/3, i, delta)
			event := interaction.Event{{Name: "event", Value: "chunk"}, {Name: "data", Value: data}}
			it.Response.Events = append(it.Response.Events, event, event[1:])
		}
		its = append(its, it)
	}
	return its
}

// shared is a cassette with aliases, also of values within a stream.
const shared = `version: 1
interactions:
- kind: llm
  request:
    method: POST
    url: http://h/
    body: &first
      model: m
      messages: &all
      - {role: user, content: hi}
      - &turn {role: user, content: "it's me"}
  response:
    status: 200
    stream: sse
    events:
    - {data: {a: &text one, b: [1, 2]}}
    - {data: {a: *text, b: [1, 3]}}
    - {data: &delays [1, 2, 3, 4]}
    - {data: {a: *text, b: [1, 3]}}
    delays_ms: *delays
- kind: llm
  request:
    method: POST
    url: http://h/
    body: {messages: *all, last: *turn, first: *first}
  response:
    status: 200
    stream: sse
    events:
    - {data: {a: one, b: *delays}}
    - {data: {a: one, b: *delays}}
`

// far is an interaction with an alias of a value that stands in another one.
const far = `version: 1
interactions:
- kind: llm
  request: {method: GET, url: http://h/}
  response:
    status: 200
    stream: sse
    events:
    - {data: {a: *far, b: [1, 2]}}
    - {data: {a: *far, b: [1, 3]}}
    - {data: {a: one, b: [1, 3]}}
`

func cassetteOf(tb testing.TB, its ...*interaction.Interaction) string {
	tb.Helper()
	text := []byte("version: 1\n" + codec.ItemsLine)
	for _, it := range its {
		it.Recorded = "" // the old reader does not know this key
		item, _, err := codec.Encode(it)
		if err != nil {
			tb.Fatal(err)
		}
		text = append(text, item...)
	}
	return string(text)
}

// pieces are what a fault puts into a text.
var pieces = []string{
	"", "", "", " ", "  ", "\n", "\t", ":", ": ", ",", ", ", "'", "''", `"`, `\`, `\"`, `\n`, `\u00`, "#", " #", "-", "- ",
	"{", "}", "[", "]", "{}", "[]", "{a: 1}", "|", "|-\n", ">", "*", "*far", "*text", "&", "&x ", "!", "!!str ", "!!binary ",
	"!asset ", "?", "? ", "%", "@", "`", "~", "null", "true", "1", "0x1", ".5", "1e9", "--- ", "...\n", "<<: ", "é", "\x00",
	"\xff", "\u2028", "\r", "\ufeff", "x", "1: ", "a: b", "\n    ", "\n  ", "\n- ", "<<<<<<< \n",
}

// damage changes a text in one place.
func damage(random *rand.Rand, text string) string {
	at := random.IntN(len(text) + 1)
	end := min(len(text), at+random.IntN(4))
	switch random.IntN(8) {
	case 0: // cut a part out
		end = min(len(text), at+random.IntN(60))
		return text[:at] + text[end:]
	case 1: // cut the end off
		return text[:at]
	case 2, 3: // a line twice, gone, or moved to the left or right
		lines := slices.Collect(strings.Lines(text))
		if len(lines) == 0 {
			return text
		}
		i := random.IntN(len(lines))
		line := lines[i]
		changed := []string{"", line + line, strings.TrimPrefix(line, " "), " " + line}[random.IntN(4)]
		return strings.Join(lines[:i], "") + changed + strings.Join(lines[i+1:], "")
	case 4: // a part twice
		end = min(len(text), at+random.IntN(60))
		return text[:end] + text[at:]
	default: // another piece
		return text[:at] + pieces[random.IntN(len(pieces))] + text[end:]
	}
}

// The faults of damage reach all that reading depends on: most texts differ.
func TestDamage(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	text := bytes.Repeat([]byte("key: value\n"), 100)
	changed := 0
	for range 1000 {
		if damage(random, string(text)) != string(text) {
			changed++
		}
	}
	if changed < 900 {
		t.Errorf("%d of 1000 texts were changed", changed)
	}
}
