// Package alias writes a value once that the interactions of a file have several times:
// where it stands first it gets an anchor, and elsewhere an alias stands for it, both as YAML
// has them. It knows the text of interactions as package codec writes them, block by block,
// and leaves alone what it does not know.
package alias

// A block is a value in the text of an interaction.
type block struct {
	kind    kind
	text    string   // of a scalar: what stands on its line; of a literal: its header
	lines   []string // of a literal, without their indentation
	entries []entry  // of a collection

	key    string // that it stands under; an element of a list has that of the list
	col    int    // of the entries of a collection, and of the lines of a literal
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

type kind uint8

const (
	scalar kind = iota
	literal
	mapping
	list
)

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
