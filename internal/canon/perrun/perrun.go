// Package perrun finds the values in messages of a process that are others in each run: IDs that
// only say which message belongs to which, IDs of sessions, temporary folders. Two messages that
// differ only in them are equal, if each value of one run stands for one value of the other.
//
// The members of a message tell where its IDs are, so that no protocol has to be named; see places.
package perrun

import (
	"cmp"
	"slices"
	"strings"
)

// OfSent returns the values in a message that the program has sent: IDs at their places, the values
// of members that name a session or a message, temporary folders, and the random texts whose names
// are known. Other random texts are not among them: they may be what the message is about. The order
// of the values does not depend on the order of the members.
func OfSent(text string, isKnown func(name string) bool) []Value {
	ids := idsOf(text, true)
	values := append(ids, without(sessionIDs(text), ids)...)
	values = append(values, without(find(text, tempFolder()), values)...)
	for _, v := range without(Tokens(text), values) {
		if isKnown(v.Name) {
			values = append(values, v)
		}
	}
	return inOrder(values)
}

// None says that no name is known.
func None(string) bool { return false }

// OfReceived returns the values in a message that the program has received, like OfSent: IDs at
// their places, and all texts that look random.
func OfReceived(text string) []Value {
	ids := idsOf(text, false)
	return inOrder(append(ids, without(Tokens(text), ids)...))
}

// Tokens returns the texts that look random, wherever they are: UUIDs, IDs such as
// "sess_01ABcdEFgh23", long hexadecimal numbers, and temporary folders.
func Tokens(text string) []Value { return find(text, token()) }

// inOrder sorts values by their paths, and values of one path by their places.
func inOrder(values []Value) []Value {
	slices.SortFunc(values, func(a, b Value) int {
		return cmp.Or(strings.Compare(a.path, b.path), a.Start-b.Start)
	})
	return values
}

// without returns the values that are in none of others.
func without(values, others []Value) []Value {
	return slices.DeleteFunc(values, func(v Value) bool {
		return slices.ContainsFunc(others, func(other Value) bool {
			return other.Start <= v.Start && v.End <= other.End
		})
	})
}

// Names returns the names of values.
func Names(values []Value) []string {
	var names []string
	for _, v := range values {
		names = append(names, v.Name)
	}
	return names
}

// Mask returns a text with "#" in the place of values.
func Mask(text string, values []Value) string {
	return replace(text, values, func(i int) string {
		if values[i].isJSON {
			return `"#"`
		}
		return "#"
	})
}

// Rename returns a text in which each value has another name. A name is of the kind of its value.
func Rename(text string, values []Value, names []string) string {
	return replace(text, values, func(i int) string {
		_, value, _ := strings.Cut(names[i], ":")
		return value
	})
}

// replace replaces values: the one with the number i by with(i).
func replace(text string, values []Value, with func(i int) string) string {
	numbers := make([]int, len(values))
	for i := range numbers {
		numbers[i] = i
	}
	slices.SortFunc(numbers, func(a, b int) int { return values[a].Start - values[b].Start })

	var b strings.Builder
	end := 0
	for _, i := range numbers {
		b.WriteString(text[end:values[i].Start])
		b.WriteString(with(i))
		end = values[i].End
	}
	b.WriteString(text[end:])
	return b.String()
}
