// Package alias writes a value once that the interactions of a file have several times:
// where it stands first it gets an anchor, and elsewhere an alias stands for it, both as YAML
// has them. It knows the text of interactions as package codec writes them, block by block,
// and leaves alone what it does not know.
package alias

import (
	"crypto/sha256"
	"strings"
)

// A block is an entry of a collection, or an interaction: a head, and behind it a collection or a
// text, which may be literal.
type block struct {
	head    string   // "key:", "-", or a comment, which has nothing else
	text    string   // what stands on the line of the head, unless it is the first of a collection
	lines   []string // below that, as they stand in the file
	col     int      // of the lines
	by      int      // by which they stand farther right than the head
	entries []*block // of a collection
	isList  bool

	key   string            // that it stands under; an element of a list has that of the list
	large bool              // it is worth an alias
	sum   [sha256.Size]byte // of its text, once that was needed
	of    *value            // the value, if it is large
	alias bool              // the value stands somewhere above
	flow  bool              // a list that is written on one line, since it has little that is new
}

// A value is one of those that a file has.
type value struct {
	shared bool   // there is an alias for it
	name   string // of its anchor, once it has one
}

// size returns how many lines a block has.
func (b *block) size() int { return max(1, len(b.lines)) }

// plain returns the text behind a head, as far left as possible and without aliases.
func (b *block) plain() string {
	all := make([]string, 0, len(b.lines)+2)
	all = append(all, "")
	if b.text != "" {
		all[0] = " " + b.text
	}
	for _, line := range b.lines {
		all = append(all, line[min(b.col, len(line)):])
	}
	return strings.Join(append(all, ""), "\n")
}
