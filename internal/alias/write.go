package alias

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"slices"
	"strings"
)

// A writer knows the values of the interactions that it has seen.
type writer struct {
	seed   maphash.Seed
	values map[uint64]*value
	names  map[string]bool
}

// Key is the key of an interaction under which the elements of its lists stand that are new
// in the file, if the lists have nothing else but aliases.
const Key = "new"

// minAliases is how many elements of a list must be known for that.
const minAliases = 3

// mostText is the length in bytes of an interaction that nobody reviews.
const mostText = 8 << 20

// Write returns the texts of the interactions of a file, in which what repeats is written
// once.
func Write(texts [][]byte) [][]byte {
	w := &writer{seed: maphash.MakeSeed(), values: map[uint64]*value{}, names: map[string]bool{}}
	roots, shared := make([]*block, len(texts)), false
	for i, text := range texts {
		if len(text) > mostText {
			continue
		}
		if root, ok := read(string(text)); ok {
			roots[i] = root
			w.see(root)
		}
	}
	for _, v := range w.values {
		shared = shared || v.shared
	}
	if !shared {
		return texts
	}
	written := make([][]byte, len(texts))
	for i, root := range roots {
		if written[i] = texts[i]; root != nil {
			w.name(root)
			written[i] = []byte(root.print())
		}
	}
	return written
}

// see finds what of an interaction stands in the file already.
func (w *writer) see(root *block) {
	var fresh []*block
	w.flatten(root, &fresh)
	list := &block{isList: true, col: 2}
	for _, b := range fresh {
		if w.visit(b); !b.alias {
			b.shift = list.col + 2 - b.col
			list.entries = append(list.entries, entry{"-", b})
		}
	}
	w.visit(root)
	if at := slices.IndexFunc(root.entries, func(e entry) bool { return e.head == "request:" }); at >= 0 && len(list.entries) > 0 {
		root.entries = slices.Insert(root.entries, at, entry{Key + ":", list})
	}
}

// flatten finds the lists that mostly have what is known, and adds copies of what they have
// beside it to fresh.
func (w *writer) flatten(b *block, fresh *[]*block) {
	if b == nil || b.large && w.known(b) != nil {
		return
	}
	if b.flow = b.isList && w.isMostlyKnown(b); !b.flow {
		for _, e := range b.entries {
			w.flatten(e.block, fresh)
		}
		return
	}
	for _, e := range b.entries {
		if e.block.large && w.known(e.block) == nil {
			moved := *e.block
			*fresh = append(*fresh, &moved)
		}
	}
}

// isMostlyKnown reports whether a list can be written on one line, and has enough that is
// known.
func (w *writer) isMostlyKnown(b *block) bool {
	n := 0
	for _, e := range b.entries {
		if e.block == nil || !e.block.large && e.block.inFlow() == "" {
			return false
		}
		if e.block.large && w.known(e.block) != nil {
			n++
		}
	}
	return n >= minAliases
}

// known returns the value of a large block, if it stands above.
func (w *writer) known(b *block) *value {
	if b.hash == 0 {
		b.hash = maphash.String(w.seed, b.plain())
	}
	return w.values[b.hash]
}

// visit finds what of a block is known, and makes the rest known.
func (w *writer) visit(b *block) {
	if b == nil {
		return
	}
	if b.large {
		if v := w.known(b); v != nil {
			v.shared, b.of, b.alias = true, v, true
			return
		}
		b.of = new(value)
		w.values[b.hash] = b.of
	}
	for _, e := range b.entries {
		w.visit(e.block)
	}
}

// name gives anchors their names: what a value is, and four digits of a hash of what it
// holds, so that a name says nothing of what else is in the file.
func (w *writer) name(b *block) {
	if b == nil || b.alias {
		return
	}
	if b.of != nil && b.of.shared {
		sum := sha256.Sum256([]byte(b.plain()))
		for digits := 4; b.of.name == "" || w.names[b.of.name]; digits *= 2 {
			b.of.name = clean(b.key) + b.label() + "-" + hex.EncodeToString(sum[:])[:digits]
		}
		w.names[b.of.name] = true
		b.anchor = b.of.name
	}
	for _, e := range b.entries {
		w.name(e.block)
	}
}

// label returns what tells a value from others of its kind: its name, or that of what it has.
func (b *block) label() string {
	for _, head := range []string{"name:", "role:", "type:"} {
		for _, e := range b.entries {
			switch {
			case e.head == head && e.block.isScalar():
				return "-" + clean(e.block.text)
			case head == "name:" && e.block != nil && !e.block.isList:
				for _, inner := range e.block.entries {
					if inner.head == head && inner.block.isScalar() {
						return "-" + clean(inner.block.text)
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
	s = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_':
			return r
		}
		return '_'
	}, strings.Trim(s, `"'`))
	return cmp.Or(s[:min(len(s), longest)], "value")
}
