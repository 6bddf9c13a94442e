package cassette

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/codec"
)

// journalOf returns a journal of what was recorded, and where each entry ends.
func journalOf(t testing.TB) (f *File, data []byte, ends []int, path string) {
	t.Helper()
	f, _, _ = recordedFile(t)
	path = filepath.Join(t.TempDir(), "x.yaml.partial")
	for i, it := range f.Interactions {
		item, err := Encode(it, testRevision)
		if err == nil {
			err = Append(path, item, i == 0)
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
	its, stale, err := LoadJournal(path, "")
	if err != nil || stale {
		t.Fatalf("stale %v, %v\n%s", stale, err, data)
	}
	if len(its) != len(want) {
		t.Fatalf("%d interactions, want %d\n%s", len(its), want, data)
	}
	for i, it := range its {
		if d := it.Difference(f.Interactions[want[i]]); d != "" {
			t.Fatalf("%s of interaction %d\n%s", d, i, data)
		}
	}
}

// TestJournalCut: a journal that is torn at any byte has what was whole, and goes on.
func TestJournalCut(t *testing.T) {
	t.Parallel()
	f, data, ends, path := journalOf(t)
	more := data[ends[0]:ends[1]] // as another Append writes it
	for n := range len(data) + 1 {
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
		if n%4 == 0 || slices.Contains(ends, n+1) {
			wantJournal(t, path, slices.Concat(data[:n], more), f, append(before, 1)...)
		}
	}
}

// TestJournalHoles: a hole costs what it is part of, and nothing else; so do NULs.
func TestJournalHoles(t *testing.T) {
	t.Parallel()
	f, data, ends, path := journalOf(t)
	whole := wholeItems(data)
	starts := append([]int{bytes.Index(data, []byte(frameStart))}, ends[:len(ends)-1]...)
	for from := starts[0]; from < len(data); from++ {
		for _, n := range []int{1, 9, 700} {
			end := min(len(data), from+n)
			var want []int
			for i := range ends {
				if end <= starts[i] || ends[i] <= from {
					want = append(want, i)
				}
			}
			if from%11 == 0 {
				wantJournal(t, path, slices.Concat(data[:from], make([]byte, end-from), data[end:]), f, want...)
			}
			if bytes.Equal(data[from:end], data[starts[0]:min(len(data), starts[0]+n)]) {
				continue // a hole that looks the same somewhere else
			}
			got := wholeItems(slices.Concat(data[:from], data[end:]))
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
		"the last":      {&File{Revision: testRevision, Interactions: append(withKeys(fileOf("other")).Interactions, f.Interactions[4])}, true},
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
			its, stale, err := LoadJournal(path, saved)
			want := tt.stale && (cut == 0 || name != "the last")
			if err != nil || stale != want || stale == (len(its) > 0) {
				t.Errorf("%s, cut %d: %d interactions, stale %v, %v", name, cut, len(its), stale, err)
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
	if its, stale, err := LoadJournal(path, saved); err != nil || stale || len(its) != len(f.Interactions) {
		t.Errorf("%d interactions, stale %v, %v", len(its), stale, err)
	}
}

// TestJournalOfAssets: an interaction whose asset is torn is torn.
func TestJournalOfAssets(t *testing.T) {
	t.Parallel()
	f, data, _, path := journalOf(t)
	asset := filepath.Join(assetDir(path), codec.NameAsset([]byte(big("a"))))
	if err := os.WriteFile(asset, []byte(big("a")[:100]), 0o644); err != nil {
		t.Fatal(err)
	}
	wantJournal(t, path, data, f, 0, 1, 2, 3)
	if err := os.Remove(asset); err != nil {
		t.Fatal(err)
	}
	wantJournal(t, path, data, f, 0, 1, 2, 3)
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
	if its, stale, err := LoadJournal(path, ""); err != nil || stale || its != nil {
		t.Errorf("of none: %v %v %v", its, stale, err)
	}
	mine := filepath.Join(dir, "mine")
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(mine, path); err != nil {
		t.Skip(err)
	}
	if _, _, err := LoadJournal(path, ""); err == nil || !strings.Contains(err.Error(), "not a file") {
		t.Errorf("a link: %v", err)
	}
	item, err := Encode(fileOf("x").Interactions[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := Append(path, item, true); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a journal was made through a link: %v", err)
	}
	if err := SaveJournal(path, []*Encoded{item}); err != nil {
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
