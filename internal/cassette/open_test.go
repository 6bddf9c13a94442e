package cassette

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/seeds"
)

const testRevision = 7

// files is how many files are drawn and edited. The number can be set by hand:
//
//	go test ./internal/cassette -run OpenedIsParsed -files 1000000
var files = flag.Int("files", full.Cases(200, 1500), "draw and edit so many files")

// openBytes is Open on data, with Parse where Open has Load.
func openBytes(t testing.TB, data []byte) (s *Index, unparsed bool, err error) {
	t.Helper()
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if s, unparsed = openSealed("x.yaml", &source{text: data}, int64(len(data)), testRevision, nil); unparsed {
		return s, true, nil
	}
	s, err = openParsed("x.yaml", data)
	return s, false, err
}

// withKeys returns the file with a match key in every interaction, for which there
// will be seals.
func withKeys(f *File) *File {
	f.Revision = testRevision
	for i, it := range f.Interactions {
		it.MatchKey = strings.Repeat(string("123456789abcdef"[i%15]), 16)
		if it.Request.Function == "" {
			it.Kind = "llm"
		}
	}
	return f
}

// checkStored opens what Format makes of f and expects f.
func checkStored(t *testing.T, f *File) {
	t.Helper()
	data, assets, err := Format(f)
	if err != nil || len(assets) > 0 {
		return // not a file that there can be, or not a file alone
	}
	sameAsParsed(t, data)
	s, unparsed, err := openBytes(t, data)
	if err != nil || !unparsed && len(f.Interactions) > 0 || s.Len() != len(f.Interactions) {
		t.Fatalf("not opened: unparsed %v, %v\n%s", unparsed, err, data)
	}
	for i := range f.Interactions {
		key, digest, ok := s.SealedRequest(i)
		if want := f.Interactions[i]; !ok || hexKey(key) != want.MatchKey || digest != want.Request.Digest() {
			t.Fatalf("hint %d: %x %x %v\n%s", i, key, digest, ok, data)
		}
	}
}

// sameAsParsed expects that opening and parsing data give the same.
func sameAsParsed(t testing.TB, data []byte) (unparsed bool) {
	t.Helper()
	want, edited, werr := parse("x.yaml", data, nil)
	s, unparsed, err := openBytes(t, data)
	if (err == nil) != (werr == nil) || err != nil && err.Error() != werr.Error() {
		t.Fatalf("opened: %v\nparsed: %v\n%s", err, werr, data)
	}
	if err != nil {
		return unparsed
	}
	if !slices.Equal(s.edited, edited) {
		t.Fatalf("edited in lines %d, parsed: %d (unparsed %v)\n%s", s.edited, edited, unparsed, data)
	}
	got := &File{Pinned: s.Pinned, Partial: s.Partial, RecordedValues: s.RecordedValues}
	for i := range s.Len() {
		it, err := s.Interaction(i)
		if err != nil {
			t.Fatalf("interaction %d: %v\n%s", i, err, data)
		}
		if i < len(want.Interactions) && (it.Line != want.Interactions[i].Line || it.MatchKey != want.Interactions[i].MatchKey) {
			t.Fatalf("interaction %d: line %d, match key %q; want %d, %q\n%s", i, it.Line, it.MatchKey, want.Interactions[i].Line, want.Interactions[i].MatchKey, data)
		}
		answer, err := s.Answer(i)
		if err != nil {
			t.Fatalf("response %d: %v\n%s", i, err, data)
		}
		if half := (&interaction.Interaction{Kind: it.Kind, Boundary: it.Boundary, Request: it.Request, Response: answer.Response, Usage: it.Usage, LatencyMS: answer.LatencyMS, Concurrent: it.Concurrent, Again: it.Again, Accepted: it.Accepted, Fake: it.Fake, Recorded: it.Recorded}); half.Difference(it) != "" {
			t.Fatalf("response %d: %s\n%s", i, half.Difference(it), data)
		}
		got.Interactions = append(got.Interactions, it)
	}
	if d := difference(want, got); d != "" {
		t.Fatalf("%s differs (unparsed %v)\n%s", d, unparsed, data)
	}
	return unparsed
}

func FuzzOpen(f *testing.F) {
	for _, s := range seeds.Strings {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkStored(t, withKeys(&File{RecordedValues: interaction.RecordedValues{Env: map[string]string{s: s, "A": s}}, Interactions: seeds.Interactions(s)}))
		for _, it := range []string{s, "[" + s + "]"} {
			checkStored(t, withKeys(&File{Interactions: []*interaction.Interaction{{
				Request:  interaction.Request{Method: "POST", URL: "/", Body: []byte(it)},
				Response: interaction.Response{Status: 200, Stream: "sse", Events: []interaction.Event{{{Name: "data", Value: it}}, {{Name: "data", Value: it}, {Name: "x", Value: it}}}},
			}}}))
		}
	})
}

// random makes values of every kind, deep and wide, of characters that matter.
type random struct{ *rand.Rand }

var pieces = []string{
	"a", "B", "7", "-", ".", "/", "_", " ", "  ", ":", ": ", " #", "#", "\n", "\n\n", "\t", "\r", "\"", "\\", "'", "{", "}", "[", "]", ",", "&", "*", "!", "|", ">", "%", "@", "`",
	"null", "true", "no", "0x1f", "1e5", "2024-01-01", "~", "é", "日本", "\U0001f600", "\u2028", "\u200b", "\x7f", "\u0085", "\ufeff", "<", "=", "word", "a longer piece of text", "$ref", "- ", "- a: b", "    response:", "key: value",
}

func (r random) text() string {
	var b strings.Builder
	for range r.IntN(8) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func (r random) value(depth int) exactjson.Value {
	switch k := r.IntN(8); {
	case k < 2 && depth < 6:
		v := exactjson.Value{Kind: exactjson.Array}
		for range r.IntN(5) {
			v.Elems = append(v.Elems, r.value(depth+1))
		}
		return v
	case k < 4 && depth < 6:
		v := exactjson.Value{Kind: exactjson.Object}
		for range r.IntN(5) {
			if name := r.text(); !slices.ContainsFunc(v.Elems, func(m exactjson.Value) bool { return m.Name == name }) {
				member := r.value(depth + 1)
				member.Name = name
				v.Elems = append(v.Elems, member)
			}
		}
		return v
	case k == 4:
		return exactjson.Value{Kind: exactjson.Number, Text: []string{"0", "-1", "1.50", "1e5", "12345678901234567890", "-0.0"}[r.IntN(6)]}
	case k == 5:
		return exactjson.Value{Kind: exactjson.Bool, Text: []string{"true", "false"}[r.IntN(2)]}
	case k == 6 && r.IntN(3) == 0:
		return exactjson.Value{}
	}
	return exactjson.Value{Kind: exactjson.String, Text: r.text()}
}

func (r random) body() []byte {
	if r.IntN(6) == 0 {
		return []byte(r.text())
	}
	return r.value(0).AppendJSON(nil, layouts[r.IntN(len(layouts))])
}

func (r random) headers() (hs interaction.Headers) {
	for _, name := range []string{"a", "content-type", "x y", "1"}[r.IntN(4):] {
		h := interaction.Header{Name: name}
		for range 1 + r.IntN(2) {
			h.Values = append(h.Values, r.text())
		}
		hs = append(hs, h)
	}
	return hs
}

func (r random) given() (g interaction.RecordedValues) {
	if r.IntN(3) == 0 {
		g.Time = time.Unix(r.Int64N(1e10), 0).UTC()
	}
	if r.IntN(3) == 0 {
		g.Seed = fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64())
	}
	for range r.IntN(9) - 6 {
		g = interaction.RecordedValues{Env: map[string]string{r.text(): r.text()}}.Or(g)
	}
	return g
}

func (r random) file() *File {
	f := &File{Pinned: r.IntN(9) == 0, Partial: r.IntN(9) == 0, RecordedValues: r.given()}
	for range 1 + r.IntN(3) {
		it := &interaction.Interaction{Boundary: r.text(), Concurrent: r.moments(), Accepted: r.IntN(4) == 0, Fake: r.IntN(4) == 0, Recorded: []interaction.Date{"", "2026-11-30"}[r.IntN(2)], Again: r.IntN(4) == 0, Request: interaction.Request{Method: "M" + r.text(), URL: "/" + r.text(), Headers: r.headers(), Body: r.body()}}
		it.Response = interaction.Response{Status: 1 + r.IntN(999), Proto: r.text(), Headers: r.headers(), Trailers: r.headers(), Text: r.text(), End: []string{"", interaction.EndClosed, interaction.EndError, interaction.EndCanceled}[r.IntN(4)]}
		if r.IntN(3) > 0 {
			it.Response.Body = r.body()
		} else {
			it.Response.Stream = "sse"
			l := layouts[r.IntN(len(layouts))]
			for range r.IntN(6) {
				l.Padding = 0
				if l.Indent == "" {
					l.Padding = r.IntN(3)
				}
				e := interaction.Event{{Name: "data", Value: string(r.value(0).AppendJSON(nil, l))}}
				if r.IntN(3) == 0 {
					e = append(interaction.Event{{Name: "event", Value: r.text()}}, e...)
				}
				if r.IntN(5) == 0 {
					e = append(e, interaction.Field{Name: []string{"data", "id"}[r.IntN(2)], Value: r.text()})
				}
				it.Response.Events = append(it.Response.Events, e)
				it.Response.Delays = append(it.Response.Delays, []interaction.Delay{{}, {MS: 12}, {Together: true}, {MS: 3, Rest: "~5+1"}}[r.IntN(4)])
			}
		}
		if r.IntN(2) == 0 {
			it.Usage = &interaction.Usage{InputTokens: r.Int64N(1e6), OutputTokens: r.Int64N(1e6), CachedTokens: r.Int64N(3), ReasoningTokens: r.Int64N(3)}
		}
		it.LatencyMS = r.Int64N(1e5)
		f.Interactions = append(f.Interactions, it)
	}
	return withKeys(f)
}

// TestOpenedIsParsed: what Format writes is opened as it is parsed.
func TestOpenedIsParsed(t *testing.T) {
	t.Parallel()
	r := random{rand.New(rand.NewPCG(1, 2))}
	for range *files {
		checkStored(t, r.file())
	}
}

// TestOpenedIsParsedEdited: edits of every kind, in every place, are opened as they are
// parsed, errors too.
func TestOpenedIsParsedEdited(t *testing.T) {
	t.Parallel()
	n := *files
	r := random{rand.New(rand.NewPCG(3, 4))}
	unparsed := 0
	var data []byte
	for i := range n {
		if i%10 == 0 {
			data, _, _ = Format(r.file())
		}
		if sameAsParsed(t, r.edit(data)) {
			unparsed++
		}
	}
	t.Logf("%d of %d edited files were read without the parser", unparsed, n)
	if unparsed == 0 || unparsed == n {
		t.Error("one of the two paths was never taken")
	}
}

// edit changes a few bytes: it removes, inserts, doubles or swaps.
func (r random) edit(data []byte) []byte {
	out := bytes.Clone(data)
	for range 1 + r.IntN(2) {
		at := r.IntN(len(out))
		n := min(1+r.IntN(12), len(out)-at)
		switch r.IntN(5) {
		case 0:
			out = append(out[:at], out[at+n:]...)
		case 1:
			out = append(out[:at], append([]byte(r.text()), out[at:]...)...)
		case 2:
			out = append(out[:at+n], out[at:]...)
		case 3: // a line
			if end := bytes.IndexByte(out[at:], '\n'); end > 0 {
				out = append(out[:at], out[at+end:]...)
			}
		case 4: // a letter, which keeps the form
			for i := at; i < len(out); i++ {
				if 'a' <= out[i] && out[i] <= 'z' {
					out[i] = byte('a' + r.IntN(26))
					break
				}
			}
		}
		if len(out) == 0 {
			return out
		}
	}
	return out
}

// layouts are some that JSON texts are drawn in.
var layouts = []exactjson.Layout{
	{}, {ColonSpace: true, CommaSpace: true}, {CommaSpace: true}, {Indent: "  "}, {Indent: "\t", After: "\n"}, {Padding: 7},
	{Before: "\n   \n", After: "\r\n"}, {Escape: exactjson.EscapeASCII | exactjson.EscapeUpper}, {Indent: "  ", Escape: exactjson.EscapeHTML | exactjson.EscapeSlash},
}

// moments returns when something happened, mostly nil.
func (r *random) moments() *interaction.Moments {
	if r.IntN(4) > 0 {
		return nil
	}
	at := r.IntN(3)
	if at == 0 {
		return &interaction.Moments{}
	}
	next := func() int { at += r.IntN(3); return at }
	m := &interaction.Moments{Asked: at, Answered: next()}
	for range r.IntN(4) {
		m.Pieces = append(m.Pieces, next())
	}
	if m.Ended = next(); len(m.Pieces) > 0 && m.Pieces[0] == m.Ended {
		m.Pieces = nil // they came with the end
	}
	return m
}
