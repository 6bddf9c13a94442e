package page

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/english"
)

// What is shown of a long text at once, and of a huge one at all.
const (
	mostLines, shownLines = 30, 20
	mostBytes, shownBytes = 4000, 3000
	wholeBytes            = 1 << 18
)

// A text is one that is cut.
type text struct {
	Head string
	Rest string // shown on demand
	Size string // of all
	More string // what is not on the page
}

// cut cuts a text between lines, or else between letters.
func cut(whole string) text {
	t := text{Size: english.Thousands(len(whole)) + " bytes"}
	if len(whole) > wholeBytes {
		end := boundary(whole, wholeBytes)
		t.More = english.Thousands(len(whole)-end) + " bytes"
		whole = whole[:end]
	}
	t.Head = whole
	lines := strings.SplitAfterN(whole, "\n", mostLines+1)
	switch {
	case len(lines) > mostLines:
		t.Head = strings.Join(lines[:shownLines], "")
	case len(whole) <= mostBytes:
		return t
	}
	if len(t.Head) > mostBytes {
		t.Head = t.Head[:boundary(t.Head, shownBytes)]
	}
	t.Rest = whole[len(t.Head):]
	return t
}

// boundary returns where the letter begins that is at an offset of a text.
func boundary(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// percent returns a part of something as SVG has it.
func percent(part, of int64) string {
	return strconv.FormatFloat(100*float64(part)/float64(max(of, 1)), 'f', 2, 64) + "%"
}
