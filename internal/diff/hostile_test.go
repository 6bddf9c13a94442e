package diff

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// TestHostileTexts compares texts that would take an algorithm of quadratic time
// minutes or hours. In full, none may take much longer than a text of that length in which
// one word has changed.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	numbers := func(n int, format func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(format(i))
		}
		return b.String()
	}
	tests := []struct{ name, recorded, incoming string }{
		{"nothing in common", generate("prose", 20_000, 1), generate("cjk", 33_000, 2)},
		{"only commas in common", strings.Repeat("a,", 50_000), strings.Repeat("b,", 50_000)},
		{"every other word in common", strings.Repeat("a,b;", 25_000), strings.Repeat("b,c;", 25_000)},
		{"lines that repeat", strings.Repeat("a\nb\n", 10_000), strings.Repeat("b\nc\n", 10_000)},
		{"blanks", strings.Repeat(" \t", 50_000), strings.Repeat("\t\n", 50_000)},
		{"what looks like marks", strings.Repeat("[-", 50_000), strings.Repeat("-", 100_000)},
		{"20,000 lines in reverse order",
			numbers(20_000, func(i int) string { return strconv.Itoa(i) + "\n" }),
			numbers(20_000, func(i int) string { return strconv.Itoa(20_000-i) + "\n" })},
	}
	compare := func(recorded, incoming string) (text string, took time.Duration) {
		start := time.Now()
		edits := Forms(form("e", "m", "whole", user(recorded)), form("e", "m", "whole", user(incoming)))
		text = Write(edits, "", 0)
		return text, time.Since(start)
	}
	words := generate("prose", 20_000, 3)
	_, harmless := compare(words+" one", words+" two")
	for _, tt := range tests {
		text, took := compare(tt.recorded, tt.incoming)
		if len(text) > 5_000 || text == "" {
			t.Errorf("%s: the difference has %d bytes", tt.name, len(text))
		}
		if full.Set() && took > 100*harmless {
			t.Errorf("%s: %v, and %v for one word", tt.name, took, harmless)
		}
	}
}

// TestMatchOfNestedAnchors matches a sequence whose only anchor is at its end, and
// is there again when that is cut off, 10,000 times. In full, a sequence ten times as long
// as another takes about ten times as long; in quadratic time it would take a hundred.
func TestMatchOfNestedAnchors(t *testing.T) {
	t.Parallel()
	nested := func(n int) (pairs int, took time.Duration) {
		var a, b []string
		for i := range n {
			this, next := strconv.Itoa(i), strconv.Itoa(i+1)
			a = append(a, next, this)
			b = append(b, next, "x"+this, this)
		}
		took = time.Hour
		for range 3 { // the shortest: other programs run, too
			start := time.Now()
			pairs = len(match(a, b))
			took = min(took, time.Since(start))
		}
		return pairs, took
	}
	pairs, long := nested(full.Cases(2_000, 10_000))
	if pairs == 0 {
		t.Error("nothing is matched")
	}
	if !full.Set() {
		return
	}
	if _, short := nested(1_000); long > 40*short {
		t.Errorf("10,000 take %v, and 1,000 take %v", long, short)
	}
}

// TestRepeatedElements aligns turns of a conversation that occur several times.
func TestRepeatedElements(t *testing.T) {
	t.Parallel()
	turns := func(texts ...string) (fields []string) {
		for i, text := range texts {
			fields = append(fields, "body/messages/"+strconv.Itoa(i)+"/content "+quote(text))
		}
		return fields
	}
	recorded := turns("Read the file a.go", "continue", "ok", "continue", "ok", "stop")
	incoming := turns("Write this poem", "Please", "continue", "ok", "continue", "ok", "go on")
	for _, e := range Forms(form("e", "", "whole", recorded...), form("e", "", "whole", incoming...)) {
		if e.Note.Code == Moved || slices.Contains([]string{`"continue"`, `"ok"`}, e.Recorded) {
			t.Errorf("what both have in the same order differs: %+v", e)
		}
	}
}

// TestManyChanges: of more changed elements than are looked at closely, those at the same
// index belong together.
func TestManyChanges(t *testing.T) {
	t.Parallel()
	var recorded, incoming []string
	for i := range 2 * maxPairs {
		path := "body/a/" + strconv.Itoa(i)
		recorded = append(recorded, path+"/x 1", path+"/y "+strconv.Itoa(i))
		incoming = append(incoming, path+"/x 2", path+"/y "+strconv.Itoa(i))
	}
	edits := Forms(form("e", "", "whole", recorded...), form("e", "", "whole", incoming...))
	for i, e := range edits {
		if want := (Edit{Path: "body/a/" + strconv.Itoa(i) + "/x", Recorded: "1", Incoming: "2"}); e != want {
			t.Fatalf("edit %d is %+v, want %+v", i, e, want)
		}
	}
	if len(edits) != 2*maxPairs {
		t.Errorf("%d edits, want %d", len(edits), 2*maxPairs)
	}
}
