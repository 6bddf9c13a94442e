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

// A seal has the checksum of the text of an interaction. It has two uses: it shows whether the
// text was edited since it was written, and an interaction that was not edited need not be
// parsed until it is played. The seals of a cassette are a list at the end of the file. A
// journal has a seal before each interaction. The text of a seal is these words, and PLAIN may
// be missing:
//
//   - KEY: the match key of the interaction, in 16 hex digits.
//   - REQUEST: the [interaction.Request.Digest], in 16 hex digits.
//   - CHECKSUM: the CRC-32C of the text, XORed with the CRC-32C of KEY and REQUEST.
//   - LENGTH: the length of the text in bytes.
//   - REVISION: the number of the matching rules that made KEY. With other rules, KEY and
//     REQUEST are not used, and the seal only shows edits.
//   - PLAIN: the CRC-32C of the text without anchors and aliases, see [plainChecksum], if the
//     interaction shares values with others or is written once for several. A merge by lines,
//     or an edit of another interaction, can change which values are shared without changing
//     the values.
type seal struct {
	key, request uint64
	text         textID
	revision     uint32
	plain        uint32 // 0 if the seal has none
}

// A textID identifies the text of an interaction.
type textID struct {
	sum uint32 // CRC-32C
	len int
}

// castagnoli returns the table for CRC-32C. Package crc32 builds the table at the first call, so
// it costs a test binary nothing at its start.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func idOf(text []byte) textID { return textID{crc32.Checksum(text, castagnoli()), len(text)} }

// newSeal returns the seal of an interaction and its text. If the match key is not 16 lower-case
// hex digits, the key of the seal is 0, which means none.
func newSeal(it *interaction.Interaction, text []byte, revision uint32) seal {
	s := seal{request: it.Request.Digest(), text: idOf(text), revision: revision}
	key, err := strconv.ParseUint(it.MatchKey, 16, 64)
	if err == nil && hexKey(key) == it.MatchKey {
		s.key = key
	}
	return s
}

// SealOf returns the seal of an interaction and its text, in the form that a file has.
func SealOf(it *interaction.Interaction, text []byte, revision uint32) string {
	s := newSeal(it, text, revision)
	return s.String()
}

// hexKey returns a match key in the form of [interaction.Interaction.MatchKey]: 16 hex digits.
func hexKey(key uint64) string {
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, key))
}

// String returns the seal in the form that a file has; see [seal].
func (s *seal) String() string {
	checksum := s.text.sum ^ s.hashesChecksum()
	text := fmt.Sprintf("%016x %016x %08x %d %d",
		s.key, s.request, checksum, s.text.len, s.revision)
	if s.plain != 0 {
		text += fmt.Sprintf(" %08x", s.plain)
	}
	return text
}

// plainChecksum returns the CRC-32C of the text of an interaction, without the comment above the
// events of a streamed answer: the comment shows readers the text of the stream and is not part
// of the recording. text is as [codec.Encode] returns it, without anchors and aliases.
func plainChecksum(text []byte) uint32 {
	// In an answer, only that comment has a line that begins with commentStart.
	answer := max(0, bytes.Index(text, []byte(codec.ResponseStart)))
	above, below, isComment := bytes.Cut(text[answer:], commentStart)
	sum := idOf(text[:answer+len(above)]).sum
	for isComment {
		// Skip this line. The next one may be a comment, too.
		line, _, _ := bytes.Cut(below, []byte("\n"))
		below, isComment = bytes.CutPrefix(below[len(line):], commentStart)
	}
	return crc32.Update(sum, castagnoli(), below)
}

// commentStart is the start of a comment line in an answer, with the end of the line above.
var commentStart = []byte("\n    #")

// hashesChecksum returns the CRC-32C of the match key and the request digest.
func (s *seal) hashesChecksum() uint32 {
	hashes := make([]byte, 0, 16)
	hashes = binary.BigEndian.AppendUint64(hashes, s.key)
	hashes = binary.BigEndian.AppendUint64(hashes, s.request)
	return crc32.Checksum(hashes, castagnoli())
}

// sealFormats are the formats of the numbers in a seal, in the order of the text.
var sealFormats = [6]struct{ base, bits int }{
	{16, 64}, // KEY
	{16, 64}, // REQUEST
	{16, 32}, // CHECKSUM
	{10, 30}, // LENGTH
	{10, 32}, // REVISION
	{16, 32}, // PLAIN, which may be missing
}

// parseSeal parses a seal that String returned.
func parseSeal(line string) (s seal, ok bool) {
	var n [len(sealFormats)]uint64
	for i, format := range sealFormats {
		var word string
		word, line, _ = strings.Cut(line, " ")
		hasNoPlain := word == "" && i == len(n)-1
		if hasNoPlain {
			break
		}
		var err error
		n[i], err = strconv.ParseUint(word, format.base, format.bits)
		if err != nil {
			return seal{}, false
		}
	}

	s = seal{
		key:      n[0],
		request:  n[1],
		text:     textID{sum: uint32(n[2]), len: int(n[3])},
		revision: uint32(n[4]),
		plain:    uint32(n[5]),
	}
	s.text.sum ^= s.hashesChecksum()
	return s, line == ""
}

// A journal is a file to which a recording test appends each interaction. It has the first lines
// of a cassette, and then frames: a blank line, a line with the seal of the interaction, and the
// text of the interaction. The line with the seal:
//
//	# entry cf496412f553c8fe f1d279b3efbb1ae4 9f21e5eb 1364 2
//
// The recorded values (time, seed, env) are appended each time there are more of them. Their
// frame begins with the checksum and the length of their text:
//
//	# given 9f21e5eb 85
//
// No interaction and no value contains such a line. So if a part of the file is missing, only
// the frames with that part are lost.
const (
	frameStart  = "\n# entry "
	valuesStart = "\n# given "
)

// The lines at the start of a cassette, and the line above its seals, as [Contents.Save] writes
// them. Between "version" and "interactions" may be pinned, partial and the recorded values, in
// this order. The last line of a cassette is [EndMark].
const (
	header = firstLine + ": credentials are replaced, everything else is as it was sent. " +
		"https://github.com/promptecho/promptecho/blob/main/docs/CASSETTE.md\n"
	firstLine = "# promptecho cassette"
	headStart = header + "version: 1\n"
	sealsLine = "seals: # made by promptecho, to see what was edited above; leave them as they are\n"
)

// cutSeals divides the end of a cassette into the text of interactions above the seals, and the
// seals. ok is false if the text does not end in the way that Save writes it.
func cutSeals(text []byte) (items []byte, seals []seal, ok bool) {
	// The last colon of the file is that of "seals:", since seals have none. The text may begin
	// in the middle of an interaction, see readSeals.
	lineEnd := bytes.LastIndexByte(text, ':') - len("\nseals")
	if lineEnd < 0 || !bytes.HasPrefix(text[lineEnd:], []byte("\n"+sealsLine)) {
		return nil, nil, false
	}
	items = text[:lineEnd+1]
	list := string(text[len(items)+len(sealsLine):])

	seals = make([]seal, 0, strings.Count(list, "\n"))
	for {
		line, rest, hasEnd := strings.Cut(list, "\n")
		if line == codec.EndMark {
			return items, seals, rest == ""
		}
		words, isItem := strings.CutPrefix(line, codec.ItemStart)
		s, isSeal := parseSeal(words)
		if !isItem || !isSeal || !hasEnd {
			return nil, nil, false
		}
		seals = append(seals, s)
		list = rest
	}
}

// findEndMark returns the offset of the line [EndMark] in the text of a cassette, or -1 if there is
// none. Values in a cassette are indented and cannot contain such a line.
func findEndMark(text string) int {
	at := strings.LastIndex(text, "\n"+codec.EndMark) + 1
	if at == 0 {
		return -1
	}
	after := text[at+len(codec.EndMark):]
	isWholeWord := after == "" || strings.Contains(" \t\n", after[:1])
	if !isWholeWord {
		return -1
	}
	return at
}

// recorded reports whether promptecho has written a text, by its first line or its seals.
func recorded(text string) bool {
	isStartOfHeader := text != "" && strings.HasPrefix(header, text) // the file was truncated there
	hasFirstLine := strings.HasPrefix(text, firstLine) || strings.Contains(text, "\n"+firstLine)
	return isStartOfHeader || hasFirstLine || strings.Contains(text, "\n"+sealsKey)
}

const sealsKey = "seals:"

// checkComplete returns an error if the last line of a cassette is missing. promptecho writes that
// line, so the file was truncated later. Texts that promptecho did not write give nil.
func checkComplete(name, text string) *codec.SyntaxError {
	if !recorded(text) || findEndMark(text) >= 0 {
		return nil
	}
	recordAgain := "record it again: PROMPTECHO_MODE=all go test -run NAME"
	if isPinned(text) {
		recordAgain = "remove \"pinned: true\" and record it again"
	}

	const isMissing = "the file was cut here: its last line, three dots (%q), is missing. "
	const restore = "Restore it: git checkout -- %s, or %s"
	const addOrRestore = "If a formatter removed that line, promptecho verify -w %s puts it back. " +
		"Otherwise restore the file: git checkout -- %s, or %s"
	lastLineEnd := len(strings.TrimRight(text, "\n"))
	file := codec.CommandFile(name)
	var err *codec.SyntaxError
	if SealsOf(text) > 0 {
		err = codec.ErrorAt(name, text, lastLineEnd, "", isMissing+addOrRestore,
			codec.EndMark, file, file, recordAgain)
		err.NoEndMark = true
	} else {
		err = codec.ErrorAt(name, text, lastLineEnd, "", isMissing+restore,
			codec.EndMark, file, recordAgain)
	}
	err.Incomplete = true
	return err
}

// EndMark is the last line of a cassette: the YAML marker for the end of a document (YAML 1.2.2,
// 9.1.4).
const EndMark = codec.EndMark

// SealsOf returns the number of seals at the end of a cassette that has no EndMark. It returns 0
// if there is any other text below "seals:". A file that ends with its seals was not truncated: a
// formatter has removed the EndMark.
func SealsOf(text string) (n int) {
	_, seals, _ := strings.Cut(text, "\n"+sealsKey)
	_, seals, _ = strings.Cut(seals, "\n") // the rest of the line is a comment
	for line := range strings.Lines(seals) {
		words := strings.TrimLeft(strings.TrimSpace(line), "- ") // a formatter may indent the list
		_, ok := parseSeal(words)
		if !ok {
			return 0
		}
		n++
	}
	return n
}

// isPinned reports whether the text of a cassette says that it is pinned. The text need not be
// valid.
func isPinned(text string) bool { return strings.Contains("\n"+text, "\npinned: true") }

// applySeals compares the interactions of a cassette with the lines of its seals. An interaction
// whose seal is valid gets the match key of the seal. applySeals returns the lines at which the
// interactions without a valid seal start; they were edited. If none was, and the number of the
// seals is wrong, it returns the line of the seals: interactions were added or removed. A file
// that promptecho did not write has no seals, and the result is nil.
//
// An interaction that has an alias of a value in an edited interaction gets no match key, but
// does not count as edited.
func applySeals(items []codec.Item, text string, lines []string) (edited []int) {
	if !recorded(text) {
		return nil
	}
	seals := parseSeals(lines)
	byText := map[textID]seal{}
	for _, s := range seals {
		byText[s.text] = s
	}
	hasPlain := slices.ContainsFunc(seals, func(s seal) bool { return s.plain != 0 })

	end := itemsEnd(text)
	mayBeEdited := make([]bool, len(items)) // the item, or an item with a value that it shares
	for i, item := range items {
		itemEnd := end
		if i+1 < len(items) {
			itemEnd = items[i+1].Offset
		}
		itemText := text[item.Offset:max(item.Offset, itemEnd)]

		s, hasSameText := byText[idOf([]byte(itemText))]
		isValid := hasSameText &&
			!slices.ContainsFunc(item.DependsOn, func(other int) bool { return mayBeEdited[other] })
		if !isValid && hasPlain {
			// Other values may be shared now than when the seal was made.
			s, isValid = findPlain(seals, item.Interactions[0])
		}
		mayBeEdited[i] = !isValid

		if !isValid && !hasSameText {
			edited = append(edited, item.Interactions[0].Line)
		}
		if isValid && s.key != 0 {
			for _, it := range item.Interactions {
				it.MatchKey = hexKey(s.key)
			}
		}
	}

	if edited == nil && len(seals) != len(items) {
		lineOfSeals := 1 + strings.Count(text[:end], "\n")
		edited = []int{lineOfSeals}
	}
	return edited
}

// parseSeals parses the lines of seals. Lines that are not valid seals are left out.
func parseSeals(lines []string) (seals []seal) {
	for _, line := range lines {
		if s, ok := parseSeal(line); ok {
			seals = append(seals, s)
		}
	}
	return seals
}

// itemsEnd returns the offset at which the interactions of a cassette end: that of "seals:", or
// of the last line in a cassette without seals.
func itemsEnd(text string) int {
	if at := strings.LastIndex(text, "\n"+sealsKey); at >= 0 {
		return at + 1
	}
	return findEndMark(text)
}

// findPlain returns the seal that is valid for an interaction if anchors and aliases do not count.
func findPlain(seals []seal, it *interaction.Interaction) (s seal, ok bool) {
	text, _, _ := codec.Encode(it)
	plain := plainChecksum(text)
	digest := it.Request.Digest()
	for _, s := range seals {
		// A seal without PLAIN is of a text that has no anchors and aliases.
		if s.request == digest && cmp.Or(s.plain, s.text.sum) == plain {
			return s, true
		}
	}
	return seal{}, false
}
