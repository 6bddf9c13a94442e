package cassette

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// recordedFile is a cassette as a recorder writes it: a body, a stream, texts over lines, a
// function, a session and two assets.
func recordedFile(t testing.TB) (f *File, data []byte, assets map[string][]byte) {
	t.Helper()
	f = withKeys(goldenFile())
	last := withKeys(fileOf(big("a"))).Interactions[0]
	last.MatchKey = strings.Repeat("f", 16)
	f.Interactions = append(f.Interactions[:4], f.Interactions[7], recordedSession(), last)
	data, assets, err := Format(f)
	if err != nil || len(assets) != 2 {
		t.Fatal(len(assets), err)
	}
	return f, data, assets
}

// recordedSession returns a WebSocket with each kind of message, and with bytes that are an asset.
func recordedSession() *interaction.Interaction {
	it := &interaction.Interaction{Kind: "http", MatchKey: strings.Repeat("e", 16)}
	it.Request = interaction.Request{Method: "GET", URL: "https://api.example/v1/realtime"}
	it.Request.Headers = interaction.Headers{{Name: "upgrade", Values: []string{"websocket"}}}
	it.Response = interaction.Response{Status: 101, Stream: interaction.WebSocket}
	for _, m := range []interaction.Message{
		{Data: `{"type": "session.created"}`},
		{Sent: true, Data: `{"type":"append","audio":""}`, Audio: &interaction.Audio{Size: 4}},
		{Sent: true, Data: "two\nlines"},
		{Kind: interaction.Bytes, Data: "\x00\xff"},
		{Kind: interaction.Bytes, Data: big("b")},
		{Data: `{"type": "done"}`},
		{Sent: true, Kind: interaction.Close, Data: "1000 bye"},
		{Kind: interaction.Close},
	} {
		it.Response.Events = append(it.Response.Events, m.Event())
	}
	it.Response.Delays = make([]interaction.Delay, len(it.Response.Events))
	return it
}

// put writes a cassette and its assets below a new folder.
func put(t testing.TB, data []byte, assets map[string][]byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.yaml")
	if _, err := saveAssets(path, assets); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// openAll opens a cassette and reads all of it, also every response by itself.
func openAll(path string) (f *File, edited int, err error) {
	s, err := Open(path, testRevision, nil)
	if err != nil {
		return nil, 0, err
	}
	defer s.Close()
	f = &File{Pinned: s.Pinned, Partial: s.Partial, RecordedValues: s.RecordedValues}
	for i := range s.Len() {
		it, err := s.Interaction(i)
		if err != nil {
			return nil, 0, err
		}
		answer, err := s.Answer(i)
		if err != nil {
			return nil, 0, err
		}
		whole := *it
		whole.Response, whole.LatencyMS = answer.Response, answer.LatencyMS
		if d := whole.Difference(it); d != "" {
			return nil, 0, fmt.Errorf("two readings differ in %s", d)
		}
		f.Interactions = append(f.Interactions, it)
	}
	return f, first(s.Edited()), nil
}

// first returns the first of some lines, 0 if there is none.
func first(lines []int) int {
	if len(lines) == 0 {
		return 0
	}
	return lines[0]
}

// A cassette that is cut at any byte is refused as cut, or is whole. So is one with the line ends
// of git on Windows, and a pinned one.
func TestCutAtEveryByte(t *testing.T) {
	t.Parallel()
	f, data, assets := recordedFile(t)
	pinned := bytes.Replace(data, []byte("partial:"), []byte("pinned: true\npartial:"), 1)
	for name, data := range map[string][]byte{
		"as written": data,
		"CRLF":       bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")),
		"pinned":     pinned,
	} {
		path := put(t, data, assets)
		mark := bytes.LastIndex(data, []byte("\n...")) + 1
		for n := range len(data) + 1 {
			inMiddle := n > 150 && n < mark-50
			isTried := n%apart(1) == 0
			if name != "as written" {
				isTried = n%apart(9) <= 1 // between \r and \n, too
			}
			if inMiddle && !isTried {
				continue
			}
			if err := os.WriteFile(path, data[:n], 0o644); err != nil {
				t.Fatal(err)
			}
			got, edited, err := openAll(path)
			if n >= mark+len(codec.EndMark) {
				want := *f
				want.Pinned = name == "pinned"
				if err != nil || edited != 0 || difference(&want, got) != "" {
					t.Fatalf("%s, cut in the mark at %d: edited in line %d, %v", name, n, edited, err)
				}
				continue
			}
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("%s, cut at %d of %d: %v", name, n, len(data), err)
			}
			if n == 0 {
				continue // an empty file says nothing
			}
			known := name == "pinned" && n >= bytes.Index(data, []byte("pinned: true"))+len("pinned: true")
			if lines := 1 + bytes.Count(bytes.TrimRight(data[:n], "\r\n"), []byte("\n")); syntax.Line != lines || syntax.Incomplete == known ||
				!strings.Contains(err.Error(), "the file was cut here: ") || !strings.Contains(err.Error(), "git checkout -- "+path) {
				t.Fatalf("%s, cut at %d, in line %d: %v (%v)", name, n, lines, err, syntax.Incomplete)
			}
		}
	}
}

// TestCutAndMore: what stands behind a cut is no end.
func TestCutAndMore(t *testing.T) {
	t.Parallel()
	f, data, assets := recordedFile(t)
	path := put(t, data, assets)
	item := secondItem(data)
	for n := 1; n < len(data); n += apart(7) {
		for name, more := range map[string][]byte{"itself": data, "the rest of an interaction": data[item+20 : item+300], "blank lines": []byte("\n\n\n"), "a comment": []byte("# x\n"), "NULs": make([]byte, 40)} {
			if err := os.WriteFile(path, slices.Concat(data[:n], more), 0o644); err != nil {
				t.Fatal(err)
			}
			// The header can be cut and begun again.
			if got, edited, err := openAll(path); err == nil && edited == 0 && difference(f, got) != "" {
				t.Fatalf("cut at %d, and then %s: taken for whole", n, name)
			}
		}
	}
}

// TestEndMark: what may stand at the end of a file.
func TestEndMark(t *testing.T) {
	t.Parallel()
	f, data, assets := recordedFile(t)
	body := strings.TrimSuffix(string(data), "...\n")
	if len(body) == len(data) {
		t.Fatalf("%s", data[len(data)-40:])
	}
	for _, end := range []string{
		"...\n", "...", "...\r\n", "... # mine\n", "... # mine", "...\n\n\n", "...\n# mine\n", "...   # mine\n", "...\t\n", "\n\n...\n", "# mine\n...\n",
	} {
		got, edited, err := openAll(put(t, []byte(body+end), assets))
		if err != nil || difference(f, got) != "" || edited != 0 {
			t.Errorf("%q: edited in line %d; %v", end, edited, err)
		}
	}
	for _, end := range []string{"", "\n", "..", "....\n", "...#\n", " ...\n", "# ...\n", "# x\n", "\n\n"} {
		if _, _, err := openAll(put(t, []byte(body+end), assets)); err == nil || !strings.Contains(err.Error(), "the file was cut here") {
			t.Errorf("%q: %v", end, err)
		}
	}
	for _, end := range []string{"... # mine\nx\n", "...\n---\n", "...\n...\n", "...\n- kind: x\n"} {
		if _, _, err := openAll(put(t, []byte(body+end), assets)); err == nil {
			t.Errorf("%q: taken", end)
		}
	}
}

// A file that was written by hand needs no seals and no mark at its end.
func TestWrittenByHand(t *testing.T) {
	t.Parallel()
	f := fileOf("x")
	data, _, err := Format(f)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimPrefix(string(data), header)
	text = text[:strings.Index(text, sealsLine)]
	for _, text := range []string{text, text + "...\n", "# mine\n" + text} {
		got, edited, err := openAll(put(t, []byte(text), nil))
		if err != nil || edited != 0 || difference(f, got) != "" {
			t.Errorf("edited in line %d, %v\n%s", edited, err, text)
		}
	}
	for _, text := range []string{header + text, text + sealsLine + "- x\n"} {
		if _, _, err := openAll(put(t, []byte(text), nil)); err == nil || !strings.Contains(err.Error(), "the file was cut here") {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

// TestEdited: which edits are told of.
func TestEdited(t *testing.T) {
	t.Parallel()
	_, data, assets := recordedFile(t)
	text := string(data)
	items := strings.SplitAfter(text[:strings.Index(text, "\n"+sealsLine)+1], "\n- ")
	lineOf := func(part string) int { return 1 + strings.Count(text[:strings.Index(text, part)], "\n") }
	first := lineOf("- kind: llm")
	second := first + strings.Count(items[1], "\n") // of the second interaction
	last := lineOf(sealsLine)
	seals := text[strings.Index(text, sealsLine)+len(sealsLine) : strings.LastIndex(text, codec.EndMark)]
	seal, rest, _ := strings.Cut(seals, "\n")
	key, digest := seal[2:18], seal[19:35]
	otherKey, otherDigest := rest[2:18], rest[19:35]
	for _, tt := range []struct {
		name, old, new string
		edited         int
	}{
		{"nothing", "x", "x", 0},
		{"an answer", "A cat sat on a mat.", "A dog sat on a mat.", lineOf("- kind: llm")},
		{"an answer, as people write", "A cat sat on a mat.", "'A cat sat on a mat.' # yes", lineOf("- kind: llm")},
		{"a length", "status: 404", "status: 4040", 0}, // refused
		{"the second", "caf\u00e9: yes", "cafe: yes", second},
		{"a seal taken out", seal + "\n", "", first},
		{"the seals taken out", sealsLine + seals, "", first},
		{"a seal that is none", seal, "- x", first},
		{"a seal of older rules", " 7\n", " 6\n", 0}, // it tells of edits, and of nothing else
		{"another key", key, otherKey, first},
		{"another request", digest, otherDigest, first},
		{"a key and a request of another seal", key + " " + digest, otherKey + " " + otherDigest, first},
		{"seals in another order", seals, rest + seal + "\n", 0},
		{"an interaction taken out", "- " + items[1][:len(items[1])-2], "", last - strings.Count(items[1], "\n")},
		{"an interaction twice", "- " + items[1], "- " + items[1] + items[1], last + strings.Count(items[1], "\n")},
		{"a comment at the top", "# promptecho", "# mine\n# promptecho", 0},
	} {
		if !strings.Contains(text, tt.old) {
			t.Fatalf("%s: no %q", tt.name, tt.old)
		}
		_, edited, err := openAll(put(t, []byte(strings.Replace(text, tt.old, tt.new, 1)), assets))
		if edited != tt.edited || (err != nil) != (tt.name == "a length") {
			t.Errorf("%s: edited in line %d, want %d; %v", tt.name, edited, tt.edited, err)
		}
	}
	// Each edit is told of.
	s, err := Open(put(t, []byte(strings.NewReplacer("A cat sat on a mat.", "A dog sat on a mat.", "caf\u00e9: yes", "cafe: yes").Replace(text)), assets), testRevision, nil)
	if err != nil || !slices.Equal(s.Edited(), []int{lineOf("- kind: llm"), second}) {
		t.Errorf("two edits: in lines %d, %v", s.Edited(), err)
	}
	s.Close()
	// By other rules it is as it was written, though its key says nothing.
	s, err = Open(put(t, data, assets), testRevision+1, func([]byte) bool { return true })
	if err != nil || s.Edited() != nil {
		t.Errorf("by other rules: edited in line %d, %v", s.Edited(), err)
	}
	if _, _, ok := s.SealedRequest(0); ok {
		t.Error("a key of other rules is believed")
	}
	s.Close()
	s, err = Open(put(t, data, assets), testRevision, func([]byte) bool { return false })
	if err != nil || s.Edited() != nil {
		t.Errorf("not trusted: edited in line %d, %v", s.Edited(), err)
	}
	s.Close()
}

// A cassette with parts cut out, doubled or swapped is refused or noted, or has what was recorded.
func FuzzEdits(f *testing.F) {
	file, data, assets := recordedFile(f)
	f.Add(uint8(0), uint16(900), uint16(0), uint16(0))
	f.Add(uint8(1), uint16(700), uint16(300), uint16(0))
	f.Add(uint8(2), uint16(700), uint16(300), uint16(0))
	f.Add(uint8(3), uint16(700), uint16(300), uint16(1400))
	items := slices.Collect(func(yield func(int) bool) {
		for at := 0; ; at++ {
			i := bytes.Index(data[at:], []byte("\n"+codec.ItemStart))
			if at += i; i < 0 || !yield(at+1) {
				return
			}
		}
	})
	for _, from := range items { // at the borders of interactions
		for _, to := range items {
			for op := range uint8(4) {
				f.Add(op, uint16(from), uint16(max(0, to-from)), uint16(items[0]))
			}
		}
	}
	asset := assetReader(Assets(put(f, data, assets)))
	f.Fuzz(func(t *testing.T, op uint8, at, long, to uint16) {
		from := int(at) % len(data)
		end := min(from+int(long), len(data))
		out := data[:from:from]
		switch rest := data[end:]; op % 4 {
		case 0: // cut
		case 1: // hole
			out = append(out, rest...)
		case 2: // twice
			out = append(append(out, data[from:end]...), data[from:]...)
		case 3: // moved
			out = append(out, rest...)
			where := int(to) % (len(out) + 1)
			out = slices.Concat(out[:where], data[from:end], out[where:])
		}
		checkEdit(t, file, out, asset)
	})
}

// checkEdit demands that an edited cassette is refused, or that the edit is told of,
// or that every interaction is one of f, and as many.
func checkEdit(t *testing.T, f *File, edited []byte, asset func(string) ([]byte, error)) {
	t.Helper()
	got, lines, err := parse("x.yaml", edited, asset)
	if err != nil || lines != nil {
		return
	}
	known := func(it *interaction.Interaction) bool {
		return slices.ContainsFunc(f.Interactions, func(was *interaction.Interaction) bool { return it.Difference(was) == "" })
	}
	if len(got.Interactions) != len(f.Interactions) {
		t.Fatalf("%d interactions are taken for whole:\n%s", len(got.Interactions), edited)
	}
	for _, it := range got.Interactions {
		if !known(it) {
			t.Fatalf("what starts in line %d is taken for whole:\n%s", it.Line, edited)
		}
	}
}

// apart returns how many bytes lie between two places that a test tries: n in full, and 23
// times as many by default.
func apart(n int) int { return full.Cases(23*n, n) }

// TestHoleAtEveryByte: the same for holes at every byte.
func TestHoleAtEveryByte(t *testing.T) {
	t.Parallel()
	f, data, assets := recordedFile(t)
	asset := assetReader(Assets(put(t, data, assets)))
	for from := 0; from < len(data); from += apart(1) {
		for _, n := range []int{1, 6, 55, 500} {
			checkEdit(t, f, slices.Concat(data[:from], data[min(len(data), from+n):]), asset)
		}
	}
}

// secondItem returns where the second interaction begins.
func secondItem(data []byte) int {
	start := []byte("\n" + codec.ItemStart)
	first := bytes.Index(data, start) + 1
	return first + bytes.Index(data[first:], start) + 1
}

// TestMerged: a file that keeps what two branches added is as if it was recorded so, in
// whatever order its seals are; and what one of them recorded again changes its own lines
// only.
func TestMerged(t *testing.T) {
	t.Parallel()
	parts := func(bodies ...string) (items, seals []string) {
		f := new(File)
		for _, b := range bodies {
			f.Interactions = append(f.Interactions, fileOf(b).Interactions...)
		}
		data, _, err := Format(withKeys(f))
		if err != nil {
			t.Fatal(err)
		}
		text, list, _ := strings.Cut(strings.TrimPrefix(string(data), headStart+codec.ItemsLine), sealsLine)
		for rest := []byte(text); len(rest) > 0; rest = rest[len(firstItem(rest)):] {
			items = append(items, string(firstItem(rest)))
		}
		return items, strings.SplitAfter(strings.TrimSuffix(list, codec.EndMark+"\n"), "\n")
	}
	ours, ourSeals := parts("base", "ours")
	theirs, theirSeals := parts("base", "theirs")
	merged := headStart + codec.ItemsLine + ours[0] + ours[1] + theirs[1] + sealsLine + ourSeals[0] + theirSeals[1] + ourSeals[1] + codec.EndMark + "\n"
	f, edited, err := openAll(put(t, []byte(merged), nil))
	if err != nil || edited != 0 || len(f.Interactions) != 3 {
		t.Errorf("edited in line %d, %v\n%s", edited, err, merged)
	}
	again, againSeals := parts("base", "again", "more")
	before, beforeSeals := parts("base", "ours", "more")
	for i := range before {
		if changed := i == 1; (before[i] != again[i]) != changed || (beforeSeals[i] != againSeals[i]) != changed {
			t.Errorf("interaction %d, %q: %q and %q", i, againSeals[i], before[i], again[i])
		}
	}
}

// TestSides: what git leaves of two sides, with and without the base, is each side's again.
func TestSides(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, ours, theirs string }{
		{"plain", "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\nd\n", "a\nb\nd\n", "a\nc\nd\n"},
		{"diff3", "<<<<<<< HEAD\nb\n||||||| base\nx\n=======\n>>>>>>> other\n", "b\n", ""},
		{"two", "<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n-\n<<<<<<< a\n3\n=======\n4\n>>>>>>> b", "1\n-\n3\n", "2\n-\n4\n"},
		{"of Windows", "<<<<<<< a\r\n1\r\n=======\r\n2\r\n>>>>>>> b\r\n", "1\n", "2\n"},
	} {
		ours, theirs, ok := ConflictSides([]byte(tt.text))
		if !ok || string(ours) != tt.ours || string(theirs) != tt.theirs {
			t.Errorf("%s: %q, %q, %v", tt.name, ours, theirs, ok)
		}
	}
	for _, text := range []string{"", "a\n", "<<<<<<< a\n1\n", "<<<<<<< a\n=======\n", "=======\n>>>>>>> b\n", "<<<<<<< a\n<<<<<<< a\n=======\n>>>>>>> b\n", ">>>>>>> b\n"} {
		if ours, theirs, ok := ConflictSides([]byte(text)); ok {
			t.Errorf("%q has sides: %q, %q", text, ours, theirs)
		}
	}
}

// firstItem returns the first of the interactions that text consists of.
func firstItem(text []byte) []byte {
	if i := bytes.Index(text, []byte("\n"+codec.ItemStart)); i >= 0 {
		return text[:i+1]
	}
	return text
}

// TestPlainSum: the checksum is that of the text which an interaction has without what is written
// above its stream, whatever else looks like that.
func TestPlainSum(t *testing.T) {
	t.Parallel()
	hostile := "a\n    # text, made of the events below:\n    #   b\n# c\n\n      # d\n  response:\n"
	for _, text := range []string{"", "one", "two\nlines\n\n", hostile, "\x00\u2028\"", strings.Repeat("long\n", 100)} {
		for _, events := range [][]interaction.Event{nil, {{{Name: "data", Value: `{"a":1}`}}}, {{{Name: "data", Value: hostile}}, {{Name: "comment", Value: "# e"}}}} {
			it := &interaction.Interaction{Kind: "llm", Request: interaction.Request{Name: hostile, Method: "POST", URL: "/", Body: []byte(hostile)}}
			it.Response = interaction.Response{Status: 200, Stream: "sse", Events: events, Text: text, Error: hostile, End: interaction.EndError,
				Headers: interaction.Headers{{Name: "x", Values: []string{hostile + strings.Repeat("wide ", 30)}}}}
			with, _, err := codec.Encode(it)
			it.Response.Text = ""
			without, _, err2 := codec.Encode(it)
			if err != nil || err2 != nil || bytes.Equal(with, without) != (text == "") {
				t.Fatalf("%v, %v:\n%s", err, err2, with)
			}
			if got, want := plainChecksum(with), idOf(without).sum; got != want || plainChecksum(without) != want {
				t.Errorf("got %x, want %x, of\n%s", got, want, with)
			}
		}
	}
}
