package alias

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// A writer knows the values of the interactions that it has seen.
type writer struct {
	values, all map[[sha256.Size]byte]*value // by the sums of their texts; all those of the file, once they are known
	names       map[string]bool
	met         []*value // in the interaction that it sees
}

// Key is the key of an interaction under which the elements of its lists stand that are new
// in the file, if the lists have nothing else but aliases.
const Key = "new"

// minAliases is how many elements of a list must be known for that.
const minAliases = 3

// mostText is the length in bytes of an interaction that nobody reviews.
const mostText = 8 << 20

// Write returns the texts of the interactions of a file, in which what repeats is written
// once. It reads those that have it twice, since the blocks of all take many times their memory.
func Write(texts [][]byte) [][]byte {
	first := &writer{values: map[[sha256.Size]byte]*value{}}
	met := make([][]*value, len(texts))
	for i, text := range texts {
		if len(text) > mostText {
			continue
		}
		if root, ok := read(string(text)); ok {
			first.see(root)
			met[i], first.met = first.met, nil
		}
	}
	w := &writer{values: map[[sha256.Size]byte]*value{}, names: map[string]bool{}, all: first.values}
	written := slices.Clone(texts)
	for i, text := range texts {
		if slices.ContainsFunc(met[i], func(v *value) bool { return v.shared }) {
			root, _ := read(string(text))
			w.see(root)
			w.name(root)
			written[i] = []byte(root.print(len(text)))
		}
	}
	return written
}

// see finds what of an interaction stands in the file already.
func (w *writer) see(root *block) {
	var fresh []*block
	w.flatten(root, &fresh)
	list := &block{head: Key + ":", isList: true}
	for _, b := range fresh {
		w.visit(b)
		if !b.alias {
			list.entries = append(list.entries, b)
		}
	}
	w.visit(root)
	if at := slices.IndexFunc(root.entries, func(e *block) bool { return e.head == "request:" }); at >= 0 && len(list.entries) > 0 {
		root.entries = slices.Insert(root.entries, at, list)
	}
}

// flatten finds the lists that mostly have what is known, and adds copies of what they have
// beside it to fresh.
func (w *writer) flatten(b *block, fresh *[]*block) {
	if b.large && w.known(b) != nil {
		return
	}
	b.flow = b.isList && w.isMostlyKnown(b)
	if !b.flow {
		for _, e := range b.entries {
			w.flatten(e, fresh)
		}
		return
	}
	for _, e := range b.entries {
		if e.large && w.known(e) == nil {
			moved := *e
			*fresh = append(*fresh, &moved)
		}
	}
}

// isMostlyKnown reports whether a list can be written on one line, and has enough that is
// known.
func (w *writer) isMostlyKnown(b *block) bool {
	n := 0
	for _, e := range b.entries {
		if !e.large && e.inFlow() == "" {
			return false
		}
		if e.large && w.known(e) != nil {
			n++
		}
	}
	return n >= minAliases
}

// known returns the value of a large block, if it stands above.
func (w *writer) known(b *block) *value {
	if b.sum == [sha256.Size]byte{} {
		b.sum = sha256.Sum256([]byte(b.plain()))
	}
	return w.values[b.sum]
}

// visit finds what of a block is known, and makes the rest known.
func (w *writer) visit(b *block) {
	if b.large {
		if v := w.known(b); v != nil {
			v.shared, b.of, b.alias = true, v, true
			w.met = append(w.met, v)
			return
		}
		b.of = cmp.Or(w.all[b.sum], new(value))
		w.values[b.sum] = b.of
		w.met = append(w.met, b.of)
	}
	for _, e := range b.entries {
		w.visit(e)
	}
}

// name gives anchors their names: what a value is, and four digits of a hash of what it
// holds, so that a name says nothing of what else is in the file.
func (w *writer) name(b *block) {
	if b.alias {
		return
	}
	if b.of != nil && b.of.shared {
		for digits := 4; b.of.name == "" || w.names[b.of.name]; digits *= 2 {
			b.of.name = clean(b.key) + b.label() + "-" + hex.EncodeToString(b.sum[:])[:digits]
		}
		w.names[b.of.name] = true
	}
	for _, e := range b.entries {
		w.name(e)
	}
}

// label returns what tells a value from others of its kind: its name, or that of what it has.
func (b *block) label() string {
	for _, head := range []string{"name:", "role:", "type:"} {
		for _, e := range b.entries {
			switch {
			case e.head == head && len(e.lines) == 0:
				return "-" + clean(e.text)
			case head == "name:" && !e.isList:
				for _, inner := range e.entries {
					if inner.head == head && len(inner.lines) == 0 {
						return "-" + clean(inner.text)
					}
				}
			}
		}
	}
	return ""
}

// clean makes a text a part of a name.
func clean(s string) string {
	const longest = 32
	s = noLetter().ReplaceAllString(strings.Trim(s, `"'`), "_")
	return cmp.Or(s[:min(len(s), longest)], "value")
}

var noLetter = memo.Regexp(`[^A-Za-z0-9_]`)
