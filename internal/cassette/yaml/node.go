// Package yaml reads the YAML that people write by hand into a tree of nodes with
// their places, and writes scalars so that every YAML reader takes them for the text
// that they are.
//
// It reads block and flow collections, all five scalar styles, comments, tags, anchors and
// aliases. What a file of data has no use for (merge keys, explicit keys, directives,
// several documents) is refused by name, and so is anything doubtful.
// Nothing is guessed: a text that is accepted means what YAML 1.2
// (https://yaml.org/spec/1.2.2) says it means.
package yaml

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// A Node is one YAML value.
type Node struct {
	Kind   Kind
	Style  Style   // of a scalar
	Item   int32   // an element of a block sequence: the offset of its dash
	Pos    int     // the offset in the text
	Anchor int32   // the number of the anchor before it, from 1; 0 if there is none
	Size   int32   // of a value that an alias stands for: about how many bytes it has
	Tag    string  // as written, "" if there is none
	Text   string  // a scalar's text, without quotes, escapes and folding; or the JSON of a collection
	Key    *Node   // of a mapping's value: a scalar
	Elems  []*Node // a mapping's values, a sequence's elements
}

// Kind is the kind of a Node.
type Kind uint8

// The kinds of nodes. A value that is left out is a plain scalar without text.
const (
	Scalar Kind = iota
	Mapping
	Sequence
)

// Style is how a scalar is written.
type Style uint8

// The styles of scalars.
const (
	Plain  Style = iota
	Quoted       // in single or double quotes
	Block        // literal or folded
)

// Decode returns the text of a scalar. With the tag !!binary it is decoded from base64.
func (n *Node) Decode() (string, error) {
	if n.Tag != "!!binary" {
		return n.Text, nil
	}
	b, err := DecodeBase64(n.Text)
	return string(b), err
}

// DecodeBase64 decodes base64 of a file. It may contain spaces, which are the line breaks
// of a scalar of several lines.
func DecodeBase64(s string) ([]byte, error) {
	return base64.StdEncoding.Strict().DecodeString(strings.ReplaceAll(s, " ", ""))
}

// An Error tells what is wrong with a text and at which offset.
type Error struct {
	Offset int
	Msg    string
}

// Position returns the line and column of the offset in text, both counted from 1,
// columns in characters.
func Position(text string, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	bol := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[bol:]) + 1
}

// Clip shortens s to 40 characters, for a message.
func Clip(s string) string {
	const limit = 40
	n := 0
	for i := range s {
		n++
		if n > limit {
			return s[:i] + "..."
		}
	}
	return s
}
