package alias

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// Key is the key of an interaction that contains the new elements of lists which otherwise
// consist of aliases. Such a list is then one line of aliases.
const Key = "new"

const (
	// minAliases is how many elements of a list must stand further up in the file before
	// the list is written as one line of aliases.
	minAliases = 3

	// maxText is the length in bytes of the longest interaction in which values are
	// looked for. A longer one is not reviewed by people.
	maxText = 8 << 20
)

// A finder finds the values of a file that occur several times, one interaction after the
// other.
type finder struct {
	values map[[sha256.Size]byte]*value // the large values so far, by their sums
	all    map[[sha256.Size]byte]*value // those of the whole file, once they are known
	names  map[string]bool              // the anchors so far
	found  []*value                     // the large values of the interaction
}

// Write returns the texts of the interactions of a file, in which a value that occurs
// several times is written once.
//
// It reads an interaction with such values a second time: the blocks of all interactions
// would take many times their memory.
func Write(texts [][]byte) [][]byte {
	first := &finder{values: map[[sha256.Size]byte]*value{}}
	found := make([][]*value, len(texts))
	for i, text := range texts {
		if len(text) > maxText {
			continue
		}
		root, ok := read(string(text))
		if ok {
			first.markAliases(root)
			found[i] = first.found
			first.found = nil
		}
	}

	second := &finder{
		values: map[[sha256.Size]byte]*value{},
		all:    first.values,
		names:  map[string]bool{},
	}
	written := slices.Clone(texts)
	for i, text := range texts {
		hasShared := slices.ContainsFunc(found[i], func(v *value) bool { return v.isShared })
		if hasShared {
			root, _ := read(string(text))
			second.markAliases(root)
			second.nameAnchors(root)
			written[i] = []byte(root.print(len(text)))
		}
	}
	return written
}

// markAliases marks the large values of an interaction that the file contains before, in an
// earlier interaction or in this one. Such a value is written as an alias.
//
// A list with [minAliases] or more of these becomes one line of aliases. Its new elements are
// written before the request, in a list that markAliases inserts; see [Key]:
//
//	new:
//	- &message-tool-3c4d
//	  role: tool
//	  content: 22 degrees
//	request:
//	  body:
//	    messages: [*message-user-5e6f, *message-user-7a8b, *message-user-9c0d, *message-tool-3c4d]
func (f *finder) markAliases(root *block) {
	newElements := f.foldLists(root)
	newList := &block{head: Key + ":", isList: true}
	for _, e := range newElements {
		f.mark(e)
		if !e.isAlias {
			newList.entries = append(newList.entries, e)
		}
	}
	f.mark(root)

	isRequest := func(e *block) bool { return e.head == "request:" }
	at := slices.IndexFunc(root.entries, isRequest)
	if at >= 0 && len(newList.entries) > 0 {
		root.entries = slices.Insert(root.entries, at, newList)
	}
}

// foldLists sets isFlow for the lists in a block that become one line of aliases. It returns
// copies of the large elements of these lists that the file does not contain before.
func (f *finder) foldLists(b *block) (newElements []*block) {
	becomesAlias := b.isLarge && f.earlier(b) != nil
	if becomesAlias {
		return nil // the alias is written in place of the lists in it
	}
	b.isFlow = b.isList && f.canFold(b)
	if !b.isFlow {
		for _, e := range b.entries {
			newElements = append(newElements, f.foldLists(e)...)
		}
		return newElements
	}
	for _, e := range b.entries {
		isNew := e.isLarge && f.earlier(e) == nil
		if isNew {
			element := *e
			newElements = append(newElements, &element)
		}
	}
	return newElements
}

// canFold reports whether a list can be one line, and contains enough values that occur
// further up in the file.
func (f *finder) canFold(list *block) bool {
	aliases := 0
	for _, e := range list.entries {
		if !e.isLarge && e.flowText() == "" {
			return false
		}
		if e.isLarge && f.earlier(e) != nil {
			aliases++
		}
	}
	return aliases >= minAliases
}

// earlier returns the value of a large block if it occurs further up in the file, or nil.
func (f *finder) earlier(b *block) *value {
	isUnknown := b.sum == [sha256.Size]byte{}
	if isUnknown {
		b.sum = sha256.Sum256([]byte(b.content()))
	}
	return f.values[b.sum]
}

// mark marks a block as an alias if its value occurs further up in the file. Otherwise it
// adds the value to those of the file, and marks the blocks in it.
func (f *finder) mark(b *block) {
	if b.isLarge {
		v := f.earlier(b)
		if v != nil {
			v.isShared = true
			b.value = v
			b.isAlias = true
			f.found = append(f.found, v)
			return
		}
		b.value = cmp.Or(f.all[b.sum], new(value))
		f.values[b.sum] = b.value
		f.found = append(f.found, b.value)
	}
	for _, e := range b.entries {
		f.mark(e)
	}
}

// nameAnchors gives names to the anchors of shared values: what the value is, and four
// digits of the hash of its content, or more if another anchor has these. A name so
// depends on nothing else in the file.
func (f *finder) nameAnchors(b *block) {
	if b.isAlias {
		return
	}
	if b.value != nil && b.value.isShared {
		for digits := 4; b.value.anchor == "" || f.names[b.value.anchor]; digits *= 2 {
			b.value.anchor = word(b.key) + b.label() + "-" + hex.EncodeToString(b.sum[:])[:digits]
		}
		f.names[b.value.anchor] = true
	}
	for _, e := range b.entries {
		f.nameAnchors(e)
	}
}

// label returns "-" and the name, role or type of a value, which tells the value from
// others under the same key; "" if it has none of these.
func (b *block) label() string {
	for _, head := range []string{"name:", "role:", "type:"} {
		for _, e := range b.entries {
			if e.head == head && len(e.lines) == 0 {
				return "-" + word(e.text)
			}
			// OpenAI's tools have their name one level down: {function: {name: x}}.
			mayHaveName := head == "name:" && !e.isList
			if !mayHaveName {
				continue
			}
			for _, inner := range e.entries {
				if inner.head == head && len(inner.lines) == 0 {
					return "-" + word(inner.text)
				}
			}
		}
	}
	return ""
}

// word returns a text as a part of an anchor's name.
func word(text string) string {
	const longest = 32
	text = noLetter().ReplaceAllString(strings.Trim(text, `"'`), "_")
	return cmp.Or(text[:min(len(text), longest)], "value")
}

var noLetter = memo.Regexp(`[^A-Za-z0-9_]`)
