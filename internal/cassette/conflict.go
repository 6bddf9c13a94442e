package cassette

import (
	"bytes"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Parts of a file in which git has left merge conflicts.
const (
	commonPart = iota // outside of the conflicts: both sides have it
	oursPart
	basePart // only with merge.conflictStyle diff3 or zdiff3
	theirsPart
)

// conflictMarkers are the starts of the lines that git writes above the parts.
var conflictMarkers = [...]string{
	commonPart: ">>>>>>>",
	oursPart:   "<<<<<<<",
	basePart:   "|||||||",
	theirsPart: "=======",
}

// ConflictSides returns the two versions of a cassette in which git has left merge conflicts. ok
// is false without conflicts, and if a marker of git is missing or out of order.
//
// Both versions get all seals of the file. Outside of the conflicts, git may have put together an
// interaction from lines of both versions. Its text then has no seal, so it counts as edited.
func ConflictSides(data []byte) (ours, theirs []byte, ok bool) {
	var seals []string
	part := commonPart
	hasConflict := false
	for line := range strings.SplitAfterSeq(codec.Normalize(data), "\n") {
		if isSealLine(line) {
			seals = append(seals, line)
			continue
		}
		next, isMarker := partBelow(line)
		if isMarker {
			isInOrder := next == (part+1)%len(conflictMarkers) ||
				part == oursPart && next == theirsPart
			if !isInOrder {
				return nil, nil, false
			}
			part = next
			hasConflict = true
			continue
		}
		if part == commonPart || part == oursPart {
			ours = append(ours, line...)
		}
		if part == commonPart || part == theirsPart {
			theirs = append(theirs, line...)
		}
	}
	isClosed := part == commonPart
	return addSeals(ours, seals), addSeals(theirs, seals), hasConflict && isClosed
}

// isSealLine reports whether a line of a cassette is a seal.
func isSealLine(line string) bool {
	text := strings.TrimPrefix(strings.TrimSuffix(line, "\n"), codec.ItemStart)
	_, ok := parseSeal(text)
	return ok
}

// partBelow returns the part that begins below a line. ok is false if the line is not a conflict
// marker.
func partBelow(line string) (part int, ok bool) {
	for part, marker := range conflictMarkers {
		rest, found := strings.CutPrefix(line, marker)
		if found && (rest == "" || rest[0] == ' ' || rest[0] == '\n') {
			return part, true
		}
	}
	return 0, false
}

// addSeals returns the text of a cassette with the lines of seals above its last line. A text
// without that line is incomplete and returned as it is.
func addSeals(text []byte, seals []string) []byte {
	lastLine := []byte(codec.EndMark + "\n")
	above, hasLastLine := bytes.CutSuffix(text, lastLine)
	if !hasLastLine {
		return text
	}
	return slices.Concat(above, []byte(strings.Join(seals, "")), lastLine)
}

// LoadConflicted reads the interactions of a cassette in which git has left merge conflicts: those
// of our version, then those that only their version has. An interaction without a valid seal is
// skipped, since it was edited by hand, or git has put it together from lines of both versions.
// ok is false if the file has no conflicts, or if one of the versions cannot be parsed.
func LoadConflicted(path string) (idx *Index, skipped int, ok bool) {
	data, err := readFile(path)
	if err != nil {
		return nil, 0, false
	}
	ours, theirs, ok := ConflictSides(data)
	if !ok {
		return nil, 0, false
	}

	idx = &Index{path: path}
	for _, side := range [][]byte{ours, theirs} {
		f, err := Parse(path, side, assetReader(path))
		if err != nil {
			return nil, 0, false
		}
		idx.Pinned = idx.Pinned || f.Pinned
		idx.Partial = idx.Partial || f.Partial
		idx.RecordedValues = idx.RecordedValues.Or(f.RecordedValues)

		// Two equal interactions of the same side are both kept.
		known := len(idx.items)
		for _, it := range f.Interactions {
			hasSeal := it.MatchKey != "" // only seals have match keys
			if !hasSeal {
				skipped++
			} else if !idx.renew(known, it) {
				idx.items = append(idx.items, parsedEntry(it))
			}
		}
	}
	return idx, skipped, true
}

// renew reports whether one of the first known items is the same as an interaction, except for the
// day on which it was recorded. The later day counts.
func (idx *Index) renew(known int, it *interaction.Interaction) (isKnown bool) {
	for i, e := range idx.items[:known] {
		if e.it.MatchKey != it.MatchKey || !e.it.SameExceptDate(it) {
			continue
		}
		isKnown = true
		if e.it.Recorded < it.Recorded {
			idx.items[i] = parsedEntry(it)
			break
		}
	}
	return isKnown
}
