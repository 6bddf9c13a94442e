package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// mostWords is how many words the glossary may have: more are not learned by
// anyone who reads the page for the first time.
const mostWords = 40

// TestWords: the section "Words" of docs/DESIGN.md has at most mostWords words,
// each once, in alphabetical order, each with a meaning of one line.
func TestWords(t *testing.T) {
	t.Parallel()
	design, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "DESIGN.md"))
	if err != nil {
		t.Fatal(err)
	}
	table := regexp.MustCompile(`(?m)^<!-- words -->\n\| word \| meaning \|\n\|---\|---\|\n((?:\|.*\n)+)`).
		FindSubmatch(design)
	if table == nil {
		t.Fatal("docs/DESIGN.md has no table of words")
	}

	row := regexp.MustCompile(`(?m)^\| ([A-Za-z][A-Za-z ]*) \| ([^|]+) \|$`)
	var words []string
	for _, m := range row.FindAllSubmatch(table[1], -1) {
		words = append(words, string(m[1]))
		if len(m[2]) > 120 {
			t.Errorf("the meaning of %q has %d characters, want at most 120", m[1], len(m[2]))
		}
	}
	rows := regexp.MustCompile(`(?m)^\|`).FindAllIndex(table[1], -1)
	if len(words) != len(rows) {
		t.Errorf("%d of %d rows have a word and a meaning", len(words), len(rows))
	}
	if len(words) > mostWords {
		t.Errorf("the table has %d words, want at most %d: a new one replaces another", len(words), mostWords)
	}
	if !slices.IsSorted(words) {
		t.Errorf("the words are not in alphabetical order: %q", words)
	}
	if distinct := slices.Compact(slices.Clone(words)); len(distinct) != len(words) {
		t.Errorf("a word is there more than once: %q", words)
	}
}
