package cassette

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/needs"
)

// journalOf returns a journal of what was recorded, and where each entry ends.
func journalOf(t testing.TB) (f *File, data []byte, ends []int, path string) {
	t.Helper()
	f, _, _ = recordedFile(t)
	path = filepath.Join(t.TempDir(), "x.yaml.partial")
	for i, it := range f.Interactions {
		item, err := Encode(it, testRevision)
		if err == nil {
			err = Append(path, nil, item, i == 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, len(data))
	}
	return f, data, ends, path
}

// wantJournal writes a journal and expects these interactions of f in it.
func wantJournal(t *testing.T, path string, data []byte, f *File, want ...int) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	left, stale, err := LoadJournal(path, "")
	if err != nil || stale {
		t.Fatalf("stale %v, %v\n%s", stale, err, data)
	}
	its := left.Interactions
	if len(its) != len(want) {
		t.Fatalf("%d interactions, want %d\n%s", len(its), want, data)
	}
	for i, it := range its {
		if d := it.Difference(f.Interactions[want[i]]); d != "" {
			t.Fatalf("%s of interaction %d\n%s", d, i, data)
		}
	}
}

// A journal that is cut at any byte has its whole entries, and goes on.
func TestJournalCut(t *testing.T) {
	t.Parallel()
	f, data, ends, path := journalOf(t)
	more := data[ends[0]:ends[1]] // as another Append writes it
	for n := range len(data) + 1 {
		if n%apart(1) != 0 && !slices.Contains(ends, n) && !slices.Contains(ends, n+1) {
			continue
		}
		var want, before []int
		for i, end := range ends {
			if n >= end {
				want = append(want, i)
			}
			if n >= end-1 { // what comes next begins with a line end
				before = append(before, i)
			}
		}
		wantJournal(t, path, data[:n], f, want...)
		if n%full.Cases(2, 4) == 0 || slices.Contains(ends, n+1) {
			wantJournal(t, path, slices.Concat(data[:n], more), f, append(before, 1)...)
		}
	}
}

// A hole in a journal costs the entry that it is in, and nothing else.
func TestJournalHoles(t *testing.T) {
	t.Parallel()
	f, data, ends, path := journalOf(t)
	whole := completeItems(data)
	starts := append([]int{bytes.Index(data, []byte(frameStart))}, ends[:len(ends)-1]...)
	for from := starts[0]; from < len(data); from += full.Cases(3, 1) {
		for _, n := range []int{1, 9, 700} {
			end := min(len(data), from+n)
			var want []int
			for i := range ends {
				if end <= starts[i] || ends[i] <= from {
					want = append(want, i)
				}
			}
			if from%full.Cases(110, 11) == 0 {
				wantJournal(t, path, slices.Concat(data[:from], make([]byte, end-from), data[end:]), f, want...)
			}
			if bytes.Equal(data[from:end], data[starts[0]:min(len(data), starts[0]+n)]) {
				continue // a hole that looks the same somewhere else
			}
			got := completeItems(slices.Concat(data[:from], data[end:]))
			for _, i := range want {
				if !slices.ContainsFunc(got, func(text []byte) bool { return bytes.Equal(text, whole[i]) }) {
					t.Fatalf("a hole from %d to %d costs interaction %d", from, end, i)
				}
			}
			if len(got) > len(want)+1 { // a hole can move a blank line, and cost nothing
				t.Fatalf("a hole from %d to %d leaves %d interactions, want %d", from, end, len(got), len(want))
			}
		}
	}
}

// TestJournalStale: a journal of which something stands in its cassette was saved.
func TestJournalStale(t *testing.T) {
	t.Parallel()
	f, data, _, path := journalOf(t)
	saved := strings.TrimSuffix(path, ".partial")
	for name, tt := range map[string]struct {
		cassette *File
		stale    bool
	}{
		"no cassette":   {nil, false},
		"another":       {withKeys(fileOf("other")), false},
		"all of it":     {f, true},
		"one of it":     {&File{Revision: testRevision, Interactions: f.Interactions[2:3]}, true},
		"the last":      {&File{Revision: testRevision, Interactions: append(withKeys(fileOf("other")).Interactions, f.Interactions[len(f.Interactions)-1])}, true},
		"none recorded": {&File{}, false},
	} {
		os.Remove(saved)
		if tt.cassette != nil {
			mustSave(t, saved, tt.cassette)
		}
		for _, cut := range []int{0, 100} {
			if err := os.WriteFile(path, data[:len(data)-cut], 0o644); err != nil {
				t.Fatal(err)
			}
			left, stale, err := LoadJournal(path, saved)
			want := tt.stale && (cut == 0 || name != "the last")
			if err != nil || stale != want || stale == (len(left.Interactions) > 0) {
				t.Errorf("%s, cut %d: %v, stale %v, %v", name, cut, left, stale, err)
			}
		}
	}
}

// TestJournalOfACutCassette has what the cassette has lost.
func TestJournalOfACutCassette(t *testing.T) {
	t.Parallel()
	f, _, _, path := journalOf(t)
	saved := strings.TrimSuffix(path, ".partial")
	mustSave(t, saved, f)
	text, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(saved, text[:len(text)-30], 0o644); err != nil {
		t.Fatal(err)
	}
	if left, stale, err := LoadJournal(path, saved); err != nil || stale || len(left.Interactions) != len(f.Interactions) {
		t.Errorf("%v, stale %v, %v", left, stale, err)
	}
}

// TestJournalOfAssets: an interaction whose asset is torn is torn.
func TestJournalOfAssets(t *testing.T) {
	t.Parallel()
	f, data, _, path := journalOf(t)
	asset := filepath.Join(Assets(path), codec.NameAsset([]byte(big("a"))))
	if err := os.WriteFile(asset, []byte(big("a")[:100]), 0o644); err != nil {
		t.Fatal(err)
	}
	wantJournal(t, path, data, f, 0, 1, 2, 3, 4, 5)
	if err := os.Remove(asset); err != nil {
		t.Fatal(err)
	}
	wantJournal(t, path, data, f, 0, 1, 2, 3, 4, 5)
	ofSession := filepath.Join(Assets(path), codec.NameAsset([]byte(big("b"))))
	if err := os.Remove(ofSession); err != nil {
		t.Fatal(err)
	}
	wantJournal(t, path, data, f, 0, 1, 2, 3, 4)
	if err := Remove(path); err != nil {
		t.Fatal(err)
	}
	wantTree(t, filepath.Dir(path))
}

// TestNoJournal: what is not a journal is not taken for one, and stays.
func TestNoJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "x.yaml.partial")
	if left, stale, err := LoadJournal(path, ""); err != nil || stale || left.Interactions != nil {
		t.Errorf("of none: %v %v %v", left, stale, err)
	}
	mine := filepath.Join(dir, "mine")
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, mine, path)
	if _, _, err := LoadJournal(path, ""); err == nil || !strings.Contains(err.Error(), "not a file") {
		t.Errorf("a link: %v", err)
	}
	item, err := Encode(fileOf("x").Interactions[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := Append(path, nil, item, true); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a journal was made through a link: %v", err)
	}
	if err := SaveJournal(path, nil, []*Encoded{item}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(mine); string(text) != "mine" {
		t.Errorf("what a link leads to is %q now, %v", text, err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := LoadJournal(path, ""); err == nil || !strings.Contains(err.Error(), "this is not a journal of promptecho") {
		t.Errorf("another file: %v", err)
	}
}

// The values of a damaged journal are read as they were written, or not at all. None is half there,
// and what is written later stands beside what was written before.
func TestJournalValues(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.yaml.partial")
	first := interaction.RecordedValues{Seed: strings.Repeat("5e", 16), Env: map[string]string{"MODEL": "gpt-5.1", "NOTE": "# entry\n# given\n\n\nx"}}
	all := interaction.RecordedValues{Time: time.Date(2026, 11, 22, 15, 30, 12, 0, time.UTC), Env: map[string]string{"REGION": ""}}.Or(first)
	item, err := Encode(fileOf("x").Interactions[0], testRevision)
	if err != nil {
		t.Fatal(err)
	}
	var ends []int // of what was appended
	for i, given := range []interaction.RecordedValues{first, {}, all} {
		text, err := EncodeRecordedValues(&given)
		if err != nil {
			t.Fatal(err)
		}
		with := item
		if i == 2 { // it was used after the last request
			with = nil
		}
		if err := Append(path, text, with, i == 0); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, int(info.Size()))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	firstEnd := bytes.Index(data, []byte(frameStart))
	for n := range len(data) + 1 {
		want := interaction.RecordedValues{}
		switch {
		case n == len(data):
			want = all
		case n >= firstEnd:
			want = first
		}
		if got := recordedValuesIn(data[:n]); !got.Equal(&want) {
			t.Fatalf("cut at %d: %v, want %v", n, got, want)
		}
		// And goes on.
		if got := recordedValuesIn(slices.Concat(data[:n], data[ends[1]:])); !got.Equal(&all) {
			t.Fatalf("cut at %d and gone on: %v", n, got)
		}
	}
	for from := range data {
		for _, n := range []int{1, 7, 60} {
			end := min(len(data), from+n)
			for name, torn := range map[string][]byte{"a hole": slices.Concat(data[:from], data[end:]), "NULs": slices.Concat(data[:from], make([]byte, end-from), data[end:])} {
				if got := recordedValuesIn(torn); !got.Equal(&interaction.RecordedValues{}) && !got.Equal(&first) && !got.Equal(&all) {
					t.Fatalf("%s from %d to %d: %v", name, from, end, got)
				}
			}
		}
	}
	// Items are found between the values as without them.
	if got := completeItems(data); len(got) != 2 {
		t.Errorf("%d interactions in\n%s", len(got), data)
	}
	left, _, err := LoadJournal(path, "")
	if err != nil || !left.RecordedValues.Equal(&all) || len(left.Interactions) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestSavedJournalHasItsAssets: a journal that is written anew has the assets of its interactions,
// and only those of them.
func TestSavedJournalHasItsAssets(t *testing.T) {
	t.Parallel()
	f := fileWith(big("a"), "b", big("c"))
	path := filepath.Join(t.TempDir(), "x.yaml.partial")
	var items []*Encoded
	for _, it := range f.Interactions {
		item, err := Encode(it, testRevision)
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
	for _, n := range []int{3, 1} {
		if err := SaveJournal(path, nil, items[:n]); err != nil {
			t.Fatal(err)
		}
		left, _, err := LoadJournal(path, "")
		if err != nil || len(left.Interactions) != n {
			t.Fatalf("%d interactions: %v, %v", n, left, err)
		}
		for i, it := range left.Interactions {
			if where := it.Difference(f.Interactions[i]); where != "" {
				t.Errorf("%s of interaction %d differs", where, i)
			}
		}
	}
}

// TestIDsOfTexts: an ID of a text is a checksum of 32 bits and a length, and nothing else is one.
func TestIDsOfTexts(t *testing.T) {
	t.Parallel()
	id := idOf([]byte("text"))
	for line, want := range map[string]bool{
		fmt.Sprintf("%08x %d", id.sum, id.len):  true,
		fmt.Sprintf("1%08x %d", id.sum, id.len): false, // 33 bits
		fmt.Sprintf("%08x", id.sum):             false,
		fmt.Sprintf("%08x -1", id.sum):          false,
		fmt.Sprintf("%08x x", id.sum):           false,
		"":                                      false,
	} {
		got, ok := parseTextID(line)
		if ok != want || ok && got != id {
			t.Errorf("%q: %v, %v", line, got, ok)
		}
	}
}
