package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// maxTokens is the largest number of words or lines of a text that are compared: the time of a
// comparison grows with their number times that of the differences.
const maxTokens = 5000

// wordDiff returns an old and a new text as one, with [-what is only in the old-] and
// {+what is only in the new+}, and with long equal parts shortened. ok is false if the texts
// have too little in common to be read like that.
func wordDiff(old, fresh string) (text string, ok bool) {
	pieces, ok := wordPieces(old, fresh)
	if !ok {
		return "", false
	}
	var b strings.Builder
	for _, d := range pieces {
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			b.WriteString(oldMark.begin + d.Text + oldMark.end)
		case diffmatchpatch.DiffInsert:
			b.WriteString(newMark.begin + d.Text + newMark.end)
		default:
			b.WriteString(d.Text)
		}
	}
	return b.String(), true
}

// wordPieces returns the pieces of an old and a new text: those that are in both, shortened if
// they are long, and those that are in one of them. ok is false if the pieces in both are less
// than a third of the longer text.
//
// It compares lines first, and then the words of lines that were replaced.
func wordPieces(old, fresh string) (pieces []diffmatchpatch.Diff, ok bool) {
	before, after := commonEnds(old, fresh)
	oldLines := lines(old[len(before) : len(old)-len(after)])
	newLines := lines(fresh[len(before) : len(fresh)-len(after)])
	pieces = append(pieces, diffmatchpatch.Diff{Type: diffmatchpatch.DiffEqual, Text: before})
	byLine := diffTokens(oldLines, newLines)
	for i := 0; i < len(byLine); i++ {
		isReplaced := i+1 < len(byLine) &&
			byLine[i].Type == diffmatchpatch.DiffDelete &&
			byLine[i+1].Type == diffmatchpatch.DiffInsert
		if !isReplaced {
			pieces = append(pieces, byLine[i])
			continue
		}
		byWord := diffTokens(words(byLine[i].Text), words(byLine[i+1].Text))
		pieces = append(pieces, byWord...)
		i++
	}
	pieces = append(pieces, diffmatchpatch.Diff{Type: diffmatchpatch.DiffEqual, Text: after})
	pieces = joinEqual(pieces)

	var inBoth, inOld, inNew int // bytes
	for i, d := range pieces {
		n := lengthWithoutSpace(d.Text)
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			inOld += n
		case diffmatchpatch.DiffInsert:
			inNew += n
		default:
			inBoth += n
			pieces[i].Text = shorten(d.Text, i > 0, i < len(pieces)-1)
		}
	}
	longer := inBoth + max(inOld, inNew)
	return pieces, inBoth*3 >= longer
}

// commonEnds returns the text before and the text after what differs between two texts, both in
// whole words. They are most of a long text that was edited, and need not be compared further.
func commonEnds(old, fresh string) (before, after string) {
	n := 0 // the length of the equal beginnings, then of the equal ends
	for n < min(len(old), len(fresh)) && old[n] == fresh[n] {
		n++
	}
	endOfLastWord := strings.LastIndexAny(old[:n], " \n") + 1
	before = old[:endOfLastWord]

	old = old[len(before):]
	fresh = fresh[len(before):]
	n = 0
	for n < min(len(old), len(fresh)) && old[len(old)-1-n] == fresh[len(fresh)-1-n] {
		n++
	}
	equalEnd := old[len(old)-n:]
	if i := strings.IndexAny(equalEnd, " \n"); i >= 0 {
		after = equalEnd[i:]
	}
	return before, after
}

// joinEqual joins adjacent pieces that are in both texts, and drops empty pieces.
func joinEqual(pieces []diffmatchpatch.Diff) (list []diffmatchpatch.Diff) {
	for _, d := range pieces {
		if d.Text == "" {
			continue
		}
		last := len(list) - 1
		if d.Type == diffmatchpatch.DiffEqual && last >= 0 && list[last].Type == d.Type {
			list[last].Text += d.Text
			continue
		}
		list = append(list, d)
	}
	return list
}

// lengthWithoutSpace returns the number of bytes of a text without its white space.
func lengthWithoutSpace(text string) (n int) {
	for _, r := range text {
		if !unicode.IsSpace(r) {
			n += utf8.RuneLen(r)
		}
	}
	return n
}

// shorten leaves out what is far from a change in a text that did not change. changeBefore and
// changeAfter say on which sides of the text there is a change.
func shorten(text string, changeBefore, changeAfter bool) string {
	const kept = 60 // bytes next to a change
	first, last := 0, len(text)
	if changeBefore {
		first = min(len(text), kept)
	}
	if changeAfter {
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

// diffTokens compares two lists of tokens, which are lines or words. The package that compares
// texts sees each token as one character.
func diffTokens(old, fresh []string) []diffmatchpatch.Diff {
	if len(old) > maxTokens || len(fresh) > maxTokens {
		return []diffmatchpatch.Diff{
			{Type: diffmatchpatch.DiffDelete, Text: strings.Join(old, "")},
			{Type: diffmatchpatch.DiffInsert, Text: strings.Join(fresh, "")},
		}
	}
	runes := map[string]rune{}
	tokens := map[rune]string{}
	encode := func(list []string) (out []rune) {
		for _, token := range list {
			r, ok := runes[token]
			if !ok {
				r = rune(len(runes) + 1)
				runes[token] = r
				tokens[r] = token
			}
			out = append(out, r)
		}
		return out
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // none, so that the output does not depend on the speed of the machine
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

// The classes of characters that words tells apart.
const (
	otherRune = iota
	wordRune
	spaceRune
)

func classOf(r rune) int {
	switch {
	case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
		return wordRune
	case unicode.IsSpace(r):
		return spaceRune
	}
	return otherRune
}

// words splits a text into words, white space between words, and all other characters one by
// one.
func words(text string) (list []string) {
	start := 0
	previous := otherRune
	for i, r := range text {
		class := classOf(r)
		isBoundary := class != previous || class == otherRune
		if i > 0 && isBoundary {
			list = append(list, text[start:i])
			start = i
		}
		previous = class
	}
	if start < len(text) {
		list = append(list, text[start:])
	}
	return list
}

// clip shortens a text to n characters, the last of which is "…" if it was longer.
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

// ranges lists the numbers of interactions, with ranges for three or more in a row:
// "#1, #2, #4-#7".
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
