package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// mostTokens is how many words or lines of a text are compared; the time grows with their
// number times that of the differences.
const mostTokens = 5000

// wordDiff returns an old and a new text as one, with [-what is only in the old-] and
// {+what is only in the new+}, and long equal parts shortened. ok is false if the texts
// have too little in common to be read like that, or are too long.
func wordDiff(old, fresh string) (text string, ok bool) {
	pieces, ok := wordPieces(old, fresh)
	if !ok {
		return "", false
	}
	var b strings.Builder
	for _, d := range pieces {
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			b.WriteString("[-" + d.Text + "-]")
		case diffmatchpatch.DiffInsert:
			b.WriteString("{+" + d.Text + "+}")
		default:
			b.WriteString(d.Text)
		}
	}
	return b.String(), true
}

// wordPieces returns what of an old and a new text is in both, shortened where it is long,
// and what in only one of them. ok is false if they have too little in common.
func wordPieces(old, fresh string) (fine []diffmatchpatch.Diff, ok bool) {
	before, after := around(old, fresh)
	pieces := diffTokens(lines(old[len(before):len(old)-len(after)]), lines(fresh[len(before):len(fresh)-len(after)]))
	for i := 0; i < len(pieces); i++ {
		if i+1 < len(pieces) && pieces[i].Type == diffmatchpatch.DiffDelete && pieces[i+1].Type == diffmatchpatch.DiffInsert {
			fine = append(fine, diffTokens(words(pieces[i].Text), words(pieces[i+1].Text))...)
			i++
			continue
		}
		fine = append(fine, pieces[i])
	}
	fine = joined(append(append([]diffmatchpatch.Diff{{Text: before}}, fine...), diffmatchpatch.Diff{Text: after}))
	var in [3]int // the letters of both, and of each: by the type of the piece, from -1
	for i, d := range fine {
		in[d.Type+1] += letters(d.Text)
		if d.Type == diffmatchpatch.DiffEqual {
			fine[i].Text = shorten(d.Text, i > 0, i < len(fine)-1)
		}
	}
	same := in[1]
	const least = 3 // a third of the longer text
	return fine, same*least >= same+max(in[0], in[2])
}

// around returns the words that two texts both begin and end with: most of a long text that was
// edited, which need not be compared further.
func around(old, fresh string) (before, after string) {
	n, most := 0, min(len(old), len(fresh))
	for n < most && old[n] == fresh[n] {
		n++
	}
	before = old[:strings.LastIndexAny(old[:n], " \n")+1]
	for n, most = 0, most-len(before); n < most && old[len(old)-1-n] == fresh[len(fresh)-1-n]; {
		n++
	}
	if i := strings.IndexAny(old[len(old)-n:], " \n"); i >= 0 {
		after = old[len(old)-n+i:]
	}
	return before, after
}

// joined makes one piece of those that stand side by side and are in both texts.
func joined(pieces []diffmatchpatch.Diff) (list []diffmatchpatch.Diff) {
	for _, d := range pieces {
		switch last := len(list) - 1; {
		case d.Text == "":
		case last >= 0 && d.Type == diffmatchpatch.DiffEqual && list[last].Type == d.Type:
			list[last].Text += d.Text
		default:
			list = append(list, d)
		}
	}
	return list
}

// letters returns the length of a text without its white space.
func letters(text string) (n int) {
	for _, r := range text {
		if !unicode.IsSpace(r) {
			n += utf8.RuneLen(r)
		}
	}
	return n
}

// shorten takes out the middle of a text that did not change; before and after say whether
// there is a change on that side.
func shorten(text string, before, after bool) string {
	const kept = 60
	first, last := 0, len(text)
	if before {
		first = min(len(text), kept)
	}
	if after {
		last = max(0, len(text)-kept)
	}
	for first < len(text) && !utf8.RuneStart(text[first]) {
		first++
	}
	for last < len(text) && !utf8.RuneStart(text[last]) {
		last++
	}
	if last-first < kept {
		return text
	}
	return text[:first] + " ... " + text[last:]
}

// diffTokens compares two lists of tokens.
func diffTokens(old, fresh []string) []diffmatchpatch.Diff {
	if len(old) > mostTokens || len(fresh) > mostTokens {
		return []diffmatchpatch.Diff{{Type: diffmatchpatch.DiffDelete, Text: strings.Join(old, "")}, {Type: diffmatchpatch.DiffInsert, Text: strings.Join(fresh, "")}}
	}
	runes := map[string]rune{}
	tokens := map[rune]string{}
	encode := func(list []string) (out []rune) {
		for _, token := range list {
			r, ok := runes[token]
			if !ok {
				r = rune(len(runes) + 1)
				runes[token], tokens[r] = r, token
			}
			out = append(out, r)
		}
		return out
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // the same texts give the same output on every machine
	diffs := dmp.DiffMainRunes(encode(old), encode(fresh), false)
	for i := range diffs {
		var b strings.Builder
		for _, r := range diffs[i].Text {
			b.WriteString(tokens[r])
		}
		diffs[i].Text = b.String()
	}
	return diffs
}

// lines returns the lines of a text, each with its end.
func lines(text string) []string {
	return strings.SplitAfter(text, "\n")
}

// words returns the words of a text and what stands between them.
func words(text string) (list []string) {
	start := 0
	kind := func(r rune) int {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0 // each by itself
	}
	last := -1
	for i, r := range text {
		if k := kind(r); i > 0 && (k != last || k == 0) {
			list, start = append(list, text[start:i]), i
		}
		last = kind(r)
	}
	if start < len(text) {
		list = append(list, text[start:])
	}
	return list
}

// clip shortens a text to n runes.
func clip(s string, n int) string {
	cut, count := 0, 0
	for i := range s {
		count++
		switch count {
		case n:
			cut = i
		case n + 1:
			return s[:cut] + "…"
		}
	}
	return s
}

// ranges writes the numbers of interactions, those in a row as a range: "#2, #4-#7".
func ranges(list []int) string {
	var all []string
	for i := 0; i < len(list); {
		last := i
		for last+1 < len(list) && list[last+1] == list[last]+1 {
			last++
		}
		switch last - i {
		case 0:
			all = append(all, fmt.Sprintf("#%d", list[i]))
		case 1:
			all = append(all, fmt.Sprintf("#%d, #%d", list[i], list[last]))
		default:
			all = append(all, fmt.Sprintf("#%d-#%d", list[i], list[last]))
		}
		i = last + 1
	}
	return strings.Join(all, ", ")
}
