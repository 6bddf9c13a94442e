package cassette

import (
	"bytes"
	"os"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/codec"
)

// Sides returns the two sides of a cassette in which git has left a merge conflict; ok is
// false if it has none, or not whole ones. The seals of both are in each: what is the text of one
// side between lines that were merged from the other one is known by that no seal holds for it.
func Sides(data []byte) (ours, theirs []byte, ok bool) {
	const both, left, base, right = 0, 1, 2, 3
	var seals []string
	at := both
	lines := strings.SplitAfter(codec.Normalize(data), "\n")
	for _, line := range lines {
		is := func(mark string) bool {
			rest, ok := strings.CutPrefix(line, mark)
			return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\n')
		}
		if _, isSeal := parseSeal(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), codec.ItemStart)); isSeal {
			seals = append(seals, line)
			continue
		}
		switch {
		case is("<<<<<<<") && at == both:
			at, ok = left, true
		case is("|||||||") && at == left:
			at = base
		case is("=======") && (at == left || at == base):
			at = right
		case is(">>>>>>>") && at == right:
			at = both
		case is("<<<<<<<"), is("|||||||"), is("======="), is(">>>>>>>"):
			return nil, nil, false
		default:
			if at == both || at == left {
				ours = append(ours, line...)
			}
			if at == both || at == right {
				theirs = append(theirs, line...)
			}
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
// conflict: those of ours, then those that only theirs has. What was merged of lines of both is
// left out, since nobody ever got such an answer. ok is false if the file has no conflict, or
// cannot be read without it either.
func Heal(path string) (s *Index, ok bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	ours, theirs, ok := Sides(data)
	s = &Index{path: path}
	for _, side := range [][]byte{ours, theirs} {
		f, err := Parse(path, side, readFrom(assetDir(target(path))))
		if err != nil || !ok {
			return nil, false
		}
		s.Pinned, s.Partial, s.Given = s.Pinned || f.Pinned, s.Partial || f.Partial, s.Given.Or(f.Given)
		mine := s.items
		for _, it := range f.Interactions {
			isKnown := slices.ContainsFunc(mine, func(e entry) bool {
				return e.it.MatchKey == it.MatchKey && e.it.Difference(it) == ""
			})
			if it.MatchKey != "" && !isKnown {
				s.items = append(s.items, readEntry(it))
			}
		}
	}
	return s, true
}
