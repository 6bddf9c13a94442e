package cassette

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A seal says what the text of an interaction was when it was written, so that an
// edit is noticed, and so that an interaction that was not edited need not be read
// before it is asked for. The seals of a cassette are a list at its end, and a
// journal has one before each interaction:
//
//   - KEY REQUEST CHECKSUM LENGTH REVISION
//
// KEY is the interaction's match key and REQUEST the [interaction.Request.Digest],
// both in 16 hex digits. CHECKSUM is the CRC-32C of the text, combined with that of
// KEY and REQUEST. LENGTH is that of the text in bytes. REVISION numbers the rules
// that made the match key: under other rules a seal that holds tells only that there
// was no edit. Behind it stands, if the interaction shares values with others, the
// CRC-32C of its text without anchors and aliases: a merge by lines, or an edit of
// another interaction, may change which values are shared and not what they are.
type seal struct {
	key, request uint64
	text         textID
	revision     uint32
	plain        uint32 // 0 if there is none
}

// A textID tells texts of interactions apart.
type textID struct {
	sum uint32
	len int
}

// castagnoli returns the table of the CRC-32C. Package crc32 makes it once, when it is
// first asked: a test binary need not make it as it starts.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func idOf(text []byte) textID { return textID{crc32.Checksum(text, castagnoli()), len(text)} }

// sealOf returns the seal of an interaction that has this text.
func sealOf(it *interaction.Interaction, text []byte, revision uint32) seal {
	s := seal{request: it.Request.Digest(), text: idOf(text), revision: revision}
	if key, err := strconv.ParseUint(it.MatchKey, 16, 64); err == nil && hexKey(key) == it.MatchKey {
		s.key = key
	}
	return s
}

// SealOf returns the seal of an interaction that has this text, as it stands in a file.
func SealOf(it *interaction.Interaction, text []byte, revision uint32) string {
	s := sealOf(it, text, revision)
	return s.String()
}

// hexKey returns a match key as an interaction has it.
func hexKey(key uint64) string { return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, key)) }

// String returns the seal as it stands in a file.
func (s *seal) String() string {
	text := fmt.Sprintf("%016x %016x %08x %d %d", s.key, s.request, s.text.sum^s.hashSum(), s.text.len, s.revision)
	if s.plain != 0 {
		text += fmt.Sprintf(" %08x", s.plain)
	}
	return text
}

// plainSum returns the checksum of the text of an interaction without what it shares with others
// and what is written above streams for the reader.
func checksumPlain(text []byte) uint32 {
	// Nothing else in an answer begins with that mark in that column.
	answer := max(0, bytes.Index(text, []byte(codec.AnswerStart)))
	before, rest, found := bytes.Cut(text[answer:], comment)
	sum := idOf(text[:answer+len(before)]).sum
	for ; found; rest, found = bytes.CutPrefix(rest, comment) {
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		rest = rest[len(line):]
	}
	return crc32.Update(sum, castagnoli(), rest)
}

var comment = []byte("\n    #") // begins a line

// hashSum returns the checksum of the two hashes.
func (s *seal) hashSum() uint32 {
	hashes := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(make([]byte, 0, 16), s.key), s.request)
	return crc32.Checksum(hashes, castagnoli())
}

// parseSeal reads a seal as String returns it.
func parseSeal(line string) (s seal, ok bool) {
	var n [6]uint64
	for i, format := range [6]struct{ base, bits int }{{16, 64}, {16, 64}, {16, 32}, {10, 30}, {10, 32}, {16, 32}} {
		var word string
		var err error
		word, line, _ = strings.Cut(line, " ")
		if i == 5 && word == "" {
			break
		}
		n[i], err = strconv.ParseUint(word, format.base, format.bits)
		if err != nil {
			return seal{}, false
		}
	}
	s = seal{n[0], n[1], textID{uint32(n[2]), int(n[3])}, uint32(n[4]), uint32(n[5])}
	s.text.sum ^= s.hashSum()
	return s, line == ""
}

// A journal is a file that grows by an interaction at a time. It is the text of a
// cassette without its end, and the seal of each interaction stands in a frame before
// it, behind a blank line:
//
//	# entry cf496412f553c8fe f1d279b3efbb1ae4 9f21e5eb 1364 2
//
// The recorded values (time, seed, env) are in it each time there are more of
// them, behind the checksum and the length of its text:
//
//	# given 9f21e5eb 85
//
// No interaction and no value has a line like these, so that whatever is torn, or missing
// in the middle, costs only what it is part of.
const (
	frameStart  = "\n# entry "
	valuesStart = "\n# given "
)

// How a cassette that [Contents.Save] wrote begins and ends. What may stand between
// "version" and "interactions" is pinned, partial and the recorded values, in
// this order. The last line is YAML's mark for the end of a document (YAML 1.2.2, 9.1.4).
const (
	header = firstLine + ": credentials are replaced, everything else is as it was sent. " +
		"https://github.com/promptecho/promptecho/blob/main/docs/CASSETTE.md\n"
	firstLine = "# promptecho cassette"
	headStart = header + "version: 1\n"
	sealsLine = "seals: # made by promptecho, to see what was edited above; leave them as they are\n"
)

// cutSeals divides what stands below "interactions:" into the interactions and the
// seals; ok is false if it does not end as Save ends it.
func cutSeals(text []byte) (items []byte, seals []seal, ok bool) {
	at := bytes.LastIndexByte(text, ':') - len("\nseals") // no seal has a colon
	if at < 0 || !bytes.HasPrefix(text[at:], []byte("\n"+sealsLine)) {
		return nil, nil, false
	}
	items, list := text[:at+1], string(text[at+1+len(sealsLine):])
	seals = make([]seal, 0, strings.Count(list, "\n"))
	for {
		line, rest, more := strings.Cut(list, "\n")
		if line == codec.EndMark {
			return items, seals, rest == ""
		}
		words, ok := strings.CutPrefix(line, codec.ItemStart)
		s, whole := parseSeal(words)
		if !ok || !whole || !more {
			return nil, nil, false
		}
		seals = append(seals, s)
		list = rest
	}
}

// findMark returns where the mark at the end stands in a file, -1 if it is not
// there. No text in a file has such a line.
func findEndMark(text string) int {
	at := strings.LastIndex(text, "\n"+codec.EndMark) + 1
	behind := strings.TrimPrefix(text[at:], codec.EndMark)
	if at == 0 || behind != "" && !strings.Contains(" \t\n", behind[:1]) {
		return -1
	}
	return at
}

// recorded reports whether a text is of a file that promptecho wrote, by its first line
// or its seals.
func recorded(text string) bool {
	return text != "" && strings.HasPrefix(header, text) || strings.HasPrefix(text, firstLine) || strings.Contains(text, "\n"+firstLine) || strings.Contains(text, "\n"+sealsKey)
}

const sealsKey = "seals:"

// checkComplete returns an error if a file was cut: that is the reason for whatever else is
// wrong with it. A file that was recorded ends with a mark.
func checkComplete(name, text string) *codec.SyntaxError {
	if !recorded(text) || findEndMark(text) >= 0 {
		return nil
	}
	again := "record it again: PROMPTECHO_MODE=all go test -run NAME"
	if isPinned(text) {
		again = "remove \"pinned: true\" and record it again"
	}
	last := len(strings.TrimRight(text, "\n"))
	const isMissing = "the file was cut here: its last line, three dots (%q), is missing. "
	file := codec.CommandFile(name)
	var err *codec.SyntaxError
	if SealsOf(text) > 0 {
		err = codec.ErrorAt(name, text, last, "", isMissing+"If a formatter removed that line, "+
			"promptecho verify -w %s puts it back. "+
			"Otherwise restore the file: git checkout -- %s, or %s", codec.EndMark, file, file, again)
		err.NoEndMark = true
	} else {
		err = codec.ErrorAt(name, text, last, "", isMissing+"Restore it: git checkout -- %s, or %s", codec.EndMark, file, again)
	}
	err.Cut = true
	return err
}

// EndMark is the last line of a file.
const EndMark = codec.EndMark

// SealsOf returns how many seals the text of a file ends with, 0 if it ends with anything else. A
// file that has all of them, and no mark behind them, was written anew by a formatter and not cut.
func SealsOf(text string) (n int) {
	_, seals, _ := strings.Cut(text, "\n"+sealsKey)
	_, seals, _ = strings.Cut(seals, "\n") // what stands behind the key
	for line := range strings.Lines(seals) {
		if _, ok := parseSeal(strings.TrimLeft(strings.TrimSpace(line), "- ")); !ok {
			return 0
		}
		n++
	}
	return n
}

// isPinned reports whether the text of a file says that it is, also if it cannot be read.
func isPinned(text string) bool { return strings.Contains("\n"+text, "\npinned: true") }

// unseal gives the interactions the match keys that the seals have for them, and
// returns the lines of those that were edited since they were recorded, or that of the
// seals if their number is another; none if nothing was, or if the file was never recorded.
// What shares values with one that was edited is not, but has no match key.
func applySeals(items []codec.Item, text string, list []string) (edited []int) {
	if !recorded(text) {
		return nil
	}
	var seals []seal
	byText := map[textID]seal{}
	for _, line := range list {
		if s, ok := parseSeal(line); ok { // one that was edited is none
			seals = append(seals, s)
			byText[s.text] = s
		}
	}
	end := findEndMark(text)
	if at := strings.LastIndex(text, "\n"+sealsKey); at >= 0 {
		end = at + 1
	}
	isShared := slices.ContainsFunc(seals, func(s seal) bool { return s.plain != 0 })
	doubtful := make([]bool, len(items))
	for i := range items {
		from, to := items[i].At, end
		if i+1 < len(items) {
			to = items[i+1].At
		}
		it := items[i].Its[0]
		s, held := byText[idOf([]byte(text[from:max(from, to)]))]
		whole := held && !slices.ContainsFunc(items[i].Of, func(i int) bool { return doubtful[i] })
		if !whole && isShared {
			// A seal holds for what an interaction says, whatever it shares.
			text, _, _ := codec.Encode(it)
			sum, digest := checksumPlain(text), it.Request.Digest()
			at := slices.IndexFunc(seals, func(s seal) bool { return s.request == digest && cmp.Or(s.plain, s.text.sum) == sum })
			whole = at >= 0
			if whole {
				s = seals[at]
			}
		}
		if !whole && !held {
			edited = append(edited, it.Line)
		}
		doubtful[i] = !whole
		for _, it := range items[i].Its {
			if whole && s.key != 0 {
				it.MatchKey = hexKey(s.key)
			}
		}
	}
	if edited == nil && len(seals) != len(items) {
		edited = []int{1 + strings.Count(text[:end], "\n")}
	}
	return edited
}
