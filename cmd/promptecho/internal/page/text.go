package page

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/english"
)

// A text of more than foldLines lines or foldBytes bytes is folded: its first headLines lines or
// headBytes bytes are shown, and the rest on demand. What is behind pageBytes is not on the page.
const (
	foldLines = 30
	headLines = 20
	foldBytes = 4000
	headBytes = 3000
	pageBytes = 1 << 18
)

// A foldedText is a text in two parts.
type foldedText struct {
	Head string
	Rest string // shown on demand
	Size string // of the whole text: "12,345 bytes"
	More string // the size of what is not on the page; empty if all is
}

// fold divides a text into a head and a rest: behind a line or, if the lines are long, behind a
// character.
func fold(whole string) foldedText {
	t := foldedText{Size: english.Thousands(len(whole)) + " bytes"}
	if len(whole) > pageBytes {
		end := runeStart(whole, pageBytes)
		t.More = english.Thousands(len(whole)-end) + " bytes"
		whole = whole[:end]
	}
	t.Head = whole
	lines := strings.SplitAfterN(whole, "\n", foldLines+1)
	hasManyLines := len(lines) > foldLines
	if !hasManyLines && len(whole) <= foldBytes {
		return t
	}
	if hasManyLines {
		t.Head = strings.Join(lines[:headLines], "")
	}
	if len(t.Head) > foldBytes {
		t.Head = t.Head[:runeStart(t.Head, headBytes)]
	}
	t.Rest = whole[len(t.Head):]
	return t
}

// runeStart returns the offset at which the character begins that has the byte at an offset.
func runeStart(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// percent returns part/of as SVG writes a percentage: "12.50%".
func percent(part, of int64) string {
	return strconv.FormatFloat(100*float64(part)/float64(max(of, 1)), 'f', 2, 64) + "%"
}
