// Package alias writes a value once that the interactions of a file have several times:
// where it stands first it gets an anchor, and elsewhere an alias stands for it, both as YAML
// has them. It knows the text of interactions as package codec writes them, block by block,
// and leaves alone what it does not know.
package alias

import "strings"

// A block is a value in the text of an interaction: a collection, or a text, which may be
// literal.
type block struct {
	text    string   // what stands on the line of its head, unless it is a collection
	lines   []string // below that, as they stand in the file
	entries []entry  // of a collection
	isList  bool

	key    string // that it stands under; an element of a list has that of the list
	col    int    // of the lines
	inline bool   // the first entry stands behind a dash
	large  bool   // it is worth an alias
	size   int    // in lines

	anchor string // before it, "" if there is none
	hash   uint64 // of its text
	of     *value // the value, if it is large
	alias  bool   // the value stands somewhere above
	flow   bool   // a list that is written on one line, since it has little that is new
	shift  int    // by which it stands farther right than where it was read
}

// An entry is a line of a collection and the value that begins on it.
type entry struct {
	head  string // "key:", "-" or a comment
	block *block // nil behind a comment
}

// A value is one of those that a file has.
type value struct {
	name   string // of its anchor
	shared bool   // there is an alias for it
}

// isScalar reports whether a value stands on one line, other than the first of a collection.
func (b *block) isScalar() bool { return len(b.lines) == 0 }

// plain returns the text of a value, as far left as possible and without aliases.
func (b *block) plain() string {
	var text strings.Builder
	if b.text != "" {
		text.WriteString(" " + b.text)
	}
	for _, line := range b.lines {
		text.WriteString("\n" + line[min(b.col, len(line)):])
	}
	return text.String() + "\n"
}
