// Package alias writes a value once that the interactions of a file contain several times.
// Where the value stands first it gets an anchor, and everywhere else an alias refers to it
// (YAML 1.2.2, 6.9.2 and 7.1). The package reads the text of interactions as package codec
// writes it, and leaves alone any text that it does not know.
package alias

import (
	"crypto/sha256"
	"strings"
)

// A block is an interaction, or an entry of one of its lists or mappings: a head, and a
// value.
//
//	head         value
//	"key:"       of an entry of a mapping
//	"-"          of an element of a list
//	a comment    none
type block struct {
	head    string
	text    string   // the value on the line of the head; "" if the value is a collection
	lines   []string // the lines below the head, as in the file
	column  int      // of the lines: how far they are indented
	indent  int      // how much farther the lines are indented than the head
	entries []*block // of a list or a mapping
	isList  bool

	key     string            // of the value; an element has that of its list, in the singular
	isLarge bool              // the value is large enough for an alias
	sum     [sha256.Size]byte // of the value, if it is large; zero until it is needed
	value   *value            // the value, if it is large
	isAlias bool              // the value stands further up in the file: an alias is written
	isFlow  bool              // the list is written on one line
}

// A value is a large value of a file.
type value struct {
	isShared bool   // an alias refers to it
	anchor   string // the name of its anchor; "" until it has one
}

// lineCount returns how many lines the value takes.
func (b *block) lineCount() int { return max(1, len(b.lines)) }

// content returns the value as text without indentation and without aliases: equal values
// have equal content.
func (b *block) content() string {
	lines := make([]string, 0, len(b.lines)+2)
	lines = append(lines, "")
	if b.text != "" {
		lines[0] = " " + b.text
	}
	for _, line := range b.lines {
		lines = append(lines, line[min(b.column, len(line)):])
	}
	return strings.Join(append(lines, ""), "\n")
}
