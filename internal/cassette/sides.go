package cassette

import (
	"bytes"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/codec"
)

// Sides returns the two sides of a cassette in which git has left a merge conflict; ok is
// false if it has none, or not whole ones. The seals of both are in each: what is the text of one
// side between lines that were merged from the other one is known by that no seal holds for it.
func Sides(data []byte) (ours, theirs []byte, ok bool) {
	const both, left, right = 0, 1, 3 // which the marks lead to; 2 is the base
	marks := []string{">>>>>>>", "<<<<<<<", "|||||||", "======="}
	var seals []string
	at := both
	for line := range strings.SplitAfterSeq(codec.Normalize(data), "\n") {
		is := func(mark string) bool {
			rest, ok := strings.CutPrefix(line, mark)
			return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\n')
		}
		if _, isSeal := parseSeal(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), codec.ItemStart)); isSeal {
			seals = append(seals, line)
			continue
		}
		if next := slices.IndexFunc(marks, is); next >= 0 {
			ok = next == (at+1)%len(marks) || at == left && next == right
			if !ok {
				return nil, nil, false
			}
			at = next
			continue
		}
		if at == both || at == left {
			ours = append(ours, line...)
		}
		if at == both || at == right {
			theirs = append(theirs, line...)
		}
	}
	end := []byte(codec.EndMark + "\n")
	for _, side := range []*[]byte{&ours, &theirs} {
		if text, isWhole := bytes.CutSuffix(*side, end); isWhole {
			*side = append([]byte(string(text)+strings.Join(seals, "")), end...)
		}
	}
	return ours, theirs, ok && at == both
}

// Heal returns the recordings of both sides of a cassette in which git has left a merge
// conflict: those of ours, then those that only theirs has. Left out, and counted, is what no
// seal vouches for: it was edited by hand, or merged of lines of both sides, and nobody can tell.
// ok is false if the file has no conflict, or cannot be read without it either.
func Heal(path string) (s *Index, left int, ok bool) {
	data, err := readFile(path)
	if err != nil {
		return nil, 0, false
	}
	ours, theirs, ok := Sides(data)
	s = &Index{path: path}
	for _, side := range [][]byte{ours, theirs} {
		f, err := Parse(path, side, assetReader(path))
		if err != nil || !ok {
			return nil, 0, false
		}
		s.Pinned = s.Pinned || f.Pinned
		s.Partial = s.Partial || f.Partial
		s.RecordedValues = s.RecordedValues.Or(f.RecordedValues)
		mine := s.items
		for _, it := range f.Interactions {
			isKnown := func(e entry) bool { return e.it.MatchKey == it.MatchKey && e.it.Difference(it) == "" }
			if it.MatchKey == "" {
				left++
			} else if !slices.ContainsFunc(mine, isKnown) {
				s.items = append(s.items, readEntry(it))
			}
		}
	}
	return s, left, true
}
