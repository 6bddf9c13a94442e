package main

import (
	"bytes"
	"flag"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHelp: what a verb says of itself fits a screen of 24 lines and 80 columns.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, v := range append(slices.Clone(verbs), verb{name: "help"}) {
		var out, stderr bytes.Buffer
		args := []string{"help", v.name}
		if v.name == "help" {
			args = args[:1]
		}
		if status := run(args, &out, &stderr); status != 0 || stderr.Len() > 0 {
			t.Fatalf("help %s: status %d, %s", v.name, status, stderr.String())
		}
		text := strings.TrimSuffix(out.String(), "\n")
		if n := strings.Count(text, "\n") + 1; n > 24 {
			t.Errorf("help %s has %d lines", v.name, n)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if utf8.RuneCountInString(line) > 80 {
				t.Errorf("help %s: this line is too wide: %s", v.name, line)
			}
		}
		if v.run != nil && strings.Fields(v.help)[0] != v.name {
			t.Errorf("the usage of %s begins with %.20q", v.name, v.help)
		}
	}
}

// Two texts are compared word by word, and what is the same around a change is left out.
func TestWordDiff(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 100)
	for _, tt := range []struct{ old, fresh, want string }{
		{"one two three", "one 2 three", "one [-two-]{+2+} three"},
		{"one three", "one two three", "one {+two +}three"},
		{"in 2025.", "in 2026.", "in [-2025-]{+2026+}."},
		{"naïve café", "naïve cafés", "naïve [-café-]{+cafés+}"},
		{"a b c d e f", "1 2 3 4 5 6", ""},
		{long + "end", long + "END", " ... " + strings.Repeat("word ", 12) + "[-end-]{+END+}"},
		{"first line\nsecond line\nthird line\n", "first line\nsecond row\nthird line\n", "first line\nsecond [-line-]{+row+}\nthird line\n"},
		{"one\ntwo\nthree\nfour\n", "one\nthree\nfour\n", "one\n[-two\n-]three\nfour\n"},
	} {
		text, ok := wordDiff(tt.old, tt.fresh)
		if text != tt.want || ok != (tt.want != "") {
			t.Errorf("%.20q and %.20q: %q, %v, want %q", tt.old, tt.fresh, text, ok, tt.want)
		}
	}
}

// FuzzWordDiff: what is not shortened gives both texts back.
func FuzzWordDiff(f *testing.F) {
	f.Add("one two", "one 2")
	f.Add("a\nb\nc", "a\nc\nb")
	f.Add("\xff", "é\u0301\r\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		var old, fresh strings.Builder
		for _, d := range diffTokens(words(a), words(b)) {
			if d.Type <= 0 {
				old.WriteString(d.Text)
			}
			if d.Type >= 0 {
				fresh.WriteString(d.Text)
			}
		}
		if old.String() != a || fresh.String() != b {
			t.Errorf("%q and %q come back as %q and %q", a, b, old.String(), fresh.String())
		}
		wordDiff(a, b)
	})
}

// Lines are wrapped at blanks to the width of the terminal.
func TestWrap(t *testing.T) {
	t.Parallel()
	const text = "The quick brown fox jumps over the lazy dog."
	for _, tt := range []struct {
		line  string
		width int
		want  []string
	}{
		{text, 0, []string{text}},
		{text, 80, []string{text}},
		{text, 20, []string{"The quick brown fox", "jumps over the lazy", "dog."}},
		{strings.Repeat("é", 50), 20, []string{strings.Repeat("é", 20), strings.Repeat("é", 20), strings.Repeat("é", 10)}},
	} {
		if got := wrap(tt.line, tt.width); !slices.Equal(got, tt.want) {
			t.Errorf("%q in %d columns: %q, want %q", tt.line, tt.width, got, tt.want)
		}
	}
}

// TestPrinter: what is recorded does nothing to a terminal, in colours or without.
func TestPrinter(t *testing.T) {
	t.Parallel()
	var plain, coloured bytes.Buffer
	for _, p := range []*printer{{w: &plain}, {w: &coloured, width: 40, colour: true}} {
		p.line(0, bold, "%s", "head\x1b[2Jline")
		p.text(2, "one\x1b]0;title\x07\r\ntwo\u202e  \n")
	}
	const want = "head\\x1b[2Jline\n  one\\x1b]0;title\\x07\n  two\\u202e\n"
	if plain.String() != want {
		t.Errorf("got %q, want %q", plain.String(), want)
	}
	if got := strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(coloured.String()); got != want {
		t.Errorf("coloured: %q", coloured.String())
	}
}

// TestCut: of a long text the beginning is shown, and how much more there is.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		lines int    // that are shown, with the last
		last  string // that says what is left out; "" if nothing is
	}{
		{strings.Repeat("line\n", 30), 30, ""},
		{strings.Repeat("line\n", 31), 21, "(11 lines more: -full)"},
		{strings.Repeat("x", 4000), 1, ""},
		{strings.Repeat("é", 2500), 2, "(1,000 bytes more: -full)"},
		{strings.Repeat(strings.Repeat("x", 999)+"\n", 10), 6, "(5 lines more: -full)"},
	} {
		var cut, full bytes.Buffer
		(&printer{w: &cut}).text(0, tt.text)
		(&printer{w: &full, full: true}).text(0, tt.text)
		got := strings.Split(strings.TrimSuffix(cut.String(), "\n"), "\n")
		if len(got) != tt.lines || tt.last != "" && got[len(got)-1] != tt.last {
			t.Errorf("%.20q: %d lines, the last is %q", tt.text, len(got), got[len(got)-1])
		}
		if full.String() != strings.TrimSuffix(tt.text, "\n")+"\n" {
			t.Errorf("%.20q is not whole: %.60q", tt.text, full.String())
		}
	}
}

// TestParse: flags may stand anywhere, and not behind "--".
func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args string
		n    int
		rest string
	}{
		{"-n 3 a b", 3, "a b"},
		{"a -n 3 b", 3, "a b"},
		{"a b -n=3", 3, "a b"},
		{"a -- -n 3", 0, "a -n 3"},
		{"", 0, ""},
	} {
		flags := flag.NewFlagSet("x", flag.ContinueOnError)
		n := flags.Int("n", 0, "")
		rest, err := parse(flags, strings.Fields(tt.args))
		if err != nil || *n != tt.n || strings.Join(rest, " ") != tt.rest {
			t.Errorf("%q: %d, %q, %v", tt.args, *n, rest, err)
		}
	}
}

// Numbers that follow each other are written as a range.
func TestRanges(t *testing.T) {
	t.Parallel()
	if got, want := ranges([]int{1, 3, 4, 6, 7, 8, 12}), "#1, #3, #4, #6-#8, #12"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Help of help is help, however it is asked for.
func TestHelpOfHelp(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"help"}, {"help", "help"}, {"help", "-h"}, {"-h", "help"}, {"help", "help", "help"}} {
		var out, errs strings.Builder
		if status := run(args, &out, &errs); status != 0 || !strings.HasPrefix(out.String(), "promptecho freezes") || errs.String() != "" {
			t.Errorf("%q: %d, %q, %q", args, status, out.String(), errs.String())
		}
	}
	for _, v := range verbs {
		var out, errs strings.Builder
		if status := run([]string{"help", v.name}, &out, &errs); status != 0 || !strings.HasPrefix(out.String(), "usage: promptecho "+v.name) {
			t.Errorf("%s: %d, %q", v.name, status, out.String())
		}
		if status := run([]string{v.name, "-no-such-flag"}, &out, &errs); status != 2 || !strings.Contains(errs.String(), "no-such-flag") {
			t.Errorf("%s with a flag that it has not: %d, %q", v.name, status, errs.String())
		}
	}
}
